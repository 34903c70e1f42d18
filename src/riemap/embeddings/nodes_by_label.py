"""The nodes of an embedding, found by their labels."""

import math
from collections.abc import Hashable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riemap.embeddings.label_index import LabelIndex
from riemap.graphs.graph import Labels
from riemap.spaces import Points, Space
from riemap.specs import whole_number
from riemap.types import Array


class NodesByLabel:
    """What an embedding answers about its nodes; they are named by their labels.

    Like a mapping from labels to points, it has a length, iterates over its labels, and knows whether a label
    is one of them.
    """

    space: Space
    points: Points
    log_scales: Array
    labels: Labels

    def __len__(self) -> int:
        return len(self.labels)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.labels)

    def __contains__(self, label: object) -> bool:
        return label in self._label_index

    def __getitem__(self, label: Hashable) -> Points:
        """Return the point of a node: an array for each factor of the space."""
        (row,) = self.row_numbers([label])
        return tuple(x[row] for x in self.points)

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.labels)

    @cached_property
    def _label_index(self) -> LabelIndex:
        return LabelIndex(self.labels)

    def row_numbers(self, labels: "list[Any] | Labels") -> NDArray[np.int64]:
        """Return the row of each label in the arrays of points.

        A number and its text, such as ``1`` and ``"1"``, are the same label unless both are labels.

        Parameters
        ----------
        labels
            Labels of nodes.

        Returns
        -------
        array
            ``(len(labels),)``.

        Raises
        ------
        InputError
            If a label is unknown. The message suggests a similar one.

        Examples
        --------
        >>> from riemap.embeddings import Embedding
        >>> line = Embedding(Space.parse("E1"), (np.array([[0.0], [3.0]]),), np.zeros(1), ("a", "b"))
        >>> line.row_numbers(["b", "a"])
        array([1, 0])
        """
        return self._label_index.row_numbers(labels)

    def sqdist_rows(self, rows: NDArray[np.int64]) -> Array:
        """Squared distances from some nodes to all nodes.

        Parameters
        ----------
        rows
            Row numbers of the nodes; see :meth:`row_numbers`.

        Returns
        -------
        array
            ``(len(rows), n)``.
        """
        return self.space.pairwise(tuple(x[rows] for x in self.points), self.points, self.log_scales)

    def distances(self, a: list[Any] | Labels, b: list[Any] | Labels) -> Array:
        """Distances between two lists of nodes.

        Parameters
        ----------
        a, b
            Labels of nodes.

        Returns
        -------
        array
            ``(len(a), len(b))``.

        Raises
        ------
        InputError
            If a label is unknown.
        """
        i, j = self.row_numbers(a), self.row_numbers(b)
        x, y = (tuple(p[k] for p in self.points) for k in (i, j))
        return np.sqrt(self.space.pairwise(x, y, self.log_scales))

    def nearest(self, node: Hashable, k: int = 5) -> list[tuple[Hashable, float]]:
        """Find the ``k`` nodes nearest to a node.

        Parameters
        ----------
        node
            Label of the node.
        k
            Number of nodes to return; all others if there are fewer.

        Returns
        -------
        list of (label, distance)
            In increasing order of distance; nodes at the same distance are in the order of the embedding. The
            node itself is not included.

        Raises
        ------
        InputError
            If the label is unknown, or ``k`` is less than 1.

        Examples
        --------
        >>> from riemap.embeddings import Embedding
        >>> points = np.array([[0.0], [3.0], [1.0]])
        >>> Embedding(Space.parse("E1"), (points,), np.zeros(1), ("a", "b", "c")).nearest("a", k=2)
        [('c', 1.0), ('b', 3.0)]
        """
        k = whole_number("k", k, 1, 5, "number of nodes")
        row = self.row_numbers([node])
        sqdist = self.sqdist_rows(row)[0]
        order = np.argsort(sqdist, kind="stable")
        return [(self.labels[i], math.sqrt(sqdist[i])) for i in order[order != row[0]][:k]]
