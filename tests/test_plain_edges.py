"""Plain edge lists are read by NumPy: the same edges, labels, messages and warnings as line by line."""

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from riemap.errors import InputError
from riemap.graphs import plain_edges
from riemap.graphs.edgelist import read_any_edgelist, read_edgelist
from riemap.graphs.options import ReadOptions
from riemap.graphs.plain_edges import number_values, parse_plain_lines
from riemap.graphs.plain_head import find_plain_lines
from riemap.graphs.text_file import TextFile

OPTIONS = [ReadOptions(), ReadOptions(weights="ignore"), ReadOptions(weight="w"), ReadOptions(weight="3")]
HEADS = [
    b"",
    b"# a comment\n",
    b"% 1 2\n#1 2\n\n",
    b"source target\n",
    b"# c\r\nsource,target\r\n",
    b"target\tsource\tweight\n",
    b"source,target,w\n",
    b'"source","target"\n',
    b"a;b\n",
    b"a,b,c\n",
    b"a 7\n",
    b"x y 3\n",
    b"a b,c\n",
    b"source,target,Type\n",
    b"%%MatrixMarket matrix\n",
    b"\xef\xbb\xbf",
    b"\xff\n",
    b"# one\r1 2\n",
    b"a\nb\n",
    b",source,target\n",
    b"{}\n",
]
labels = st.integers(0, 12).map(str) | st.integers(0, 10**18 - 1).map(str)
odd_fields = st.sampled_from(
    ["007", "1e3", "-1", "", "a", "1.5", str(10**18), "1_0", "é", '"1"', "{}", " 3", "#1", "."]
)
decimals = st.from_regex(r"[0-9]{1,9}(\.[0-9]{0,9})?|\.[0-9]{1,14}", fullmatch=True)
numbers = st.floats(0.0, 1e9).map(repr) | decimals | st.integers(0, 10**20).map(str) | odd_fields


@st.composite
def edge_lists(draw: st.DrawFn) -> bytes:
    """Lines of numbers, most of them plain, with one or two changes."""
    width, separator = draw(st.sampled_from([2, 2, 3])), draw(st.sampled_from([" ", ",", "\t", ";"]))
    rows = draw(st.lists(st.lists(labels, min_size=2, max_size=2), min_size=1, max_size=8))
    if width == 3:
        weights = draw(st.sampled_from([decimals, numbers]))
        rows = [[*row, draw(weights)] for row in rows]
    if draw(st.integers(0, 3)) == 0:
        row = draw(st.sampled_from(rows))
        row[draw(st.integers(0, width - 1))] = draw(odd_fields)
    line_end = draw(st.sampled_from(["\n", "\n", "\r\n", "\r", "\n\n", " \n"]))
    text = line_end.join(separator.join(row) for row in rows) + draw(st.sampled_from(["", "\n", line_end]))
    return draw(st.sampled_from(HEADS)) + text.encode()


def outcome(read: Any, data: bytes, options: ReadOptions) -> tuple[Any, ...]:
    """What a reader returns or raises, and what it warns of."""
    file = TextFile(data, "g.txt", "g", ".txt")
    with warnings.catch_warnings(record=True, action="always") as caught:
        try:
            edges = read(file, options)
        except InputError as error:
            return str(error), [str(w.message) for w in caught]
    lines = [edges.place(i) for i in range(len(edges.ends))]
    weights = None if edges.weights is None else edges.weights.tobytes()
    named = (edges.listing, edges.weight_name, list(edges.labels), list(map(type, edges.labels)))
    return edges.ends.tolist(), weights, lines, named, [str(w.message) for w in caught]


@settings(max_examples=300)
@given(edge_lists(), st.sampled_from(OPTIONS))
@example(b"source,target\n1,2", ReadOptions())
@example(b"1 2 3\n2 3 nan\n", ReadOptions())
@example(b"a b\n1 2\n2 3\n", ReadOptions())
@example(b"1 2\n2 3 \n", ReadOptions())
@example(b"1;2;3,5\n2;3;4\n", ReadOptions())
def test_equals_the_reader_of_all_files(data: bytes, options: ReadOptions) -> None:
    assert outcome(read_edgelist, data, options) == outcome(read_any_edgelist, data, options)


@pytest.mark.parametrize(
    "data",
    [
        b"1 2\n2 3\n",
        b"1\t2\r\n2\t3\r\n",
        b"# SNAP\n# FromNodeId\tToNodeId\n0\t1\n1\t2\n",
        b"source,target,weight\n0,1,2.5\n1,2,1e-3\n",
        b'"from","to"\n0,1\n1,2',
        b"u;v\n0;1\n1;2\n",
        b"\xef\xbb\xbf0 1\n1 2\n",
    ],
)
@pytest.mark.parametrize("piece", [1, 5, 2**21])
def test_usual_files_are_plain(data: bytes, piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """No line of them becomes a Python object, and pieces of any size give the same numbers."""
    monkeypatch.setattr(plain_edges, "PIECE_BYTES", piece)
    file = TextFile(data, "g.csv", "g", ".csv")
    layout = find_plain_lines(file, ReadOptions())
    assert layout is not None
    lines = parse_plain_lines(file, layout)
    assert lines is not None
    assert len(lines.ends) == 2
    assert outcome(read_edgelist, data, ReadOptions()) == outcome(read_any_edgelist, data, ReadOptions())


@given(st.lists(st.integers(0, 40) | st.integers(0, 10**18), min_size=1))
def test_numbers_of_values(values: list[int]) -> None:
    """Values are numbered in increasing order, by a table or by sorting."""
    numbers, different = number_values(np.array(values))
    assert different.tolist() == sorted(set(values))
    assert different[numbers].tolist() == values
