"""What a user of Python expects of a result and of ``embed``: length, lookup, frames, scores, warm starts."""

import logging
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

import riemap
from riemap.embeddings import Embedding
from riemap.errors import MissingExtraError
from riemap.sklearn import GraphEmbedding
from riemap.threads import CORES, count
from riemap.training import EpochReport

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def fit() -> riemap.Fit:
    return riemap.embed("karate", "H2 x S2", epochs=60)


# --- an embedding -----------------------------------------------------------------------------------


def test_an_embedding_is_a_mapping_from_labels_to_points(fit: riemap.Fit) -> None:
    e = fit.embedding
    assert len(e) == e.n == 34
    assert list(e) == list(e.labels)
    assert 33 in e
    assert "33" in e  # a number and its text are the same label
    assert "Frodo" not in e
    assert [x.shape for x in e[33]] == [(3,), (3,)]
    for part, points in zip(e[33], e.points, strict=True):
        np.testing.assert_array_equal(part, points[33])
    with pytest.raises(riemap.InputError, match="no node is called 'Frodo'"):
        e["Frodo"]


def test_shares_tell_how_much_a_factor_matters_and_scales_do_not() -> None:
    """A factor of a hundredth of the scale, with points ten times as far apart, has half of d²."""
    points = (np.array([[0.0], [10.0], [30.0]]), np.array([[0.0], [1.0], [3.0]]))
    e = Embedding(riemap.Space.parse("E1 x E1"), points, np.log([0.01, 1.0]), ("a", "b", "c"))
    np.testing.assert_allclose(e.scales, [0.01, 1.0])
    np.testing.assert_allclose(e.shares(), [0.5, 0.5])
    assert "E1: 50%, E1: 50%" in e._repr_html_()
    same = Embedding(riemap.Space.parse("E1"), (np.zeros((2, 1)),), np.zeros(1), ("a", "b"))
    assert same.shares().tolist() == [0.0]


def test_shares_of_many_nodes_are_estimated(monkeypatch: pytest.MonkeyPatch, fit: riemap.Fit) -> None:
    whole = fit.embedding.shares()
    monkeypatch.setattr("riemap.embeddings.embedding.SHARE_NODES", 17)
    part = fit.embedding.shares()
    assert part.sum() == pytest.approx(1.0)
    assert abs(part - whole).max() < 0.2


def test_a_frame_has_the_labels_and_the_columns_of_an_export(fit: riemap.Fit) -> None:
    frame = fit.embedding.to_pandas()
    assert frame.index.name == "node"
    assert list(frame.index) == list(fit.embedding.labels)
    assert list(frame.columns) == riemap.exports.table(fit.embedding).columns
    np.testing.assert_array_equal(frame.to_numpy(), fit.embedding.features())
    assert fit.embedding.to_pandas(points=True).shape == (34, 6)


def test_labels_that_are_tuples_stay_one_index() -> None:
    e = Embedding(riemap.Space.parse("E1"), (np.array([[0.0], [1.0]]),), np.zeros(1), ((0, 1), (0, 2)))
    assert e.to_pandas().index.tolist() == [(0, 1), (0, 2)]
    assert e.to_pandas().index.nlevels == 1


def test_a_frame_without_pandas_names_the_extra(fit: riemap.Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"riemap\[tables\]"):
        fit.embedding.to_pandas()


# --- a fit ------------------------------------------------------------------------------------------


def test_a_fit_scores_and_draws_itself(fit: riemap.Fit) -> None:
    assert fit.scores.values == riemap.evaluate(fit.embedding, riemap.load_dataset("karate")).values
    assert fit.scores is fit.scores
    figure = fit.plot(names=3)
    assert len(figure.axes) == 3  # two pictures and the colour bar
    plt.close(figure)


def test_a_fit_of_dissimilarities_draws_itself() -> None:
    distances = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
    figure = riemap.embed(riemap.Dissimilarities(distances, tuple("abcd"), "line"), "E1", epochs=10).plot()
    assert len(figure.axes) == 1
    plt.close(figure)


def test_scores_that_are_in_the_folder_are_not_computed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = riemap.embed("cycle(n=9)", "E2", epochs=10, out=tmp_path / "run")
    monkeypatch.setattr("riemap.metrics.evaluate", None)
    again = riemap.embed("cycle(n=9)", "E2", epochs=10, out=tmp_path / "run", resume=True)
    assert again.scores.values == first.scores.values


