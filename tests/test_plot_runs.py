"""Figures of an embedding draw edges as geodesics, and each node at its place in its colour."""

import re
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from helpers import run as command
from matplotlib.collections import LineCollection, PathCollection, PolyCollection

from riemap import Embedding, Graph, Space, embed, generate
from riemap.cli import main
from riemap.metrics.pairs import Density
from riemap.paper.figures import Curves
from riemap.plots import (
    Colouring,
    PlotWarning,
    curvature,
    distances,
    distribution,
    embedding,
    f1_curve,
    history,
)
from riemap.plots.edge_paths import edge_paths
from riemap.plots.style import PALETTE
from riemap.training.state import EpochRecord
from riemap.views import views

mpl.use("Agg")

TREE = generate("tree(r=2,h=3)")
SPACES = [
    "E1",
    "E2",
    "E3",
    "H1",
    "H2",
    "H3",
    "S1",
    "S2",
    "Gr(1,3)",
    "Stein2",
    "BW2",
    "SO3",
    "Gr(2,4)",
    "H2 x S2",
]


@pytest.fixture(autouse=True)
def closed() -> object:
    yield
    plt.close("all")


def placed(space: str, radius: float = 1.0) -> Embedding:
    """Return an embedding of the tree at random points within a radius."""
    s = Space.parse(space)
    points = tuple(m.random(np.random.default_rng(1), TREE.n, radius) for m in s.factors)
    return Embedding(s, points, np.zeros(len(s.factors)), TREE.labels)


# --- edges ------------------------------------------------------------------------------------------


def on_hyperboloid(p: np.ndarray) -> np.ndarray:
    """Map points of the Poincaré ball to the hyperboloid."""
    square = np.sum(p**2, axis=-1, keepdims=True)
    return np.concatenate([1.0 + square, 2.0 * p], axis=-1) / (1.0 - square)


@pytest.mark.parametrize(("space", "radius"), [("H2", 0.5), ("H2", 4.0), ("H3", 1.0), ("S2", 1.0)])
def test_edges_are_geodesics(space: str, radius: float) -> None:
    """The distances from a point of an edge to both ends add up to the length, and steps are equal."""
    edges = TREE.edges()
    (view,) = views(placed(space, radius), edges)
    (m,) = Space.parse(space).factors
    found = edge_paths(view, edges)
    np.testing.assert_allclose(found[:, [0, -1]], view.points[edges], atol=1e-9)
    x = on_hyperboloid(found) if space.startswith("H") else found
    a, b, dist = x[:, :1], x[:, -1:], lambda p, q: np.sqrt(m.sqdist(p, q))
    np.testing.assert_allclose(dist(a, x) + dist(x, b), dist(a, b) + 0.0 * dist(a, x), rtol=1e-6, atol=1e-9)
    steps = dist(x[:, :-1], x[:, 1:])
    np.testing.assert_allclose(steps, steps[:, :1] + 0.0 * steps, rtol=1e-5, atol=1e-9)


def test_lines_through_the_centre_are_joined_the_shorter_way() -> None:
    edges = TREE.edges()
    embedded = placed("Gr(1,3)", radius=2.0)
    (view,) = views(embedded, edges)
    found = edge_paths(view, edges)
    length = np.linalg.norm(np.diff(found, axis=1), axis=2).sum(axis=1)
    (m,), (x,) = embedded.space.factors, embedded.points
    np.testing.assert_allclose(length, np.sqrt(m.sqdist(x[edges[:, 0]], x[edges[:, 1]])), rtol=2e-3)
    assert length.max() <= 0.5 * np.pi + 1e-9


@pytest.mark.parametrize("space", ["H2", "H3", "S2", "E2"])
def test_edges_between_nodes_that_meet_or_are_far_away(space: str) -> None:
    """Coinciding nodes and nodes on the boundary of a disk give finite paths."""
    edges = np.array([[0, 1], [0, 2]])
    (view,) = views(placed(space), edges)
    points = np.zeros((3, view.points.shape[1]))
    points[:, 0] = (1.0, 1.0, -1.0)
    object.__setattr__(view, "points", points)
    found = edge_paths(view, edges)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found[0], points[:1] + 0.0 * found[0], atol=1e-6)


