"""Graphs of any size for benchmarks, each with about ten times as many edges as nodes.

There are three kinds: a hyperbolic random graph (degrees with exponent 2.5); a square grid in which nodes up
to three steps apart in a row or column are linked, with four random links a node; and a Barabasi-Albert
graph.
"""

import math
import warnings

import numba
import numpy as np
from numpy.typing import NDArray

from riemap import Graph, GraphWarning

DEGREE = 20
"""Mean number of neighbours: ten times as many edges as nodes."""

ALPHA = 0.75
"""Decay of the radii of the hyperbolic graph; the exponent of its degrees is 2 ALPHA + 1."""


def hyperbolic(n: int, seed: int = 0) -> NDArray[np.int64]:
    """Link points of a hyperbolic disc that are closer to each other than its radius."""
    rng = np.random.default_rng(seed)
    xi = ALPHA / (ALPHA - 0.5)
    radius = 2.0 * math.log(2.0 * xi * xi * n / (math.pi * DEGREE))
    r = np.arccosh(1.0 + rng.random(n) * (math.cosh(ALPHA * radius) - 1.0)) / ALPHA
    bounds = np.linspace(0.0, radius, 2 * int(radius) + 1)
    band = np.minimum(np.searchsorted(bounds, r, side="right") - 1, len(bounds) - 2)
    angle = rng.random(n) * 2.0 * math.pi
    order = np.lexsort((angle, band))
    starts = np.searchsorted(band[order], np.arange(len(bounds)))
    return _near_pairs(r[order], angle[order], starts, bounds, radius)


@numba.njit
def _near_pairs(r, angle, starts, bounds, radius):  # type: ignore[no-untyped-def]
    out = np.empty((16 * len(r), 2), np.int64)
    count = 0
    for i in range(len(r)):
        for b in range(len(bounds) - 1):
            first, last = starts[b], starts[b + 1]
            window = _window(r[i], bounds[b], radius)
            angles = angle[first:last]
            for turn in (-2.0 * math.pi, 0.0, 2.0 * math.pi):
                low = np.searchsorted(angles, angle[i] + turn - window)
                high = np.searchsorted(angles, angle[i] + turn + window)
                for j in range(first + low, first + high):
                    gap = abs(angle[i] + turn - angle[j])
                    if j > i and gap <= math.pi and gap <= _window(r[i], r[j], radius):
                        if count == len(out):
                            larger = np.empty((2 * count, 2), np.int64)
                            larger[:count] = out
                            out = larger
                        out[count, 0], out[count, 1] = i, j
                        count += 1
    return out[:count]


@numba.njit
def _window(a, b, radius):  # type: ignore[no-untyped-def]
    """Largest angle between two points at these radii whose distance is at most ``radius``."""
    if a + b <= radius:
        return math.pi
    cosine = (math.cosh(a) * math.cosh(b) - math.cosh(radius)) / (math.sinh(a) * math.sinh(b))
    return math.acos(max(min(cosine, 1.0), -1.0))


def grid(n: int, seed: int = 0) -> NDArray[np.int64]:
    """Link the nodes of a square grid to those near them, and each to a few random ones."""
    side = round(math.sqrt(n))
    number = np.arange(side * side).reshape(side, side)
    near = [(number[:, k:], number[:, :-k]) for k in (1, 2, 3)] + [
        (number[k:], number[:-k]) for k in (1, 2, 3)
    ]
    edges = [np.column_stack([a.ravel(), b.ravel()]) for a, b in near]
    far = np.random.default_rng(seed).integers(0, side * side, (4 * side * side, 2))
    return np.concatenate([*edges, far[far[:, 0] != far[:, 1]]])


def ba(n: int, seed: int = 0) -> NDArray[np.int64]:
    """Link each new node to ends of earlier edges."""
    draws = np.random.default_rng(seed).random((n, DEGREE // 2))
    return _attached(n, DEGREE // 2, draws)


@numba.njit
def _attached(n, m, draws):  # type: ignore[no-untyped-def]
    out = np.empty(((n - m) * m, 2), np.int64)
    for i in range(m, n):
        for k in range(m):
            place = int(draws[i, k] * 2 * (i - m) * m)
            out[(i - m) * m + k, 0] = i
            out[(i - m) * m + k, 1] = k if i == m else out[place >> 1, place & 1]
    return out


MAKERS = {"hyperbolic": hyperbolic, "grid": grid, "ba": ba}


def made(kind: str, n: int) -> Graph:
    """Make the graph of a kind with about so many nodes, and keep its largest component."""
    edges = MAKERS[kind](n)
    numbers = np.unique(edges.min(axis=1) * (edges.max() + 1) + edges.max(axis=1))
    edges = np.column_stack(np.divmod(numbers, edges.max() + 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GraphWarning)  # of a few nodes in small components
        return Graph.from_edges(edges[edges[:, 0] != edges[:, 1]], name=f"{kind} {n}")
