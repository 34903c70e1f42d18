"""Formats of other programs: a file as the program writes it, a wrong one, and one that is cut short."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import pandas as pd
import pytest
from naive import as_edges

from riemap.errors import InputError
from riemap.graphs import Graph, GraphWarning, read_graph

STORY = nx.les_miserables_graph()  # labels with spaces, and weights
nx.set_node_attributes(STORY, {name: "long" if len(name) > 8 else "short" for name in STORY}, "kind")
FRAME = nx.to_pandas_edgelist(STORY)
WEIGHTS = {frozenset((u, v)): float(w) for u, v, w in STORY.edges(data="weight")}


def gephi_table() -> str:
    """Return the table of edges as Gephi's data laboratory exports it."""
    rows = [f'"{u}";"{v}";Undirected;{i};;;{w}.0' for i, (u, v, w) in enumerate(STORY.edges(data="weight"))]
    return "\n".join(["Source;Target;Type;Id;Label;timeset;Weight", *rows]) + "\n"


def gephi_gexf() -> str:
    """Return a GEXF file as Gephi writes it: ids are numbers, and names are labels."""
    number = {name: i for i, name in enumerate(STORY)}
    nodes = "".join(
        f'<node id="{i}.0" label="{name}"><attvalues><attvalue for="kind" value="{kind}"/></attvalues>'
        f'<viz:size value="10.0"></viz:size></node>'
        for (name, kind), i in zip(STORY.nodes(data="kind"), range(77), strict=True)
    )
    edges = "".join(
        f'<edge id="{k}" source="{number[u]}.0" target="{number[v]}.0"'
        + (f' weight="{w}.0"' if w != 1 else "")
        + "></edge>"
        for k, (u, v, w) in enumerate(STORY.edges(data="weight"))
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="http://www.gexf.net/1.3" version="1.3" '
        'xmlns:viz="http://www.gexf.net/1.3/viz">\n<graph defaultedgetype="undirected" mode="static">\n'
        '<attributes class="node" mode="static"><attribute id="kind" title="kind" type="string"></attribute>'
        f"</attributes>\n<nodes>{nodes}</nodes>\n<edges>{edges}</edges>\n</graph></gexf>\n"
    )


def d3(by_position: bool) -> str:
    """Return JSON as examples of d3 have it; older ones name the ends of links by their positions."""
    number = {name: i for i, name in enumerate(STORY)}
    end: Callable[[str], Any] = number.__getitem__ if by_position else str
    key = "name" if by_position else "id"
    nodes = [{key: name, "kind": kind} for name, kind in STORY.nodes(data="kind")]
    links = [{"source": end(u), "target": end(v), "value": w} for u, v, w in STORY.edges(data="weight")]
    return json.dumps({"nodes": nodes, "links": links})


def metis() -> str:
    number = {name: i for i, name in enumerate(STORY, 1)}
    rows = [" ".join(f"{number[v]} {STORY[u][v]['weight']}" for v in STORY[u]) for u in STORY]
    return "\n".join(["% a comment", "77 254 001", *rows]) + "\n"


def dot() -> str:
    """Return DOT as pydot and pygraphviz write it for NetworkX."""
    nodes = [f'"{name}" [kind={kind}];' for name, kind in STORY.nodes(data="kind")]
    edges = [f'"{u}" -- "{v}" [weight={w}];' for u, v, w in STORY.edges(data="weight")]
    return 'strict graph "" {\nnode [shape=box];\n' + "\n".join(nodes + edges) + "\n}\n"


def pajek() -> bytes:
    stream = io.BytesIO()
    nx.write_pajek(STORY, stream)
    return stream.getvalue()


def of_networkx(write: Callable[..., None]) -> bytes:
    stream = io.BytesIO()
    write(STORY, stream)
    return stream.getvalue()


