"""Embeddings as text for other programs: CSV, the TensorFlow embedding projector, word2vec, GraphML.

Each function returns the whole text as bytes in UTF-8. Numbers have enough digits to be read back exactly.
Labels are never changed: a label that a format cannot hold raises an :class:`InputError` that names it.
"""

import io
import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from riemap.embeddings import Embedding
from riemap.embeddings.columns import coordinates
from riemap.errors import InputError
from riemap.graphs.graph import Graph
from riemap.specs import shown
from riemap.types import Array

__all__ = ["Table", "as_csv", "as_graphml", "as_projector", "as_word2vec", "table"]

EXPORT_ROWS = 1 << 14
"""Number of rows whose numbers are Python objects at a time: 16,384, so that memory is that of the file."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_FORMULA = re.compile("[=+\\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Table(NamedTuple):
    """The content of an exported file: a label and some named numbers for each node.

    Parameters
    ----------
    labels
        Labels of the ``n`` nodes as text, all different.
    columns
        Names of the ``k`` columns.
    values
        ``(n, k)``, the numbers.
    """

    labels: list[str]
    columns: list[str]
    values: Array


def table(embedding: Embedding, *, points: bool = False) -> Table:
    """Make a table of the features of an embedding, or of the coordinates of its points.

    Features are called ``t0, t1, …``. Coordinates are called ``x0, x1, …``, or ``x0_0, x0_1, …`` if points
    are matrices. In a product, names start with the factor, as in ``factor1_t0``.

    Parameters
    ----------
    embedding
        The embedding to export.
    points
        Whether to write the coordinates of the points and not the features; see :meth:`Embedding.features`.

    Returns
    -------
    Table
        With one row for each node.

    Raises
    ------
    InputError
        If two labels are the same text, or a label is not valid Unicode.

    Examples
    --------
    >>> from riemap.spaces import Space
    >>> line = Embedding(Space.parse("E1"), (np.array([[0.0], [3.0]]),), np.zeros(1), ("a", "b"))
    >>> table(line, points=True).columns
    ['x0']
    """
    columns, values = coordinates(embedding, points=points)
    return Table(_texts(embedding.labels), columns, values)


def as_csv(rows: Table, *, safe: bool = False) -> bytes:
    r"""Write comma-separated values, as RFC 4180 and Python's ``csv`` module define them.

    The first line is a header: ``label`` and the names of the columns.

    A spreadsheet may take a label such as ``=1+1`` for a formula, and execute it. If ``safe``, labels that
    start with ``=``, ``+``, ``-``, ``@``, a tab or a line break, and are not numbers, get an apostrophe in
    front, and all labels are quoted, as OWASP advises [OWASP].

    Parameters
    ----------
    rows
        The table to write.
    safe
        Whether to change labels that a spreadsheet could take for formulas.

    Returns
    -------
    bytes
        The file.

    Raises
    ------
    InputError
        If two labels become equal, such as ``=a`` and ``'=a``.

    Examples
    --------
    >>> as_csv(Table(["a", "b, c"], ["x0"], np.array([[0.5], [1.0]])))
    b'label,x0\na,0.5\n"b, c",1.0\n'
    >>> as_csv(Table(["=1+1", "-2"], ["x0"], np.array([[0.5], [1.0]])), safe=True)
    b'label,x0\n"\'=1+1",0.5\n"-2",1.0\n'

    References
    ----------
    [OWASP] Open Worldwide Application Security Project. CSV injection.
    """
    labels = _without_formulas(rows.labels) if safe else [_quoted(label) for label in rows.labels]
    return _joined(chain([["label", *rows.columns]], _lines(labels, rows.values)), ",")


def as_word2vec(rows: Table) -> bytes:
    r"""Write the text format of word2vec, which gensim and others read.

    The first line holds the numbers of rows and columns. Each following line holds a label and its numbers.

    Parameters
    ----------
    rows
        The table to write.

    Returns
    -------
    bytes
        The file.

    Raises
    ------
    InputError
        If a label is empty or contains white space.

    Examples
    --------
    >>> as_word2vec(Table(["a", "b"], ["x0"], np.array([[0.5], [1.0]])))
    b'2 1\na 0.5\nb 1.0\n'
    """
    _check_labels(rows.labels, lambda label: not label or any(map(str.isspace, label)), "word2vec", "spaces")
    return _joined(chain([list(map(str, rows.values.shape))], _lines(rows.labels, rows.values)), " ")


def as_projector(rows: Table) -> tuple[bytes, bytes]:
    r"""Write ``vectors.tsv`` and ``metadata.tsv`` for the embedding projector of TensorFlow.

    Neither file has a header, as the projector expects none if there is one column of labels.

    Parameters
    ----------
    rows
        The table to write.

    Returns
    -------
    tuple of bytes
        The two files: numbers, and labels.

    Raises
    ------
    InputError
        If a label is empty or contains a tab or a line break.

    Examples
    --------
    >>> as_projector(Table(["a", "b"], ["x0"], np.array([[0.5], [1.0]])))
    (b'0.5\n1.0\n', b'a\nb\n')
    """
    _check_labels(
        rows.labels, lambda label: not label or bool(re.search("[\t\r\n]", label)), "tsv", "tabs or lines"
    )
    vectors = (line[1:] for line in _lines(rows.labels, rows.values))
    return _joined(vectors, "\t"), _joined(([label] for label in rows.labels), "\t")


def as_graphml(embedding: Embedding, graph: Graph, *, points: bool = False) -> bytes:
    """Write GraphML: nodes with their features or points as attributes, and edges with ``weight`` if any.

    Parameters
    ----------
    embedding
        The embedding. Its nodes are matched with those of the graph by label.
    graph
        The graph that was embedded.
    points
        Whether to write the coordinates of the points and not the features; see :func:`table`.

    Returns
    -------
    bytes
        The file.

    Raises
    ------
    InputError
        If the nodes are not those of the graph, or a label contains control characters.

    Examples
    --------
    >>> from riemap.spaces import Space
    >>> line = Embedding(Space.parse("E1"), (np.array([[0.0], [3.0]]),), np.zeros(1), ("a", "b"))
    >>> text = as_graphml(line, Graph.from_edges([(0, 1)], labels=["a", "b"]))
    >>> text.count(b"<node"), text.count(b"<edge")
    (2, 1)
    """
    import networkx

    rows = table(embedding.aligned_to(graph), points=points)
    _check_labels(rows.labels, lambda label: bool(_NOT_XML.search(label)), "graphml", "control characters")
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
    """Lengths of the edges, in the order of :meth:`Graph.edges`."""
    assert graph.weights is not None
    rows = np.repeat(np.arange(graph.n), graph.degrees)
    return graph.weights[rows < graph.indices].tolist()


def _texts(labels: tuple[Hashable, ...]) -> list[str]:
    """Labels as text; an error unless all are different and UTF-8 can hold them."""
    texts: dict[str, Hashable] = {}
    for label in labels:
        text = str(label)
        if text in texts:
            both = f"{shown(texts[text])} and {shown(label)}"
            raise InputError(f"the labels {both} are the same text, so a text file cannot tell them apart")
        texts[text] = label
    _check_labels(list(texts), lambda text: bool(_SURROGATE.search(text)), "UTF-8", "a lone surrogate")
    return list(texts)


def _check_labels(labels: list[str], wrong: Callable[[str], bool], format: str, what: str) -> None:
    """Raise an error that names the first label that a format cannot hold."""
    for label in filter(wrong, labels):
        why = f"has {what}" if label else "is empty"
        other = "rename that node" if format == "UTF-8" else "the format csv holds any label"
        raise InputError(f"the label {shown(label)} {why}, which {format} cannot hold; {other}")


def _quoted(label: str) -> str:
    """A label as a field of CSV. Python's own writer does not quote a lone carriage return, as it must."""
    return '"' + label.replace('"', '""') + '"' if re.search('[",\r\n]', label) else label


def _without_formulas(labels: list[str]) -> list[str]:
    """Labels as quoted fields of CSV, none of which is a formula of a spreadsheet."""
    changed = [f"'{s}" if _FORMULA.match(s) and not _NUMBER.fullmatch(s) else s for s in labels]
    if len(set(changed)) < len(changed):
        raise InputError("two labels differ only in an apostrophe that --safe-csv adds; rename one of them")
    return ['"' + label.replace('"', '""') + '"' for label in changed]


def _lines(first: list[str], values: Array) -> Iterator[list[str]]:
    """Yield the label and the numbers of each row; only a few rows are texts at a time."""
    for start in range(0, len(first), EXPORT_ROWS):
        part = slice(start, start + EXPORT_ROWS)
        for label, row in zip(first[part], values[part].tolist(), strict=True):
            yield [label, *map(repr, row)]


def _joined(lines: Iterable[list[str]], separator: str) -> bytes:
    out = io.BytesIO()
    for line in lines:
        out.write(f"{separator.join(line)}\n".encode())
    return out.getvalue()
