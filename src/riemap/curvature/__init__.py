"""How curved a graph is: Gromov's δ, Ollivier-Ricci and sectional curvatures."""

from riemap.curvature.gromov import Hyperbolicity, delta_sampled
from riemap.curvature.gromov_exact import delta_exact
from riemap.curvature.ollivier import Ricci, ollivier_ricci
from riemap.curvature.sectional import Sectional, sectional
from riemap.curvature.summary import Summary

__all__ = [
    "Hyperbolicity",
    "Ricci",
    "Sectional",
    "Summary",
    "delta_exact",
    "delta_sampled",
    "ollivier_ricci",
    "sectional",
]
