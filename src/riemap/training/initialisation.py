"""Initial points.

In a space without bounds a small ball of random points is a good start: an embedding that grows out of it can
reach any shape. Which one it reaches depends on the seed. From a layout by classical scaling, seeds of a
small graph end nearly alike. In a compact space both fail. A graph that closes upon itself, such as a cycle
or a mesh of a sphere, comes out of the ball pressed flat, and training does not mend that. In compact spaces
points are therefore also spread over the whole space, once according to the distances in the graph and once
at random.
"""

from collections.abc import Iterator, Sequence
from operator import itemgetter

import numpy as np

from riemap.distances import Target
from riemap.manifolds import CompactManifold, Manifold
from riemap.means import tangent_basis
from riemap.spaces import Points, Space
from riemap.types import Array, Rng

SCALING_LANDMARKS = 512
"""Number of nodes that define the coordinates in classical scaling; others are placed relative to them."""

POWER_ITERATIONS = 100
"""Number of iterations for the eigenvectors; a start does not need them to more digits than these give."""

LAYOUT_RADIUS = 0.5
"""Root mean square of the distances to the origin, in every factor, where points follow a layout.

Over 63 cases, 7 graphs of 32 to 100 nodes in 9 spaces, 3 seeds: the worst average distortion over the best
was 1.08 on average from random points in a ball, and above 1.05 in 16 cases; from a layout 1.01, in 3 cases.
The mean was 1 % smaller. Karate in H2 had AD 0.119 from this radius, 0.132 from 0.3, 0.119 from 0.8 and 0.130
from 1.2."""

LAYOUT_NODES = 200
"""Largest number of nodes of a graph that starts from a layout in a space without a compact factor.

A larger one may end worse than from random points, with any seed. Two seeds each, AD: bio-diseasome in SPD2
0.080 from a layout, 0.073 and 0.079 from random points; in H3 0.065, and 0.063 and 0.064; tree(r=3,h=5) in H3
0.030, and 0.026 and 0.025. Hyperbolic, Barabási-Albert and Watts-Strogatz graphs of 400 nodes ended alike."""

COORDINATE_NOISE = 0.01
"""Standard deviation of the noise on coordinates, relative to their root mean square.

Two nodes at the same place do not push each other apart, since their distance has no direction there.
"""

LEAST_NOISE_SCALE = 1e-9
"""Added to the root mean square of the coordinates, so that there is noise even if all are zero."""

LEAST_LENGTH = 1e-300
"""Added to the length of a vector before dividing by it, so that a zero vector stays zero."""

USED_EIGENVALUE = 1e-6
"""Smallest eigenvalue, relative to the largest, whose eigenvector is a coordinate; below it is rounding."""

LEAST_AREA = 1e-6
"""Smallest squared area of two tangents, one of them of length one, that span a plane and not only a line."""

RICCI_DIGITS = 6
"""Digits to which Ricci curvatures are rounded, so that rounding errors do not choose among directions."""


def initial_points(
    space: Space, target: Target, rng: Rng, radius: float, uniform: int = 1, layout: bool = False
) -> Iterator[Points]:
    """Propose initial points.

    Parameters
    ----------
    space
        The space to embed in.
    target
        The distances that the embedding should have.
    rng
        Source of random numbers.
    radius
        Typical distance of points from the origin in the first proposal.
    uniform
        Number of proposals at random in the whole of a compact space.
    layout
        Whether points near the origin follow the distances in the graph, instead of being random.

    Yields
    ------
    Points
        Points in a ball around the origin. If all factors of the space are compact, then points that follow
        the distances in the graph, and points at random in the whole space, as often as asked for, or in a
        product, if they follow a layout, points whose coordinates are dealt to the factors at random. If
        only some factors are compact, and points follow a layout, layouts that are spread over these factors
        and lie around the origin of the others.
    """
    compact = [isinstance(m, CompactManifold) for m in space.factors]
    if layout and any(compact) and not all(compact):
        for compact_first in (False, True):
            yield _laid_out(space, target, rng, radius, compact, compact_first=compact_first)
        return
    if layout:
        yield _laid_out(space, target, rng, radius, [False] * len(compact))
    else:
        yield space.random(rng, target.n, radius)
    if all(compact):
        yield _spread(space, scaling_coordinates(target, sum(m.shape[0] for m in space.factors), rng), rng)
    for _ in range(uniform if all(compact) else 0):
        if layout and len(compact) > 1:
            y = scaling_coordinates(target, sum(m.shape[0] for m in space.factors), rng)
            yield _spread(space, y[:, rng.permutation(y.shape[1])], rng)
        else:
            yield tuple(m.uniform(rng, target.n) for m in space.factors if isinstance(m, CompactManifold))


def _spread(space: Space, y: Array, rng: Rng) -> Points:
    """Spread points over a compact space; its factors share the coordinates."""
    parts = np.split(y, np.cumsum([m.shape[0] for m in space.factors])[:-1], axis=1)
    pairs = zip(space.factors, parts, strict=True)
    return tuple(m.around(rng, part) for m, part in pairs if isinstance(m, CompactManifold))