# --- pictures ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", SPACES)
def test_every_space_has_a_picture(space: str) -> None:
    embedded = placed(space)
    drawn = embedding(embedded, TREE, colouring=Colouring("degree", TREE.degrees.astype(float)))
    found = views(embedded, TREE.edges())
    axes = [ax for ax in drawn.axes if ax.get_title()]
    assert [ax.get_title().split("\n")[0].removeprefix(f"{TREE.name}: ") for ax in axes] == [
        v.title for v in found
    ]
    assert [bool(v.note) and v.note in ax.get_title() for v, ax in zip(found, axes, strict=True)] == [
        bool(v.note) for v in found
    ]
    for ax, view in zip(axes, found, strict=True):
        if view.kind == "ellipses":
            (shapes,) = (c for c in ax.collections if isinstance(c, PolyCollection))
            centres = [
                path.vertices[:-2].mean(axis=0) for path in shapes.get_paths()
            ]  # two vertices repeat the first
            assert {tuple(np.round(c, 6)) for c in centres} == {tuple(np.round(p, 6)) for p in view.points}
            continue
        (dots,) = (c for c in ax.collections if isinstance(c, PathCollection))
        (lines,) = (c for c in ax.collections if isinstance(c, LineCollection))
        assert len(dots.get_offsets()) == TREE.n
        assert len(lines.get_segments()) >= TREE.m
    assert drawn.axes[-1].get_ylabel() == "degree"


def test_dots_have_the_colours_of_their_nodes() -> None:
    embedded, values = placed("E2"), np.arange(TREE.n, dtype=float)
    colouring = Colouring("number", values)
    ax = embedding(embedded, TREE, colouring=colouring).axes[0]
    (dots,) = (c for c in ax.collections if isinstance(c, PathCollection))
    (view,) = views(embedded, TREE.edges())
    drawn = {tuple(p): tuple(c[:3]) for p, c in zip(dots.get_offsets(), dots.get_facecolors(), strict=True)}
    for p, colour in zip(view.points, colouring.colours(), strict=True):
        assert drawn[tuple(p)] == tuple(colour)
    assert len(set(drawn.values())) == TREE.n


def test_nodes_behind_a_globe_are_paler() -> None:
    embedded = placed("S2", radius=2.0)
    (view,) = views(embedded, TREE.edges())
    ax = embedding(embedded, TREE).axes[0]
    (dots,) = (c for c in ax.collections if isinstance(c, PathCollection))
    behind = view.points[:, 2] < -0.01
    assert behind.any()
    assert not behind.all()
    for p, colour in zip(dots.get_offsets(), dots.get_facecolors(), strict=True):
        node = int(np.argmin(np.abs(view.points[:, :2] - p).sum(axis=1)))
        assert (colour[0] > 0.3) == behind[node]


def test_the_best_connected_are_named_where_names_do_not_overlap() -> None:
    ax = embedding(placed("E2"), TREE, names=3).axes[0]
    (view,) = views(placed("E2"), TREE.edges())
    famous = np.argsort(-TREE.degrees, kind="stable")[:3]
    assert [text.get_text() for text in ax.texts] == [str(TREE.labels[i]) for i in famous]
    np.testing.assert_array_equal([text.xy for text in ax.texts], view.points[famous])
    one = Embedding(Space.parse("E2"), (np.zeros((TREE.n, 2)),), np.zeros(1), TREE.labels)
    with pytest.warns(PlotWarning, match=r"E2: \d of 12 names are drawn; there is no room for the others"):
        texts = embedding(one, TREE, names=12).axes[0].texts
    boxes = [text.get_window_extent() for text in texts]
    assert 0 < len(texts) < 12
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


def test_names_are_not_cut_at_the_edge() -> None:
    """Also those of nodes at the right edge, beside which there is no room."""
    ring = Graph.from_edges(
        [(k, (k + 1) % 12) for k in range(12)], labels=[f"a long name {k}" for k in range(12)]
    )
    turn = np.linspace(0.0, 2.0 * np.pi, 13)[:-1]
    e = Embedding(
        Space.parse("E2"), (np.stack([np.cos(turn), np.sin(turn)], axis=1),), np.zeros(1), ring.labels
    )
    figure = embedding(e, ring, names=12, colouring=Colouring("degree", ring.degrees.astype(float)))
    figure.draw_without_rendering()
    ax = figure.axes[0]
    edge = ax.get_window_extent().padded(2.0)
    assert len(ax.texts) == 12
    for text in ax.texts:
        box = text.get_window_extent()
        assert edge.x0 <= box.x0 < box.x1 <= edge.x1
        assert edge.y0 <= box.y0 < box.y1 <= edge.y1


