"""Weights as lengths, strengths or nothing; components; graphs and embeddings in any form; attributes."""

import json
import math
import shlex
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from naive import as_edges

import riemap
from riemap import Embedding, GraphWarning, as_graph, embed, evaluate, open_graph, read_graph, shortest_paths
from riemap.cli import main
from riemap.distances import diameter, rows_from, spread
from riemap.distances.gaps import gap_of
from riemap.graphs import Graph, ReadOptions, load_dataset, take_graph
from riemap.graphs.groups import attribute_values, own_groups
from riemap.grids.grid import grid
from riemap.metrics.scores import score
from riemap.runs import GraphSource, RunSpec

TIES = "a,b,4\nb,c,2\nc,d,1\n"


def run(words: list[str], code: int = 0) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == code


@pytest.fixture
def ties(tmp_path: Path) -> Path:
    path = tmp_path / "ties.csv"
    path.write_text(TIES)
    return path


def weights(graph: Any) -> list[float]:
    return sorted(as_edges(graph).values())


# --- lengths, strengths, or nothing ------------------------------------------------------


def test_a_weighted_file_without_a_choice_warns_once(ties: Path) -> None:
    with pytest.warns(GraphWarning) as caught:
        graph = read_graph(ties)
    assert len(caught) == 1
    assert "ties: took its weights, from 1 to 4, for lengths" in str(caught[0].message)
    assert "--weights lengths" in str(caught[0].message)
    assert weights(graph) == [1.0, 2.0, 4.0]


def test_choices(ties: Path) -> None:
    assert weights(read_graph(ties, weights="lengths")) == [1.0, 2.0, 4.0]
    assert weights(read_graph(ties, weights="strengths")) == [0.25, 0.5, 1.0]
    log = read_graph(ties, weights="strengths", strength_to_length="log")
    assert weights(log) == pytest.approx([1.0, 1.0 + math.log(2.0), 1.0 + math.log(4.0)])
    assert read_graph(ties, weights="ignore").weights is None
    keys = {read_graph(ties, weights=choice).key for choice in ("lengths", "strengths", "ignore")}
    assert len(keys) == 3, "distances are stored by key"


def test_embed_takes_the_choices(ties: Path, tmp_path: Path) -> None:
    """Its run is the one of the command line with the same choices, and its folder opens the graph so."""
    few: dict[str, Any] = {"epochs": 5, "strength_to_length": "log"}
    fit = embed(ties, "E2", weights="strengths", out=tmp_path / "run", **few)
    assert fit.graph.key == read_graph(ties, weights="strengths", strength_to_length="log").key
    choice = ["--weights", "strengths", "--strength-to-length", "log"]
    run(
        ["embed", str(ties), "-s", "E2", "--epochs", "5", *choice, "--out", str(tmp_path / "run"), "--resume"]
    )
    edges = [("a", "b", 4), ("b", "c", 2), ("c", "d", 1)]
    assert embed(edges, "E2", weights="ignore", epochs=5).graph.weights is None
    with pytest.raises(riemap.InputError, match=r"weights .* is not 'length'; did you mean 'lengths'"):
        embed(ties, "E2", weights="length")  # type: ignore[arg-type]


def test_a_choice_for_what_has_lengths_already_is_refused(ties: Path) -> None:
    graph = read_graph(ties, weights="lengths")
    assert take_graph(graph, weights="lengths") is graph
    with pytest.raises(riemap.InputError, match=r"lengths already.* as_graph.*weights='strengths'"):
        embed(graph, "E2", weights="strengths")
    plain = read_graph(ties, weights="ignore")
    assert take_graph(plain, weights="ignore") is plain
    with pytest.warns(GraphWarning, match="there are no weights"):
        assert take_graph(plain, weights="strengths") is plain


def test_the_names_of_weights_may_say_what_they_are(tmp_path: Path) -> None:
    path = tmp_path / "roads.csv"
    path.write_text("from,to,length\na,b,4\nb,c,2\n")
    assert weights(read_graph(path)) == [2.0, 4.0]  # no warning
    path.write_text("from,to,weight\na,b,3\nb,c,3\n")
    assert weights(read_graph(path)) == [3.0, 3.0]  # equal weights mean the same either way


