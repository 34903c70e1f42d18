"""An embedding as text that other programs read: CSV, the embedding projector, word2vec, GraphML.

Each function gives the whole text as bytes in UTF-8. Numbers have as many digits as it takes to get them back
exactly. A label that a format cannot hold is refused by name; none is changed.
"""

import io
import re
from collections.abc import Callable, Hashable
from itertools import product
from typing import NamedTuple

import numpy as np

from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.graphs.graph import Graph
from riemap.specs import shown
from riemap.types import Array

_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Table(NamedTuple):
    """What is written of an embedding: for each node its label as text, and numbers with a name each."""

    labels: list[str]
    columns: list[str]
    values: Array  # (n, len(columns))


def table(embedding: Embedding, *, points: bool = False) -> Table:
    """The features of an embedding, or the coordinates of its points.

    Features are called ``t0, t1, …`` and coordinates ``x0, x1, …``, of a matrix ``x0_0, x0_1, …``. In a
    product the names begin with the factor: ``factor1_t0``.
    """
    factors = embedding.space.factors
    if points:
        values = np.concatenate([x.reshape(embedding.n, -1) for x in embedding.points], axis=1)
        names = [_names(m.shape, "x") for m in factors]
    else:
        values, names = embedding.features(), [_names((m.dim,), "t") for m in factors]
    prefixes = [""] if len(names) == 1 else [f"factor{k}_" for k in range(1, len(names) + 1)]
    columns = [prefix + name for prefix, own in zip(prefixes, names, strict=True) for name in own]
    return Table(_texts(embedding.labels), columns, values)


def as_csv(rows: Table) -> bytes:
    r"""Comma-separated values, ``label`` and the columns, as Python's ``csv`` and RFC 4180 have them.

    >>> as_csv(Table(["a", "b, c"], ["x0"], np.array([[0.5], [1.0]])))
    b'label,x0\na,0.5\n"b, c",1.0\n'
    """
    lines = [["label", *rows.columns], *_lines([_quoted(label) for label in rows.labels], rows.values)]
    return _joined(lines, ",")


def as_word2vec(rows: Table) -> bytes:
    r"""The text format of word2vec, which gensim and others read: sizes, then a label and its numbers a line.

    >>> as_word2vec(Table(["a", "b"], ["x0"], np.array([[0.5], [1.0]])))
    b'2 1\na 0.5\nb 1.0\n'
    """
    _refuse(rows.labels, lambda label: not label or any(map(str.isspace, label)), "word2vec", "spaces")
    return _joined([list(map(str, rows.values.shape)), *_lines(rows.labels, rows.values)], " ")


def as_projector(rows: Table) -> tuple[bytes, bytes]:
    r"""``vectors.tsv`` and ``metadata.tsv`` for the embedding projector of TensorFlow.

    Neither has a first line of names, which is what the projector wants of a single column.

    >>> as_projector(Table(["a", "b"], ["x0"], np.array([[0.5], [1.0]])))
    (b'0.5\n1.0\n', b'a\nb\n')
    """
    _refuse(
        rows.labels, lambda label: not label or bool(re.search("[\t\r\n]", label)), "tsv", "tabs or lines"
    )
    vectors = [line[1:] for line in _lines(rows.labels, rows.values)]
    return _joined(vectors, "\t"), _joined([[label] for label in rows.labels], "\t")


def as_graphml(embedding: Embedding, graph: Graph, *, points: bool = False) -> bytes:
    """GraphML: the nodes of a graph with their features or points, and its edges with ``weight``, if any.

    Parameters
    ----------
    embedding
        Its nodes are matched with the graph's by label.
    graph
        What was embedded.
    points
        Write the coordinates of points; see :func:`table`.
    """
    import networkx

    rows = table(embedding.aligned_to(graph), points=points)
    _refuse(rows.labels, lambda label: bool(_NOT_XML.search(label)), "graphml", "control characters")
    drawn: networkx.Graph[str] = networkx.Graph()
    for label, values in zip(rows.labels, rows.values.tolist(), strict=True):
        drawn.add_node(label, **dict(zip(rows.columns, values, strict=True)))
    ends = [(rows.labels[i], rows.labels[j]) for i, j in graph.edges().tolist()]
    if graph.weights is None:
        drawn.add_edges_from(ends)
    else:
        drawn.add_weighted_edges_from((*e, w) for e, w in zip(ends, _lengths(graph), strict=True))
    stream = io.BytesIO()
    networkx.write_graphml_xml(drawn, stream, named_key_ids=True)
    return stream.getvalue()


def _lengths(graph: Graph) -> list[float]:
    """Of the edges, in the order of :meth:`Graph.edges`."""
    assert graph.weights is not None
    rows = np.repeat(np.arange(graph.n), graph.degrees)
    return graph.weights[rows < graph.indices].tolist()


def _names(shape: tuple[int, ...], letter: str) -> list[str]:
    """``x0, x1, …``, or ``x0_0, x0_1, …`` of a matrix."""
    return [letter + "_".join(map(str, index)) for index in product(*map(range, shape))]


def _texts(labels: tuple[Hashable, ...]) -> list[str]:
    """Labels as text, all different, that UTF-8 can write."""
    texts: dict[str, Hashable] = {}
    for label in labels:
        text = str(label)
        if text in texts:
            both = f"{shown(texts[text])} and {shown(label)}"
            raise InputError(f"the labels {both} are the same text, so a file of text cannot tell them apart")
        texts[text] = label
    _refuse(list(texts), lambda text: bool(_SURROGATE.search(text)), "UTF-8", "half of a character")
    return list(texts)


def _refuse(labels: list[str], wrong: Callable[[str], bool], format: str, what: str) -> None:
    """Name the first label that a format cannot hold."""
    for label in filter(wrong, labels):
        why = f"has {what}" if label else "is empty"
        other = "rename that node" if format == "UTF-8" else "csv holds any label"
        raise InputError(f"the label {shown(label)} {why}, which {format} has no way to write; {other}")


def _quoted(label: str) -> str:
    """As a field of CSV. Python's own writer leaves a lone carriage return bare, which its reader refuses."""
    return '"' + label.replace('"', '""') + '"' if re.search('[",\r\n]', label) else label


def _lines(first: list[str], values: Array) -> list[list[str]]:
    return [[label, *map(repr, row)] for label, row in zip(first, values.tolist(), strict=True)]


def _joined(lines: list[list[str]], separator: str) -> bytes:
    return "".join(separator.join(line) + "\n" for line in lines).encode()
