"""Figures show the numbers they are given, and the samples of appendix E agree with the paper."""

import sys
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import LineCollection

from riemap import Embedding, Space, generate
from riemap.cli import main
from riemap.paper.samples import PANELS, Columns, bias, panel
from riemap.plots import bands, boxes, clouds, distribution, histograms, network, sample_panels, summaries

mpl.use("Agg")

rng = np.random.default_rng(0)
VALUES = {"one": rng.standard_normal(200), "two": 2.0 + rng.standard_normal(100)}


@pytest.fixture(autouse=True)
def closed() -> object:
    yield
    plt.close("all")


# --- drawing ----------------------------------------------------------------------------------------


def test_boxes_show_medians_and_means() -> None:
    ax = boxes(VALUES, label="number")
    drawn = [line.get_ydata() for line in ax.lines]
    for numbers in VALUES.values():
        assert any(np.allclose(y, np.median(numbers)) for y in drawn)
        assert any(len(y) == 1 and np.allclose(y, numbers.mean()) for y in drawn)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["one", "two"]
    assert ax.get_ylabel() == "number"


@pytest.mark.parametrize(
    "names", [("karate-h2 (H2)", "karate-s2 (S2)"), ("E2", "H2", "S2"), ("a" * 30, "b"), tuple("abcdefgh")]
)
def test_labels_of_boxes_do_not_overlap(names: tuple[str, ...]) -> None:
    """Long ones are turned, and short ones are not."""
    ax = boxes(dict.fromkeys(names, VALUES["one"]))
    ax.figure.draw_without_rendering()
    texts = ax.get_xticklabels()
    turned = {text.get_rotation() for text in texts}
    assert turned == ({35.0} if max(map(len, names)) > 10 else {0.0})
    if turned == {0.0}:
        extents = [text.get_window_extent() for text in texts]
        assert all(a.x1 < b.x0 for a, b in pairwise(extents))


def test_bands_lie_between_the_quartiles() -> None:
    x, quartiles = np.arange(4.0), np.sort(rng.standard_normal((4, 3)), axis=1)
    quartiles[2] = np.nan  # as where there is no component to measure
    ax = bands({"a": x}, {"a": quartiles})
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), quartiles[:, 1])
    corners = np.concatenate([path.vertices for path in ax.collections[0].get_paths()])
    assert {quartiles[0, 0], quartiles[0, 2], quartiles[3, 0], quartiles[3, 2]} <= set(corners[:, 1])


def test_histograms_have_common_bins_and_area_one() -> None:
    ax = histograms(VALUES, bins=20)
    outlines = [patch.get_data() for patch in ax.patches]
    for outline in outlines:
        np.testing.assert_array_equal(outline.edges, outlines[0].edges)
        assert np.sum(outline.values * np.diff(outline.edges)) == pytest.approx(1.0)
    assert outlines[0].edges[[0, -1]].tolist() == [VALUES["one"].min(), VALUES["two"].max()]
    assert len(histograms({}).patches) == 0


@pytest.mark.parametrize("around", [0.25, 0.0, -3e8])
def test_numbers_that_are_equal_up_to_rounding_have_a_histogram(around: float) -> None:
    """Such as the angle sums of the only triangle that three nodes have."""
    values = np.nextafter(around, [np.inf, -np.inf, around])
    ax = distribution(values, label="angles")
    assert sum(patch.get_height() for patch in ax.patches) == 3
    outline = histograms({"a": values}, bins=20).patches[0].get_data()
    assert outline.edges[-1] - outline.edges[0] == pytest.approx(1.0)


def test_a_network_has_all_edges_in_their_colours() -> None:
    graph = generate("tree(r=2,h=3)")
    positions, curvature = rng.standard_normal((graph.n, 2)), rng.standard_normal(graph.m)
    ax = network(graph, positions, curvature)
    (lines,) = (c for c in ax.collections if isinstance(c, LineCollection))
    drawn = {tuple(map(tuple, s)): k for s, k in zip(lines.get_segments(), lines.get_array(), strict=True)}
    for (a, b), k in zip(graph.edges(), curvature, strict=True):
        assert drawn[tuple(positions[a]), tuple(positions[b])] == k
    dots = next(c for c in ax.collections if not isinstance(c, LineCollection))
    leaf = int(np.flatnonzero(graph.degrees == 1)[0])
    assert dots.get_array()[leaf] == curvature[np.any(graph.edges() == leaf, axis=1)][0]
    sizes = dots.get_sizes()
    assert np.all((sizes[:, None] > sizes) == (graph.degrees[:, None] > graph.degrees))


def test_drawing_changes_no_setting() -> None:
    before, graph = dict(mpl.rcParams), generate("tree(r=2,h=3)")
    boxes(VALUES)
    histograms(VALUES)
    bands({"a": np.arange(4.0)}, {"a": np.zeros((4, 3))})
    network(graph, rng.standard_normal((graph.n, 2)), rng.standard_normal(graph.m))
    summaries(VALUES, VALUES, {"one": (0.25, 1.5), "two": (0.5, 2.0)})
    assert dict(mpl.rcParams) == before


