"""How a run ends: with the best points, by a callback, on a plateau, or because the loss became NaN."""

from dataclasses import replace

import numpy as np
import pytest
from subjects import SUBJECTS
from training_helpers import H2, TREE, failing, flat, in_bytes, losses, plan_of

from riemap import Graph, embed, generate
from riemap.losses import as_loss
from riemap.manifolds import Euclidean
from riemap.optim import RSGD, RAdam
from riemap.training import DivergedError, EpochRecord, Plan, Stage, Stop, Trainer, TrainingWarning, fit
from riemap.types import Array

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize("batch", [None, 15, 512], ids=str)
def test_the_best_so_far_is_returned(batch: int | None) -> None:
    """Rates far too high go up and down; the embedding has the least loss of all epochs, to the bit."""
    plan = replace(plan_of("stress", 6, batch), optimizer=RAdam(2.0))
    result = fit(TREE, H2, plan)
    assert min(losses(result)) < losses(result)[-1]
    trainer = Trainer(TREE, H2, plan)
    value = trainer.objective.value(as_loss("stress"), result.embedding.points, result.embedding.log_scales)
    assert value == min(losses(result))


def test_the_best_of_an_earlier_stage_does_not_count() -> None:
    """Its loss was another one, with values that are not comparable."""
    stages = Stage(as_loss("0.001*stress"), 3), Stage(as_loss(flat), 3)
    result = fit(TREE, H2, Plan(stages, RAdam(0.1), 0.1))
    assert [record.stage for record in result.history] == [0, 0, 0, 1, 1, 1]
    trainer = Trainer(TREE, H2, result.plan)
    state = trainer.init(0)
    for _ in range(3):
        state = trainer.step(state)
    assert in_bytes(result) == b"".join(x.tobytes() for x in (*state.points, state.log_scales))


def test_records_tell_what_happened() -> None:
    told: list[EpochRecord] = []
    result = fit(TREE, H2, plan_of("stress", 6, lr_factor=0.5), callbacks=(told.append,))
    assert tuple(told) == result.history
    assert [record.epoch for record in told] == list(range(6))
    assert {record.lr for record in told} == {0.05}
    seconds = [record.seconds for record in told]
    assert seconds == sorted(seconds)
    assert seconds[-1] <= result.seconds
    assert result.stop is Stop.FINISHED


def test_callbacks_stop_a_run() -> None:
    """By ``False``, and by nothing else that is false; all of them are told."""
    told: list[EpochRecord] = []
    result = fit(
        TREE, H2, plan_of("stress", 50), callbacks=(lambda r: r.epoch < 6, lambda r: told.append(r) or 0)
    )
    assert result.stop is Stop.CALLBACK
    assert len(result.history) == len(told) == 7
    assert "callback" in result.stop.value