def _laid_out(
    space: Space,
    target: Target,
    rng: Rng,
    radius: float,
    spread: Sequence[bool],
    *,
    compact_first: bool = True,
) -> Points:
    """Place points by classical scaling: around the origin of a factor, or spread over a compact one.

    The factors share the coordinates. Each one takes as many as it has dimensions, or as the sphere around
    which it is spread; ``compact_first`` tells which of the two kinds takes those that vary most. Around
    origins, the coordinates that vary most go where the curvature is most negative: in SPD2, with any other
    order, the worst AD over the best of four seeds was 1.14 on a random tree, and with this one 1.01.
    """
    tangent = [
        (value, k, direction)
        for k, (m, wide) in enumerate(zip(space.factors, spread, strict=True))
        for value, direction in _directions(m)
        if not wide
    ]
    tangent.sort(key=itemgetter(0))
    sizes = [m.shape[0] for m, wide in zip(space.factors, spread, strict=True) if wide]
    y = scaling_coordinates(target, len(tangent) + sum(sizes), rng)
    y *= radius * np.sqrt(len(spread)) / (np.sqrt(np.mean(np.sum(y * y, axis=1))) + LEAST_LENGTH)
    near, far = (y[:, sum(sizes) :], y) if compact_first else (y, y[:, len(tangent) :])
    parts = iter(np.split(far[:, : sum(sizes)], np.cumsum(sizes), axis=1))
    points = []
    for k, m in enumerate(space.factors):
        if spread[k] and isinstance(m, CompactManifold):
            points.append(m.around(rng, next(parts)))
        else:
            tangents = np.zeros((target.n, *m.shape))
            for j, (_, factor, direction) in enumerate(tangent):
                if factor == k:
                    tangents += np.multiply.outer(near[:, j], direction)
            points.append(m.project(m.exp(m.origin, tangents)))
    return tuple(points)


def _directions(m: Manifold) -> list[tuple[float, Array]]:
    """Return principal directions at the origin, and the Ricci curvature of each."""
    basis = tangent_basis(m, m.origin)
    least, largest = m.curvature
    if least == largest:
        return [((m.dim - 1) * least, direction) for direction in basis]
    i, j = np.triu_indices(m.dim)
    sums = basis[i] + basis[j]  # the quadratic form of sums gives the bilinear form of the basis
    inner = m.inner(m.origin, sums[:, None], basis)
    area = m.inner(m.origin, sums, sums)[:, None] - inner * inner
    flat = area < LEAST_AREA
    v = np.where(flat.reshape(*flat.shape, *[1] * len(m.shape)), np.roll(basis, 1, axis=0), basis)
    curved = np.where(flat, 0.0, area * m.sectional(m.origin, sums[:, None], v))
    form = np.zeros((m.dim, m.dim))
    form[i, j] = form[j, i] = 0.5 * curved.sum(axis=1)
    own = 0.5 * np.diag(form)
    form -= 0.5 * (own[:, None] + own)
    np.fill_diagonal(form, own)
    values, vectors = np.linalg.eigh(np.round(form, RICCI_DIGITS))
    return list(zip(values.tolist(), np.einsum("ik,i...->k...", vectors, basis), strict=True))


def scaling_coordinates(target: Target, dim: int, rng: Rng) -> Array:
    """Place all nodes in Euclidean space by classical scaling with landmarks  [deSilva2004].

    The coordinates of the landmarks are the first eigenvectors of their centred squared distances. The
    coordinates of any node follow from its squared distances to the landmarks. The eigenvectors are found by
    iteration, since the bytes of LAPACK's result depend on the number of threads.

    Parameters
    ----------
    target
        The distances that the coordinates approximate.
    dim
        Number of coordinates.
    rng
        Source of random numbers.

    Returns
    -------
    Array
        Coordinates ``(n, dim)``, with some noise.

    References
    ----------
    [deSilva2004] de Silva, Tenenbaum. Sparse multidimensional scaling using landmark points. 2004.
    """
    nodes = np.sort(rng.permutation(target.n)[:SCALING_LANDMARKS])
    sqdist = target.block(nodes)
    means = sqdist.mean(axis=0)
    centred = -0.5 * (sqdist - means - means[:, None] + means.mean())
    vectors = _orthonormal(rng.standard_normal((len(nodes), min(dim, len(nodes)))))
    shift = 0.0  # later ranks negative eigenvalues, whose vectors are useless, below the positive ones
    for number in range(POWER_ITERATIONS):
        image = np.einsum("ij,jk->ik", centred, vectors)
        if number == POWER_ITERATIONS // 4:
            shift = 0.5 * float(np.linalg.norm(image[:, 0]))
        vectors = _orthonormal(image + shift * vectors)
    values = np.einsum("ik,ik->k", vectors, np.einsum("ij,jk->ik", centred, vectors))
    to_landmarks = (target.matrix[:, nodes] / target.maximum) ** 2
    y = -0.5 * np.einsum("ij,jk->ik", to_landmarks - means, vectors)
    used = values > USED_EIGENVALUE * values.max()
    y *= np.where(used, 1.0 / np.sqrt(np.where(used, values, 1.0)), 0.0)
    y = np.pad(y, ((0, 0), (0, dim - y.shape[1])))
    return y + COORDINATE_NOISE * (np.sqrt(np.mean(y * y)) + LEAST_NOISE_SCALE) * rng.standard_normal(y.shape)


def _orthonormal(a: Array) -> Array:
    """Make the columns orthonormal, one after the other."""
    a = a.copy()
    for k in range(a.shape[1]):
        for _ in range(2):  # the second time removes rounding errors of the first
            a[:, k] -= np.einsum("ij,j->i", a[:, :k], np.einsum("ij,i->j", a[:, :k], a[:, k]))
        a[:, k] /= np.sqrt(np.sum(a[:, k] ** 2)) + LEAST_LENGTH
    return a