def test_fewer_names_than_asked_for_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = Embedding(Space.parse("E2"), (np.zeros((TREE.n, 2)),), np.zeros(1), TREE.labels)
    one.save(tmp_path / "one.npz")
    drawn = ["plot", "embedding", str(tmp_path / "one.npz"), "--graph", "tree(r=2,h=3)", "--names", "12"]
    assert command(*drawn, "--out", str(tmp_path / "one.png")) == 0
    assert re.search(
        r"riemap: warning: Euclidean, E2: \d of 12 names are drawn; there is no room", capsys.readouterr().err
    )


def test_groups_have_colours_of_their_own_and_a_legend() -> None:
    names = ["a$b$"] * 3 + ["c"] * 12
    drawn = embedding(placed("H2"), TREE, colouring=Colouring("club", groups=names))
    (legend,) = drawn.legends
    assert [text.get_text() for text in legend.get_texts()] == [r"a\$b\$", "c"]
    drawn.canvas.draw()  # an unescaped $b$ would be drawn as a formula
    many = Colouring("many", groups=[f"g{k}" for k in range(15)])
    assert len(set(map(tuple, many.colours()))) == len(PALETTE)


def test_signed_scales_have_zero_in_the_middle() -> None:
    low, middle, high = Colouring("ricci", np.array([-1.0, 0.0, 0.1]), signed=True).colours()
    np.testing.assert_allclose(middle, mpl.colormaps["RdYlBu"](0.5)[:3])
    np.testing.assert_allclose(low, mpl.colormaps["RdYlBu"](0.0)[:3])
    assert high[2] > middle[2]


# --- curves and histograms --------------------------------------------------------------------------


def test_f1_over_the_histogram_of_hops() -> None:
    curves = Curves(
        {"H2": np.array([0.5, 0.75, 1.0]), "S2": np.array([0.25, 0.5, 1.0])}, np.array([0.2, 0.5, 0.3])
    )
    ax = f1_curve(curves)
    assert [(line.get_label(), line.get_ydata().tolist()) for line in ax.lines] == [
        (name, values.tolist()) for name, values in curves.f1.items()
    ]
    assert ax.lines[0].get_xdata().tolist() == [1, 2, 3]
    (bars,) = ax.figure.axes[1].patches
    np.testing.assert_array_equal(bars.get_data().values, curves.pairs)
    np.testing.assert_array_equal(bars.get_data().edges, [0.5, 1.5, 2.5, 3.5])


def test_distances_have_medians() -> None:
    """The medians are those of the cells, which hold all pairs at one hop and all pairs at two hops."""
    counts = np.array([[0, 6, 0], [9, 0, 0], [0, 3, 0]])
    density = Density(counts, np.array([0.5, 1.5, 2.5, 3.5]), np.array([0.0, 1.0, 2.0, 3.0]))
    ax = distances(density)
    dots = next(c for c in ax.collections if isinstance(c, PathCollection))
    np.testing.assert_allclose(dots.get_offsets(), [[1.0, 1.5], [2.0, 0.75]])
    mesh = next(c for c in ax.collections if c.get_array() is not None and c.get_array().size == 9)
    np.testing.assert_array_equal(np.ma.filled(mesh.get_array(), 0.0).reshape(3, 3), counts)


def test_a_distribution_counts_all_values_and_marks_the_median() -> None:
    values = np.random.default_rng(0).standard_normal(101)
    ax = distribution(values, label="number")
    assert sum(bar.get_height() for bar in ax.patches) == 101
    assert ax.lines[0].get_xdata()[0] == np.median(values)
    drawn = curvature(("graph", values), ("embedding", values))
    assert [ax.get_ylabel() for ax in drawn.axes] == ["edges", "triangles"]


def test_a_history_has_a_line_for_each_stage() -> None:
    records = [EpochRecord(k, int(k >= 3), 1.0 / (k + 1), 0.1 * k, 0.0) for k in range(5)]
    ax = history(records, losses=["rsne(T=0.2)", "stress"])
    first, second = (line for line in ax.lines if not line.get_label().startswith("_"))
    assert (first.get_label(), second.get_label()) == ("rsne(T=0.2)", "stress")
    assert first.get_xdata().tolist() == [1, 2, 3]
    assert second.get_xdata().tolist() == [4, 5]
    np.testing.assert_allclose(second.get_ydata(), [0.25, 0.2])
    assert ax.get_yscale() == "log"
    np.testing.assert_allclose(ax.figure.axes[1].lines[0].get_ydata(), [0.1 * k for k in range(5)])
    assert history([EpochRecord(0, 0, -1.0, 0.1, 0.0)]).get_yscale() == "linear"


