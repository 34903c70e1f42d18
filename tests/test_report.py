"""What a report holds is what the library says of the embedding, and nothing in it can be taken for HTML."""

import base64
import hashlib
import json
import re
import shlex
import shutil
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import run
from hypothesis import given
from hypothesis import strategies as st

from riemap import Embedding, Graph, Space, embed, evaluate, generate, load_dataset
from riemap.distances import paths
from riemap.graphs import Dissimilarities
from riemap.graphs.groups import read_groups
from riemap.manifolds import MANIFOLDS
from riemap.means import frechet_mean
from riemap.metrics import scores as scores_module
from riemap.metrics.pairs import LISTED_NEAREST_NODES, LISTED_WORST_PAIRS, pair_report
from riemap.metrics.scores import compare
from riemap.report import Subject, run_page
from riemap.report.document import as_json, document
from riemap.report.run import MAX_CURVE_POINTS, thin_history
from riemap.views import factor_views, views
from riemap.views.positive_matrices import centre_at_identity

NASTY = "</script><script>window.hurt = 1</script><img src=x onerror='window.hurt = 1'>&\u2028"
TYPES = {"f4": np.float32, "u1": np.uint8, "u2": np.uint16, "u4": np.uint32}
EVERY = [cls(*sizes) for cls in MANIFOLDS for sizes in cls.examples]
NO_EDGES = np.zeros((0, 2), np.int64)


def data(page: str) -> dict[str, Any]:
    """What the scripts of a page read."""
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(found)


def unpacked(packed: dict[str, Any]) -> np.ndarray:
    flat = np.frombuffer(base64.b64decode(packed["data"]), np.dtype(TYPES[packed["type"]]).newbyteorder("<"))
    return flat.reshape(packed["shape"])


def placed(space: str, graph: Graph | Dissimilarities, seed: int = 0) -> Embedding:
    """The nodes of a graph at random points."""
    where = Space.parse(space)
    points = where.random(np.random.default_rng(seed), graph.n)
    return Embedding(where, points, np.zeros(len(where.factors)), graph.labels)


# --- the file ---------------------------------------------------------------------------------------


@given(text=st.text())
def test_data_come_through_and_end_no_block(text: str) -> None:
    found = as_json({"label": text})
    assert not set(found) & set("<>&\u2028\u2029")
    assert json.loads(found) == {"label": text}


@given(
    values=st.lists(st.floats(-1e6, 1e6, width=32), max_size=9),
    whole=st.lists(st.integers(0, 2**32 - 1), max_size=9),
)
def test_arrays_come_through(values: list[float], whole: list[int]) -> None:
    found = json.loads(as_json({"values": np.array(values), "whole": np.array(whole, np.int64)}))
    assert unpacked(found["values"]).tolist() == values
    assert unpacked(found["whole"]).tolist() == whole


def test_a_lone_surrogate_does_no_harm() -> None:
    assert json.loads(as_json({"label": "a\ud800"}))["label"] == "a?"


def test_the_policy_allows_this_style_and_this_script_only() -> None:
    page = document("leaderboard.html", ("leaderboard.js",), {}, NASTY, {"rows": []})
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    for tag in ("style", "script"):
        (inside,) = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert rules[f"{tag}-src"] == f"'sha256-{digest}'"
    assert (rules["default-src"], rules["img-src"]) == ("'none'", "data:")


