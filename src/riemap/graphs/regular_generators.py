"""Generators of graphs without randomness, such as trees, cycles and grids."""

import numpy as np
from numpy.typing import NDArray

from riemap.graphs.generator_checks import MAX_GENERATED_NODES, NodesAndEdges, check_at_least, check_size
from riemap.types import Array


def path(n: int) -> NodesAndEdges:
    """Path of ``n`` nodes."""
    check_at_least(2, n=n)
    check_size(n, n - 1)
    return n, _row_edges(np.arange(n))


def cycle(n: int) -> NodesAndEdges:
    """Cycle of ``n`` nodes."""
    check_at_least(3, n=n)
    check_size(n, n)
    return n, _ring_edges(np.arange(n))


def star(n: int) -> NodesAndEdges:
    """Star of ``n`` nodes: the first is joined to all others."""
    check_at_least(2, n=n)
    check_size(n, n - 1)
    return n, np.column_stack([np.zeros(n - 1, dtype=np.int64), np.arange(1, n)])


def complete(n: int) -> NodesAndEdges:
    """Complete graph of ``n`` nodes: every two are joined."""
    check_at_least(2, n=n)
    check_size(n, n * (n - 1) // 2)
    return n, np.column_stack(np.triu_indices(n, 1))


def complete_bipartite(n: int, m: int) -> NodesAndEdges:
    """Complete bipartite graph: each of ``n`` nodes is joined to each of ``m`` others."""
    check_at_least(1, n=n, m=m)
    check_size(n + m, n * m)
    return n + m, np.column_stack([np.repeat(np.arange(n), m), np.tile(np.arange(n, n + m), n)])


def tree(r: int, h: int) -> NodesAndEdges:
    """Tree in which every inner node has ``r`` children and every leaf has depth ``h``."""
    check_at_least(1, r=r, h=h)
    n = _tree_size(r, h)
    check_size(n, n - 1)
    return n, _tree_edges(n, r)


def grid(n: int, d: int) -> NodesAndEdges:
    """Grid in ``d`` dimensions with ``n`` nodes along each.

    Nodes are numbered in the order of a C array: the last coordinate changes fastest.
    """
    check_at_least(2, n=n)
    check_at_least(1, d=d)
    size = _bounded_power(n, d)
    check_size(size, d * (size - size // n))
    nodes = np.arange(size).reshape((n,) * d)
    return size, np.concatenate([_row_edges(np.moveaxis(nodes, axis, 0)) for axis in range(d)])


def hypercube(d: int) -> NodesAndEdges:
    """Corners and edges of the cube in ``d`` dimensions."""
    check_at_least(1, d=d)
    return grid(2, d)


def torus(n: int, m: int) -> NodesAndEdges:
    """Product of a cycle of ``n`` nodes and a cycle of ``m`` nodes."""
    check_at_least(3, n=n, m=m)
    check_size(n * m, 2 * n * m)
    nodes = np.arange(n * m).reshape(n, m)
    return n * m, np.concatenate([_ring_edges(nodes), _ring_edges(nodes.T)])


def cycle_of_trees(n: int, r: int, h: int) -> NodesAndEdges:
    """Cycle of ``n`` nodes, each the root of a tree of depth ``h`` with ``r`` children per node."""
    check_at_least(3, n=n)
    check_at_least(1, r=r)
    check_at_least(0, h=h)
    size = _tree_size(r, h)
    check_size(n * size, n * size)
    roots = np.arange(n)
    rest = (n + np.arange(n * (size - 1))).reshape(n, size - 1)
    nodes = np.column_stack([roots, rest])  # one tree per row, level by level
    return n * size, np.concatenate([_ring_edges(roots), nodes[:, _tree_edges(size, r)].reshape(-1, 2)])


def sphere_mesh(n: int) -> NodesAndEdges:
    """Mesh of triangles on a sphere with ``n`` evenly spread corners: planar, with ``3n - 6`` edges.

    The corners are a Fibonacci spiral, and the triangles are their convex hull. The dataset ``sphere-mesh``
    is the mesh of the paper. It has 988 nodes, and not all of its faces are triangles (2,662 edges, not
    2,958).
    """
    from scipy.spatial import ConvexHull

    check_at_least(4, n=n)
    check_size(n, 3 * n - 6)
    corners = ConvexHull(_fibonacci_points(n)).simplices.astype(np.int64)
    sides = np.sort(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]]), axis=1)
    code = np.unique(sides[:, 0] * n + sides[:, 1])
    return n, np.column_stack([code // n, code % n])


def _bounded_power(base: int, exponent: int) -> int:
    """Return ``base ** exponent``, or any number above the limit if the power is above it.

    The true power may have too many digits for memory.
    """
    power = 1
    for _ in range(exponent):
        power *= base
        if power > MAX_GENERATED_NODES:
            break
    return power


def _tree_size(r: int, h: int) -> int:
    """Return ``1 + r + ... + r ** h``, or any number above the limit if the sum is above it."""
    size = 1
    for _ in range(h):
        size = size * r + 1
        if size > MAX_GENERATED_NODES:
            break
    return size


def _row_edges(nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Edges between consecutive entries along the first axis."""
    return np.column_stack([nodes[:-1].ravel(), nodes[1:].ravel()])


def _ring_edges(nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Edges between consecutive entries along the first axis, and between the last and the first."""
    return np.column_stack([nodes.ravel(), np.roll(nodes, -1, axis=0).ravel()])


def _tree_edges(n: int, r: int) -> NDArray[np.int64]:
    """Edges of a tree numbered level by level: the children of ``i`` are ``r i + 1, ..., r i + r``."""
    children = np.arange(1, n)
    return np.column_stack([(children - 1) // min(r, n), children])  # r may be too large for an int64


def _fibonacci_points(n: int) -> Array:
    """Points of a Fibonacci spiral on the sphere: equal steps of height, and turns by the golden angle."""
    z = 1.0 - (2.0 * np.arange(n) + 1.0) / n
    angle = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(n)
    radius = np.sqrt(1.0 - z**2)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), z])
