"""The manifolds that points can live in, by family.

Listing a class in ``MANIFOLDS`` puts it into the command line, the docs table, the benchmark and every
law of the conformance suite.
"""

from riemap.manifolds.base import Manifold
from riemap.manifolds.blocks import PairKernel, RectangularBlock, SymmetricBlock
from riemap.manifolds.compact import CompactManifold
from riemap.manifolds.euclidean import Euclidean
from riemap.manifolds.grassmann import Grassmann
from riemap.manifolds.hyperbolic import Hyperboloid
from riemap.manifolds.rotations import Rotations
from riemap.manifolds.spd import SPD, BuresWasserstein, LogSPD, Stein
from riemap.manifolds.sphere import Sphere

MANIFOLDS: tuple[type[Manifold], ...] = (
    Euclidean,
    Hyperboloid,
    Sphere,
    SPD,
    Stein,
    LogSPD,
    BuresWasserstein,
    Grassmann,
    Rotations,
)

__all__ = [
    "MANIFOLDS",
    "SPD",
    "BuresWasserstein",
    "CompactManifold",
    "Euclidean",
    "Grassmann",
    "Hyperboloid",
    "LogSPD",
    "Manifold",
    "PairKernel",
    "RectangularBlock",
    "Rotations",
    "Sphere",
    "Stein",
    "SymmetricBlock",
]