FILES: dict[str, str | bytes] = {
    "pandas.csv": FRAME.to_csv(),
    "pandas-tabs.tsv": FRAME.to_csv(sep="\t"),
    "spreadsheet.csv": FRAME.to_csv(sep=";", index=False),
    "order.csv": FRAME[["weight", "target", "source"]].to_csv(index=False),
    "plain.csv": FRAME.to_csv(index=False, header=False),
    "plain.tsv": FRAME.to_csv(index=False, header=False, sep="\t"),
    "german.csv": FRAME.set_axis(["Von Person", "Nach Person", "Anzahl"], axis=1).to_csv(
        sep=";", index=False
    ),
    "gephi.csv": gephi_table(),
    "gephi.gexf": gephi_gexf(),
    "networkx.gexf": of_networkx(nx.write_gexf),
    "networkx.graphml": of_networkx(nx.write_graphml),
    "networkx.gml": of_networkx(nx.write_gml),
    "networkx.net": pajek(),
    "networkx.json": json.dumps(nx.node_link_data(STORY, edges="edges")),
    "networkx-links.json": json.dumps(nx.node_link_data(STORY, edges="links")),
    "d3.json": d3(by_position=False),
    "d3-old.json": d3(by_position=True),
    "graphviz.dot": dot(),
}


