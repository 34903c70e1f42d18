r"""Manifold random graphs: draw points from a space, and join any two that are closer than a threshold.

They show properties of a space without an embedding: how the degrees and the curvature of the graph change
with the threshold [Cruceru2021, app. E].

There are two ways to sample a ball of radius ``R`` around the origin. *Uniform* samples by volume: directions
are uniform, and radii have the density :math:`r^{n-1}` in flat space, and in hyperbolic space [Krioukov2010]

.. math:: p(r) \propto \sinh^{n-1} r, \qquad 0 \le r \le R.

*Exp* draws tangent vectors at the origin, uniformly from the ball of radius ``R``, and applies the
exponential map. The paper does this for SPD matrices, where uniform sampling is not available. A compact
space is sampled uniformly as a whole and needs no radius. The factors of a product are sampled independently.

References
----------
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph
    embeddings. AAAI 2021.
[Krioukov2010] Krioukov, Papadopoulos, Kitsak, Vahdat, Boguñá. Hyperbolic geometry of complex networks. Phys.
    Rev. E 82, 2010.
"""

from riemap.random_graphs.linking import (
    Sweep,
    ThresholdGraph,
    check_memory,
    distance_matrix,
    threshold_graphs,
    thresholds,
)
from riemap.random_graphs.points import SAMPLING_METHODS, hyperbolic_radii, is_compact, sample

__all__ = [
    "SAMPLING_METHODS",
    "Sweep",
    "ThresholdGraph",
    "check_memory",
    "distance_matrix",
    "hyperbolic_radii",
    "is_compact",
    "sample",
    "threshold_graphs",
    "thresholds",
]
