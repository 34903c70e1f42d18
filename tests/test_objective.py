"""The objective: its gradient is right, and blocks and batches give what all pairs give."""

import numpy as np
import pytest
from tolerances import GRADIENT_DERIVATIVE, GRADIENT_REORDERED
from training_helpers import H2, PRODUCT, TREE, failing

from riemap import Space, Target
from riemap.losses import as_loss
from riemap.training import objective
from riemap.training.objective import LossGradient, Objective
from riemap.types import Array

pytestmark = pytest.mark.usefixtures("one_thread")

LOSSES = ["stress", "rsne(T=0.1) + 0.3*ad", "rsne(T=0.3,exclusive=true)", "neighbourhood", "distortion"]


def start(space: Space, n: int = 15) -> tuple[tuple[Array, ...], Array, np.random.Generator]:
    rng = np.random.default_rng(3)
    return space.random(rng, n, 0.7), rng.normal(0.0, 0.3, len(space.factors)), rng


def assert_same(a: LossGradient, b: LossGradient, tolerance: float = GRADIENT_REORDERED) -> None:
    assert a.value == pytest.approx(b.value, rel=tolerance)
    for u, v in zip((*a.points, a.log_scales), (*b.points, b.log_scales), strict=True):
        np.testing.assert_allclose(u, v, rtol=tolerance, atol=tolerance * np.abs(v).max())


@pytest.mark.parametrize("loss", LOSSES)
def test_gradient_is_the_slope_along_geodesics(loss: str) -> None:
    """For points in every factor and for log-scales. Each point is in a row and in a column."""
    target, (x, scales, rng) = Target.of(TREE), start(PRODUCT)
    chosen, whole = as_loss(loss).for_target(target.least), Objective(PRODUCT, target)
    gradient = whole.all_pairs(chosen, x, scales)
    h = 1e-6
    for k, m in enumerate(PRODUCT.factors):
        u = m.to_tangent(x[k], rng.standard_normal(x[k].shape))
        ends = [whole.value(chosen, (*x[:k], m.exp(x[k], s * u), *x[k + 1 :]), scales) for s in (h, -h)]
        expected = float(m.inner(x[k], gradient.points[k], u).sum())
        assert (ends[0] - ends[1]) / (2 * h) == pytest.approx(expected, rel=GRADIENT_DERIVATIVE, abs=1e-7), m
        step = h * np.eye(len(scales))[k]
        ends = [whole.value(chosen, x, scales + s * step) for s in (1.0, -1.0)]
        assert (ends[0] - ends[1]) / (2 * h) == pytest.approx(
            gradient.log_scales[k], rel=GRADIENT_DERIVATIVE, abs=1e-7
        ), m


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("block", [1, 31, 110, 224])
def test_blocks_of_rows_give_the_whole(loss: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One row at a time, or a few: the same gradients, and the same as of a batch of all nodes."""
    target, (x, scales, _) = Target.of(TREE), start(PRODUCT)
    chosen = as_loss(loss).for_target(target.least)
    expected = Objective(PRODUCT, target).all_pairs(chosen, x, scales)
    assert_same(Objective(PRODUCT, target).batch(chosen, x, scales, np.arange(TREE.n)), expected)
    monkeypatch.setattr(objective, "BLOCK_PAIRS", block)
    for limit in ("DENSE_PAIRS", "DENSE_PAIRS_COMPARING_ROWS"):
        monkeypatch.setattr(objective, limit, 0)
    whole = Objective(PRODUCT, target)
    assert {len(range(*b.indices(15))) for b in whole._slices()} <= set(range(1, max(1, block // 15) + 1))
    assert_same(whole.all_pairs(chosen, x, scales), expected)
    assert_same(
        whole.all_pairs(chosen, x, scales), expected
    )  # again, with buffers that hold the numbers of the last call


def test_a_function_is_given_all_rows_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    target, (x, scales, _) = Target.of(TREE), start(H2)
    for limit in ("DENSE_PAIRS", "DENSE_PAIRS_COMPARING_ROWS"):
        monkeypatch.setattr(objective, limit, 0)
    given = Objective(H2, target).all_pairs(as_loss(failing(lambda _: False)), x, scales)
    assert_same(given, Objective(H2, target).all_pairs(as_loss("stress"), x, scales))


def test_a_batch_is_the_whole_of_its_nodes() -> None:
    nodes = np.array([1, 4, 5, 9])
    target, (x, scales, _) = Target.of(TREE), start(H2)
    some = tuple(p[nodes] for p in x)
    found = Objective(H2, target).batch(as_loss("ad"), some, scales, nodes)
    value, weights = as_loss("ad")(target.block(nodes), H2.pairwise(some, some, scales))
    assert_same(found, LossGradient(value, *H2.gradient(some, weights, scales)))
