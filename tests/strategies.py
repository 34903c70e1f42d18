"""Things that hypothesis draws."""

import warnings

import numpy as np
from hypothesis import strategies as st

from riemap.graphs import Graph, GraphWarning


@st.composite
def graphs(draw, max_nodes=12, weighted=None):
    """Small connected graphs: a random tree and some more edges, with a few different lengths if weighted."""
    n = draw(st.integers(2, max_nodes))
    tree = [(draw(st.integers(0, i - 1)), i) for i in range(1, n)]
    node = st.integers(0, n - 1)
    more = draw(st.lists(st.tuples(node, node), max_size=2 * n))
    edges = sorted({(min(e), max(e)) for e in tree + more if e[0] != e[1]})
    if weighted if weighted is not None else draw(st.booleans()):
        lengths = draw(
            st.lists(st.sampled_from([0.5, 1.0, 1.5, 3.0]), min_size=len(edges), max_size=len(edges))
        )
    else:
        lengths = None
    with warnings.catch_warnings():
        warnings.simplefilter("error", GraphWarning)
        return Graph.from_edges(np.array(edges), lengths)


@st.composite
def squared_distances(draw, n, low=0):
    """Symmetric matrices of few different values, so that ties are common; ``low`` is the least of them."""
    values = draw(st.lists(st.integers(low, 6), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2))
    matrix = np.zeros((n, n))
    matrix[np.triu_indices(n, 1)] = np.array(values) / 4.0
    return matrix + matrix.T