def read(folder: Path, name: str, data: str | bytes, **options: Any) -> Graph:
    (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
    return read_graph(folder / name, **options)


@pytest.mark.filterwarnings("ignore:.*took its first line:riemap.graphs.GraphWarning")
@pytest.mark.parametrize("name", FILES)
def test_files_of_other_programs(tmp_path: Path, name: str) -> None:
    """Labels keep their spaces, weights are those of the edges, and attributes of nodes travel along."""
    graph = read(tmp_path, name, FILES[name], weights="lengths")
    assert as_edges(graph) == WEIGHTS
    if not name.endswith((".csv", ".tsv", ".net")):
        assert dict(zip(graph.labels, graph.attributes["kind"], strict=True)) == dict(
            STORY.nodes(data="kind")
        )


@pytest.mark.filterwarnings("ignore:.*took its first line:riemap.graphs.GraphWarning")
@pytest.mark.parametrize("name", [name for name in FILES if not name.endswith((".csv", ".tsv", ".net"))])
def test_files_that_are_cut_short(tmp_path: Path, name: str) -> None:
    data = FILES[name]
    half = data[: len(data) // 2]
    with pytest.raises(ValueError, match=r"cut short|this edge names|is not a node|malformed") as caught:
        read(tmp_path, name, half)
    assert str(caught.value).startswith(name)
    assert str(caught.value).isprintable()


def test_tables_cut_inside_a_line(tmp_path: Path) -> None:
    for name in ("plain.csv", "spreadsheet.csv", "gephi.csv", "pandas-tabs.tsv", "networkx.net"):
        data = FILES[name]
        text = data if isinstance(data, str) else data.decode()
        end = text.rindex(";" if ";" in text else "\t" if "\t" in text else "," if "," in text else " ")
        with pytest.raises(ValueError, match=r"line \d+"):
            read(tmp_path, name, text[:end], weights="lengths")


def test_metis_and_adjacency_lists(tmp_path: Path) -> None:
    number = {name: i for i, name in enumerate(STORY, 1)}
    graph = read(tmp_path, "story.graph", metis(), weights="lengths")
    assert as_edges(graph) == {frozenset(number[n] for n in pair): w for pair, w in WEIGHTS.items()}
    words = nx.relabel_nodes(STORY, {name: name.replace(" ", "-") for name in STORY})
    stream = io.BytesIO()
    nx.write_adjlist(words, stream)
    graph = read(tmp_path, "story.adjlist", stream.getvalue())
    assert set(as_edges(graph)) == {frozenset(pair) for pair in words.edges}
    both = "a b c\nb a\nc a\n"
    assert read(tmp_path, "both.adjlist", both).m == 2
    assert read(tmp_path, "numbers.adjlist", "3 1 2\n").labels == (3, 1, 2)


def test_directions_of_other_formats(tmp_path: Path) -> None:
    for name, data in {
        "g.csv": gephi_table().replace("Undirected", "Directed"),
        "g.gexf": gephi_gexf().replace('"undirected"', '"directed"'),
        "g.net": pajek().replace(b"*edges", b"*arcs"),
        "g.json": json.dumps(nx.node_link_data(STORY.to_directed(), edges="edges")),
        "g.dot": dot().replace("graph", "digraph").replace("--", "->"),
    }.items():
        with pytest.raises(ValueError, match=r"the graph is directed.*undirected=True"):
            _read_quietly(tmp_path, name, data, weights="lengths")
        assert _read_quietly(tmp_path, name, data, weights="lengths", undirected=True).m == 254


def _read_quietly(folder: Path, name: str, data: str | bytes, **options: Any) -> Graph:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GraphWarning)
        return read(folder, name, data, **options)


# --- names of nodes ---------------------------------------------------------------------


def test_labels_or_ids(tmp_path: Path) -> None:
    assert "Valjean" in read(tmp_path, "g.gexf", gephi_gexf(), weights="ignore").labels
    assert "5.0" in read(tmp_path, "g.gexf", gephi_gexf(), weights="ignore", node_labels="id").labels
    twice = gephi_gexf().replace('label="Valjean"', 'label="Javert"')
    with pytest.warns(
        GraphWarning, match="two nodes have the label 'Javert', so nodes are named by their ids"
    ):
        assert "5.0" in read(tmp_path, "g.gexf", twice, weights="ignore").labels
    graphml = (
        '<graphml><key id="d0" for="node" attr.name="label" attr.type="string"/>'
        '<graph edgedefault="undirected"><node id="n0"><data key="d0">Ann Lee</data></node>'
        '<node id="n1"><data key="d0">Bob</data></node><edge source="n0" target="n1"/></graph></graphml>'
    )
    assert read(tmp_path, "g.graphml", graphml).labels == ("Ann Lee", "Bob")
    assert read(tmp_path, "g.graphml", graphml, node_labels="id").labels == ("n0", "n1")


# --- tables ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "edges"),
    [
        ("g.tsv", "New York\tRome\nRome\tOslo\n", {("New York", "Rome"): 1, ("Rome", "Oslo"): 1}),
        ("g.txt", "New York;Rome\nRome;San Juan de la Cruz\n", None),
        (
            "g.csv",
            '"Rome, Italy";Oslo;2\nOslo;Bergen;3\n',
            {("Rome, Italy", "Oslo"): 2, ("Oslo", "Bergen"): 3},
        ),
        ("g.csv", "source,target,weight,\na,b,2,\nb,c,3,\n", {("a", "b"): 2, ("b", "c"): 3}),
        ("g.csv", "\ufeffsource;target\na;b\nb;c\n", {("a", "b"): 1, ("b", "c"): 1}),
        ("g.csv", "Smith, John;Doe, Jane;2\nDoe, Jane;Roe, Al;3\n", None),
    ],
)
def test_separators(tmp_path: Path, name: str, text: str, edges: dict[tuple[str, str], float] | None) -> None:
    graph = _read_quietly(tmp_path, name, text, weights="lengths")
    if edges is not None:
        assert as_edges(graph) == {frozenset(pair): float(w) for pair, w in edges.items()}
    assert graph.m == 2
    assert graph.n == 3


def test_a_decimal_comma_is_told(tmp_path: Path) -> None:
    with pytest.warns(GraphWarning, match="took the comma in weights such as '2,5' for a decimal point"):
        graph = read(tmp_path, "g.csv", "a;b;2,5\nb;c;3\n", weights="lengths")
    assert as_edges(graph) == {frozenset("ab"): 2.5, frozenset("bc"): 3.0}