# --- the command line -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make two runs of a tree, an embedding without the name of its graph, and a file of labels."""
    made = tmp_path_factory.mktemp("runs")
    for space in ("H2", "S2"):
        with pytest.raises(SystemExit) as stop:
            main(["embed", TREE.name, "-s", space, "--epochs", "20", "--out", str(made / space), "--json"])
        assert not stop.value.code
    embed(generate("cycle(n=9)"), "E2", epochs=10).embedding.save(made / "nine.npz")
    Path(made, "groups.csv").write_text(
        "node,side\n" + "".join(f"{k},{'lr'[k % 2]}\n" for k in range(TREE.n))
    )
    return made


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Return a function that runs ``riemap plot`` in that folder."""
    monkeypatch.chdir(folder)

    def call(*arguments: str) -> int:
        with pytest.raises(SystemExit) as stopped:
            main(["plot", *arguments])
        return int(stopped.value.code or 0)

    return call


MAGIC_BYTES = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["embedding", "H2"], "disk.pdf"),
        (["embedding", "S2", "--colour", "distortion"], "globe.svg"),
        (["embedding", "H2", "--colour", "ricci"], "ricci.png"),
        (["embedding", "H2", "--labels", "groups.csv"], "groups.svg"),
        (["embedding", "H2", "--from", "3"], "hops.svg"),
        (["embedding", "nine.npz", "--graph", "cycle(n=9)", "--colour", "none"], "nine.png"),
        (["f1", "H2", "S2"], "f1.svg"),
        (["distances", "H2"], "distances.pdf"),
        (["distortion", "H2"], "distortion.png"),
        (["curvature", "H2"], "curvature.svg"),
        (["history", "H2"], "history.pdf"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_a_figure_is_written(run: Callable[..., int], arguments: list[str], name: str) -> None:
    assert run(*arguments, "-o", name) == 0
    written = Path(name).read_bytes()
    assert written.startswith(MAGIC_BYTES[Path(name).suffix])
    if name == "f1.svg":
        assert b"H2" in written
        assert b"S2" in written
    if name == "hops.svg":
        assert b">hops from 3<" in written
    if name == "groups.svg":
        assert all(f">{text}<".encode() in written for text in ("groups", "l", "r"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["embedding", "H2", "-o", "a.jpg"], "a.jpg is not a .png, .svg or .pdf file, e.g. --out a.png"),
        (["embedding", "H3", "-o", "a.png"], "H3: no such file"),
        (["embedding", "H2", "-o", "a.png", "--colour", "degre"], "did you mean 'degree'?"),
        (["embedding", "nine.npz", "-o", "a.png"], "riemap plot embedding nine.npz --graph karate"),
        (["embedding", "H2", "-o", "a.png", "--labels", "none.csv"], "none.csv"),
        (["embedding", "H2", "-o", "a.png", "--from", "99"], "99"),
        (["embedding", "H2", "-o", "a.png", "--from", "3", "--labels", "groups.csv"], "give one of them"),
        (
            ["distances", "H2", "-o", "a.png", "-g", "karate"],
            "'karate' is not the graph that was embedded in H2",
        ),
        (
            ["f1", "H2", "nine.npz", "-o", "a.png", "-g", TREE.name],
            "this is not an embedding of tree(r=2,h=3)",
        ),
        (["history", "nine.npz", "-o", "a.png"], "nine.npz is an embedding, which has no history"),
        (["history", ".", "-o", "a.png"], ". holds no history.csv"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_is_one_message(
    run: Callable[..., int], arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert not Path("a.png").exists()


def test_runs_of_two_graphs_are_not_compared(
    run: Callable[..., int], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["embed", "cycle(n=9)", "-s", "E2", "--epochs", "10", "--out", str(folder / "cycle"), "--json"])
    capsys.readouterr()
    assert run("f1", "H2", "cycle", "-o", "a.png") == 2
    assert "H2 is of tree(r=2,h=3) and cycle of cycle(n=9); one figure, one graph" in capsys.readouterr().err


def test_matrices_of_dissimilarities_have_a_picture_without_edges(tmp_path: Path) -> None:
    graph = TREE
    assert isinstance(graph, Graph)
    from riemap import Dissimilarities, shortest_paths

    matrix = Dissimilarities(shortest_paths(graph).astype(float), graph.labels, "tree")
    (ax,) = embedding(placed("H2"), matrix).axes
    assert not any(isinstance(c, LineCollection) for c in ax.collections)
