r"""How much a space curves between the nodes of an embedding, by geodesic triangles.

In a flat space the angles of a triangle add up to :math:`\pi`, and a median is as long as the parallelogram
law says. Where curvature is negative the angles are smaller and the median is shorter; where it is positive
both are larger. For nodes ``x``, ``y``, ``z`` and the midpoint ``m`` of the geodesic from ``y`` to ``z``,

.. math::
    \bar k_\theta = \frac{\theta_x + \theta_y + \theta_z - \pi}{2\pi}, \qquad
    \xi = \frac{d(x,m)^2 + \frac14 d(y,z)^2 - \frac12\big(d(x,y)^2 + d(x,z)^2\big)}{2\,d(x,m)}

[Cruceru2021, sec. 2 and app. C]. The first is in :math:`[-\frac12, 0]` where no curvature is positive and in
:math:`[0, 1]` where none is negative; the second has the sign of the curvature and the unit of a length.

In a product, :math:`\langle u, v\rangle = \sum_k s_k\langle u_k, v_k\rangle` with the learned scales. The
Stein divergence has no geodesics; its triangles are those of SPD, in angles and in lengths.

The textbook angle, an arccosine, loses half its digits near 0 and :math:`\pi`, where the angles of a thin
triangle are. With :math:`a = u/|u|` and :math:`b = v/|v|` we use

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

from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.manifolds import Manifold
from riemap.spaces import Points, Space
from riemap.types import Array

TRIPLES = 10_000
"""How many triples to draw unless told."""

EQUAL = 1e-14
"""Distance in every factor, before scaling, up to which two points differ by rounding errors only."""

CENTRAL = 1e-8
"""Length of a median against the side it halves, below which its ``ξ`` is a rounding error over zero.
The numerator vanishes with the square of that length, so that zero is put there."""

BLOCK = 1 << 18
"""How many numbers of points to look at at once."""

Measure: TypeAlias = Callable[[Space, Points, Points, Points, Array], Array]


class Triangles(NamedTuple):
    """One number for each triple that is a triangle, and how many were none."""

    values: Array
    degenerate: int


def angle_sums(embedding: Embedding, triples: int = TRIPLES, seed: int = 0) -> Triangles:
    """Normalised sums of angles over triples of nodes drawn at random.

    Triples with two equal points, or with opposite ones that no single shortest geodesic joins, are left out
    and counted.

    Parameters
    ----------
    embedding
        Of at least three nodes.
    triples
        How many to draw, each of three different nodes.
    seed
        The same seed draws the same triples.

    Examples
    --------
    >>> corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    >>> flat = Embedding(Space.parse("E2"), (corners,), np.zeros(1), ("a", "b", "c"))
    >>> np.abs(angle_sums(flat, triples=5).values).max() < 1e-15
    np.True_
    """
    return _sampled(angle_sum, embedding, triples, seed)


def parallelogram_deviations(embedding: Embedding, triples: int = TRIPLES, seed: int = 0) -> Triangles:
    """Deviations from the parallelogram law over the triples that :func:`angle_sums` draws."""
    return _sampled(parallelogram_deviation, embedding, triples, seed)


def angle_sum(space: Space, x: Points, y: Points, z: Points, log_scales: Array | None = None) -> Array:
    r""":math:`(\theta_x + \theta_y + \theta_z - \pi)/2\pi` of many triangles, given by their corners.

    A number without meaning, but finite, where :func:`is_triangle` says no.
    """
    scales = _scales(space, log_scales)
    corners = ((x, y, z), (y, z, x), (z, x, y))
    total = sum(_angle(space, scales, at, _log(space, at, b), _log(space, at, c)) for at, b, c in corners)
    return np.asarray((total - np.pi) / (2.0 * np.pi))


def parallelogram_deviation(
    space: Space, x: Points, y: Points, z: Points, log_scales: Array | None = None
) -> Array:
    r""":math:`\xi` of many triangles, given by their corners: of the median from ``x``."""
    scales = _scales(space, log_scales)
    opposite = _log(space, y, z)
    parts = zip(space.factors, y, opposite, strict=True)
    middle = tuple(m.project(m.exp(a, 0.5 * u)) for m, a, u in parts)
    median, side = (_sqdist(space, scales, *pair) for pair in ((x, middle), (y, z)))
    others = _sqdist(space, scales, x, y) + _sqdist(space, scales, x, z)
    central = median <= CENTRAL**2 * side
    deviation = median + 0.25 * side - 0.5 * others
    return np.where(central, 0.0, deviation / (2.0 * np.sqrt(np.where(central, 1.0, median))))


def is_triangle(
    space: Space, x: Points, y: Points, z: Points, log_scales: Array | None = None
) -> NDArray[np.bool_]:
    """Whether the points are different, and each two of them joined by one shortest geodesic.

    Of two opposite points of a sphere the logarithm is shorter than their distance.
    """
    scales = _scales(space, log_scales)
    good = np.ones(len(x[0]), dtype=bool)
    for a, b in ((x, y), (y, z), (z, x)):
        apart = [_factor_sqdist(m, p, q) > EQUAL**2 for m, p, q in zip(space.factors, a, b, strict=True)]
        length = _norm(space, scales, a, _log(space, a, b))
        good &= np.any(apart, axis=0) & (length > 0.5 * np.sqrt(_sqdist(space, scales, a, b)))
    return good


def draw_triples(n: int, triples: int, seed: int) -> NDArray[np.int64]:
    """Numbers of three different nodes, ``(triples, 3)``, every order of every three as likely."""
    if n < 3:
        raise InputError(f"a triangle needs three nodes, and the embedding has {n}")
    if triples < 1:
        raise InputError(
            f"triples={triples} is not a number of triangles; give one from 1 up, e.g. {TRIPLES}"
        )
    if seed < 0:
        raise InputError(f"seed={seed} is negative; give a whole number from 0 up")
    first, second, third = np.random.default_rng(seed).integers(0, [[n], [n - 1], [n - 2]], (3, triples))
    second += second >= first
    low, high = np.minimum(first, second), np.maximum(first, second)
    third += third >= low
    third += third >= high
    return np.stack([first, second, third], axis=1)


def _sampled(of: Measure, embedding: Embedding, triples: int, seed: int) -> Triangles:
    """A measure over triples of nodes, a block of them at a time."""
    drawn = draw_triples(embedding.n, triples, seed)
    step = max(1, BLOCK // max(1, sum(x[0].size for x in embedding.points)))
    found = []
    for start in range(0, triples, step):
        rows = drawn[start : start + step].T
        x, y, z = (tuple(p[row] for p in embedding.points) for row in rows)
        good = is_triangle(embedding.space, x, y, z, embedding.log_scales)
        found.append(of(embedding.space, x, y, z, embedding.log_scales)[good])
    values = np.concatenate(found)
    return Triangles(values, triples - len(values))


# --- the geometry of a product ----------------------------------------------------------------------


def _scales(space: Space, log_scales: Array | None) -> Array:
    return np.ones(len(space.factors)) if log_scales is None else np.exp(log_scales)


def _log(space: Space, x: Points, y: Points) -> Points:
    return tuple(m.log(a, b) for m, a, b in zip(space.factors, x, y, strict=True))


def _norm(space: Space, scales: Array, x: Points, u: Points) -> Array:
    parts = zip(space.factors, scales, x, u, strict=True)
    return np.sqrt(sum(s * np.maximum(m.inner(a, v, v), 0.0) for m, s, a, v in parts))


def _angle(space: Space, scales: Array, at: Points, u: Points, v: Points) -> Array:
    """Between two tangents; finite where one of them is zero."""
    a, b = _unit(space, scales, at, u), _unit(space, scales, at, v)
    near = tuple(p - q for p, q in zip(a, b, strict=True))
    far = tuple(p + q for p, q in zip(a, b, strict=True))
    return 2.0 * np.arctan2(_norm(space, scales, at, near), _norm(space, scales, at, far))


def _unit(space: Space, scales: Array, at: Points, u: Points) -> Points:
    length = _norm(space, scales, at, u)
    over = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0.0)
    return tuple(v * over.reshape(-1, *(1,) * (v.ndim - 1)) for v in u)


def _sqdist(space: Space, scales: Array, x: Points, y: Points) -> Array:
    parts = zip(space.factors, scales, x, y, strict=True)
    return np.asarray(sum(s * _factor_sqdist(m, a, b) for m, s, a, b in parts))


def _factor_sqdist(m: Manifold, x: Array, y: Array) -> Array:
    """Squared length of the shortest geodesic."""
    if m.geodesic:
        return m.sqdist(x, y)
    u = m.log(x, y)
    return np.maximum(m.inner(x, u, u), 0.0)
