"""Readers of files: each format round-trips, and any bytes give a graph or a message of one line."""

import bz2
import gzip
import io
import lzma
import os
import re
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from fuzz.corpus import OTHERS
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from naive import as_edges

from riemap import memory
from riemap.graphs import Graph, GraphWarning, as_graph, read_dissimilarities, read_graph
from riemap.graphs import compression as compression_module
from riemap.graphs.edgelist import EDGELIST_EXTENSIONS
from riemap.graphs.readers import READERS

COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}


def read(folder: Path, name: str, data: bytes | str, **options: Any) -> Graph:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return read_graph(path, **{"weights": "lengths", **options})


# --- round trips ----------------------------------------------------------------------

KARATE = nx.karate_club_graph()  # has weights
PLAIN = nx.create_empty_copy(KARATE)
PLAIN.add_edges_from(KARATE.edges)


def written(write: Callable[..., None], *arguments: Any, **options: Any) -> bytes:
    stream = io.BytesIO()
    write(*arguments, stream, **options)
    return stream.getvalue()


def networkx_files(graph: nx.Graph) -> dict[str, bytes]:
    """Return the files that NetworkX and SciPy write for a graph, by extension."""
    matrix = nx.to_scipy_sparse_array(graph, format="csr")
    labelled = nx.relabel_nodes(graph, str)
    return {
        ".edgelist": written(nx.write_edgelist, labelled),
        ".csv": written(nx.write_edgelist, labelled, delimiter=","),
        ".tsv": written(nx.write_weighted_edgelist, labelled, delimiter="\t"),
        ".graphml": written(nx.write_graphml, labelled),
        ".gml": written(nx.write_gml, labelled),
        ".mtx": written(lambda m, f: scipy.io.mmwrite(f, m, symmetry="general"), matrix),
        ".npz": written(lambda m, f: sp.save_npz(f, m), matrix),
    }


@pytest.mark.parametrize("compression", COMPRESSORS)
@pytest.mark.parametrize("extension", networkx_files(KARATE))
@pytest.mark.parametrize("graph", [KARATE, PLAIN], ids=["weighted", "plain"])
def test_round_trip(tmp_path: Path, graph: nx.Graph, extension: str, compression: str) -> None:
    packed = COMPRESSORS[compression](networkx_files(graph)[extension])
    ours = read(tmp_path, f"my.karate{extension}{compression}", packed)
    rename = {".mtx": lambda i: i + 1, ".graphml": str, ".gml": str}.get(extension, int)
    weighted = graph.edges(data="weight", default=1.0)
    assert as_edges(ours) == {frozenset((rename(u), rename(v))): w for u, v, w in weighted}
    assert ours.name == "my.karate"
    if extension == ".edgelist":
        assert ours.labels == tuple(range(34))


@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
@pytest.mark.parametrize("field", ["real", "integer", "pattern"])
def test_matrix_market(tmp_path: Path, field: str, symmetry: str) -> None:
    matrix = nx.to_scipy_sparse_array(KARATE)
    data = written(lambda m, f: scipy.io.mmwrite(f, m, field=field, symmetry=symmetry), matrix)
    ours = read(tmp_path, "karate.mtx", data)
    assert as_edges(ours) == as_edges(
        as_graph(
            nx.relabel_nodes(PLAIN if field == "pattern" else KARATE, lambda i: i + 1), weights="lengths"
        )
    )


