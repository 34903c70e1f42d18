"""Where points may start from.

In a space that goes on for ever a small ball will do: what unfolds from it can reach anything. In a compact
one it cannot, for a graph that closes upon itself (a mesh of a sphere, a cycle) comes out of the ball pressed
flat, and stays so. There points start all over the space as well, ordered by their distances in the graph,
and at random.
"""

from collections.abc import Iterator

import numpy as np

from riemap.distances import Target
from riemap.manifolds import CompactManifold
from riemap.spaces import Points, Space
from riemap.types import Array, Rng

LANDMARKS = 512
"""Nodes whose distances among each other decide the coordinates; all others follow from those to them."""

ROUNDS = 100
"""Of iterations, after which what is left of smaller eigenvalues does not matter for a start."""

NOISE = 0.01
"""Of a coordinate, so that no two nodes start at the same place, from which they would never part."""


def starts(space: Space, target: Target, rng: Rng, radius: float) -> Iterator[Points]:
    """Points in a small ball; in a compact space then all over it, in order and at random."""
    yield space.random(rng, target.n, radius)
    compact = [m for m in space.factors if isinstance(m, CompactManifold)]
    if len(compact) == len(space.factors):
        y = coordinates(target, sum(m.shape[0] for m in compact), rng)
        parts = np.split(y, np.cumsum([m.shape[0] for m in compact])[:-1], axis=1)
        yield tuple(m.around(rng, part) for m, part in zip(compact, parts, strict=True))
        yield tuple(m.uniform(rng, target.n) for m in compact)


def coordinates(target: Target, dim: int, rng: Rng) -> Array:
    """Of every node, so that their differences are like the target: classical scaling by landmarks.

    The landmarks' coordinates are the first eigenvectors of their centred squared distances, by iteration,
    since LAPACK's depend on the number of threads; a node's follow from its squared distances to them.

    References
    ----------
    [deSilva2004] de Silva, Tenenbaum. Sparse multidimensional scaling using landmark points. 2004.
    """
    nodes = np.sort(rng.permutation(target.n)[:LANDMARKS])
    sqdist = target.block(nodes)
    means = sqdist.mean(axis=0)
    centred = -0.5 * (sqdist - means - means[:, None] + means.mean())
    vectors = _orthonormal(rng.standard_normal((len(nodes), min(dim, len(nodes)))))
    shift = 0.0  # puts the negative eigenvalues, whose vectors are of no use, below the positive ones
    for number in range(ROUNDS):
        image = np.einsum("ij,jk->ik", centred, vectors)
        if number == ROUNDS // 4:
            shift = 0.5 * float(np.linalg.norm(image[:, 0]))
        vectors = _orthonormal(image + shift * vectors)
    values = np.einsum("ik,ik->k", vectors, np.einsum("ij,jk->ik", centred, vectors))
    to_landmarks = (target.matrix[:, nodes] / target.maximum) ** 2
    y = -0.5 * np.einsum("ij,jk->ik", to_landmarks - means, vectors)
    used = values > 1e-6 * values.max()
    y *= np.where(used, 1.0 / np.sqrt(np.where(used, values, 1.0)), 0.0)
    y = np.pad(y, ((0, 0), (0, dim - y.shape[1])))
    return y + NOISE * (np.sqrt(np.mean(y * y)) + 1e-9) * rng.standard_normal(y.shape)


def _orthonormal(a: Array) -> Array:
    """Columns made orthonormal, one after the other."""
    a = a.copy()
    for k in range(a.shape[1]):
        for _ in range(2):  # once more, for what rounding left
            a[:, k] -= np.einsum("ij,j->i", a[:, :k], np.einsum("ij,i->j", a[:, :k], a[:, k]))
        a[:, k] /= np.sqrt(np.sum(a[:, k] ** 2)) + 1e-300
    return a
