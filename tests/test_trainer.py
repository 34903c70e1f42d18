"""The trainer by hand, callbacks that see the embedding, and how a fit is shown."""

import numpy as np
import pytest
from training_helpers import BATCHED, H2, TREE, failing, in_bytes, losses, plan_of

from riemap import Embedding, embed, generate, shortest_paths
from riemap.distances import target
from riemap.errors import InputError
from riemap.losses import as_loss
from riemap.training import EpochRecord, EpochReport, Trainer, TrainingWarning, fit

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize("plan", [plan_of("stress", 8), BATCHED], ids=["all pairs", "batches"])
def test_steps_by_hand_give_what_fit_gives(plan: object) -> None:
    trainer = Trainer(TREE, H2, plan)
    state, records = trainer.init(seed=3), []
    while state.epoch < plan.epochs:
        assert not trainer.converged(state)
        state = trainer.step(state)
        records.append(state.record)
    result = fit(TREE, H2, plan, seed=3)
    found = trainer.embedding(state)
    assert b"".join(x.tobytes() for x in (*found.points, found.log_scales)) == in_bytes(result)
    assert [record.loss for record in records] == losses(result)
    assert [record.epoch for record in records] == list(range(plan.epochs))
    with pytest.raises(InputError, match=f"^all {plan.epochs} epochs of the plan are done$"):
        trainer.step(state)


def test_a_step_is_one_epoch_even_if_it_is_repeated() -> None:
    trainer = Trainer(TREE, H2, plan_of(failing(lambda call: call == 3), 5))
    state = trainer.init(0)
    for number in range(5):
        if number == 2:
            with pytest.warns(
                TrainingWarning, match="the loss became NaN or infinite; training continues from"
            ):
                state = trainer.step(state)
        else:
            state = trainer.step(state)
        assert (state.epoch, state.record.epoch) == (number + 1, number)
    assert state.rollbacks == 1


def test_a_trainer_may_go_back_to_an_earlier_state() -> None:
    trainer = Trainer(TREE, H2, BATCHED)
    first = trainer.step(trainer.init(1))
    second, again = trainer.step(first), trainer.step(first)
    assert second.record.loss == again.record.loss
    np.testing.assert_array_equal(second.points[0], again.points[0])


def test_seconds_count_training_and_not_what_happens_between_steps() -> None:
    trainer = Trainer(TREE, H2, plan_of("stress", 3))
    state = trainer.step(trainer.init(0))
    assert 0.0 < state.record.seconds == state.seconds
    later = trainer.step(state)
    assert later.seconds > state.seconds


def test_distances_may_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are then not computed, and the bytes are the same."""
    plan, distances = plan_of("stress", 4), shortest_paths(TREE)
    expected = in_bytes(fit(TREE, H2, plan))
    monkeypatch.setattr(target, "shortest_paths", lambda graph: pytest.fail("computed again"))
    assert in_bytes(fit(TREE, H2, plan, distances=distances)) == expected
    with pytest.raises(InputError, match=r"shape \(3, 3\); tree\(r=2,h=3\) has 15 nodes"):
        Trainer(TREE, H2, plan, distances[:3, :3])


# --- callbacks --------------------------------------------------------------------------------------


def test_callbacks_see_the_embedding_so_far() -> None:
    """It is what the run would give if it stopped after that epoch."""
    seen: list[Embedding] = []

    def watching(report: EpochReport) -> None:
        assert isinstance(report, EpochRecord)
        seen.append(report.embedding())

    fit(TREE, H2, plan_of("stress", 4), callbacks=(watching,))
    for epochs, found in enumerate(seen, start=1):
        expected = fit(TREE, H2, plan_of("stress", epochs)).embedding
        np.testing.assert_array_equal(found.points[0], expected.points[0])
        assert found.labels == TREE.labels


# --- how a fit is shown -----------------------------------------------------------------------------


def test_a_fit_is_shown_in_one_line() -> None:
    result = embed("karate", "H2", epochs=4)
    start = "<Fit of karate in H2: 4 epochs in "
    assert repr(result).startswith(start)
    assert repr(result).endswith(" s, all epochs are done>")
    assert len(repr(result)) < len(start) + 40


def test_a_notebook_shows_a_small_table_with_everything_escaped() -> None:
    def mine(target: np.ndarray, sqdist: np.ndarray) -> tuple[float, np.ndarray]:
        return as_loss("stress")(target, sqdist)

    mine.__name__ = "<script>alert(1)</script>"
    page = embed(generate("path(n=5)"), "E2", loss=mine, epochs=4)._repr_html_()
    assert "&lt;script&gt;" in page
    assert "<script" not in page
    for text in ("path(n=5) in E2", "4 of 4", "all epochs are done"):
        assert text in page
    assert page.count("<tr>") == page.count("</tr>") == 5