def test_a_guess_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.warns(
        GraphWarning, match="for a heading.*edges from 'Person' to 'Freund', weights in 'Anzahl'"
    ):
        read(tmp_path, "g.csv", "Person;Freund;Anzahl\na;b;2\nb;c;3\n", weights="lengths")
    with pytest.warns(GraphWarning, match="not read: 'year'; weight= .--weight-column. names a column"):
        assert read(tmp_path, "g.csv", "source,target,year\na,b,1999\nb,c,2001\n").weights is None
    with pytest.warns(
        GraphWarning, match="'Person Freund', for an edge, but no other line names these nodes"
    ):
        read(tmp_path, "g.csv", "Person;Freund\na;b\nb;c\n", components="keep")
    with pytest.warns(GraphWarning, match="took spaces for the separators of columns"):
        read(tmp_path, "g.txt", "a;1 b;2\nb;2 c;3\n")
    with pytest.warns(GraphWarning, match="took semicolons for the separators of columns"):
        read(tmp_path, "g.csv", "a;b,c\nb,c;d\n")


def test_a_wrong_weight_below_a_heading_is_told_and_not_the_heading(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("u,v,km\n1,2,3\n2,3,far\n3,4,5\n")
    with (
        pytest.warns(GraphWarning, match="for a heading.*weights in 'km'"),
        pytest.raises(InputError, match=r"g\.csv, line 3: weight 'far' is not a number"),
    ):
        read_graph(tmp_path / "g.csv")


def test_a_complete_heading_needs_no_words(tmp_path: Path) -> None:
    assert read(tmp_path, "g.csv", "source,target,weight\na,b,2\nb,c,3\n", weights="lengths").m == 2
    assert read(tmp_path, "g.csv", ",from,to,length\n0,a,b,2\n1,b,c,3\n").weights is not None


REFUSALS = [
    ("g.csv", "a;b;c;d\ne;f;g;h\n", r"line 1: 'a b c d' has 4 columns; .*'source,target,weight'"),
    ("g.csv", "source,target,weight\na,b,2\nb,c,heavy\n", r"line 3: weight 'heavy' is not a number"),
    ("g.csv", "source,target,weight\na,b,2\nb,,3\n", r"line 3: a column is empty"),
    ("g.csv", "source,source,target\na,b,c\n", r"two columns are called 'source'; rename one"),
    ("g.csv", "Source;Target;Type\na;b;Undirected\nb;c;Sideways\n", r"line 3: type 'Sideways' of an edge is"),
    ("g.csv", 'a;"b\nc;d\n', r"line 1: 'a;\"b' has unreadable quotes"),
    ("g.gexf", "<gexf/>", r"g.gexf holds <gexf> with 0 graphs; accepted is <gexf> with one"),
    ("g.gexf", "<!DOCTYPE x><gexf/>", r"line 1: a DOCTYPE, which may define entities, is not accepted"),
    (
        "g.gexf",
        '<gexf><graph><nodes><node id="a"/><node id="a"/></nodes></graph></gexf>',
        r"line 1: the id of this node, 'a', is missing or repeated",
    ),
    (
        "g.gexf",
        '<gexf><graph><nodes><node id="a"/></nodes>'
        '<edges><edge source="a" target="b"/></edges></graph></gexf>',
        r"line 1: this edge names 'b', which is not a node",
    ),
    ("g.json", "[1, 2]", r"g.json holds no object with nodes and links"),
    ("g.json", '{"nodes": []}', r"g.json holds 'nodes'; accepted are 'nodes' with 'links' or 'edges'"),
    ("g.json", '{"nodes": [3], "links": []}', r"nodes\[0\]: 3 is no object"),
    (
        "g.json",
        '{"nodes": [{"id": true}], "links": []}',
        r"nodes\[0\]: the id True is missing, repeated, or no",
    ),
    ("g.json", '{"a": 1, "a": 2}', r"the key 'a' is there twice in one object"),
    ("g.json", "[" * 100_000, r"not JSON that we read|malformed JSON"),
    (
        "g.json",
        '{"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "c"}]}',
        r"link 0: target 'c' is not the id of a node",
    ),
    (
        "g.json",
        '{"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b", "value": "2"}]}',
        r"link 0: weight '2' is not a positive number",
    ),
    ("g.net", "1 2\n", r"line 1: '1 2' stands before '\*Vertices'"),
    ("g.net", "*Vertices x\n", r"line 1: '\*Vertices x' has no number of nodes"),
    ("g.net", "*Vertices 2\n1 a\n1 b\n", r"line 3: '1 b' is not a node with a number from 1 to 2, each once"),
    ("g.net", "*Vertices 2\n*Edges\n1 3\n", r"line 3: '1 3' is not an edge between nodes 1 to 2"),
    ("g.net", "*Vertices 2\n*Matrix\n0 1\n", r"line 2: the section '\*Matrix' is not read"),
    ("g.net", "*Vertices 900000000\n*Edges\n1 2\n", r"900,000,000 nodes with 1 entries"),
    ("g.graph", "3\n", r"line 1: '3' is not a header"),
    ("g.graph", "3 2\n2\n1 3\n", r"g.graph declares 3 nodes but has 2 lines for them; is it cut short"),
    ("g.graph", "3 2\n2\n1 4\n2\n", r"line 3: '1 4' is not the neighbours of node 2"),
    ("g.graph", "3 3\n2\n1 3\n2\n", r"declares 3 edges, which are 6 entries, but has 4"),
    ("g.graph", "3 1 9\n\n\n\n", r"line 1: '3 1 9' is not a header"),
    ("g.adjlist", "a,b,c\n", r"line 1: 'a,b,c' has commas or semicolons"),
    ("g.adjlist", "# nothing\n", r"holds no nodes, only comments"),
    ("g.dot", "a -- b\n", r"line 1: found 'a' instead of 'graph' or 'digraph'"),
    ("g.dot", "graph { a -> b }", r"line 1: found '->' instead of '->' in a digraph, and '--' in a graph"),
    ("g.dot", "graph {\n subgraph x { a } }", r"line 2: subgraphs are not accepted"),
    ("g.dot", "graph { a -- b [weight=heavy] }", r"line 1: weight 'heavy' is not a number"),
    ("g.dot", "graph { a -- b", r"line 1: the file ends where .* is missing; is it cut short"),
]


@pytest.mark.parametrize(("name", "text", "message"), REFUSALS)
def test_refusals(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        _read_quietly(tmp_path, name, text)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400


# --- Parquet and Feather ---------------------------------------------------------------


@pytest.mark.parametrize("name", ["g.parquet", "g.feather", "g.parquet.gz"])
def test_columnar_files(tmp_path: Path, name: str) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    import gzip

    from pyarrow import feather

    stream = io.BytesIO()
    indexed = FRAME[FRAME["weight"] > 0]  # pandas writes the index of a selection as a column
    if "feather" in name:
        feather.write_feather(pyarrow.Table.from_pandas(indexed), stream)
    else:
        indexed.to_parquet(stream)
    data = gzip.compress(stream.getvalue()) if name.endswith(".gz") else stream.getvalue()
    assert as_edges(read(tmp_path, name, data, weights="lengths")) == WEIGHTS
    with pytest.raises(ValueError, match=r"is not a whole (Parquet|Feather|\.gz) file"):
        read(tmp_path, name, data[: len(data) // 2])
    with pytest.raises(ValueError, match=r"is not a whole (Parquet|Feather|\.gz) file"):
        read(tmp_path, name, "a b\n")


def test_columnar_files_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(ValueError, match=r"g.parquet needs pyarrow.*pip install 'riemap\[tables\]'"):
        read(tmp_path, "g.parquet", b"PAR1")


def test_a_wrong_table_of_columns(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    stream = io.BytesIO()
    pd.DataFrame({"a": [1], "b": [2], "c": [3], "d": [4]}).to_parquet(stream)
    with pytest.raises(
        ValueError, match=r"none of its 4 columns, 'a', 'b', 'c', 'd', are called e.g. 'source'"
    ):
        read(tmp_path, "g.parquet", stream.getvalue())
