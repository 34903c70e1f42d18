"""How the graph of a run is opened."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from riemap.graphs import AnyGraph, ReadOptions, open_graph


class TaskSource(NamedTuple):
    """What a run predicts from its embedding; only runs of a grid have a task.

    Parameters
    ----------
    text
        The task as it is spelled, with the name of a file of labels but not its folder.
    labels
        Checksum of the labels; empty for links.
    file
        Path of the file of labels, which is private and not recorded.
    """

    text: str
    labels: str = ""
    file: str = ""

    def as_json(self) -> dict[str, str]:
        """Give what decides the result as JSON has it.

        Returns
        -------
        dict
            ``"task"``, and ``"labels"`` if there are any.
        """
        return {"task": self.text, **({"labels": self.labels} if self.labels else {})}


class GraphSource(NamedTuple):
    """How a graph is opened: the text that names it, and what to do with directions, components and weights.

    Examples
    --------
    >>> GraphSource("tree(r=2,h=3)").open()
    <Graph tree(r=2,h=3): 15 nodes, 14 edges>
    """

    text: str
    options: ReadOptions = ReadOptions()

    def open(self) -> AnyGraph:
        """Open the graph.

        Returns
        -------
        Graph or Dissimilarities
            The graph.

        Raises
        ------
        InputError
            If there is no such graph, if it is directed, or if it must be connected and is not.
        """
        return open_graph(self.text, **self.options._asdict())

    def as_json(self) -> dict[str, Any]:
        """Give the source as JSON has it.

        Returns
        -------
        dict
            The text, called ``graph``, and an entry for each option.
        """
        return {"graph": self.text, **self.options._asdict()}

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> "GraphSource":
        """Rebuild the source that :meth:`as_json` took apart.

        Parameters
        ----------
        found
            What :meth:`as_json` gave; options that are missing have their default values.

        Returns
        -------
        GraphSource
            An equal source.
        """
        return cls(str(found["graph"]), ReadOptions.from_json(found))
