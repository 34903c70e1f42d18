"""How curved a graph is: Gromov's δ, Ollivier-Ricci and sectional curvatures."""

from riemap.curvature.ollivier import Ricci, ollivier_ricci

__all__ = ["Ricci", "ollivier_ricci"]
