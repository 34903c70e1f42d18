r"""Curvature of a space between the nodes of an embedding, measured by geodesic triangles.

In a flat space the angles of a triangle add up to :math:`\pi`, and the parallelogram law gives the length of
a median. If curvature is negative, the angles and the median are smaller; if it is positive, they are larger.
For nodes ``x``, ``y``, ``z`` and the midpoint ``m`` of the geodesic from ``y`` to ``z``,

.. math::
    \bar k_\theta = \frac{\theta_x + \theta_y + \theta_z - \pi}{2\pi}, \qquad
    \xi = \frac{d(x,m)^2 + \frac14 d(y,z)^2 - \frac12\big(d(x,y)^2 + d(x,z)^2\big)}{2\,d(x,m)}

[Cruceru2021, sec. 2 and app. C]. The first is in :math:`[-\frac12, 0]` if no curvature is positive and in
:math:`[0, 1]` if none is negative. The second has the sign of the curvature and is a length.

In a product, :math:`\langle u, v\rangle = \sum_k s_k\langle u_k, v_k\rangle` with the learned scales
:math:`s_k`. The Stein divergence has no geodesics, so its triangles take angles and lengths from SPD.

The textbook formula for an angle, an arccosine, loses half of its digits near 0 and :math:`\pi`, and a thin
triangle has such angles. With :math:`a = u/|u|` and :math:`b = v/|v|` we use

.. math:: \theta = 2\operatorname{atan2}(|a-b|, |a+b|).

References
----------
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph
    embeddings. AAAI 2021.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from riemap.curvature.product_geometry import angle, factor_scales, factor_sqdist, geodesic_sqdist, log, norm
from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.spaces import Points, Space
from riemap.specs import checked_seed, expect, whole_number
from riemap.types import Array

DEFAULT_TRIPLES = 10_000
"""Default number of triples to draw: enough for a smooth histogram."""

COINCIDENT_DISTANCE = 1e-14
"""Unscaled distance in every factor up to which two points count as equal: the size of rounding errors of
coordinates near one."""

SHORT_MEDIAN_RATIO = 1e-8
"""Ratio of a median to the side it halves below which the deviation ``ξ`` is set to zero. The numerator of
``ξ`` vanishes with the square of the median, so the quotient would be a rounding error divided by almost
zero."""

TRIANGLE_BLOCK_NUMBERS = 1 << 18
"""Number of coordinates (2 MB of float64) that one block of triangles reads per corner."""

TriangleMeasure: TypeAlias = Callable[[Space, Points, Points, Points, Array], Array]


class Triangles(NamedTuple):
    """One value for each random triple of nodes that is a triangle.

    Parameters
    ----------
    values
        One value for each triangle.
    degenerate
        Number of triples that are not triangles; see :func:`is_triangle`.
    """

    values: Array
    degenerate: int


def angle_sums(embedding: Embedding, triples: int = DEFAULT_TRIPLES, seed: int = 0) -> Triangles:
    """Compute :func:`angle_sum` for random triples of nodes.

    Triples with two equal points, or two opposite points of a sphere, are not triangles. They are counted but
    have no value.

    Parameters
    ----------
    embedding
        An embedding of at least three nodes.
    triples
        Number of triples of different nodes to draw.
    seed
        Seed of the draw.

    Returns
    -------
    Triangles
        One value for each triangle, and the number of triples that are not triangles.

    Raises
    ------
    InputError
        If there are fewer than three nodes, or ``triples`` or ``seed`` is out of range.

    Examples
    --------
    >>> corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    >>> flat = Embedding(Space.parse("E2"), (corners,), np.zeros(1), ("a", "b", "c"))
    >>> np.abs(angle_sums(flat, triples=5).values).max() < 1e-15
    np.True_
    """
    return _sampled(angle_sum, embedding, triples, seed)


def parallelogram_deviations(
    embedding: Embedding, triples: int = DEFAULT_TRIPLES, seed: int = 0
) -> Triangles:
    """Compute :func:`parallelogram_deviation` for the random triples that :func:`angle_sums` draws.

    Parameters
    ----------
    embedding
        An embedding of at least three nodes.
    triples
        Number of triples of different nodes to draw.
    seed
        Seed of the draw.

    Returns
    -------
    Triangles
        One value for each triangle, and the number of triples that are not triangles.

    Raises
    ------
    InputError
        If there are fewer than three nodes, or ``triples`` or ``seed`` is out of range.

    Examples
    --------
    >>> corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    >>> flat = Embedding(Space.parse("E2"), (corners,), np.zeros(1), ("a", "b", "c"))
    >>> np.abs(parallelogram_deviations(flat, triples=5).values).max() < 1e-15
    np.True_
    """
    return _sampled(parallelogram_deviation, embedding, triples, seed)


def angle_sum(space: Space, x: Points, y: Points, z: Points, log_scales: Array | None = None) -> Array:
    r""":math:`(\theta_x + \theta_y + \theta_z - \pi)/2\pi` for each of ``n`` triangles.

    Parameters
    ----------
    space
        The space of the points.
    x, y, z
        Corners of the triangles: for each factor of the space, an array of ``n`` points.
    log_scales
        Logarithm of the scale of each factor; zeros by default.

    Returns
    -------
    array
        ``(n,)``. If :func:`is_triangle` is false, the value is finite but has no meaning.

    Examples
    --------
    >>> octant = [(point[None],) for point in np.eye(3)]  # three right angles on the sphere
    >>> angle_sum(Space.parse("S2"), *octant).round(12)
    array([0.25])
    """
    scales = factor_scales(space, log_scales)
    corners = ((x, y, z), (y, z, x), (z, x, y))
    total = sum(angle(space, scales, at, log(space, at, b), log(space, at, c)) for at, b, c in corners)
    return np.asarray((total - np.pi) / (2.0 * np.pi))


def parallelogram_deviation(
    space: Space, x: Points, y: Points, z: Points, log_scales: Array | None = None
) -> Array:
    r""":math:`\xi` of the median from ``x``, for each of ``n`` triangles.

    Parameters
    ----------
    space
        The space of the points.
    x, y, z
        Corners of the triangles: for each factor of the space, an array of ``n`` points.
    log_scales
        Logarithm of the scale of each factor; zeros by default.

    Returns
    -------
    array
        ``(n,)``. If :func:`is_triangle` is false, the value is finite but has no meaning.

    Examples
    --------
    >>> corners = [(np.array([point]),) for point in ([0.0, 0.0], [1.0, 0.0], [0.0, 2.0])]
    >>> parallelogram_deviation(Space.parse("E2"), *corners)
    array([0.])
    """
    scales = factor_scales(space, log_scales)
    opposite = log(space, y, z)
    parts = zip(space.factors, y, opposite, strict=True)
    middle = tuple(m.project(m.exp(a, 0.5 * u)) for m, a, u in parts)
    median, side = (geodesic_sqdist(space, scales, *pair) for pair in ((x, middle), (y, z)))
    others = geodesic_sqdist(space, scales, x, y) + geodesic_sqdist(space, scales, x, z)
    central = median <= SHORT_MEDIAN_RATIO**2 * side
    deviation = median + 0.25 * side - 0.5 * others
    return np.where(central, 0.0, deviation / (2.0 * np.sqrt(np.where(central, 1.0, median))))


def is_triangle(
    space: Space, x: Points, y: Points, z: Points, log_scales: Array | None = None
) -> NDArray[np.bool_]:
    """Whether three points are different and each two are joined by exactly one shortest geodesic.

    The second condition fails for opposite points of a sphere. It is recognised by their logarithm, which is
    shorter than their distance.

    Parameters
    ----------
    space
        The space of the points.
    x, y, z
        Corners of the triangles: for each factor of the space, an array of ``n`` points.
    log_scales
        Logarithm of the scale of each factor; zeros by default.

    Returns
    -------
    array
        ``(n,)``, booleans.

    Examples
    --------
    >>> north, south, east = (np.array([p]) for p in ([0.0, 1.0], [0.0, -1.0], [1.0, 0.0]))
    >>> is_triangle(Space.parse("S1"), (north,), (south,), (east,))
    array([False])
    """
    scales = factor_scales(space, log_scales)
    good = np.ones((), dtype=bool)
    for a, b in ((x, y), (y, z), (z, x)):
        apart = [
            factor_sqdist(m, p, q) > COINCIDENT_DISTANCE**2
            for m, p, q in zip(space.factors, a, b, strict=True)
        ]
        length = norm(space, scales, a, log(space, a, b))
        good = good & np.any(apart, axis=0) & (length > 0.5 * np.sqrt(geodesic_sqdist(space, scales, a, b)))
    return good


def draw_triples(n: int, triples: int, seed: int) -> NDArray[np.int64]:
    """Draw triples of different node numbers, ``(triples, 3)``; all ordered triples are equally likely."""
    if n < 3:
        raise InputError(f"a triangle needs three nodes, and the embedding has {n}")
    triples, seed = whole_number("triples", triples, 1, DEFAULT_TRIPLES), checked_seed(seed)
    first, second, third = np.random.default_rng(seed).integers(0, [[n], [n - 1], [n - 2]], (3, triples))
    second += second >= first
    low, high = np.minimum(first, second), np.maximum(first, second)
    third += third >= low
    third += third >= high
    return np.stack([first, second, third], axis=1)


def _sampled(measure: TriangleMeasure, embedding: Embedding, triples: int, seed: int) -> Triangles:
    """Evaluate a measure for random triples of nodes, one block of triples at a time."""
    expect(embedding, Embedding, "an embedding", "riemap.embed(…).embedding is one")
    drawn = draw_triples(embedding.n, triples, seed)
    step = max(1, TRIANGLE_BLOCK_NUMBERS // max(1, sum(x[0].size for x in embedding.points)))
    found = []
    for start in range(0, triples, step):
        rows = drawn[start : start + step].T
        x, y, z = (tuple(p[row] for p in embedding.points) for row in rows)
        good = is_triangle(embedding.space, x, y, z, embedding.log_scales)
        found.append(measure(embedding.space, x, y, z, embedding.log_scales)[good])
    values = np.concatenate(found)
    return Triangles(values, triples - len(values))
