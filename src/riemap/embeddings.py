"""An embedding: a point of a space for every node, and the scales of the space's factors."""

import json
import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any, final

import numpy as np
from numpy.typing import NDArray

from riemap.errors import InputError
from riemap.files import written_whole
from riemap.graphs.dissimilarities import Dissimilarities
from riemap.graphs.graph import Graph, Labels
from riemap.means import frechet_mean, tangent_coordinates
from riemap.spaces import Points, Space
from riemap.specs import shown, suggestion
from riemap.types import Array

FEW = 20_000
"""Nodes among whose names one is looked for that is like a wrong one."""

OFF = 1e-6
"""How far a point may lie from its manifold, against its size: above rounding, below a mistake."""

LARGEST = 300.0
"""Largest log-scale, up or down: beyond it squared distances overflow or vanish."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Embedding:
    """Points of a space, one array for each of its factors, and a label for every node.

    >>> line = Embedding(Space.parse("E1"), (np.array([[0.0], [3.0]]),), np.zeros(1), ("a", "b"))
    >>> line.distances(["a"], ["b"])
    array([[3.]])
    """

    space: Space
    points: Points
    log_scales: Array
    labels: Labels

    def __post_init__(self) -> None:
        if len(self.points) != len(self.space.factors) or self.log_scales.shape != (len(self.points),):
            raise InputError(
                f"an embedding in {self.space} has points and a log-scale for each of its factors"
            )
        if self.n == 0:
            raise InputError("an embedding has at least one node")
        for m, x in zip(self.space.factors, self.points, strict=True):
            if x.shape != (self.n, *m.shape):
                raise InputError(f"points of {m} have shape {x.shape}; expected {(self.n, *m.shape)}")
            if x.dtype != np.float64 or self.log_scales.dtype != np.float64:
                raise InputError(
                    f"points and log-scales are float64, not {x.dtype} and {self.log_scales.dtype}"
                )
            if not np.isfinite(x).all() or np.abs(m.project(x) - x).max() > OFF * max(np.abs(x).max(), 1.0):
                raise InputError(f"some of the points are not on {m}")
        if not (np.abs(self.log_scales) <= LARGEST).all():
            raise InputError(f"the log-scales {self.log_scales} are not all between -{LARGEST} and {LARGEST}")
        if len(set(self.labels)) < len(self.labels):
            raise InputError("two nodes have the same label; labels must differ")

    def __repr__(self) -> str:
        return f"<Embedding of {self.n} nodes in {self.space} ({self.space.dim} dimensions)>"

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.labels)

    @cached_property
    def _numbers(self) -> dict[Hashable, int]:
        return {label: i for i, label in enumerate(self.labels)}

    def numbers(self, labels: "list[Any] | Labels") -> NDArray[np.int64]:
        """Row of each label. A number and its text are the same label where only one of them is known."""
        return np.array([self._number(label) for label in labels], dtype=np.int64)

    def _number(self, label: Hashable) -> int:
        found = self._numbers.get(label, self._by_text.get(str(label)))
        if found is None:
            near = suggestion(str(label), self._by_text if self.n <= FEW else ())
            first = f" The first one is {shown(self.labels[0])}"
            raise InputError(f"no node is called {shown(label)}{near}{first}")
        return found

    @cached_property
    def _by_text(self) -> dict[str, int]:
        return {str(label): i for i, label in enumerate(self.labels)}

    def sqdist_rows(self, rows: NDArray[np.int64]) -> Array:
        """Squared distances from some nodes, given by number, to all: ``(len(rows), n)``."""
        return self.space.pairwise(tuple(x[rows] for x in self.points), self.points, self.log_scales)

    def distances(self, a: list[Any] | Labels, b: list[Any] | Labels) -> Array:
        """Distances between the nodes called ``a`` and those called ``b``, ``(len(a), len(b))``."""
        i, j = self.numbers(a), self.numbers(b)
        x, y = (tuple(p[k] for p in self.points) for k in (i, j))
        return np.sqrt(self.space.pairwise(x, y, self.log_scales))

    def nearest(self, node: Hashable, k: int = 5) -> list[tuple[Hashable, float]]:
        """The ``k`` nodes nearest to one, each with its distance, the nearest first.

        Of nodes as far as each other the earlier is first. The node itself is left out.

        >>> points = np.array([[0.0], [3.0], [1.0]])
        >>> Embedding(Space.parse("E1"), (points,), np.zeros(1), ("a", "b", "c")).nearest("a", k=2)
        [('c', 1.0), ('b', 3.0)]
        """
        if k < 1:
            raise InputError(f"k={k} is not a number of nodes; give one from 1 up")
        row = self.numbers([node])
        sqdist = self.sqdist_rows(row)[0]
        order = np.argsort(sqdist, kind="stable")
        return [(self.labels[i], math.sqrt(sqdist[i])) for i in order[order != row[0]][:k]]

    def mean(self) -> Points:
        """The Fréchet mean, one point for each factor.

        It has the least sum of squared geodesic distances to the nodes. In a factor of positive curvature (S,
        Gr, SO, BW) that is a local minimum, the one downhill from the most central of the nodes. Stein has no
        geodesics of its own and takes those of SPD.
        """
        return tuple(frechet_mean(m, x) for m, x in zip(self.space.factors, self.points, strict=True))

    def features(self) -> Array:
        r"""Every node as a Euclidean vector, ``(n, space.dim)``, for any method that takes those.

        In each factor, the components of :math:`\sqrt{s}\,\log_{\bar x}(x)` in an orthonormal basis at the
        mean :math:`\bar x`, where ``s`` is the scale. The vectors are as long as the nodes are far from the
        mean (in Stein, by the geodesics of SPD), and the angles between them are those at which geodesics
        leave it. In E they are the points, centred; elsewhere they are not exactly as far apart as the nodes.
        """
        parts = zip(self.space.factors, self.mean(), self.points, np.exp(0.5 * self.log_scales), strict=True)
        return np.concatenate([root * tangent_coordinates(m, at, x) for m, at, x, root in parts], axis=1)

    def reordered(self, labels: Labels) -> "Embedding":
        """The same embedding with its nodes in another order; every node must be named once."""
        rows = self.numbers(labels)
        if len(rows) != self.n or len(set(rows.tolist())) != self.n:
            raise InputError(f"{len(labels)} nodes were named, and the embedding has {self.n}")
        return Embedding(self.space, tuple(x[rows] for x in self.points), self.log_scales, labels)

    def aligned_to(self, graph: Graph | Dissimilarities) -> "Embedding":
        """The same embedding with its nodes in the order of a graph's, of which it must be one."""
        if self.labels == graph.labels:
            return self
        try:
            return self.reordered(graph.labels)
        except ValueError as error:
            raise InputError(f"this is not an embedding of {graph.name}: {error}") from None

    def save(self, path: str | Path) -> None:
        """Write everything to an ``.npz`` file, without pickle, so that :meth:`load` gives it back."""
        arrays = {f"points{k}": x for k, x in enumerate(self.points)}
        encoded = [_encoded(label) for label in self.labels]
        if len({_decoded(label) for label in encoded}) < self.n:
            raise InputError(
                "two nodes have labels that a file cannot tell apart; give them numbers or texts"
            )
        labels = json.dumps(encoded, ensure_ascii=False)
        with written_whole(Path(path)) as file:
            np.savez(
                file,
                allow_pickle=False,
                space=np.array(str(self.space)),
                labels=np.frombuffer(labels.encode("utf-8", "surrogatepass"), np.uint8),
                log_scales=self.log_scales,
                **arrays,
            )

    @classmethod
    def load(cls, path: str | Path) -> "Embedding":
        """Read what :meth:`save` wrote."""
        with Path(path).open("rb") as raw:
            # Bytes that are not an embedding make NumPy and zipfile raise a dozen types of exception.
            try:
                return cls._read(raw)
            except Exception as error:
                raise InputError(
                    f"{path} is not an embedding saved by riemap, an .npz file: {shown(str(error), 200)}"
                ) from None

    @classmethod
    def _read(cls, raw: IO[bytes]) -> "Embedding":
        if raw.read(4) != b"PK\3\4":
            raise InputError("it does not begin like one")
        raw.seek(0)
        with np.load(raw, allow_pickle=False) as file:
            space = Space.parse(str(file["space"][()]))
            points = tuple(file[f"points{k}"] for k in range(len(space.factors)))
            labels = json.loads(file["labels"].tobytes().decode("utf-8", "surrogatepass"))
            return cls(space, points, file["log_scales"], tuple(_decoded(label) for label in labels))


def _encoded(label: Hashable) -> Any:
    """A label as JSON has it; tuples are its lists, and what it has no word for becomes text."""
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, tuple):
        return [_encoded(part) for part in label]
    if isinstance(label, float) and not math.isfinite(label):
        return str(label)
    return label if isinstance(label, str | int | float | None) else str(label)


def _decoded(label: Any) -> Hashable:
    return tuple(_decoded(part) for part in label) if isinstance(label, list) else label
