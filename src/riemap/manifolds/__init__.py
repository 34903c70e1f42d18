"""The spaces that points can live in, each in a file of its own.

Listing a class here puts it into the command line, the docs table, the benchmark and every law of the
conformance suite.
"""

from riemap.manifolds.base import CompactManifold, Manifold, Pairs
from riemap.manifolds.bures import BuresWasserstein
from riemap.manifolds.euclidean import Euclidean
from riemap.manifolds.grassmann import Grassmann
from riemap.manifolds.hyperboloid import Hyperboloid
from riemap.manifolds.logspd import LogSPD
from riemap.manifolds.rotations import Rotations
from riemap.manifolds.spd import SPD
from riemap.manifolds.sphere import Sphere
from riemap.manifolds.stein import Stein

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

__all__ = ["MANIFOLDS", "CompactManifold", "Manifold", "Pairs"]
