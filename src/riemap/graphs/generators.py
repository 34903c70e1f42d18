"""Graphs made from a spec: ``generate("tree(r=4,h=5)")``.

A generator is a function whose keyword parameters are those of its spec; it returns the number of nodes
and the ``(m, 2)`` edges. Listing it in ``GENERATORS`` puts it into the command line. Nodes are numbered
from zero. Whatever would be too large to work with is refused before it is made.
"""

from collections.abc import Callable, Mapping

from riemap.errors import InputError
from riemap.graphs.generator_checks import NodesAndEdges
from riemap.graphs.graph import Component, Graph
from riemap.graphs.random_generators import (
    barabasi_albert,
    erdos_renyi,
    geometric,
    random_regular,
    random_tree,
    watts_strogatz,
)
from riemap.graphs.regular_generators import (
    complete,
    complete_bipartite,
    cycle,
    cycle_of_trees,
    grid,
    hypercube,
    path,
    sphere_mesh,
    star,
    torus,
    tree,
)
from riemap.specs import resolve

GENERATORS: Mapping[str, Callable[..., NodesAndEdges]] = {
    "tree": tree,
    "cycle": cycle,
    "grid": grid,
    "cycle-of-trees": cycle_of_trees,
    "sphere-mesh": sphere_mesh,
    "torus": torus,
    "path": path,
    "star": star,
    "complete": complete,
    "complete-bipartite": complete_bipartite,
    "hypercube": hypercube,
    "erdos-renyi": erdos_renyi,
    "barabasi-albert": barabasi_albert,
    "watts-strogatz": watts_strogatz,
    "random-tree": random_tree,
    "random-regular": random_regular,
    "geometric": geometric,
}


def generate(spec: str, *, component: Component = "largest") -> Graph:
    """Make the graph that a spec such as ``"tree(r=4,h=5)"`` describes.

    A random graph in several pieces is treated as ``component`` says; see :meth:`Graph.from_edges`.

    >>> generate("cycle( n = 5 )")
    <Graph cycle(n=5): 5 nodes, 5 edges>
    """
    call = resolve(spec, GENERATORS, what="generator", example="tree(r=4,h=5)")
    n, edges = call()
    if len(edges) == 0:
        raise InputError(f"{call}: no two nodes came to be joined; a graph needs at least one edge")
    return Graph.from_edges(edges, labels=range(n), name=str(call), component=component)
