"""Labels of nodes in the forms that users have them in."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from riemap.errors import InputError
from riemap.graphs import Graph
from riemap.graphs.groups import NO_GROUP, read_groups
from riemap.specs import shown

Labelling: TypeAlias = Mapping[Any, Any] | Sequence[Any] | str | Path
"""Labels of nodes: by node, one for each node with ``None`` where it is unknown, or a CSV file."""


def labels_of(graph: Graph, labels: Labelling) -> list[str | None]:
    """Return the label of each node as text, ``None`` where it is unknown or empty.

    Parameters
    ----------
    graph, labels
        As for :func:`predict_labels`.

    Returns
    -------
    list of str or None
        In the order of the nodes.

    Raises
    ------
    InputError
        If a node is unknown, the numbers of nodes and labels differ, or there is one label only.
    """
    if isinstance(labels, str | Path):
        texts: Sequence[Any] = [None if one == NO_GROUP else one for one in read_groups(Path(labels), graph)]
    elif isinstance(labels, Mapping):
        numbers = {str(label): i for i, label in enumerate(graph.labels)}
        unknown = [node for node in labels if str(node) not in numbers]
        if unknown:
            raise InputError(
                f"no node of {graph.name} is called {shown(str(unknown[0]))}; one is "
                f"{shown(str(graph.labels[0]))}"
            )
        found: list[Any] = [None] * graph.n
        for node, one in labels.items():
            found[numbers[str(node)]] = one
        texts = found
    else:
        texts = list(labels)
        if len(texts) != graph.n:
            raise InputError(
                f"{len(texts)} labels were given for the {graph.n} nodes of {graph.name}; give one for each, "
                "and None where it is unknown"
            )
    classes = [None if one is None or str(one).strip() == "" else str(one) for one in texts]
    different = sorted({one for one in classes if one is not None})
    if len(different) < 2:
        raise InputError(
            f"{graph.name} has {len(different)} different label{'s' * (len(different) != 1)}; a prediction "
            "needs at least two, e.g. lines 'a,red' and 'b,blue'"
        )
    return classes