class Links(HTMLParser):
    """Every address in a page, and every attribute that runs something."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [
            str(v) for k, v in attrs if k in ("src", "href", "action", "style") or k.startswith("on")
        ]


def test_names_are_not_html_and_no_address_leaves_the_page() -> None:
    graph = Graph.from_edges([(0, 1), (1, 2), (2, 3)], labels=[NASTY, "b", "c", "d"], name=NASTY)
    subject = Subject(placed("H2", graph), graph, [NASTY], {"loss": NASTY}, groups=[NASTY] * 4)
    page = run_page(subject)
    links = Links()
    links.feed(page)
    assert all(link.startswith("#") or link == "data:," for link in links.found), links.found
    assert page.count("<script") == 2
    assert data(page)["labels"][0] == data(page)["graph"] == data(page)["commands"][0] == NASTY


# --- pictures ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", EVERY, ids=str)
def test_every_manifold_has_a_picture(m: Any) -> None:
    """Within the unit ball, finite, with a caption; reduced ones say how much they keep."""
    x = m.random(np.random.default_rng(1), 30)
    edges = np.array([[0, 1], [1, 2]])
    for view in factor_views(m, x, edges):
        assert view.points.shape[0] == 30
        assert view.points.shape[1] in (2, 3)
        height = view.points[:, 2] if view.kind == "cone" else np.linalg.norm(view.points, axis=1)
        assert np.abs(height).max() <= 1.0 + 1e-12
        assert view.caption.endswith(".")
        assert ("PCA" in view.caption) == (view.kind == "space" and m.dim > 3)
        assert view.knots is None or view.knots.shape == (2, 3, 3)


@pytest.mark.parametrize("name", ["H2", "H3"])
def test_the_ball_has_the_distances_of_the_space(name: str) -> None:
    (m,) = Space.parse(name).factors
    x = m.random(np.random.default_rng(2), 20, 2.0)
    (view,) = factor_views(m, x, NO_EDGES)
    p = view.points
    gap = np.sum((p[:, None] - p) ** 2, axis=-1)
    room = 1.0 - np.sum(p**2, axis=1)
    far = np.arccosh(1.0 + 2.0 * gap / (room[:, None] * room))
    np.testing.assert_allclose(far, np.sqrt(m.pairwise(x, x)), atol=1e-6)
    assert view.kind == {"H2": "disk", "H3": "ball"}[name]


@pytest.mark.parametrize("name", ["S2", "Gr(1,3)"])
def test_the_globe_has_the_angles_of_the_space(name: str) -> None:
    (m,) = Space.parse(name).factors
    x = m.random(np.random.default_rng(2), 20, 0.4)
    (view,) = factor_views(m, x, NO_EDGES)
    cosine = view.points @ view.points.T
    if view.opposite:
        cosine = np.abs(cosine)
    np.testing.assert_allclose(np.arccos(np.clip(cosine, -1, 1)), np.sqrt(m.pairwise(x, x)), atol=1e-6)
    assert view.opposite == (name != "S2")


@pytest.mark.parametrize("name", ["E1", "E2", "E3", "H1"])
def test_flat_pictures_have_the_distances_but_for_a_factor(name: str) -> None:
    (m,) = Space.parse(name).factors
    x = m.random(np.random.default_rng(2), 20)
    (view,) = factor_views(m, x, NO_EDGES)
    drawn = np.linalg.norm(view.points[:, None] - view.points, axis=-1)
    true = np.sqrt(m.pairwise(x, x))
    np.testing.assert_allclose(drawn / drawn.max(), true / true.max(), atol=1e-12)


@pytest.mark.parametrize("name", ["SPD2", "Stein2", "LogSPD2"])
def test_matrices_are_moved_by_an_isometry_that_centres_them(name: str) -> None:
    (m,) = Space.parse(name).factors
    x = m.random(np.random.default_rng(3), 20)
    moved = m.project(centre_at_identity(m, frechet_mean(m, x), x))
    np.testing.assert_allclose(m.pairwise(moved, moved), m.pairwise(x, x), atol=1e-9)
    np.testing.assert_allclose(frechet_mean(m, moved), np.eye(2), atol=1e-7)


def test_the_middle_knot_of_an_edge_is_half_way() -> None:
    (m,) = Space.parse("SPD2").factors
    x = m.random(np.random.default_rng(3), 12, 0.3)
    cone = factor_views(m, x, np.array([[0, 1]]))[0]
    assert cone.knots is not None
    places = np.stack([cone.points[0], cone.knots[0, 1], cone.points[1]])
    a, middle, b = (np.array([[z + u, v], [v, z - u]]) for u, v, z in places)  # scaled, which moves no one
    whole = float(np.sqrt(m.sqdist(a, b)))
    assert whole == pytest.approx(float(np.sqrt(m.sqdist(x[0], x[1]))))
    for end in (a, b):
        assert float(np.sqrt(m.sqdist(end, middle))) == pytest.approx(whole / 2.0)


def test_factors_are_side_by_side() -> None:
    graph = generate("tree(r=2,h=3)")
    found = [view.kind for view in views(placed("H3 x S2 x SPD2 x Gr(2,4)", graph), NO_EDGES)]
    assert found == ["ball", "globe", "cone", "ellipses", "space"]


def test_a_caption_tells_the_share_of_a_factor() -> None:
    graph = generate("tree(r=2,h=3)")
    found = placed("H2 x E1", graph)
    scaled = Embedding(found.space, found.points, np.log([0.25, 3.0]), found.labels)
    first, second = (f"It makes {share:.0%} of the squared distances" for share in scaled.shares())
    assert [first in view.caption for view in views(scaled, NO_EDGES)] == [True, False]
    assert f"{second} of the product (its scale is 3)." in views(scaled, NO_EDGES)[1].caption
    assert "squared distances" not in views(placed("H2", graph), NO_EDGES)[0].caption


# --- numbers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", ["E2", "H2 x S2"])
def test_nodes_and_pairs_are_what_a_plain_look_finds(space: str) -> None:
    graph = load_dataset("karate")
    embedding = placed(space, graph)
    comparison = compare(embedding, graph)
    pairs = pair_report(comparison)
    hops = np.array(comparison.distances, float)
    far = np.sqrt(embedding.sqdist_rows(np.arange(graph.n))) * hops.max()
    np.fill_diagonal(hops, np.nan)
    ratio = far / hops
    np.testing.assert_allclose(pairs.distortion, np.nanmean(np.abs(ratio - 1.0), axis=1))
    for i in range(graph.n):
        nearest = [node for node, _ in embedding.nearest(graph.labels[i], k=LISTED_NEAREST_NODES)]
        assert pairs.in_space.nodes[i].tolist() == embedding.row_numbers(nearest).tolist()
        others = sorted(set(range(graph.n)) - {i}, key=lambda j: (hops[i, j], far[i, j]))
        assert pairs.in_graph.nodes[i].tolist() == others[:LISTED_NEAREST_NODES]
        np.testing.assert_allclose(pairs.in_space.embedded[i], far[i, pairs.in_space.nodes[i]])
    order = np.sort(ratio[np.triu_indices(graph.n, 1)])
    found = sorted(d / g for _, _, g, d in pairs.worst)
    np.testing.assert_allclose(
        found, np.concatenate([order[:LISTED_WORST_PAIRS], order[-LISTED_WORST_PAIRS:]])
    )
    assert pairs.density.counts.sum() == graph.n * (graph.n - 1) // 2
    assert (
        pairs.density.counts.sum(axis=0).tolist()
        == np.bincount(hops[np.triu_indices(graph.n, 1)].astype(int))[1:].tolist()
    )


def test_local_f1_adds_up_to_that_of_all() -> None:
    graph = load_dataset("les-miserables")
    embedding = placed("H2", graph)
    f1 = pair_report(compare(embedding, graph)).f1
    assert f1 is not None
    assert np.average(f1, weights=graph.degrees) == pytest.approx(evaluate(embedding, graph)["f1@1"])


def test_a_sample_tells_what_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    """Distortion of every node from the sampled ones, nearest in the space, and no more."""
    graph = load_dataset("les-miserables")
    embedding = placed("E2", graph)
    whole, some = (pair_report(compare(embedding, graph, sources=count)) for count in (None, 30))
    assert some.f1 is None
    assert some.in_graph is None
    assert np.isnan(some.in_space.graph).all()
    np.testing.assert_array_equal(some.in_space.nodes, whole.in_space.nodes)
    assert np.corrcoef(some.distortion, whole.distortion)[0, 1] > 0.9
    monkeypatch.setattr("riemap.metrics.scores.LARGEST_FULLY_SCORED", 50)
    monkeypatch.setattr("riemap.metrics.scores.SAMPLED_SOURCES", 30)
    monkeypatch.setattr("riemap.report.curvatures.LARGEST_FULLY_SCORED", 50)
    found = data(run_page(Subject(embedding, graph, [])))
    assert (found["sources"], found["n"]) == (30, 77)
    assert "in_graph" not in found["nodes"]
    assert "delta" not in found["curvature"]


def test_a_page_holds_the_scores_of_evaluate() -> None:
    graph = load_dataset("karate")
    fit = embed(graph, "H2", epochs=20)
    found = data(run_page(Subject(fit.embedding, graph, [])))
    scores = evaluate(fit.embedding, graph)
    assert found["scores"] == scores.as_json()["scores"]
    assert found["f1@k"] == list(scores.f1_curve)
    np.testing.assert_array_equal(unpacked(found["edges"]), graph.edges())
    np.testing.assert_array_equal(unpacked(found["nodes"]["degree"]), graph.degrees)


def test_dissimilarities_have_a_page_without_edges() -> None:
    points = np.random.default_rng(0).standard_normal((12, 2))
    matrix = np.linalg.norm(points[:, None] - points, axis=-1)
    cities = Dissimilarities(matrix, tuple(range(12)), "cities")
    found = data(run_page(Subject(placed("E2", cities), cities, [])))
    assert (found["m"], found["unit"]) == (0, "distance")
    assert set(found["nodes"]) == {"distortion", "f1", "in_space", "in_graph"}
    assert set(found["curvature"]) == {"delta", "angles"}


def test_a_long_history_is_thinned_and_keeps_its_ends() -> None:
    stages = [0] * 1000 + [1] * 4000
    found = thin_history({"stage": stages, "loss": np.arange(5000.0), "lr": np.ones(5000)})
    assert len(found["loss"]) <= MAX_CURVE_POINTS + 4
    assert {0, 999, 1000, 4999} <= set(found["epoch"])
    assert found["loss"] == [float(k) for k in found["epoch"]]


# --- labels -----------------------------------------------------------------------------------------


def test_groups_are_read_by_node(tmp_path: Path) -> None:
    graph = Graph.from_edges([(0, 1), (1, 2)], labels=["a", "b, c", "d"])
    path = tmp_path / "labels.csv"
    path.write_text('node,label\nd,red\n"b, c","dark, blue"\n')
    assert read_groups(path, graph) == ["(none)", "dark, blue", "red"]


def test_an_unusual_heading_of_labels_is_told(tmp_path: Path) -> None:
    graph = Graph.from_edges([(0, 1)], labels=["a", "b"])
    path = tmp_path / "labels.csv"
    path.write_text("person,team\na,red\nb,blue\n")
    with pytest.warns(UserWarning, match=r"labels\.csv: took its first line, 'person,team', for headings"):
        assert read_groups(path, graph) == ["red", "blue"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,red\nz,blue\n", "labels.csv, line 2: no node of graph is called 'z'; one is 'a'"),
        ("z,red\na,red\n", "labels.csv, line 1: no node of graph is called 'z'; one is 'a'"),
        ("a,red\na,blue\n", "line 2: node 'a' has a label already"),
        ("a,red\nb\n", "line 2: 1 columns; a line is a node and its label, e.g. 'a,red'"),
        ("node,label\n", "labels.csv names no node"),
        ("", "labels.csv is empty"),
    ],
)
def test_labels_that_make_no_sense_are_refused(tmp_path: Path, text: str, said: str) -> None:
    graph = Graph.from_edges([(0, 1), (1, 2)], labels=["a", "b", "d"])
    path = tmp_path / "labels.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=re.escape(said)):
        read_groups(path, graph)


# --- the command line -------------------------------------------------------------------------------


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("riemap.training.presets.MOST_EPOCHS", 40)
    monkeypatch.setattr("riemap.training.presets.FEWEST_EPOCHS", 40)
    return tmp_path


@pytest.mark.parametrize("sampler", ["auto", "landmarks"])
def test_the_commands_of_a_page_make_it_again(here: Path, sampler: str) -> None:
    """To the byte, from a file of edges with a name that a shell would take apart."""
    (here / "my graph.edges").write_text("\n".join(f"a{i} a{i + 1}" for i in range(9)) + "\na0 a5\n")
    (here / "labels.csv").write_text("a0,one\na1,two\n")
    words = ["-s", "H2 x E1", "--loss", "stress + 0.2*ad", "--optimizer", "radam(lr=0.05)", "--epochs", "30"]
    words += ["--sampler", sampler, "--seed", "3"]
    assert run("embed", "my graph.edges", *words, "--out", "run 1") == 0
    assert run("report", "run 1", "-o", "page.html", "--labels", "labels.csv") == 0
    page = (here / "page.html").read_text()
    assert data(page)["groups"][:3] == ["one", "two", "(none)"]
    shutil.rmtree(here / "run 1")
    (here / "page.html").unlink()
    for command in data(page)["commands"]:
        name, *rest = shlex.split(command)
        assert name == "riemap"
        assert run(*rest) == 0
    assert (here / "page.html").read_text() == page


def test_embed_writes_the_page_beside_the_run(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("embed", "karate", "-s", "E2", "-s", "H2", "--out", "both", "--report") == 0
    for name in ("E2", "H2"):
        page = (here / "both" / name / "report.html").read_text()
        assert data(page)["space"] == name
        assert max(data(page)["history"]["epoch"]) == 39
    assert "riemap: wrote both/H2/report.html" in capsys.readouterr().err
    assert run("embed", "karate", "-s", "H2", "--report") == 2
    assert (
        "--report is written into the folder of the run; name one, e.g. --out run" in capsys.readouterr().err
    )


def test_distances_and_scores_are_computed_once(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By training, scores, curvature and the page together, though two spaces are asked for."""
    counts = {"distances": 0, "scores": 0}

    def counted(name: str, function: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            counts[name] += 1
            return function(*args, **kwargs)

        return call

    monkeypatch.setattr(paths, "hop_counts", counted("distances", paths.hop_counts))
    monkeypatch.setattr(scores_module, "_scores", counted("scores", scores_module._scores))
    assert run("embed", "karate", "-s", "E2", "-s", "H2", "--out", "both", "--report") == 0
    assert counts == {"distances": 1, "scores": 2}


def test_a_graph_that_moved_is_named(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "ring.edges").write_text("0 1\n1 2\n2 3\n3 0\n3 4\n")
    assert run("embed", "ring.edges", "-s", "E2", "--out", "run") == 0
    (here / "ring.edges").rename(here / "elsewhere.edges")
    assert run("report", "run") == 2
    assert "name it: riemap report run GRAPH" in capsys.readouterr().err
    assert run("report", "run", "elsewhere.edges") == 0
    assert "elsewhere" in (here / "report.html").read_text()
    assert run("report", "run", "karate") == 2
    assert "'karate' is not the graph that was embedded in run" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere"], "there is no nowhere; 'riemap embed karate --space H2 --out nowhere' would make a run"),
        (["one.npz"], "one.npz does not tell what was embedded; name the graph"),
        (["one.npz", "karate", "-o", "page.pdf"], "page.pdf is not an .html file, e.g. -o page.html"),
        (["one.npz", "karate", "les-miserables"], "a run has one graph, and 2 are named"),
        (["one.npz", "karate", "--grid", "."], ". is not the folder of a grid"),
        (["one.npz", "les-miserables"], "this is not an embedding of les-miserables"),
        ([".", "karate"], ". holds no embedding.npz"),
    ],
)
def test_what_is_refused(here: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    placed("H2", load_dataset("karate")).save(here / "one.npz")
    assert run("report", *words) == 2
    out, err = capsys.readouterr()
    assert said in err
    assert (out, err.count("\n")) == ("", 1)
    assert not list(here.glob("*.html"))


def test_an_embedding_and_its_graph_are_enough(here: Path) -> None:
    placed("H2", load_dataset("karate")).save(here / "one.npz")
    assert run("report", "one.npz", "karate") == 0
    found = data((here / "report.html").read_text())
    assert found["history"] is None
    assert found["commands"] == ["riemap report one.npz karate -o report.html"]


def test_a_grid_has_a_leaderboard_and_a_page_a_run(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "own.edges").write_text("0 1\n1 2\n2 3\n3 0\n3 4\n")
    (here / "grid.toml").write_text(
        'graphs = ["own.edges", "cycle(n=7)"]\nspaces = ["E2", "H2"]\nepochs = 5\n'
    )
    assert run("grid", "grid.toml", "--out", "results") == 0
    capsys.readouterr()
    assert run("report", "results", "-o", "board.html") == 0
    err = capsys.readouterr().err
    assert "no pages for the runs of own: its file is not known here" in err
    assert "wrote board.html and 2 pages in board_files" in err
    rows = data((here / "board.html").read_text())["rows"]
    assert [row["graph"] for row in rows if row["link"] is None] == ["own", "own"]
    assert run("report", "results", "own.edges", "-o", "board.html") == 0
    for row in data((here / "board.html").read_text())["rows"]:
        page = data((here / row["link"]).read_text())
        assert (page["graph"], page["space"], page["scores"]) == (row["graph"], row["space"], row["scores"])
        assert len(page["others"]) == 2
    assert run("report", "results", "--no-pages", "-o", "alone.html") == 0
    assert not (here / "alone_files").exists()
    assert run("report", "results", "--labels", "x.csv") == 2


def test_a_grid_with_failures_and_one_that_is_damaged(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "grid.toml").write_text('graphs = ["cycle(n=7)"]\nspaces = ["E2", "H2", "S2"]\nepochs = 5\n')
    assert run("grid", "grid.toml", "--out", "results") == 0
    path = here / "results" / "records" / "cycle-n=7.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for one in records:
        del one["checksum"]
    failed = {key: value for key, value in records[0].items() if key not in ("scores", "f1@k")}
    failed["error"] = {"type": "ValueError", "message": "no"}

    def recorded(*found: dict[str, Any]) -> None:
        path.write_text("".join(json.dumps(one) + "\n" for one in found))

    recorded(failed, *records[1:])
    assert run("report", "results", "--no-pages") == 0
    found = data((here / "report.html").read_text())
    assert (found["failed"], len(found["rows"])) == (1, 2)
    for change in ({"id": "../../elsewhere"}, {"id": None}, {"run": {}}):
        recorded(failed, {**records[1], **change}, records[2])
        capsys.readouterr()
        assert run("report", "results") == 2
        assert "cycle-n=7.jsonl, line 2 is not the record of a run" in capsys.readouterr().err
    recorded(*({**failed, "id": one["id"]} for one in records))
    assert run("report", "results") == 2
    assert "results has no finished run" in capsys.readouterr().err


def test_a_damaged_run_is_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("embed", "karate", "-s", "H2", "--out", "run") == 0
    config, history = (here / "run" / name for name in ("config.json", "history.csv"))
    whole = config.read_text()
    entries = {key: value for key, value in json.loads(whole).items() if key != "checksum"}
    for change, said in (
        ({"plan": 3}, "plan is 3 instead of an object"),
        ({"plan": {"stages": [1]}}, "plan.stages[0] is 1 instead of an object"),
        ({"given": "karate"}, "given is 'karate' instead of an object"),
    ):
        config.write_text(json.dumps({**entries, **change}))
        capsys.readouterr()
        assert run("report", "run") == 2
        assert f"cannot read run/config.json: its {said}\n" in capsys.readouterr().err
    config.write_text(whole)
    history.write_text("epoch,stage,loss,lr,seconds\n0,0,one,2,3\n")
    assert run("report", "run") == 2
    assert "history.csv is not the history of a run" in capsys.readouterr().err
    history.unlink()
    assert run("report", "run") == 0


def draw_forty_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take graphs of more than fifty nodes for large ones."""
    monkeypatch.setattr("riemap.report.run.LARGEST_DRAWN", 50)
    monkeypatch.setattr("riemap.report.drawn_nodes.DRAWN_NODES", 40)
    monkeypatch.setattr("riemap.report.drawn_nodes.DRAWN_HUBS", 10)


def test_some_nodes_of_a_large_graph_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those with the most neighbours, and random ones; the scores are of the whole graph."""
    graph = load_dataset("les-miserables")
    embedding = placed("E2", graph)
    draw_forty_nodes(monkeypatch)
    found = data(run_page(Subject(embedding, graph, [], groups=[str(label) for label in graph.labels])))
    assert (found["n"], found["whole"], found["m"], len(found["labels"])) == (40, graph.n, graph.m, 40)
    assert found["groups"] == found["labels"]
    numbers = [graph.labels.index(label) for label in found["labels"]]
    hubs = np.argsort(-graph.degrees, kind="stable")[:10]
    assert set(hubs.tolist()) <= set(numbers)
    assert unpacked(found["nodes"]["degree"]).tolist() == graph.degrees[numbers].tolist()
    inside = {tuple(edge) for edge in graph.edges().tolist() if set(edge) <= set(numbers)}
    assert {tuple(np.array(numbers)[edge]) for edge in unpacked(found["edges"])} == inside
    assert found["scores"] == evaluate(embedding, graph).as_json()["scores"]
    assert "f1" not in found["nodes"]
    exact = compare(embedding, graph)
    a, b, hops, far = found["worst"][0]
    assert hops == exact.distances[numbers[a], numbers[b]]
    (row,) = embedding.sqdist_rows(np.array([numbers[a]]))
    assert far == pytest.approx(exact.maximum * np.sqrt(row[numbers[b]]))


def test_any_node_of_a_large_graph_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page has all names, the nearest node drawn of each, and a cloud of nodes that are not drawn."""
    graph = load_dataset("les-miserables")
    embedding = placed("H2 x Stein2", graph)
    draw_forty_nodes(monkeypatch)
    monkeypatch.setattr("riemap.report.other_nodes.CLOUD_NODES", 20)
    monkeypatch.setattr("riemap.report.other_nodes.COMPARED_NUMBERS", 3 * graph.n)
    found = data(run_page(Subject(embedding, graph, [])))
    for view in found["views"]:
        assert (view["points"]["shape"][0], view["cloud"]["shape"][0]) == (40, 20)
    (ellipses,) = (view for view in found["views"] if "matrices" in view)
    assert ellipses["matrices"]["shape"][0] == 40
    names, nearest = (zlib.decompress(base64.b64decode(found["search"][key])) for key in ("names", "nearest"))
    assert json.loads(names) == list(graph.labels)
    drawn = [graph.labels.index(label) for label in found["labels"]]
    expected = embedding.sqdist_rows(np.array(drawn)).argmin(axis=0)
    assert np.frombuffer(nearest, "<u2").tolist() == expected.tolist()
    monkeypatch.setattr("riemap.report.other_nodes.LARGEST_SEARCH", len(found["search"]["names"]))
    assert data(run_page(Subject(embedding, graph, [])))["search"] is None
