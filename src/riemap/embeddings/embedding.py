"""An embedding: a point of a space for every node, and the scale of each factor of the space."""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from riemap.embeddings.html_table import html_table
from riemap.embeddings.label_index import LabelIndex
from riemap.embeddings.storage import read_embedding, write_embedding
from riemap.embeddings.validation import check_embedding
from riemap.errors import InputError
from riemap.graphs.dissimilarities import AnyGraph
from riemap.graphs.graph import Labels
from riemap.means import frechet_mean, tangent_coordinates
from riemap.spaces import Points, Space
from riemap.types import Array


@final
@dataclass(frozen=True, eq=False, repr=False)
class Embedding:
    """Points of a space with a label for every node.

    Parameters
    ----------
    space
        The space of the points.
    points
        For each factor of the space, an array ``(n, *shape)`` of float64, where ``shape`` is that of a point.
    log_scales
        ``(number of factors,)``, logarithm of the scale ``s_k`` of each factor: ``d² = Σ s_k d_k²``.
    labels
        Labels of the ``n`` nodes, all different.

    Raises
    ------
    InputError
        If shapes or types do not fit, a point is not on its manifold, a log-scale is beyond ±300, or two
        nodes have the same label.

    Examples
    --------
    >>> line = Embedding(Space.parse("E1"), (np.array([[0.0], [3.0]]),), np.zeros(1), ("a", "b"))
    >>> line.distances(["a"], ["b"])
    array([[3.]])
    """

    space: Space
    points: Points
    log_scales: Array
    labels: Labels

    def __post_init__(self) -> None:
        check_embedding(self)

    def __repr__(self) -> str:
        return f"<Embedding of {self.n} nodes in {self.space} ({self.space.dim} dimensions)>"

    def _repr_html_(self) -> str:
        """A small table for notebooks."""
        factors = zip(self.space.factors, np.exp(self.log_scales), strict=True)
        scales = ", ".join(f"{m}: {scale:.3g}" for m, scale in factors)
        dim, n = self.space.dim, self.n
        return html_table("Embedding", space=self.space, dimensions=dim, nodes=n, scales=scales)

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
        >>> points = np.array([[0.0], [3.0], [1.0]])
        >>> Embedding(Space.parse("E1"), (points,), np.zeros(1), ("a", "b", "c")).nearest("a", k=2)
        [('c', 1.0), ('b', 3.0)]
        """
        if k < 1:
            raise InputError(f"k={k} is not a number of nodes; give one from 1 up")
        row = self.row_numbers([node])
        sqdist = self.sqdist_rows(row)[0]
        order = np.argsort(sqdist, kind="stable")
        return [(self.labels[i], math.sqrt(sqdist[i])) for i in order[order != row[0]][:k]]

    def mean(self) -> Points:
        """Fréchet mean of the nodes: the point with the smallest sum of squared geodesic distances to them.

        In a factor of positive curvature (S, Gr, SO, BW) it is the local minimum that descent from the most
        central node reaches. Stein has no geodesics of its own and uses those of SPD.

        Returns
        -------
        tuple of arrays
            One point for each factor.
        """
        return tuple(frechet_mean(m, x) for m, x in zip(self.space.factors, self.points, strict=True))

    def features(self) -> Array:
        r"""Represent every node by a Euclidean vector, for methods that need one.

        In each factor, the vector has the components of :math:`\sqrt{s}\,\log_{\bar x}(x)` in an orthonormal
        basis at the mean :math:`\bar x`, where ``s`` is the scale. Its length is the distance of the node
        from the mean (in Stein, along the geodesics of SPD), and angles between vectors are angles between
        geodesics at the mean. In E, features are the centred points. In other factors, distances between
        features differ from distances between nodes.

        Returns
        -------
        array
            ``(n, space.dim)``.

        Examples
        --------
        >>> line = Embedding(Space.parse("E1"), (np.array([[0.0], [3.0]]),), np.zeros(1), ("a", "b"))
        >>> line.features().tolist()
        [[-1.5], [1.5]]
        """
        parts = zip(self.space.factors, self.mean(), self.points, np.exp(0.5 * self.log_scales), strict=True)
        return np.concatenate([root * tangent_coordinates(m, at, x) for m, at, x, root in parts], axis=1)

    def reordered(self, labels: Labels) -> "Embedding":
        """Return the same embedding with its nodes in another order.

        Parameters
        ----------
        labels
            Labels of all nodes in the new order, each once.

        Returns
        -------
        Embedding
            With these labels.

        Raises
        ------
        InputError
            If a label is unknown, missing or repeated.
        """
        rows = self.row_numbers(labels)
        if len(rows) != self.n or len(set(rows.tolist())) != self.n:
            raise InputError(f"{len(labels)} nodes were named, and the embedding has {self.n}")
        return Embedding(self.space, tuple(x[rows] for x in self.points), self.log_scales, labels)

    def aligned_to(self, graph: AnyGraph) -> "Embedding":
        """Return the same embedding with its nodes in the order of a graph.

        Parameters
        ----------
        graph
            A graph, or dissimilarities, with the same labels.

        Returns
        -------
        Embedding
            With the labels of the graph.

        Raises
        ------
        InputError
            If the nodes are not those of the graph.
        """
        if self.labels == graph.labels:
            return self
        try:
            return self.reordered(graph.labels)
        except InputError as error:
            raise InputError(f"this is not an embedding of {graph.name}: {error}") from None

    def save(self, path: str | Path) -> None:
        """Write the embedding to an ``.npz`` file, without pickle; :meth:`load` reads it.

        Labels that are not text, numbers, booleans, ``None`` or tuples of these are saved as text.

        Parameters
        ----------
        path
            File to write. An existing file is replaced once the new one is complete.

        Raises
        ------
        InputError
            If two labels would become equal in the file.
        """
        write_embedding(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> "Embedding":
        """Read an embedding that :meth:`save` wrote.

        Parameters
        ----------
        path
            The ``.npz`` file, or the folder of a run, which holds one.

        Returns
        -------
        Embedding
            The saved embedding.

        Raises
        ------
        InputError
            If the file is not an embedding.
        """
        path = Path(path)
        return read_embedding(path / "embedding.npz" if path.is_dir() else path, cls)
