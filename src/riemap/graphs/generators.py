"""Generate graphs from a spec: ``generate("tree(r=4,h=5)")``.

A generator is a function that takes the arguments of its spec as keywords, and returns the number of nodes
and the ``(m, 2)`` edges. Nodes are numbered from zero. An entry in ``GENERATORS`` adds it to the command
line. A generator checks the size of the graph before it makes the graph.
"""

from collections.abc import Callable, Mapping

from riemap.errors import InputError
from riemap.graphs.generator_checks import NodesAndEdges
from riemap.graphs.graph import Graph
from riemap.graphs.options import Components
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
from riemap.specs import resolve, shortened

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
"""Generator function by the name in its spec."""


def generate(spec: str, *, components: Components = "largest") -> Graph:
    """Generate the graph of a spec.

    Parameters
    ----------
    spec
        Name and arguments of a generator in ``GENERATORS``, e.g. ``"tree(r=4,h=5)"``.
    components
        For a random graph that is disconnected: take its ``"largest"`` component, ``"keep"`` it whole, or
        ``"require"`` a connected one.

    Returns
    -------
    Graph
        The graph; its nodes have numbers as labels.

    Raises
    ------
    InputError
        If there is no such generator, an argument is missing or invalid, the graph would be too large, or it
        has no edges.

    Examples
    --------
    >>> generate("cycle( n = 5 )")
    <Graph cycle(n=5): 5 nodes, 5 edges>
    """
    call = resolve(spec, GENERATORS, what="generator", example="tree(r=4,h=5)")
    n, edges = call()
    if len(edges) == 0:
        raise InputError(f"{shortened(str(call))}: this graph has no edges; a graph needs at least one")
    return Graph.from_edges(edges, labels=range(n), name=str(call), components=components)