def test_a_summary_has_a_table() -> None:
    drawn = summaries(VALUES, VALUES, {"one": (0.25, 1.5), "two": (0.5, 2.0)})
    (table,) = (child for ax in drawn.axes for child in ax.tables)
    texts = {cell.get_text().get_text() for cell in table.get_celld().values()}
    assert {"0.25", "1.50", "0.50", "2.00", "one", "two"} <= texts


def test_clouds_have_one_panel_for_each_sample() -> None:
    drawn = clouds(bias(50, seed=1))
    assert [ax.get_title() for ax in drawn.axes] == ["H3, uniform", "H3, exp", "S2, uniform", "S2, exp"]


# --- the data behind appendix E ---------------------------------------------------------------------


@cache
def data(kind: str) -> Columns:
    return panel(kind, 300, seed=0)


@pytest.mark.parametrize("kind", PANELS)
def test_a_panel_is_three_by_three(kind: str) -> None:
    drawn = sample_panels(data(kind))
    assert len(drawn.axes) == 9
    assert [ax.get_title() for ax in drawn.axes[:3]] == [f"dimension {n}" for n in PANELS[kind]]


def test_one_triangle_of_a_curved_space_has_a_histogram() -> None:
    """Three points have one sum of angles, which is zero where the space is flat."""
    lowest = sample_panels(panel("compact", 3, seed=0)).axes[6:]
    assert [len(ax.patches) // 2 for ax in lowest] == [2, 3, 3]  # an outline and an area for each
    assert [len(ax.lines) for ax in lowest] == [1, 1, 1]


def test_flat_points_have_most_neighbours_and_hyperbolic_ones_fewest() -> None:
    for _, sweeps in data("noncompact"):
        flat, spd, hyperbolic = (sweep.degrees[:, 1] for sweep in sweeps.values())
        assert np.all(flat >= spd)
        assert np.all(spd >= hyperbolic)
        assert flat.sum() > spd.sum() > hyperbolic.sum()


def test_graphs_of_compact_spaces_become_complete() -> None:
    """At the largest threshold, all curvatures are 1/8, as in a complete graph."""
    for _, sweeps in data("compact"):
        for name, sweep in sweeps.items():
            if not name.startswith("E"):
                np.testing.assert_allclose(sweep.curvatures[-1], 0.125, atol=1e-3)
                assert np.all(sweep.degrees[-1] >= 298)


def test_rotations_and_lines_of_four_dimensions_curve_alike() -> None:
    """SO3 and Gr(1,4) are isometric up to scale, so their angle sums have one distribution."""
    from scipy.stats import ks_2samp

    (_, sweeps) = data("compact")[1]
    assert ks_2samp(sweeps["SO3"].angles, sweeps["Gr(1,4)"].angles).statistic < 0.05
    assert ks_2samp(sweeps["SO3"].angles, sweeps["S3"].angles).statistic > 0.2


# --- the command line -------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Return a function that runs ``riemap plot`` beside an embedding of nine nodes."""
    monkeypatch.chdir(tmp_path)
    points = (rng.standard_normal((9, 2)),)
    Embedding(Space.parse("E2"), points, np.zeros(1), tuple(range(9))).save(tmp_path / "nine.npz")

    def call(*arguments: str) -> int:
        with pytest.raises(SystemExit) as stopped:
            main(["plot", *arguments])
        return int(stopped.value.code or 0)

    return call


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["graph", "tree(r=2,h=3)"], "graph.png"),
        (["graphs", "tree(r=2,h=3)", "cycle(n=9)"], "graphs.svg"),
        (["angles", "nine.npz"], "angles.pdf"),
        (["samples", "bias", "--points", "30"], "bias.png"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else value,
)
def test_a_figure_is_written(run: Callable[..., int], arguments: list[str], name: str) -> None:
    assert run(*arguments, "--out", name) == 0
    begins = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[Path(name).suffix]
    assert Path(name).read_bytes().startswith(begins)
    assert sorted(p.name for p in Path().iterdir()) == sorted([name, "nine.npz"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["graph", "karate", "--out", "karate.jpg"], "karate.jpg is not a .png, .svg or .pdf file"),
        (["graph", "karte", "--out", "a.png"], "did you mean 'karate'?"),
        (["samples", "compac", "--out", "a.png"], "did you mean 'compact'?"),
        (["angles", "none.npz", "--out", "a.png"], "none.npz: no such file"),
        (
            ["graph", "karate", "--out", "none/a/b.png", "--alpha", "2"],
            "alpha=2.0 is not a number from 0 to 1",
        ),
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


def test_without_matplotlib_it_says_what_to_install(
    run: Callable[..., int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    assert run("angles", "nine.npz", "--out", "a.png") == 2
    assert "pip install 'riemap[plot]'" in capsys.readouterr().err
