"""An embedding: a point of a space for every node, and the scale of each factor of the space."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np

from riemap.embeddings.columns import coordinates
from riemap.embeddings.html_table import html_table
from riemap.embeddings.nodes_by_label import NodesByLabel
from riemap.embeddings.storage import read_embedding, write_embedding
from riemap.embeddings.validation import as_parts, check_embedding
from riemap.errors import InputError, MissingExtraError
from riemap.graphs.dissimilarities import AnyGraph, check_graph
from riemap.graphs.graph import Labels
from riemap.means import frechet_mean, tangent_coordinates
from riemap.spaces import Points, Space
from riemap.types import Array

if TYPE_CHECKING:
    import pandas

    import riemap

SHARE_NODES = 1000
"""Most nodes whose pairs are looked at for the shares of the factors: half a million pairs, which give three
digits in less than a second."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Embedding(NodesByLabel):
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
    >>> len(line), "b" in line, line["b"]
    (2, True, (array([3.]),))
    """

    space: Space
    points: Points
    log_scales: Array
    labels: Labels

    def __post_init__(self) -> None:
        self.__dict__.update(as_parts(self.space, self.points, self.log_scales, self.labels))
        check_embedding(self)

    def __repr__(self) -> str:
        return f"<Embedding of {self.n} nodes in {self.space} ({self.space.dim} dimensions)>"

    def _repr_html_(self) -> str:
        """A small table for notebooks."""
        dim, n, shares = self.space.dim, self.n, self.shares()
        factors = ", ".join(f"{m}: {share:.0%}" for m, share in zip(self.space.factors, shares, strict=True))
        facts = {"share of d²": factors} if len(shares) > 1 else {}
        return html_table("Embedding", space=self.space, dimensions=dim, nodes=n, **facts)

    @property
    def scales(self) -> Array:
        """Scale ``s_k`` of each factor in ``d² = Σ s_k d_k²``; :meth:`shares` tells how much it matters."""
        return np.exp(self.log_scales)

    def shares(self) -> Array:
        """Share of each factor in the squared distances: its sum of ``s_k d_k²``, divided by that of ``d²``.

        A scale alone does not tell how much a factor matters, since its points may be far apart.

        Returns
        -------
        array
            ``(number of factors,)``; they add up to one, or are zero if all nodes are at one place. Of more
            than 1,000 nodes, 1,000 at equal steps are looked at.

        Examples
        --------
        >>> points = (np.array([[0.0], [3.0]]), np.array([[0.0], [1.0]]))
        >>> Embedding(Space.parse("E1 x E1"), points, np.zeros(2), ("a", "b")).shares()
        array([0.9, 0.1])
        """
        rows = np.unique(np.linspace(0, self.n - 1, min(self.n, SHARE_NODES)).round().astype(int))
        parts = zip(self.space.factors, self.points, self.scales, strict=True)
        sums = np.array([scale * m.pairwise(x[rows], x[rows]).sum() for m, x, scale in parts])
        return sums / (sums.sum() or 1.0)

    def mean(self) -> Points:
        """Fréchet mean of the nodes: the point with the smallest sum of squared geodesic distances to them.

        In a factor of positive curvature (S, Gr, SO, BW) it is the local minimum that descent from the most
        central node reaches. Stein uses the geodesics of SPD.

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
        from the mean (in Stein, along the geodesics of SPD), and angles are those between geodesics. In E,
        features are the centred points. Elsewhere their distances differ from those between nodes.

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

    def to_pandas(self, *, points: bool = False) -> "pandas.DataFrame":
        """Return a data frame with one row for each node, whose index has the labels.

        Parameters
        ----------
        points
            Whether the columns are the coordinates of the points and not the features; see :meth:`features`.

        Returns
        -------
        pandas.DataFrame
            Columns are named as by ``riemap export``: ``t0, t1, …`` for features, ``x0, x1, …`` for points.

        Raises
        ------
        MissingExtraError
            If pandas is not installed; ``pip install 'riemap[tables]'`` brings it.

        Examples
        --------
        >>> line = Embedding(Space.parse("E1"), (np.array([[0.0], [3.0]]),), np.zeros(1), ("a", "b"))
        >>> line.to_pandas().loc["b", "t0"]
        np.float64(1.5)
        """
        try:
            import pandas
        except ModuleNotFoundError:
            raise MissingExtraError(
                "to_pandas needs pandas; pip install 'riemap[tables]' brings it"
            ) from None
        names, values = coordinates(self, points=points)
        index = pandas.Index(list(self.labels), name="node", tupleize_cols=False)
        return pandas.DataFrame(values, index=index, columns=names)

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
        check_graph(graph)
        if self.labels == graph.labels:
            return self
        try:
            return self.reordered(graph.labels)
        except InputError as error:
            raise InputError(f"this is not an embedding of {graph.name}: {error}") from None

    def add(self, edges: Any, graph: Any) -> "riemap.training.AddedNodes":
        """Put new nodes into the embedding by their edges, without moving the others.

        Parameters
        ----------
        edges
            The new edges, such as ``[("new", "a"), ("new", "b")]``, or a graph in any form that
            :func:`riemap.embed` takes; see :func:`riemap.training.add_nodes`.
        graph
            What was embedded, in any form that :func:`riemap.embed` takes.

        Returns
        -------
        AddedNodes
            A new embedding, whose last nodes are the new ones, and how well they fit.

        Raises
        ------
        InputError
            If there is no new node, if one is not connected to any known node, or if an edge between two
            known nodes is new.

        Examples
        --------
        >>> points = np.array([[0.0], [1.0], [2.0]])
        >>> line = Embedding(Space.parse("E1"), (points,), np.zeros(1), ("a", "b", "c"))
        >>> added = line.add([("c", "d")], [("a", "b"), ("b", "c")])
        >>> added.embedding["d"][0].round(2), round(added.ad, 2)
        (array([3.]), 0.0)
        """
        import riemap

        return riemap.training.add_nodes(self, edges, graph)

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
