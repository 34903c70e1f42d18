"""The seed decides every byte, on any number of threads; a state is never modified."""

import math
from dataclasses import replace

import numpy as np
import pytest
from thread_helpers import exactly
from training_helpers import BATCHED, H2, PRODUCT, TREE, in_bytes, losses, plan_of

from riemap import Space, generate
from riemap.losses import as_loss
from riemap.optim import RSGD
from riemap.training import Trainer, fit, objective, preset_plan
from riemap.training.steps import Stepper, batches

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize("batch", [None, 4], ids=["all pairs", "batches"])
def test_the_seed_decides_every_byte(batch: int | None) -> None:
    plan = plan_of("stress", 8, batch)
    first, second, other = (fit(TREE, PRODUCT, plan, seed=seed) for seed in (5, 5, 6))
    assert in_bytes(first) == in_bytes(second)
    assert losses(first) == losses(second)
    assert in_bytes(first) != in_bytes(other)


@pytest.mark.parametrize(
    ("preset", "space"), [("default", PRODUCT), ("paper", PRODUCT), ("default", Space.parse("S2"))]
)
def test_any_number_of_threads_gives_the_same_bytes(
    preset: str, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In blocks and batches, which have a thread for each of many rows; from the best of some starts."""
    graph = generate("random-tree(n=150)")
    plan = preset_plan(preset, as_loss("rsne(T=0.1) + 0.3*ad"), graph.n, 10)
    small = [replace(stage, batch=64 if stage.batch else None) for stage in plan.stages]
    plan = replace(plan, stages=tuple(small))
    monkeypatch.setattr(objective, "BLOCK_PAIRS", 150 * 40)
    for limit in ("DENSE_PAIRS", "DENSE_PAIRS_COMPARING_ROWS"):
        monkeypatch.setattr(objective, limit, 0)
    found = []
    for count in (1, 2, 3):
        with exactly(count):
            result = fit(graph, space, plan)
            found.append((in_bytes(result), losses(result)))
    assert found == [found[0]] * 3


@pytest.mark.parametrize(("n", "batch"), [(15, 4), (15, 7), (15, 14), (3, 2), (5, 2), (2, 1), (6, 1)])
def test_batches_deal_out_all_nodes(n: int, batch: int) -> None:
    """Each node once, in a new order in every epoch, in parts of nearly the same size, none of one node."""
    graph = generate(f"path(n={n})")
    stage = plan_of("stress", 3, batch).stages[0]
    for epoch in range(3):
        parts = batches(n, stage, 0, epoch)
        assert np.sort(np.concatenate(parts)).tolist() == list(range(n))
        sizes = [len(part) for part in parts]
        assert min(sizes) >= 2
        assert max(sizes) <= max(batch, 3)
        assert max(sizes) - min(sizes) <= 1
        assert all((np.diff(part) > 0).all() for part in parts)
    if n == 15:
        orders = [[part.tolist() for part in batches(n, stage, 0, e)] for e in (0, 1)]
        assert orders[0] != orders[1]
    assert math.isfinite(fit(graph, H2, plan_of("stress", 2, batch)).history[-1].loss)


def test_a_batch_touches_only_its_nodes() -> None:
    """Other points stay, and so do their averages and counts."""
    plan = plan_of("stress", 3, batch=4)
    trainer = Trainer(TREE, PRODUCT, plan)
    state = trainer.step(trainer.init(0))  # averages of something
    nodes = np.array([2, 3, 11])
    rest = np.setdiff1d(np.arange(TREE.n), nodes)
    before = [x.copy() for part in ((state.points,), state.moments) for arrays in part for x in arrays]
    x = tuple(p[nodes] for p in state.points)
    gradient = trainer.objective.batch(as_loss("stress"), x, state.log_scales, nodes)
    stepper = Stepper(trainer.objective, plan.optimizer, plan.scale_lr)
    after = stepper.step(state, plan.stages[0], gradient, nodes, 1.0)
    found = [x for part in ((after.points,), after.moments) for arrays in part for x in arrays]
    for a, b in zip(before, found, strict=True):
        np.testing.assert_array_equal(a[rest], b[rest])
        assert (a[nodes] != b[nodes]).any()


def test_an_epoch_writes_nothing_into_the_state_before() -> None:
    """A rollback needs it, also in the middle of an epoch with batches."""
    trainer = Trainer(TREE, H2, BATCHED)
    state = trainer.step(trainer.init(0))
    arrays = [*state.points, *state.best_points, state.log_scales, *state.moments[0], *state.scale_moments]
    copies = [a.copy() for a in arrays]
    trainer.step(state)
    for a, copy in zip(arrays, copies, strict=True):
        np.testing.assert_array_equal(a, copy)


def test_the_gradient_is_that_of_a_sum_over_nodes() -> None:
    """A loss is a mean; clipping at a fixed length then means the same for batches of any size."""
    plan = replace(plan_of("stress", 1), optimizer=RSGD(0.01), scale_lr=1e-9)
    trainer = Trainer(TREE, H2, plan)
    state = trainer.init(0)
    gradient = trainer.objective.all_pairs(as_loss("stress"), state.points, state.log_scales)
    moved = trainer.step(state).points[0]
    np.testing.assert_allclose(
        moved, H2.factors[0].exp(state.points[0], -0.15 * gradient.points[0]), rtol=1e-12
    )