@given(
    st.lists(
        st.tuples(st.text(min_size=1), st.text(min_size=1), st.floats(1e-3, 1e3)), min_size=1, max_size=20
    ),
    st.sampled_from([" ", "\t", ",", " , ", "  "]),
    st.booleans(),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_labels_are_kept_as_written(
    tmp_path: Path, rows: list[tuple[str, str, float]], separator: str, weighted: bool
) -> None:
    """Labels round-trip unless they hold a separator, quote, brace, comment sign or control character."""
    clean = str.maketrans(dict.fromkeys('\t\n\r\x0b\x0c ,;"{}#%\0\ufeff', "_"))
    rows = [(_utf8(u.translate(clean)) + "x", _utf8(v.translate(clean)) + "y", w) for u, v, w in rows]
    text = "".join(separator.join([u, v, repr(w)][: 2 + weighted]) + "\n" for u, v, w in rows)
    reference = nx.MultiGraph()
    reference.add_edges_from((u, v, {"weight": w} if weighted else {}) for u, v, w in rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GraphWarning)
        ours, theirs = read(tmp_path, "g.txt", text), as_graph(reference)
    assert ours.labels == theirs.labels
    assert as_edges(ours) == as_edges(theirs)


def _utf8(text: str) -> str:
    """Remove the characters that UTF-8 cannot encode."""
    return text.encode("utf-8", "ignore").decode()


@given(st.lists(st.integers(0, 10**18 - 1) | st.integers(0, 30), min_size=2, unique=True))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_labels_that_are_all_whole_numbers_are_numbers_in_order(tmp_path: Path, labels: list[int]) -> None:
    """Such labels become sorted integers, whatever the order of the edges."""
    text = "".join(f"{a} {b}\n" for a, b in pairwise(labels))
    ours = read(tmp_path, "g.txt", text)
    assert ours.labels == tuple(sorted(labels))
    assert set(as_edges(ours)) == {frozenset(ends) for ends in pairwise(labels)}


@pytest.mark.parametrize("other", ["07", "-1", "+1", "1.0", "1e1", "1_0", "٣", "a", str(10**18)])
def test_one_label_that_is_no_whole_number_makes_all_of_them_texts(tmp_path: Path, other: str) -> None:
    assert read(tmp_path, "g.txt", f"9 2\n2 {other}\n").labels == ("9", "2", other)


def test_labels_that_look_like_numbers_stay_texts(tmp_path: Path) -> None:
    for long in ("", "-and-more-than-eight-letters"):
        graph = read(tmp_path, "g.txt", f"007{long} 7\n7 07\n1e1 7\n")
        assert graph.labels == (f"007{long}", "7", "07", "1e1")
    assert read(tmp_path, "g.txt", "letters-1 letters-2\n").labels == ("letters-1", "letters-2")


def test_comments_blank_lines_and_line_ends(tmp_path: Path) -> None:
    graph = read(tmp_path, "g.TXT", b"\xef\xbb\xbf# c\r\n\r\n  % d\r\n a\tb \r\n\x0c\nb   c\r# the end")
    assert graph.labels == ("a", "b", "c")


def test_networkx_attributes(tmp_path: Path) -> None:
    text = "a b {'weight': 2.5}\nb c {'colour': {'x': [1, 2]}, 'weight': 3}\nc d {\"weight\": 1e-3}\n"
    expected = {frozenset("ab"): 2.5, frozenset("bc"): 3.0, frozenset("cd"): 1e-3}
    assert as_edges(read(tmp_path, "g.txt", text)) == expected
    assert (
        as_edges(
            read(tmp_path, "g.csv", text.replace(" ", ",", 2).replace("b c ", "b,c,").replace("c d", "c,d"))
        )
        == expected
    )
    assert read(tmp_path, "g.txt", "a b {}\nb c {'colour': 1}\nc d\n").weights is None
    assert read(tmp_path, "g.txt", "a b {'é': 1, 'weight': '2.5'}\n").weights[0] == 2.5
    assert read(tmp_path, "g.txt", "a b {'é': 1, 'weight': 2.5}\n").weights[0] == 2.5


@pytest.mark.parametrize(
    ("name", "hidden", "edge"),
    [
        ("g.txt", "#a b", "b c"),
        ("g.txt", " %a b {}", "b c"),
        ("g.txt", "#a b 2", "b c 3"),
        ("g.csv", "#a, b", "b,c"),
    ],
)
def test_a_comment_that_looks_like_an_edge_gives_a_warning(
    tmp_path: Path, name: str, hidden: str, edge: str
) -> None:
    with pytest.warns(
        GraphWarning, match=rf"^{name}: took 2 lines for comments, e\.g\. line 1, '[#%]a.*quotes"
    ):
        assert read(tmp_path, name, f"{hidden}\n{edge}\n{hidden}\n").labels == ("b", "c")


def test_a_label_in_quotes_may_start_like_a_comment(tmp_path: Path) -> None:
    assert read(tmp_path, "g.csv", '"#a",b\nb,#c\n').labels == ("#a", "b", "#c")


@pytest.mark.parametrize("comment", ["# a b", "#", "##a b", "#a", "#a b c d", "% a b", "#a,b"])
def test_other_comments_give_no_warning(tmp_path: Path, comment: str) -> None:
    assert read(tmp_path, "g.txt", f"{comment}\na b\n").labels == ("a", "b")


def test_quoted_fields(tmp_path: Path) -> None:
    graph = read(tmp_path, "g.csv", 'New York,"Rome, Italy",2\n"Rome, Italy","say ""hi""",3\n')
    assert graph.labels == ("New York", "Rome, Italy", 'say "hi"')


@pytest.mark.parametrize("heading", ["source,target,year", "From To", "id_1\tid_2", "src, dst"])
def test_a_heading_is_skipped_with_a_warning(tmp_path: Path, heading: str) -> None:
    separator = "," if "," in heading else " "
    edge = separator.join(["a", "b", "2"][: 3 if "year" in heading else 2])
    with pytest.warns(GraphWarning, match=r"g\.csv: took its first line, '.*', for a heading"):
        assert read(tmp_path, "g.csv", f"# c\n{heading}\n{edge}\n").labels == ("a", "b")


def test_both_directions_in_a_list_are_parallel_edges(tmp_path: Path) -> None:
    with pytest.warns(GraphWarning, match="g: merged 1 parallel edge into 1"):
        read(tmp_path, "g.txt", "a b\nb a\n")


def test_components(tmp_path: Path) -> None:
    with pytest.warns(GraphWarning, match="the largest with 3 of 5 nodes and 2 of 3 edges"):
        assert read(tmp_path, "g.txt", "a b\nc d\nd e\n").labels == ("c", "d", "e")
    with pytest.raises(ValueError, match="2 components"):
        read(tmp_path, "g.txt", "a b\nc d\nd e\n", components="require")


GML = """graph [
  node [ id 1 ]
  node [ id 2 ]
  node [ id 3 ]
  edge [ source 1 target 2 ]
  edge [ source 3 target 2 ]
]"""


def test_gml_of_newmans_collection(tmp_path: Path) -> None:
    """Nodes without labels and undeclared parallel edges are accepted, which NetworkX refuses."""
    data = 'Creator "Mark Newman on Sat"\n# c\n' + GML.replace(
        "]\n]", "]\n edge\n [\n source 1\n target 2 value 3 ]\n]"
    )
    with pytest.warns(GraphWarning, match="merged 1 parallel edge into 2"):
        assert read(tmp_path, "g.gml", data).labels == (1, 2, 3)


def test_gml_labels(tmp_path: Path) -> None:
    data = GML.replace("id 1", 'id 1 label "007"').replace("id 2", 'id 2 label "a &amp; &#233;"')
    with pytest.warns(GraphWarning, match="1 of 3 nodes have no label, so nodes are named by their ids"):
        assert read(tmp_path, "g.gml", data).labels == (1, 2, 3)
    assert read(tmp_path, "g.gml", data.replace("id 3", "id 3 label 5")).labels == ("007", "a & é", 5)


def test_graphml_defaults(tmp_path: Path) -> None:
    data = (
        '<?xml version="1.0"?><g:graphml xmlns:g="http://graphml.graphdrawing.org/xmlns">'
        '<g:key id="k" for="edge" attr.name="weight"><g:default>2</g:default></g:key>'
        '<g:graph edgedefault="directed">'
        '<g:edge source="a" target="b" directed="false"/><g:node id="b"/><g:node id="a"/><g:node id="c"/>'
        '<g:edge source="a" target="c" directed="false"><g:data key="k"> 3 </g:data></g:edge>'
        "</g:graph></g:graphml>"
    )
    graph = read(tmp_path, "g.graphml", data)
    assert graph.labels == ("b", "a", "c")
    assert as_edges(graph) == {frozenset("ab"): 2.0, frozenset("ac"): 3.0}


XML = """<graphml>
<graph edgedefault="undirected">
<node id="a"/>
<node id="b"/>
<edge source="a" target="b"/>
</graph>
</graphml>"""
MTX = "%%MatrixMarket matrix coordinate real general\n% c\n3 3 4\n1 2 5\n2 1 5\n2 3 1\n3 2 1\n"

# --- directions ------------------------------------------------------------------------------------------


def npz(matrix: Any) -> bytes:
    return written(lambda m, f: sp.save_npz(f, m), matrix)


@pytest.mark.parametrize(
    ("name", "data", "edges"),
    [
        ("g.graphml", XML.replace("undirected", "directed"), [("a", "b")]),
        ("g.graphml", XML.replace('target="b"', 'target="b" directed="true"'), [("a", "b")]),
        ("g.gml", GML.replace("graph [", "graph [ directed 1"), [(1, 2), (2, 3)]),
        ("g.mtx", MTX.replace("2 3 1\n", "").replace("3 3 4", "3 3 3"), [(1, 2), (2, 3)]),
        ("g.mtx", MTX.replace("2 1 5", "2 1 4"), [(1, 2), (2, 3)]),
        ("g.npz", npz(sp.csr_array(np.triu(np.ones((3, 3)), 1))), [(0, 1), (0, 2), (1, 2)]),
    ],
    ids=str,
)
def test_directions_are_refused_unless_ignored(
    tmp_path: Path, name: str, data: str | bytes, edges: list[tuple[Any, Any]]
) -> None:
    with pytest.raises(ValueError, match=r"^g.* directed.*; undirected=True \(--undirected\) ignores"):
        read(tmp_path, name, data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GraphWarning)
        found = read(tmp_path, name, data, undirected=True)
    assert set(as_edges(found)) == {frozenset(edge) for edge in edges}


def test_an_asymmetric_matrix_is_told_by_its_line(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^g, line 6: the edge from 3 to 2 has no counterpart"):
        read(tmp_path, "g.mtx", MTX.replace("2 3 1\n", "").replace("3 3 4", "3 3 3"))


# --- refusals --------------------------------------------------------------------------------------------

BILLION_LAUGHS = (
    '<?xml version="1.0"?>\n<!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {c}{c} "{"&a;" * 10}">' for c in "bcdefgh")
    + "]>\n<graphml>&b;</graphml>"
)

EDGE_LIST_REFUSALS = [
    ("a b\nc\n", r"line 2: 'c' has 1 column, but line 1 is separated by spaces .*e\.g\. 'a b 2\.5'"),
    ("c\na b\n", r"line 1: 'c' has 1 column;"),
    ("a b 1 2\n", r"line 1: 'a b 1 2' has 4 columns;"),
    ("# c\n\na b\nb c 1\n", r"line 4: 'b c 1' has 3 columns, but line 3 has 2; give a weight to all edges"),
    ("a b 1\nb c\n", r"line 2: 'b c' has 2 columns, but line 1 has 3"),
    ("a b {'weight': 1}\nb c {}\n", r"line 2: 'b c' has 2 columns, but line 1 has 3"),
    ("a b x\n", r"line 1: weight 'x' is not a number"),
    ("a b x\nc d y\n", r"line 1: weight 'x' is not a number"),
    ("a b 1\nb c 1_000\n", r"line 2: weight '1_000' is not a number"),
    ("a b 1\nb c ١\n", r"line 2: weight '١' is not a number"),
    ("a b 1\nb c -1\n", r"g, line 2: weight -1 is not a positive number; .*e\.g\. 2\.5"),
    ("a b 1\n\nb c 0\n", r"g, line 3: weight 0 is not"),
    ("a b 1\nb c nan\n", r"g, line 2: weight nan is not"),
    ("a b 1\nb c 1e999\n", r"g, line 2: weight inf is not"),
    ("a b {'weight': nan}\n", r"line 1: cannot read \"\{'weight': nan\}\"; attributes are e\.g\."),
    ("a b {'weight': __import__('os')}\n", r"line 1: cannot read"),
    ("a b {'weight': 'x'}\n", r"line 1: cannot read"),
    ("a b {'weight': 1" + "0" * 400 + "}\n", r"line 1: (cannot read|weight inf)"),
    ("a b {1, 2}\n", r"line 1: cannot read"),
    ("a b " + "{" * 5000 + "}" * 5000 + "\n", r"line 1: cannot read"),
    ("a b {'x': " + "-" * 100_000 + "1}\n", r"line 1: cannot read"),
    ("a b {'x': " + "-" * 1500 + "1}\n", r"line 1: cannot read"),
    ("a b 3 {'weight': 1}\n", r"line 1: 'a b 3 1' has 4 columns"),
    ("a,b\nb,,c\n", r"line 2: 'b,,c' has 3 columns"),
    ("a,b\nb,\n", r"line 2: a column is empty"),
    ('a,b\n"b,c\n', r"line 2: '\"b,c' has unreadable quotes"),
    (
        "1 2\n2, 3\n",
        r"g\.txt, line 2: '2, 3' has a comma, but line 1 is separated by spaces or tabs; .*'a,b'",
    ),
    ("# c\n1\t2\n2 3\n2,3\n", r"line 3: '2 3' has 1 column, but line 2 is separated by tabs"),
    ("1 2\n2\t3\n2,3\n", r"line 3: '2,3' has a comma, but line 1 is"),
    ("1,2\n2 3\n", r"line 2: '2 3' has 1 column"),
    ("a b {'weight': 1_000}\n", r"line 1: cannot read"),
    ("a b {'weight': '1_000'}\n", r"line 1: cannot read"),
    ("a b {'weight': '١'}\n", r"line 1: cannot read"),
    ("a b {'weight': 0x10}\n", r"line 1: cannot read"),
    ("a b {'weight': True}\n", r"line 1: cannot read"),
    ("a;b\nc d\n", r"line 2: 'c d' has 1 column, but line 1 is separated by semicolons"),
    ("a b\t1\nc d\t2\n", r"line 1: 'a b\\t1' has tabs and spaces, and either could separate"),
    ("", r"g\.txt is empty"),
    (" \n\n", r"g\.txt is empty"),
    (b"\xef\xbb\xbf\n", r"g\.txt is empty"),
    ("# only\n% comments\n", r"g\.txt holds no edges, only comments; a line is"),
    ("a a\n", r"every edge is a self-loop"),
    (MTX, r"line 1: this is a MatrixMarket file; rename it so that its name ends in \.mtx"),
    (b"a b\nb \xff\n", r"line 2: byte 0xff is not UTF-8 text"),
    ("a b\nb c\n".encode("utf-16"), r"line 1: byte 0xff is not UTF-8"),
    ("a b\nb c\n".encode("utf-16-le"), r"line 1: byte 0x00 is not UTF-8"),
    (gzip.compress(b"a b\n", mtime=0), r"line 1: byte 0x8b is not UTF-8 text; .* if it is compressed"),
    ("x" * 10**6 + "\n", r"line 1: 'x{58}… has 1 column"),
    ("a b c\x1b[31m\n", r"weight 'c\\x1b\[31m' is not a number"),
]

OTHER_REFUSALS = [
    ("g.mtx", "a b\n", r"line 1: 'a b' is not the header.*e\.g\. '%%MatrixMarket matrix coordinate real"),
    ("g.mtx", MTX.replace("real", "complex"), r"line 1: .* is not the header"),
    ("g.mtx", MTX.replace("general", "skew-symmetric"), r"line 1: .* is not the header"),
    ("g.mtx", MTX.replace("coordinate", "array"), r"line 1: .* is not the header of a sparse"),
    ("g.mtx", MTX.splitlines()[0], r"g\.mtx ends before its line of sizes"),
    ("g.mtx", MTX.replace("3 3 4", "3 4 4"), r"line 3: '3 4 4' is not 'n n entries' of a square matrix"),
    ("g.mtx", MTX.replace("3 3 4", "3 3"), r"line 3: '3 3' is not"),
    (
        "g.mtx",
        MTX.replace("3 3 4", "3 3 999999999999"),
        r"declares 999999999999 entries but has 4; is it cut",
    ),
    ("g.mtx", MTX.replace("3 3 4", "999999999999 999999999999 4"), r"999,999,999,999 nodes with 4 entries"),
    (
        "g.mtx",
        MTX.replace("2 1 5", "2 4 5"),
        r"line 5: '2 4 5' is not an entry; .*1 <= i, j <= 3, e\.g\. '2 1 2\.5'",
    ),
    ("g.mtx", MTX.replace("2 1 5", "1 0 5"), r"line 5: '1 0 5' is not an entry"),
    ("g.mtx", MTX.replace("2 1 5", "0 1 5"), r"line 5: '0 1 5' is not an entry"),
    ("g.mtx", MTX.replace("2 1 5", "2 1"), r"line 5: '2 1' is not an entry"),
    ("g.mtx", MTX.replace("2 1 5", "2 1 x"), r"line 5: '2 1 x' is not an entry"),
    ("g.mtx", MTX.replace("2 1 5", "2 1 -5"), r"g, line 5: weight -5 is not a positive number"),
    ("g.mtx", MTX.replace("2 1 5", "2 1 nan"), r"g, line 5: weight nan is not"),
    ("g.mtx", MTX.replace("3 3 4\n1 2 5\n2 1 5\n2 3 1\n3 2 1\n", "1 1 0\n"), "no edges"),
    ("g.mtx", MTX.replace("2 1 5", "2 1_0 5"), r"line 5: '2 1_0 5' is not an entry"),
    ("g.mtx", MTX.replace("3 3 4", "1_2 1_2 4"), r"line 3: '1_2 1_2 4' is not 'n n entries'"),
    ("g.mtx", MTX.replace("2 1 5", "2 +1 5"), r"line 5: '2 \+1 5' is not an entry"),
    ("g.mtx", MTX.replace("2 1 5", "2 ١ 5"), r"line 5: '2 ١ 5' is not an entry"),
    ("g.graphml", "a b\n", r"line 1: malformed XML \(syntax error\)"),
    ("g.graphml", XML[:-12], r"line 6: malformed XML"),
    ("g.graphml", BILLION_LAUGHS, r"line 2: a DOCTYPE, which may define entities, is not accepted"),
    ("g.graphml", "<a>\n</a>", r"holds <a> with 0 graphs; accepted is <graphml> with one"),
    *(
        ("g.graphml", f'<?xml version="1.0" encoding="{encoding}"?>' + XML, r"^g\.graphml, line 1: .*UTF-8$")
        for encoding in ("big5", "utf-7", "punycode", "idna", "undefined", "nonsense")
    ),
    ("g.graphml", b'<?xml version="1.0" encoding="UTF-8"?>\n<a b="\xff"/>', r"line 2: malformed XML"),
    ("g.graphml", '<?xml version="1.0" encoding="hex"?>' + XML, r"line 1: .*(encoding|hex).*"),
    (
        "g.graphml",
        XML.replace('target="b"', 'target="c"'),
        r"line 5: this edge names 'c', which is not a node",
    ),
    ("g.graphml", XML.replace('target="b"', ""), r"line 5: this edge names None"),
    (
        "g.graphml",
        XML.replace('id="b"', 'id="a"'),
        r"line 4: the id of this node, 'a', is missing or repeated",
    ),
    (
        "g.graphml",
        XML.replace("undirected", "maybe"),
        r"line 5: .*neither directed nor undirected but 'maybe'",
    ),
    ("g.graphml", XML.replace("<edge", "<hyperedge/>\n<edge"), r"line 5: hyperedges"),
    (
        "g.graphml",
        XML.replace('<node id="b"/>', '<node id="b"><graph/></node>'),
        r"line 4: .*graphs inside nodes",
    ),
    ("g.gml", "a b\n", r"line 1: found 'b' instead of a number, a string or '\[' after 'a'"),
    ("g.gml", GML[:-2], r"line 6: the file ends inside the block of line 1; is it cut short"),
    ("g.gml", "graph [ ] ]", r"line 1: found '\]' instead of a key"),
    ("g.gml", 'graph [ x "abc', r"line 1: found '\"' instead of"),
    ("g.gml", "graph [" * 100_000, r"line 1: the file ends inside"),
    ("g.gml", "graph [ ]\ngraph [ ]", r"holds 2 graphs; one is accepted"),
    ("g.gml", "graph 3", r"graph has no '\[' after it"),
    ("g.gml", GML.replace("id 2", "id 1"), r"line 3: the id of this node, 1, is missing or repeated"),
    ("g.gml", GML.replace("id 2", "id [ ]"), r"line 3: id is not one number or string"),
    (
        "g.gml",
        GML.replace("target 2 ]\n]", "target 9 ]\n]"),
        r"line 6: this edge names 9, which is not the id",
    ),
    (
        "g.gml",
        GML.replace("target 2 ]\n]", "target 2 weight 2 ]\n]"),
        r"line 5: the edge has no weight, but 1 of 2",
    ),
    ("g.gml", GML.replace("target 2", "target 2 weight NAN"), r"line 5: found 'NAN' instead of a number"),
    ("g.gml", GML.replace("target 2", 'target 2 weight "x"'), r"line 5: weight 'x' is not a number"),
    ("g.gml", GML.replace("target 2", "target 2 weight -2"), r"g, line 5: weight -2 is not a positive"),
    ("g.gml", GML.replace("id 2", "id " + "1" * 5000), r"line 3: '1{58}… is too long a number"),
    ("g.gml", GML.replace("target 2", "target 2 weight 1" + "0" * 400), r"g, line 5: weight inf is not"),
    ("g.gml", "graph [ ]", "no edges"),
    ("g.npz", "a b\n", r"g\.npz is not a whole \.npz file.*; scipy\.sparse\.save_npz"),
    ("g.npz", npz(sp.eye_array(3))[:-40], r"g\.npz is not a whole \.npz file"),
    ("g.npz", npz(sp.csr_array(np.ones((2, 3)))), r"adjacency matrix is square, not \(2, 3\)"),
    ("g.npz", npz(sp.csr_array(np.ones((2, 2), complex))), r"real numbers, not complex128"),
    ("g.npz", npz(sp.csr_array(-np.ones((2, 2)))), r"g, entry \(0, 0\): weight -1 is not"),
    (
        "g.png",
        "a b",
        r"g\.png has the extension '\.png'; accepted are \.edges .*\.gz.*e\.g\. power\.edges\.gz",
    ),
    ("g", "a b", r"g has the extension ''; accepted are"),
    ("g.gz", "a b", r"g\.gz has the extension ''; accepted are"),
]


def refusal(folder: Path, name: str, data: str | bytes) -> str:
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the caller looks at the message
        read(folder, name, data)
    message = str(caught.value)
    assert message.isprintable(), message
    assert len(message) < 400
    return message


@pytest.mark.parametrize(("data", "message"), EDGE_LIST_REFUSALS)
def test_refused_edge_lists(tmp_path: Path, data: str | bytes, message: str) -> None:
    given_ = refusal(tmp_path, "g.txt", data)
    assert given_.startswith(("g.txt", "g:", "g,"))
    assert re.search(message, given_), given_


@pytest.mark.parametrize(("name", "data", "message"), OTHER_REFUSALS)
def test_refused_files(tmp_path: Path, name: str, data: str | bytes, message: str) -> None:
    given_ = refusal(tmp_path, name, data)
    assert re.search(message, given_), given_


@pytest.mark.parametrize("compression", [".gz", ".bz2", ".xz"])
def test_damaged_compression(tmp_path: Path, compression: str) -> None:
    packed = COMPRESSORS[compression](b"a b\nb c\n" * 1000)
    flipped = bytearray(packed)
    flipped[-12] ^= 0xFF
    for data in (packed[:-1], packed[: len(packed) // 2], packed[:1], b"a b\n", bytes(flipped)):
        message = refusal(tmp_path, f"g.txt{compression}", data)
        assert message.startswith(f"g.txt{compression} is not a whole {compression} file: ")
    assert "is empty" in refusal(tmp_path, f"g.txt{compression}", COMPRESSORS[compression](b""))


def test_bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression_module, "BOMB_MIN_BYTES", 2**20)
    zeros = gzip.compress(bytes(2**24))
    assert "more than 200-fold" in refusal(tmp_path, "g.txt.gz", zeros)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data.npy", bytes(2**24))
    assert "more than 200-fold" in refusal(tmp_path, "g.npz", stream.getvalue())


PLENTY = "\n".join(f"{i} {i + 1}" for i in range(2999)).encode() + b"\n2999 end"


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        (
            "g.txt",
            PLENTY,
            r"^27,781 bytes of g\.txt need 1\.14 MB of memory, and 500 kB are free; use a part",
        ),
        ("g.txt", b"1 2\n" * 4000, r"^16,000 bytes of g\.txt need 616 kB of memory"),
        ("g.txt", PLENTY * 10, r"^277,810 bytes of g\.txt need 2\.78 MB of memory"),
        ("g.txt.gz", gzip.compress(PLENTY * 10), r"^277,810 bytes of g\.txt\.gz need 2\.78 MB of memory"),
        ("g.gml", b"a[" * 2000, r"^4,000 bytes of g\.gml need 900 kB of memory"),
        ("g.graphml", b"<a>" + b"<a/>" * 2000, r"^8,003 bytes of g\.graphml need 760 kB of memory"),
        ("g.npz", npz(sp.eye_array(10_000, format="dia")), r"^10,000 entries of g\.npz need 1 MB"),
    ],
)
def test_files_too_large_for_the_memory(
    tmp_path: Path, name: str, data: bytes, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are refused before they are parsed, with figures and a way out."""
    monkeypatch.setattr(memory, "free", lambda: 500_000)
    with pytest.raises(MemoryError, match=message):
        read(tmp_path, name, data)


@pytest.mark.parametrize("shape", [(10**8, 0), (0, 10**8), (10**8, 0, 3), (0,), (0, 0)])
def test_an_empty_array_of_a_huge_shape_takes_no_memory(tmp_path: Path, shape: tuple[int, ...]) -> None:
    path = tmp_path / "d.npy"
    path.write_bytes(npy(np.empty(shape)))
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"^d"):
            read_dissimilarities(path)
        assert tracemalloc.get_traced_memory()[1] < 3 * 10**6
    finally:
        tracemalloc.stop()


def test_dissimilarities_too_large_for_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free", lambda: 300_000)
    for array in (np.ones((100, 100), np.int8), np.ones(4950, np.int8)):
        (tmp_path / "d.npy").write_bytes(npy(array))
        with pytest.raises(
            MemoryError, match=r"^100 points of d\.npy need 400 kB of memory, and 300 kB are free"
        ):
            read_dissimilarities(tmp_path / "d.npy")


def test_npz_with_pickles_or_indices_out_of_range(tmp_path: Path) -> None:
    def archive(**arrays: Any) -> bytes:
        return written(lambda f: np.savez(f, **arrays))

    csr: dict[str, Any] = {"format": b"csr", "shape": (2, 2), "data": np.ones(2)}
    row = np.array([0, 1, 2])
    good = archive(**csr, indices=np.array([1, 0]), indptr=row)
    assert read(tmp_path, "g.npz", good).m == 1
    for arrays in (
        {**csr, "indices": np.array([1, 0]), "indptr": row, "data": np.array([{}, None], dtype=object)},
        {**csr, "indices": np.array([1, 10**9]), "indptr": row},
        {**csr, "indices": np.array([-1, 0]), "indptr": row},
        {**csr, "indices": np.array([1, 0]), "indptr": np.array([0, 10**9, 2])},
        {**csr, "indices": np.array([1, 0]), "indptr": row, "shape": (10**9, 10**9)},
        {**csr, "format": b"nonsense"},
        {"format": np.array(3)},
        {"points": np.ones(3)},
    ):
        message = refusal(tmp_path, "g.npz", archive(**arrays))
        assert "holds no sparse matrix" in message or "holds Python objects" in message
    sparse = {"format": b"coo", "shape": (10**9, 10**9), "row": row[:1], "col": row[1:2], "data": np.ones(1)}
    assert "1,000,000,000 nodes with 1 entries" in refusal(tmp_path, "g.npz", archive(**sparse))


def test_missing_files_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_graph(tmp_path / "missing.txt")
    (tmp_path / "folder.txt").mkdir()
    with pytest.raises(ValueError, match=r"folder\.txt is a folder"):
        read_graph(tmp_path / "folder.txt")


def test_messages_are_one_line_whatever_the_file_is_called(tmp_path: Path) -> None:
    assert refusal(tmp_path, "a\nb.txt", "x").startswith(r"a\nb.txt, line 1")
    assert refusal(tmp_path, "a\nb.txt", "x x").startswith(r"a\nb: every edge")
    assert read(tmp_path, os.fsdecode(b"\xff.txt"), "a b").name == r"\udcff"


# --- dissimilarities ---------------------------------------------------------------------------------------

SQUARE = np.array([[0.0, 1.0, 2.5], [1.0, 0.0, 3.0], [2.5, 3.0, 0.0]])


def npy(array: Any, **options: Any) -> bytes:
    return written(lambda f: np.save(f, array, **options))


@pytest.mark.parametrize("compression", COMPRESSORS)
@pytest.mark.parametrize(
    ("name", "data", "labels"),
    [
        ("d.npy", npy(SQUARE), (0, 1, 2)),
        ("d.npy", npy(np.asfortranarray(SQUARE.astype(">f4"))), (0, 1, 2)),
        ("d.npy", npy(np.array([1.0, 2.5, 3.0])), (0, 1, 2)),
        ("d.csv", b"0,1,2.5\n1,0,3\n2.5,3,0\n", (0, 1, 2)),
        ("d.csv", b"# c\n1,2.5,3\n", (0, 1, 2)),
        ("d.csv", b"1\n2.5\n3\n", (0, 1, 2)),
        ("d.txt", b"0 1 2.5\n1 0 3\n2.5 3 0\n", (0, 1, 2)),
        ("d.csv", b'a,"b,c",007\n0,1,2.5\n1,0,3\n2.5,3,0\n', ("a", "b,c", "007")),
        ("d.csv", b"4,0,1,2.5\n5,1,0,3\n6,2.5,3,0\n", ("4", "5", "6")),
        ("d.csv", b",4,5,6\n4,0,1,2.5\n5,1,0,3\n6,2.5,3,0\n", ("4", "5", "6")),
        ("d.csv", b"name,a,b,c\na,0,1,2.5\nb,1,0,3\nc,2.5,3,0\n", ("a", "b", "c")),
    ],
)
def test_dissimilarities(
    tmp_path: Path, name: str, data: bytes, labels: tuple[Any, ...], compression: str
) -> None:
    path = tmp_path / f"{name}{compression}"
    path.write_bytes(COMPRESSORS[compression](data))
    ours = read_dissimilarities(path)
    np.testing.assert_array_equal(ours.matrix, SQUARE)
    assert (ours.labels, ours.name, ours.n) == (labels, "d", 3)


def lying(shape: tuple[int, ...]) -> bytes:
    """Return an .npy header for an array of this shape, followed by eight bytes only."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return stream.getvalue() + bytes(8)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("d.npy", npy(SQUARE + np.eye(3)), r"d: entry \(0, 0\), 1, is on the diagonal"),
        ("d.npy", npy(np.triu(SQUARE)), r"d: entry \(0, 1\), 1, differs from its mirror image"),
        ("d.npy", npy(-SQUARE), r"entry \(0, 1\), -1, is negative"),
        ("d.npy", npy(np.array([1.0, np.nan, 1.0])), r"entry \(0, 2\), nan, is not a finite"),
        ("d.npy", npy(np.array([1.0, 0.0, 1.0])), r"entry \(0, 2\), 0, is zero between"),
        ("d.npy", npy(np.ones(4)), r"4 numbers are not a triangle of n\(n-1\)/2 numbers, e\.g\. 6"),
        ("d.npy", npy(np.ones(0)), "0 numbers are not"),
        ("d.npy", npy(np.ones((2, 3))), r"square matrix of numbers, .*not float64\(2, 3\)"),
        ("d.npy", npy(np.zeros((1, 1))), "there is 1 point"),
        ("d.npy", npy(np.ones((2, 2, 2))), r"in one dimension, not float64\(2, 2, 2\)"),
        ("d.npy", npy(np.ones(3, complex)), r"not complex128\(3,\)"),
        (
            "d.npy",
            npy(np.array([{}]), allow_pickle=True),
            r"not a whole \.npy file: 'it holds Python objects",
        ),
        ("d.npy", npy(SQUARE)[:-1], r"not a whole \.npy file"),
        ("d.npy", npy(SQUARE) + b"x", r"header declares 72 bytes of numbers, and 73 follow"),
        ("d.npy", lying((10**14,)), r"not a whole \.npy file"),
        ("d.npy", lying((2**62, 2**62)), r"not a whole \.npy file"),
        ("d.npy", lying((-3,)), r"not a whole \.npy file"),
        ("d.npy", b"a,b", r"not a whole \.npy file"),
        ("d.npy", npz(sp.eye_array(2)), r"not a whole \.npy file: .*magic string"),
        ("d.csv", b"", r"d\.csv is empty"),
        ("d.csv", b"#c\n", r"d\.csv holds no numbers"),
        ("d.csv", b"0,1\n1,x\n", r"d\.csv, line 2: 'x' is not a number, e\.g\. 1\.5"),
        ("d.csv", b"0,1\n\n1\n", r"d\.csv, line 3: 1 columns, but line 1 has 2"),
        ("d.csv", b"0,1,2,3\n1,0,2,3\n", r"2 rows of 4 columns are not a square matrix"),
        ("d.csv", b",a,b\na,0,1\nc,1,0\n", r"line 1: the labels of the columns are not those of the rows"),
        ("d.csv", b"a,a\n0,1\n1,0\n", r"labels, all different"),
        ("d.csv", b"0,\xff\n", r"line 1: byte 0xff"),
        ("d.edges", b"0,1\n", r"d\.edges has the extension '\.edges'; accepted are \.npy \.csv"),
    ],
)
def test_refused_dissimilarities(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(ValueError, match=message) as caught:
        read_dissimilarities(path)
    assert str(caught.value).isprintable()


# --- fuzz --------------------------------------------------------------------------------------------------


def columnar_files() -> dict[str, bytes]:
    """Return a table as pyarrow writes it, or bytes that look like one if it is not installed."""
    try:
        import pyarrow
        from pyarrow import feather, parquet
    except ImportError:
        return {".parquet": b"PAR1", ".feather": b"ARROW1"}
    table = pyarrow.table({"source": ["a", "b"], "target": ["b", "c"], "weight": [1.0, 2.0]})
    return {
        ".parquet": written(lambda f: parquet.write_table(table, f)),
        ".feather": written(lambda f: feather.write_feather(table, f)),
    }


VALID = {
    **dict.fromkeys(EDGELIST_EXTENSIONS, b"a b 1\nb c {'weight': 2}\n"),
    **networkx_files(nx.path_graph(4)),
    ".csv": b'source,target\na,"b"\nb,c\n',
    ".npy": npy(SQUARE),
    **{name[name.index(".") :]: data for name, data in OTHERS.items() if name != "gephi.csv"},
    ".metis": OTHERS["small.graph"],
    ".gv": OTHERS["small.dot"],
    **columnar_files(),
}
fuzz = settings(
    max_examples=max(200, settings().max_examples),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
extensions = st.sampled_from(sorted({*READERS, ".npy"}))
compressions = st.sampled_from(sorted(COMPRESSORS))


def graph_or_one_line(folder: Path, name: str, data: bytes) -> None:
    """Assert that both readers return a graph or raise ValueError with one line."""
    path = folder / name
    path.write_bytes(data)
    readers: list[Callable[[Path], Any]] = [read_graph, read_dissimilarities]
    for reader in readers:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", GraphWarning)
            message = "g"
            try:
                assert reader(path).n >= 2
            except ValueError as error:
                message = str(error)
        assert message.isprintable()
        assert message.startswith("g")
        assert len(message) < 500


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, bytes]:
    """Draw a valid file with bytes changed, inserted, repeated or removed, before or after compression."""
    extension, compression = draw(extensions), draw(compressions)
    data = VALID[extension]
    before = draw(st.booleans())
    data = data if before else COMPRESSORS[compression](data)
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        to = draw(st.integers(at, min(len(data), at + 20)))
        what = draw(
            st.sampled_from(
                [b"", data[at:to] * 2, b" ", b"\n", b"-1", b"nan", b"0", b"[", b"{", b"}", b"<", b'"', b","]
            )
            | st.binary(max_size=8)
        )
        data = data[:at] + what + data[to:]
    data = data[: draw(st.sampled_from([len(data), draw(st.integers(0, len(data)))]))]
    return extension + compression, COMPRESSORS[compression](data) if before else data


@fuzz
@given(extensions, compressions, st.binary(max_size=200))
def test_any_bytes(tmp_path: Path, extension: str, compression: str, data: bytes) -> None:
    graph_or_one_line(tmp_path, f"g{extension}{compression}", COMPRESSORS[compression](data))


@fuzz
@given(extensions, st.text("ab01 \t\n,.-#%{}[]\"'<>/=:", max_size=60))
def test_any_text(tmp_path: Path, extension: str, text: str) -> None:
    graph_or_one_line(tmp_path, f"g{extension}", text.encode())


small = st.lists(st.integers(-2, 4), max_size=5).map(lambda values: np.array(values, dtype=np.int32))


@fuzz
@given(
    st.fixed_dictionaries(
        {
            "format": st.sampled_from([b"csr", b"csc", b"bsr", b"coo", b"dia"]),
            "shape": st.tuples(st.integers(-1, 4), st.integers(0, 4)) | small,
            "data": small | small.map(lambda a: a.reshape(1, -1)) | small.map(lambda a: a.astype("f2")),
        },
        optional=dict.fromkeys(["row", "col", "coords", "indices", "indptr", "offsets"], small),
    )
)
def test_any_arrays_in_an_npz(tmp_path: Path, arrays: dict[str, Any]) -> None:
    """Indices out of range are refused before they reach SciPy's compiled code, which would crash."""
    graph_or_one_line(tmp_path, "g.npz", written(lambda f: np.savez(f, **arrays)))


@fuzz
@given(damaged())
def test_damaged_files(tmp_path: Path, file: tuple[str, bytes]) -> None:
    extension, data = file
    graph_or_one_line(tmp_path, f"g{extension}", data)