def test_strengths_are_checked(tmp_path: Path, ties: Path) -> None:
    for text, message in {
        "a b 0\n": r"line 1: weight 0 is not a positive number; a strength is one",
        "a b 1\nb c -2\n": r"line 2: weight -2 is not a positive number",
        "a b 1\nb c 1e-320\n": "weight inf is not a positive number",
    }.items():
        (tmp_path / "g.txt").write_text(text)
        with pytest.raises(ValueError, match=message):
            read_graph(tmp_path / "g.txt", weights="strengths")
    (tmp_path / "g.txt").write_text("a b\n")
    with pytest.warns(GraphWarning, match="there are no weights, so weights='strengths' changes nothing"):
        read_graph(tmp_path / "g.txt", weights="strengths")
    with pytest.raises(
        ValueError, match=r"weights \(--weights\) is not 'strength'; did you mean 'strengths'"
    ):
        read_graph(ties, weights="strength")  # type: ignore[arg-type]


def test_bad_weights_may_be_ignored(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("source,target,weight\na,b,many\nb,c,\n")
    with pytest.raises(ValueError, match=r"a column is empty|is not a number"):
        read_graph(path)
    path.write_text("source,target,weight\na,b,many\nb,c,\n")
    assert read_graph(path, weights="ignore").m == 2


def test_parallel_strengths_keep_the_strongest() -> None:
    with pytest.warns(GraphWarning, match="where lengths differ, the shortest was kept"):
        graph = as_graph([("a", "b", 2.0), ("b", "a", 4.0)], weights="strengths")
    assert weights(graph) == [0.25]


@pytest.mark.parametrize(
    ("name", "build"),
    [
        ("karate", nx.karate_club_graph),
        ("les-miserables", nx.les_miserables_graph),
        ("davis", nx.davis_southern_women_graph),
        ("florentine", nx.florentine_families_graph),
    ],
)
def test_graphs_of_networkx_are_the_datasets_of_the_same_name(name: str, build: Any) -> None:
    """With and without a choice, the distances are the same."""
    for choice in (None, "ignore", "lengths", "strengths"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ours, theirs = as_graph(build(), weights=choice), load_dataset(name, weights=choice)
        assert ours.labels == theirs.labels
        assert np.array_equal(shortest_paths(ours), shortest_paths(theirs))
        told = [
            str(w.message) for w in caught if "ignored its weights, which are strengths" in str(w.message)
        ]
        assert len(told) == (choice is None and name in ("karate", "les-miserables"))


def test_a_changed_karate_club_is_not_the_dataset() -> None:
    changed = nx.karate_club_graph()
    changed[0][1]["weight"] = 99
    with pytest.warns(GraphWarning, match="took its weights, from 1 to 99, for lengths"):
        assert as_graph(changed).weights is not None


def test_the_attribute_of_the_weights() -> None:
    graph = nx.Graph([(0, 1, {"km": 2.0, "weight": 7}), (1, 2, {"km": 3.0, "weight": 8})])
    assert weights(as_graph(graph, weight="km", weights="lengths")) == [2.0, 3.0]
    with pytest.raises(ValueError, match="no edge has 'miles' for a weight; edges have 'km', 'weight'"):
        as_graph(graph, weight="miles")


# --- objects -----------------------------------------------------------------------------

ROWS = [("a", "b", 4), ("b", "c", 2), ("c", "d", 1)]
FRAME = pd.DataFrame(ROWS, columns=["source", "target", "weight"])


def frames() -> list[Any]:
    found: list[Any] = [FRAME, FRAME[["weight", "target", "source"]]]
    for name in ("polars", "pyarrow"):
        try:
            module = __import__(name)
        except ImportError:
            continue
        found.append(
            module.Table.from_pandas(FRAME) if name == "pyarrow" else module.DataFrame(FRAME.to_dict("list"))
        )
    return found


def test_tables_lists_and_dicts() -> None:
    network = nx.Graph()
    network.add_weighted_edges_from(ROWS)
    expected = as_edges(as_graph(network, weights="lengths"))
    given = [
        *frames(),
        ROWS,
        tuple(ROWS),
        [(u, v, {"weight": w}) for u, v, w in ROWS],
        nx.to_pandas_edgelist(network),
        nx.to_pandas_adjacency(network),
        nx.to_dict_of_dicts(network),
        {"a": {"b": 4}, "b": {"c": 2}, "c": {"d": 1}},
    ]
    for obj in given:
        assert as_edges(as_graph(obj, weights="lengths")) == expected
        with pytest.warns(GraphWarning, match="took its weights, from 1 to 4, for lengths"):
            as_graph(obj)
    plain = {frozenset((u, v)): 1.0 for u, v, _ in ROWS}
    for obj in (
        [(u, v) for u, v, _ in ROWS],
        nx.to_dict_of_lists(network),
        {"a": ["b"], "b": {"c"}, "c": ("d",)},
    ):
        assert as_edges(as_graph(obj)) == plain


def test_guesses_about_frames_are_told() -> None:
    with pytest.warns(GraphWarning, match="took its columns by their order: edges from 'x' to 'y'"):
        as_graph(pd.DataFrame({"x": ["a", "b"], "y": ["b", "c"]}))
    with pytest.warns(GraphWarning, match="took its columns by their names: .*not read: 'year'"):
        as_graph(pd.DataFrame({"source": ["a"], "target": ["b"], "year": [1999]}))
    named = pd.DataFrame({"source": ["a"], "target": ["b"], "name": ["x"]})
    with pytest.warns(GraphWarning, match="DataFrame: took"):
        as_graph(named)


@pytest.mark.parametrize(
    ("obj", "message"),
    [
        (pd.DataFrame({"a": [1], "b": [2], "c": [3], "d": [4]}), "none of its 4 columns"),
        (pd.DataFrame({"source": ["a", None], "target": ["b", "c"]}), "row 1: .* cannot name a node"),
        (FRAME.assign(weight=["4", "2", "1"]), "row 0: weight '4' is not a positive number"),
        (FRAME.assign(weight=[4.0, float("nan"), 1.0]), "row 1: weight nan is not a positive number"),
        ([("a", "b"), ("c",)], r"edge 1: \('c',\) is not an edge; an edge is \(u, v\) or \(u, v, w\)"),
        ([("a", "b", 1), ("b", "c")], "edge 1: the edge has no weight, but 1 of 2"),
        (["ab", "bc"], "edge 0: 'ab' is not an edge"),
        ([[0, 1], [1, 0]], "a list of 2 edges or a square matrix; write edges as tuples"),
        ([(["x"], "b")], r"edge 0: \['x'\] cannot name a node"),
        ([], "no edges"),
        ({}, "no edges"),
        ({"a": "bc"}, "the neighbours of 'a' are a list"),
        ({"a": 3}, "the neighbours of 'a' are a list"),
    ],
)
def test_refused_objects(obj: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        as_graph(obj, weights="lengths")
    assert str(caught.value).isprintable()


def test_graphs_and_fits_are_taken_in_any_form(tmp_path: Path) -> None:
    fit = embed("karate", "H2", epochs=5, out=tmp_path / "run")
    graph = load_dataset("karate")
    expected = evaluate(fit.embedding, graph)
    network = nx.karate_club_graph()
    for other in (fit, fit.embedding):
        assert evaluate(other, "karate") == expected
        assert evaluate(other, graph) == expected
        assert evaluate(other, nx.to_scipy_sparse_array(network, weight=None)) == expected
    assert np.array_equal(Embedding.load(tmp_path / "run").points[0], fit.embedding.points[0])
    assert np.array_equal(shortest_paths("karate"), shortest_paths(graph))
    assert take_graph(graph) is graph
    with pytest.raises(TypeError, match="cannot take a graph from float"):
        take_graph(2.5)


def test_a_picture_takes_a_fit(tmp_path: Path) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    fit = embed("karate", "H2", epochs=5)
    held = SimpleNamespace(embedding=fit.embedding, graph=load_dataset("karate"))
    for figure in (riemap.plots.embedding(held), riemap.plots.embedding(fit.embedding, "karate")):
        assert len(figure.axes) == 1
        pyplot.close(figure)
    with pytest.raises(ValueError, match="an embedding does not hold its graph"):
        riemap.plots.embedding(fit.embedding)


# --- components --------------------------------------------------------------------------


def pieces(weighted: bool = False) -> Graph:
    edges = [(0, 1), (1, 2), (2, 3), (4, 5), (5, 6)]
    lengths = [1.0, 2.0, 0.5, 4.0, 0.25] if weighted else None
    return Graph.from_edges(edges, lengths, labels=range(8), components="keep")


@pytest.mark.parametrize("weighted", [False, True])
def test_components_are_kept_at_a_finite_distance(weighted: bool) -> None:
    """Their distance is the longest within a component, plus the longest edge; the whole is a metric."""
    graph = pieces(weighted)
    d = shortest_paths(graph)
    longest = 4.25 + 4.0 if weighted else 3 + 1
    assert gap_of(graph) == longest
    member = np.array([0, 0, 0, 0, 1, 1, 1, 2])
    assert (d[member[:, None] != member] == longest).all()
    assert d[0, 3] == (3.5 if weighted else 3)
    wide = d.astype(float)
    assert (wide[:, None, :] <= wide[:, :, None] + wide[None, :, :] + 1e-12).all()
    assert np.array_equal(rows_from(graph, np.array([7, 2])), d[[7, 2]])
    assert diameter(graph) == longest
    assert spread(graph).counts.sum() == 28
    assert score(d, wide**2, graph)["map"] == 1.0  # the node without neighbours does not count
    assert graph.component_numbers[0] == 3


def test_a_gap_beyond_a_byte() -> None:
    graph = Graph.from_edges([(i, i + 1) for i in range(255)], labels=range(257), components="keep")
    d = shortest_paths(graph)
    assert d.dtype == np.uint16
    assert d.max() == 256


def test_a_graph_in_pieces_is_embedded_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pieces.edges"
    path.write_text("a b\nb c\nc d\nd a\ne f\nf g\n")
    out = tmp_path / "run"
    run(["embed", str(path), "-s", "E2", "--epochs", "5", "--components", "keep", "--out", str(out)])
    assert "components" not in capsys.readouterr().err
    assert len(Embedding.load(out).labels) == 7
    run(["evaluate", str(out), str(path), "--json"])  # as the run opened it
    named = json.loads(capsys.readouterr().out)["scores"]
    run(["evaluate", str(out), "--json"])
    assert json.loads(capsys.readouterr().out)["scores"] == named
    run(["export", str(out), "--format", "graphml", "--out", str(tmp_path / "pieces.graphml")])
    capsys.readouterr()
    assert read_graph(tmp_path / "pieces.graphml", components="keep").m == 6
    run(["describe", str(path), "--components", "keep", "--json"])
    assert json.loads(capsys.readouterr().out)["components"] == 2
    with pytest.warns(GraphWarning, match="only that one is kept"):
        assert read_graph(path).n == 4


def test_exact_hyperbolicity_needs_a_connected_graph() -> None:
    with pytest.raises(
        ValueError, match="the exact δ needs a connected graph, and this one has 3 components"
    ):
        riemap.curvature.delta_exact(pieces())


# --- runs, grids and commands --------------------------------------------------------------


def test_a_run_remembers_how_its_graph_was_read(ties: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ties.parent / "run"
    words = ["embed", str(ties), "-s", "E1", "--epochs", "5", "--weights", "strengths", "--out", str(out)]
    run([*words, "--strength-to-length", "log"])
    assert "warning" not in capsys.readouterr().err
    given = json.loads((out / "config.json").read_text())["given"]
    assert (given["weights"], given["strength_to_length"]) == ("strengths", "log")
    run(["evaluate", str(out), str(ties)])
    run([*words, "--strength-to-length", "log", "--resume"])
    run([*words, "--resume"], code=2)
    assert "its key is" in capsys.readouterr().err
    page = ties.parent / "report.html"
    run(["report", str(out), "-o", str(page)])
    assert shlex.join(["--weights", "strengths", "--strength-to-length", "log"]) in page.read_text()


def test_commands_warn_once_and_old_spellings_are_answered(
    ties: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["describe", str(ties)])
    assert capsys.readouterr().err.count("warning: ties: took its weights") == 1
    run(["describe", str(ties), "--weights", "heights"], code=2)
    assert "weights (--weights) is not 'heights'" in capsys.readouterr().err
    run(["describe", str(ties), "--require-connected"], code=2)
    assert "--require-connected is called --components require now" in capsys.readouterr().err


def test_grids_take_the_same_options(ties: Path) -> None:
    runs = grid({"graphs": [str(ties)], "spaces": ["E1"], "weights": "strengths", "components": "require"})
    assert runs[0].source == GraphSource(str(ties), ReadOptions(weights="strengths", components="require"))
    assert runs[0].key == read_graph(ties, weights="strengths").key
    assert GraphSource.from_json(json.loads(json.dumps(runs[0].source.as_json()))) == runs[0].source
    with pytest.raises(ValueError, match="require_connected is called components now"):
        grid({"graphs": ["karate"], "spaces": ["E1"], "require_connected": True})


def test_sources_of_earlier_versions_are_read() -> None:
    source = GraphSource.from_json({"graph": "karate", "undirected": True, "require_connected": True})
    assert source.options == ReadOptions(undirected=True, components="require")
    spec = RunSpec.of(open_graph("karate"), "H2", source=source)
    assert spec.source is source


def test_words_of_options() -> None:
    options = ReadOptions(True, "keep", "strengths", "log", "km", "id")
    assert shlex.join(options.words()) == (
        "--undirected --components keep --weights strengths --strength-to-length log --weight-column km "
        "--node-labels id"
    )
    assert ReadOptions().words() == []


# --- attributes --------------------------------------------------------------------------


def test_attributes_travel_along(tmp_path: Path) -> None:
    graph = load_dataset("karate")
    assert graph.attributes["club"][:2] == ("Mr. Hi", "Mr. Hi")
    assert own_groups(graph) == list(graph.attributes["club"])
    path = tmp_path / "g.gml"
    path.write_text(
        'graph [ node [ id 1 size 3 team "x" ] node [ id 2 size 4.5 ] node [ id 9 size 1 team "y" ] '
        "edge [ source 1 target 9 ] ]"
    )
    with pytest.warns(GraphWarning, match="2 components"):
        small = read_graph(path)
    assert small.attributes == {"size": (3, 1), "team": ("x", "y")}
    assert attribute_values(small, "team") == ["x", "y"]
    assert np.array_equal(attribute_values(small, "size"), [3.0, 1.0])
    with pytest.raises(ValueError, match="no attribute of the nodes is called 'tem'; did you mean 'team'"):
        attribute_values(small, "tem")


def test_nodes_are_coloured_by_an_attribute(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    run(["embed", "karate", "-s", "H2", "--epochs", "5", "--out", str(out)])
    run(["plot", "embedding", str(out), "--colour", "club", "--out", str(tmp_path / "club.svg")])
    assert (tmp_path / "club.svg").stat().st_size > 0
    run(["plot", "embedding", str(out), "--colour", "clubs", "--out", str(tmp_path / "x.svg")], code=2)
    assert "did you mean 'club'?" in capsys.readouterr().err
    run(["report", str(out), "-o", str(tmp_path / "page.html")])
    assert "Mr. Hi" in (tmp_path / "page.html").read_text()
