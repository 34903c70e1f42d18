"""A budget of time: how it is spelled, how many epochs it allows, and how it ends a run."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from helpers import run

import riemap
from riemap import InputError, generate
from riemap.losses import as_loss
from riemap.runs import budget as budgets
from riemap.runs.budget import TimeBudget, _Pace
from riemap.runs.folder import RunFolder
from riemap.runs.spec import Setup
from riemap.spaces import Space
from riemap.training import Stop, default_plan

GRAPH = generate("path(n=9)")


def setup(epochs: int) -> Setup:
    return Setup(Space.parse("E2"), default_plan(as_loss("both"), GRAPH.n, epochs))


class Clock:
    """A clock that the test moves, or that moves by itself whenever it is read."""

    def __init__(self, step: float = 0.0) -> None:
        self.now, self.step = 100.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


@pytest.mark.parametrize(
    ("given", "seconds"), [(90, 90.0), ("90", 90.0), ("1.5min", 90.0), (" 2 h", 7200.0), (".5s", 0.5)]
)
def test_a_time_is_spelled_with_a_unit(given: str | float, seconds: float) -> None:
    assert TimeBudget.of(given) == TimeBudget(seconds)


@pytest.mark.parametrize("given", ["", "soon", "5 days", "-3s", "1e400", "0s", 0, -1.0, float("nan"), "٣s"])
def test_other_texts_are_refused(given: str | float) -> None:
    with pytest.raises(InputError, match="time"):
        TimeBudget.of(given)


def test_a_time_goes_with_no_number_of_epochs_and_no_cluster() -> None:
    assert TimeBudget.of(None, 50, "auto") is None
    with pytest.raises(InputError, match="exclude each other"):
        riemap.embed("karate", "E2", time="1s", epochs=5)
    with pytest.raises(InputError, match="cluster"):
        riemap.embed("karate", "E2", time="1s", ray="auto")


def test_as_many_epochs_are_planned_as_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stages of one and three tenths of a second an epoch: a quarter and three quarters of the epochs."""
    monkeypatch.setattr(budgets, "working_seconds", Clock())
    pace = _Pace(0.0, (0.1, 0.3), 60)
    monkeypatch.setattr(_Pace, "of", lambda *_: pace)
    epochs = TimeBudget(100.0).epochs(GRAPH, setup)
    assert pace.seconds(setup(epochs).plan) <= 90.0 < pace.seconds(setup(epochs + 1).plan)
    assert epochs == 360
    assert TimeBudget(0.1).epochs(GRAPH, setup) == 4, "each stage has an epoch"
    assert TimeBudget(1e9).epochs(GRAPH, setup) == 10_000, "more do not help"


def test_trials_of_initialisations_count_as_far_as_they_go() -> None:
    """They took a second for twelve epochs; a long plan tries 60 epochs of each stage."""
    pace = _Pace(1.0, (0.0, 0.0), 60)
    assert pace.seconds(setup(12).plan) == 1.0
    assert pace.seconds(setup(4000).plan) == 10.0
    large = replace(setup(4000).plan, sampler="landmarks")
    assert pace.seconds(large) == 1.0, "landmarks are embedded for a fixed number of epochs"


def test_the_short_run_measures_each_stage() -> None:
    pace = _Pace.of(GRAPH, setup(budgets.PROBE_EPOCHS))
    assert len(pace.stages) == 2
    assert min(pace.stages) > 0.0
    assert pace.trial_epochs == 60


def test_the_number_of_epochs_decides_the_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that was not stopped repeats with that number and without a limit."""
    monkeypatch.setattr(budgets, "MOST_EPOCHS", 30)
    fit = riemap.embed(GRAPH, "E2", time="1h")
    assert (fit.plan.epochs, fit.stop) == (30, Stop.FINISHED)
    again = riemap.embed(GRAPH, "E2", epochs=30)
    assert fit.embedding.points[0].tobytes() == again.embedding.points[0].tobytes()


def test_a_run_ends_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock moves by a second whenever it is read: once for the plan, and once an epoch."""
    monkeypatch.setattr(budgets, "working_seconds", Clock(step=1.0))
    monkeypatch.setattr(budgets, "MOST_EPOCHS", 30)
    fit = riemap.embed(GRAPH, "E2", time=8)
    assert (len(fit.history), fit.stop) == (7, Stop.TIME)
    assert fit.stop.value == "the time is over"


def test_the_command_tells_the_number_and_resumes_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(budgets, "MOST_EPOCHS", 30)
    out = tmp_path / "run"
    command = ("embed", "path(n=9)", "-s", "E2", "--time", "1h", "--out", str(out))
    assert run(*command) == 0
    assert "riemap: 30 epochs of path(n=9) in E2 fit into the time\n" in capsys.readouterr().err
    assert json.loads((out / "config.json").read_text())["epochs"] == 30
    monkeypatch.setattr(budgets, "MOST_EPOCHS", 50)
    kept = TimeBudget(3600.0).epochs(GRAPH, setup, RunFolder(out, resume=True))
    assert kept == 30, "a run that is continued keeps its number"
    assert run(*command, "--resume") == 0
    assert run("embed", "path(n=9)", "-s", "E2", "--time", "soon") == 2
    assert "the time is 'soon'; give a positive time, e.g. '90s'" in capsys.readouterr().err