# --- embed ------------------------------------------------------------------------------------------


def test_a_warm_start_goes_on_from_an_embedding() -> None:
    """It begins at the loss of its start, has one stage, and ends lower; the order of nodes is free."""
    fit = riemap.embed("karate", "H2 x S2", loss="stress", epochs=60)
    warm = riemap.embed("karate", "H2 x S2", loss="stress", epochs=30, start=fit.embedding)
    assert warm.history[0].loss <= fit.history[-1].loss * (1.0 + 1e-9)
    assert warm.history[-1].loss < fit.history[-1].loss
    assert (len(warm.history), {r.stage for r in warm.history}) == (30, {0})
    turned = fit.embedding.reordered(fit.embedding.labels[::-1])
    again = riemap.embed("karate", "H2 x S2", loss="stress", epochs=30, start=turned)
    assert all(
        a.tobytes() == b.tobytes() for a, b in zip(warm.embedding.points, again.embedding.points, strict=True)
    )


def test_a_warm_start_leaves_its_start_alone(fit: riemap.Fit) -> None:
    before = [x.copy() for x in fit.embedding.points], fit.embedding.log_scales.copy()
    riemap.embed("karate", "H2 x S2", epochs=3, start=fit.embedding)
    assert all((a == b).all() for a, b in zip(before[0], fit.embedding.points, strict=True))
    assert (before[1] == fit.embedding.log_scales).all()


@pytest.mark.parametrize(
    ("graph", "space", "more", "says"),
    [
        ("karate", "H2", {}, "start from is in H2 x S2, and H2 is asked for"),
        ("cycle(n=35)", "H2 x S2", {}, "other nodes than the graph"),
        ("karate", "H2 x S2", {"out": "run"}, "start= and out= exclude each other"),
        ("karate", "H2 x S2", {"n_jobs": 0}, "n_jobs=0 is not a number of threads"),
        ("karate", "H2 x S2", {"n_jobs": -2}, "n_jobs=-2 is not a number of threads"),
    ],
)
def test_what_does_not_fit_is_refused(
    graph: str, space: str, more: dict[str, object], says: str, fit: riemap.Fit
) -> None:
    with pytest.raises(riemap.InputError, match=says):
        riemap.embed(graph, space, epochs=3, **{"start": fit.embedding, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 10_000, -1])
def test_n_jobs_is_the_number_of_threads_for_a_while(n_jobs: int | None) -> None:
    seen, before = set(), count()

    def look(report: EpochReport) -> None:
        seen.add(count())

    riemap.embed("cycle(n=9)", "E2", epochs=3, n_jobs=n_jobs, callbacks=(look,))
    wanted = before if n_jobs is None else CORES if n_jobs == -1 else min(n_jobs, CORES)
    assert seen == {wanted}
    assert count() == before


def test_verbose_writes_to_stderr_and_leaves_logging_as_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    logger = logging.getLogger("riemap")
    before = logger.level, list(logger.handlers)
    riemap.embed("cycle(n=9)", "E2", epochs=40, verbose=True)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert len([line for line in shown.err.splitlines() if "epoch" in line]) == 10
    assert "riemap: cycle(n=9) in E2: epoch 40 of 40, loss 0." in shown.err
    assert before == (logger.level, list(logger.handlers))
    riemap.embed("cycle(n=9)", "E2", epochs=40)
    assert capsys.readouterr().err == ""


def test_the_estimator_takes_the_same_settings(capsys: pytest.CaptureFixture[str]) -> None:
    """``random_state`` is the seed of ``embed``; scikit-learn expects these names."""
    fitted = GraphEmbedding("E2", epochs=20, random_state=3, n_jobs=1, verbose=True).fit("karate")
    points = riemap.embed("karate", "E2", epochs=20, seed=3).embedding.points[0]
    assert fitted.embedding_.points[0].tobytes() == points.tobytes()
    assert "epoch 20 of 20" in capsys.readouterr().err
    assert GraphEmbedding(n_jobs=2, verbose=True).get_params()["n_jobs"] == 2
