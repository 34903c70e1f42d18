"""Initial points.

In a space without bounds a small ball of random points is a good start: an embedding that grows out of it can
reach any shape. In a compact space it is not. A graph that closes upon itself, such as a cycle or a mesh of a
sphere, comes out of the ball pressed flat, and training does not mend that. In compact spaces points are
therefore also spread over the whole space, once according to the distances in the graph and once at random.
"""

from collections.abc import Iterator

import numpy as np

from riemap.distances import Target
from riemap.manifolds import CompactManifold
from riemap.spaces import Points, Space
from riemap.types import Array, Rng

SCALING_LANDMARKS = 512
"""Number of nodes that define the coordinates in classical scaling; others are placed relative to them."""

POWER_ITERATIONS = 100
"""Number of iterations for the eigenvectors; a start does not need them to more digits than these give."""

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


def initial_points(
    space: Space, target: Target, rng: Rng, radius: float, uniform: int = 1
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

    Yields
    ------
    Points
        Random points in a small ball. If all factors of the space are compact, then points that follow the
        distances in the graph, and points at random in the whole space, as often as asked for.
    """
    yield space.random(rng, target.n, radius)
    compact = [m for m in space.factors if isinstance(m, CompactManifold)]
    if len(compact) == len(space.factors):
        y = scaling_coordinates(target, sum(m.shape[0] for m in compact), rng)
        parts = np.split(y, np.cumsum([m.shape[0] for m in compact])[:-1], axis=1)
        yield tuple(m.around(rng, part) for m, part in zip(compact, parts, strict=True))
        for _ in range(uniform):
            yield tuple(m.uniform(rng, target.n) for m in compact)


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