@pytest.mark.parametrize("batch", [None, 5], ids=["all pairs", "batches"])
@pytest.mark.parametrize("first", [1, 11])
def test_a_loss_that_fails_once_is_rolled_back(first: int, batch: int | None) -> None:
    """To the best points so far with a tenth of the learning rate and one warning; then the run continues."""
    told: list[EpochRecord] = []
    epoch = first if batch is None else -(-first // 3)
    plan = replace(plan_of(failing(lambda call: call == first), 20, batch), optimizer=RAdam(0.5))
    with pytest.warns(
        TrainingWarning, match=f"^epoch {epoch} of training in H2: .* a tenth of the learning rate$"
    ) as caught:
        result = fit(TREE, H2, plan, callbacks=(told.append,))
    assert len(caught) == 1
    assert [record.epoch for record in result.history] == list(range(20))
    assert tuple(told) == result.history
    rates = [record.lr for record in result.history]
    assert rates == pytest.approx([0.5] * (epoch - 1) + [0.05] * (21 - epoch))
    assert np.isfinite(losses(result)).all()
    if batch is None and first > 1:
        assert losses(result)[first - 1] == min(losses(result)[: first - 1])


def test_a_rate_lowered_after_a_failure_stays_low() -> None:
    """In the next stage too."""
    stages = (Stage(as_loss(failing(lambda call: call == 2)), 4), Stage(as_loss("stress"), 3))
    with pytest.warns(TrainingWarning):
        result = fit(TREE, H2, Plan(stages, RAdam(0.1), 0.1))
    assert [record.lr for record in result.history] == pytest.approx([0.1] + [0.01] * 6)


@pytest.mark.parametrize("batch", [None, 5], ids=["all pairs", "batches"])
def test_a_loss_that_always_fails_is_given_up(batch: int | None) -> None:
    plan = plan_of(failing(lambda call: True), 20, batch)
    with (
        pytest.warns(TrainingWarning),
        pytest.raises(DivergedError, match=r"^epoch 1 of training in H2: .* 'radam\(lr=0.01\)'$"),
    ):
        fit(TREE, H2, plan)


def test_a_default_gives_up_too() -> None:
    """Where its second stage begins: no factor on the distances helps."""
    with pytest.warns(TrainingWarning), pytest.raises(DivergedError, match="epoch 6 of training in H2"):
        embed(TREE, "H2", loss=failing(lambda call: True), epochs=20)


def test_weights_that_are_no_numbers_are_noticed() -> None:
    def bad(target: Array, sqdist: Array) -> tuple[float, Array]:
        return 1.0, np.full_like(sqdist, np.nan)

    with pytest.warns(TrainingWarning), pytest.raises(DivergedError):
        fit(TREE, H2, plan_of(bad, 5))


def test_a_plateau_lowers_the_rate_and_ends_the_run() -> None:
    """Patience is 50 epochs, at each of 1e-2, 1e-3, 1e-4 and 1e-5."""
    result = embed(TREE, "H2", loss=flat, preset="paper")
    assert result.stop is Stop.PLATEAU
    rates = [record.lr for record in result.history]
    assert rates[:40] == pytest.approx([1e-3] * 40)
    assert rates[40:92] == pytest.approx([1e-2] * 52)  # one improves on nothing
    assert rates[92:] == pytest.approx([1e-3] * 51 + [1e-4] * 51 + [1e-5] * 51)


def test_improvement_keeps_the_rate() -> None:
    """By a ten-thousandth, which less is not."""
    value = 1.0

    def slow(target: Array, sqdist: Array, share: float = 2e-4) -> tuple[float, Array]:
        nonlocal value
        value *= 1.0 - share
        return value, np.zeros_like(sqdist)

    assert {r.lr for r in fit(TREE, H2, plan_of(slow, 120, schedule="plateau")).history} == {0.1}
    slower = plan_of(lambda target, sqdist: slow(target, sqdist, 1e-7), 120, schedule="plateau")
    assert len({r.lr for r in fit(TREE, H2, slower).history}) > 1


SPACES = [str(m) for m in SUBJECTS]
LARGER_TREE = generate("tree(r=2,h=4)")  # more nodes than any of these has dimensions


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("optimizer", ["radam(lr=1e10)", "rsgd(lr=1e10,clip=1e300)", "radam(lr=1e200)"])
@pytest.mark.filterwarnings("ignore::riemap.training.TrainingWarning", "ignore::RuntimeWarning")
def test_absurd_rates_diverge_in_every_space(space: str, optimizer: str) -> None:
    """Neither LAPACK nor a point that is off its manifold has the last word."""
    with pytest.raises(DivergedError, match="try a lower rate"):
        embed(LARGER_TREE, space, optimizer=optimizer, epochs=3)


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("loss", ["stress", "distortion", "ad"])
@pytest.mark.filterwarnings("ignore::riemap.training.TrainingWarning", "ignore::RuntimeWarning")
def test_lengths_over_140_decades_are_embedded_or_diverge(space: str, loss: str) -> None:
    """Every embedding that comes out has finite distances, the same from both ends."""
    lengths = 10.0 ** np.random.default_rng(1).uniform(-70.0, 70.0, LARGER_TREE.m)
    graph = Graph.from_edges(LARGER_TREE.edges(), lengths)
    for optimizer in (None, "radam(lr=1e3,retraction=true)"):
        try:
            found = embed(graph, space, loss=loss, optimizer=optimizer, epochs=4).embedding
        except DivergedError:
            continue
        sqdist = found.sqdist_rows(np.arange(found.n))
        assert np.isfinite(sqdist).all()
        np.testing.assert_allclose(sqdist, sqdist.T, rtol=1e-6, atol=1e-12 * sqdist.max())


def test_scales_that_run_away_diverge() -> None:
    plan = replace(plan_of("stress", 4), scale_lr=1e4)
    with pytest.warns(TrainingWarning), pytest.raises(DivergedError):
        fit(TREE, H2, plan)


def test_no_point_moves_absurdly_far() -> None:
    x = H2.factors[0].origin[None]
    u = H2.factors[0].to_tangent(x, np.ones_like(x))
    with pytest.raises(FloatingPointError, match="a step is longer than"):
        RSGD(1e9).step(H2.factors[0], x, u, (np.zeros_like(x),))
    plane = Euclidean(2)
    with pytest.raises(FloatingPointError, match="a step is longer than"):  # and NumPy does not warn
        RSGD(1e300).step(plane, plane.origin[None], np.ones((1, 2)), (np.zeros((1, 2)),))
