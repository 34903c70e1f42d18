r"""Manifold random graphs: points drawn from a space, and an edge between any two that are near.

They show what a space is like without an embedding: how degrees and curvature of the graph change with the
threshold [Cruceru2021, app. E].

A ball of radius ``R`` is sampled in one of two ways. *Uniform* is by volume: in flat space radii have density
:math:`r^{n-1}`, and in hyperbolic space

.. math:: p(r) \propto \sinh^{n-1} r, \qquad 0 \le r \le R,

with directions uniform in both [Krioukov2010]. *Exp* takes tangents at the origin, uniform in the ball of
radius ``R``, through the exponential map, as the paper does where no uniform distribution is at hand (SPD).
Compact spaces are uniform as a whole and need no radius. In a product, every factor is drawn by itself.

References
----------
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph
    embeddings. AAAI 2021.
[Krioukov2010] Krioukov, Papadopoulos, Kitsak, Vahdat, Boguñá. Hyperbolic geometry of complex networks. Phys.
    Rev. E 82, 2010.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from riemap.distances import memory
from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.graphs.graph import Graph, Labels
from riemap.manifolds import CompactManifold, Hyperboloid, Manifold
from riemap.spaces import Space
from riemap.specs import shown
from riemap.types import Array, Rng

WAYS = ("uniform", "exp")
"""How to draw points."""

LEAST = 100
"""Nodes of the smallest component that is worth a look."""

ROUNDING = 1e-4
"""How far a point's distance from the origin may be from the one it was drawn at, against the radius.
Beyond it the ball is too large, or too small, for the numbers that hold its points, or reaches a boundary."""

CELLS = 512
"""Parts of the interval of radii, in each of which the integral of the density is exact to rounding."""

NOTHING = 60.0
"""Depth, times the dimension less one, below which a large ball has a share of exp(-60) of its volume."""

NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)
"""The rule that integrates it there."""


class Linked(NamedTuple):
    """The graph of all pairs nearer than a threshold."""

    threshold: float
    degrees: NDArray[np.int64]  # of every point, isolated ones included
    nodes: int  # in the largest component
    component: Graph | None  # the largest, unless it is too small

    @property
    def edges(self) -> int:
        """Number of pairs."""
        return int(self.degrees.sum()) // 2


# --- points -----------------------------------------------------------------------------------------


def sample(
    space: str | Space, n: int, radius: float | None = None, how: str = "uniform", seed: int = 0
) -> Embedding:
    """Points drawn at random from a space, labelled 0 to ``n - 1``.

    Parameters
    ----------
    space
        Such as ``"H3"``, or a product; all scales are one.
    n
        How many points.
    radius
        Of the ball about the origin that they are drawn from, 1 unless given. Refused where there is no ball:
        a compact space is sampled uniformly as a whole.
    how
        ``"uniform"`` by volume, in compact, flat and hyperbolic spaces; ``"exp"`` anywhere: exponentials of
        tangents that are uniform in a ball.
    seed
        The same seed gives the same points.

    Examples
    --------
    >>> sample("H3 x S2", 50, radius=5.0)
    <Embedding of 50 nodes in H3 x S2 (5 dimensions)>
    """
    where = Space.parse(space) if isinstance(space, str) else space
    if how == "uniform" and radius is not None and is_compact(where):
        raise InputError(
            f"{where} is sampled uniformly as a whole, not in a ball; leave out the radius, or take 'exp' "
            "for exponentials of tangents of at most that length"
        )
    _check(n, 1.0 if radius is None else radius, how, seed)
    rng = np.random.default_rng(seed)
    points = tuple(_points(m, rng, n, 1.0 if radius is None else radius, how) for m in where.factors)
    return Embedding(where, points, np.zeros(len(points)), tuple(range(n)))


def _check(n: int, radius: float, how: str, seed: int) -> None:
    if how not in WAYS:
        raise InputError(f"no way to draw points is called {shown(how)}; there are 'uniform' and 'exp'")
    if n < 1:
        raise InputError(f"n={n} is not a number of points; give one from 1 up, e.g. 1000")
    if seed < 0:
        raise InputError(f"seed={seed} is negative; give a whole number from 0 up")
    if not 0.0 < radius < np.inf:
        raise InputError(f"radius={radius:g} is not that of a ball; give a positive number, e.g. 5")


def is_compact(space: Space) -> bool:
    """Whether every factor is."""
    return all(isinstance(m, CompactManifold) for m in space.factors)


def _is_flat(m: Manifold) -> bool:
    """Whether the exponential map of a ball keeps distances."""
    return m.curvature == (0.0, 0.0) and not isinstance(m, CompactManifold)


def _points(m: Manifold, rng: Rng, n: int, radius: float, how: str) -> Array:
    if how == "uniform" and isinstance(m, CompactManifold):
        return m.uniform(rng, n)
    share = rng.random(n)
    if how == "exp" or _is_flat(m):
        lengths = radius * share ** (1.0 / m.dim)
    elif isinstance(m, Hyperboloid):
        lengths = hyperbolic_radii(m.dim, radius, share)
    else:
        raise InputError(
            f"how to draw uniformly from balls of {m} is not known; 'uniform' is for E, H, S, LogSPD, Gr and "
            f"SO, and 'exp' for any space, e.g. riemap sample {m} --how exp --out DIR"
        )
    return _at_distances(m, rng, lengths, radius)


def _at_distances(m: Manifold, rng: Rng, lengths: Array, radius: float) -> Array:
    """Points in random directions from the origin, each at its distance along a geodesic."""
    u = m.to_tangent(m.origin, rng.standard_normal((len(lengths), *m.shape)))
    factor = lengths / m.norm(m.origin, u)
    with np.errstate(all="ignore"):  # what goes wrong is seen at the end
        points = m.project(m.exp(m.origin, u * factor.reshape(-1, *(1,) * len(m.shape))))
        off = np.abs(m.norm(m.origin, m.log(m.origin, points)) - lengths).max()
    if not off <= ROUNDING * radius and not isinstance(m, CompactManifold):
        raise InputError(f"a ball of radius {radius:g} does not fit into {m} as computed; try 1, or up to 5")
    return points


def hyperbolic_radii(dim: int, radius: float, share: Array) -> Array:
    r"""Radii within which a ball of hyperbolic space has these shares of its volume: the inverse of ``F``.

    .. math:: F(r) = \int_0^r \sinh^{n-1}t\,dt \Big/ \int_0^R \sinh^{n-1}t\,dt.

    The integral is found cell by cell. Within the cell of a share, Newton's method starts from where flat
    space would have it; since the integrand increases, it comes down to the solution from above.
    """
    edges = np.linspace(max(0.0, radius - NOTHING / max(dim - 1, 1e-9)), radius, CELLS + 1)
    total = np.concatenate([[0.0], np.cumsum(_integral(dim, radius, edges[:-1], edges[1:]))])
    aim = share * total[-1]
    cell = np.clip(np.searchsorted(total, aim, side="right") - 1, 0, CELLS - 1)
    low, high, below = edges[cell], edges[cell + 1], total[cell]
    part = (aim - below) / np.maximum(total[cell + 1] - below, np.finfo(float).tiny)
    inner = (low / high) ** dim
    r = high * np.clip(inner + part * (1.0 - inner), 0.0, 1.0) ** (1.0 / dim)
    for _ in range(5):
        slope = np.maximum(_density(dim, radius, r), np.finfo(float).tiny)
        r = np.clip(r - (below + _integral(dim, radius, low, r) - aim) / slope, low, high)
    return r


def _density(dim: int, radius: float, r: Array) -> Array:
    r""":math:`(\sinh r/\sinh R)^{n-1}`, without the large numbers in it."""
    ratio = np.exp(r - radius) * np.expm1(-2.0 * r) / np.expm1(-2.0 * radius)
    return np.asarray(ratio ** (dim - 1))


def _integral(dim: int, radius: float, low: Array, high: Array) -> Array:
    half = 0.5 * (high - low)
    at = low[:, None] + half[:, None] * (1.0 + NODES)
    return half * (_density(dim, radius, at) @ WEIGHTS)


# --- graphs -----------------------------------------------------------------------------------------


def distance_matrix(points: Embedding) -> Array:
    """All distances, ``(n, n)``, as the space has them: in Stein, roots of the divergence."""
    check_memory(points.n)
    return np.sqrt(points.space.symmetric_block(points.points, points.log_scales).sqdist)


def check_memory(n: int) -> None:
    """Refuse more points than the distances of which fit into memory."""
    memory.require(32 * n**2, f"all distances of {n} points", "draw fewer points")


def thresholds(points: Embedding, distances: Array, count: int, radius: float | None = None) -> Array:
    """The paper's range of thresholds, in equal steps.

    From a tenth of the largest distance to all of it in a compact space, and from a tenth of the radius of
    the ball to one and a half elsewhere.
    """
    if count < 1:
        raise InputError(f"{count} is not a number of thresholds; give one from 1 up, e.g. 10")
    if is_compact(points.space):
        return np.linspace(0.1, 1.0, count) * distances.max()
    return np.linspace(0.1, 1.5, count) * (1.0 if radius is None else radius)


def threshold_graphs(distances: Array, levels: Array, least: int = LEAST) -> Iterator[Linked]:
    """For each threshold, the graph of all pairs at less than it.

    Parameters
    ----------
    distances
        ``(n, n)``.
    levels
        The thresholds.
    least
        Largest components with fewer nodes are left out, as in the paper.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    for level in levels.tolist():
        near = distances < level
        np.fill_diagonal(near, False)
        _, member = connected_components(csr_array(near), directed=False)
        sizes = np.bincount(member)
        inside = np.flatnonzero(member == np.argmax(sizes))
        whole = len(inside) >= max(least, 2)
        graph = _graph(near[np.ix_(inside, inside)], tuple(inside.tolist()), level) if whole else None
        yield Linked(level, np.count_nonzero(near, axis=1), len(inside), graph)


def _graph(near: NDArray[np.bool_], labels: Labels, level: float) -> Graph:
    """A graph from the matrix that says who is near whom; it is connected."""
    indptr = np.concatenate([[0], np.cumsum(np.count_nonzero(near, axis=1))])
    return Graph(indptr, np.nonzero(near)[1].astype(np.int32), None, labels, f"pairs nearer than {level:.4g}")
