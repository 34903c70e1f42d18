"""Plans and presets: stages, epochs and learning rates."""

import math
from dataclasses import replace

import numpy as np
import pytest
from training_helpers import H2, TREE

from riemap import Space, embed, evaluate, generate
from riemap.errors import InputError
from riemap.losses import RSNE, Schedule, as_loss
from riemap.optim import RAdam
from riemap.training import (
    PRESETS,
    Plan,
    Stage,
    Trainer,
    default_plan,
    landmark_plan,
    paper_plan,
    preset_plan,
    steady_plan,
)
from riemap.training.landmark_plans import plan_among_landmarks, shrinking
from riemap.training.plan import WaitName
from riemap.training.steps import MOST_SCALED_LR
from riemap.types import Array

pytestmark = pytest.mark.usefixtures("one_thread")


def test_the_paper_burns_in_from_hot_to_cold() -> None:
    plan = paper_plan(as_loss("rsne(T=0.02,exclusive=true)"), 1000)
    *burn_in, last = plan.stages
    assert [stage.epochs for stage in burn_in] == [10] * 4
    assert [stage.loss.T.start for stage in burn_in] == pytest.approx([0.08, 0.06, 0.04, 0.02])
    assert {stage.loss.exclusive for stage in burn_in} == {True}
    assert {(stage.lr_factor, stage.scales, stage.schedule) for stage in burn_in} == {
        (0.1, False, "constant")
    }
    assert (last.epochs, last.lr_factor, last.scales, last.schedule) == (3000, 1.0, True, "plateau")
    assert (plan.optimizer, plan.scale_lr) == (RAdam(0.01, clip=100.0), 0.01)
    assert {stage.batch for stage in plan.stages} == {512}
    assert [stage.loss for stage in paper_plan(as_loss("ad"), 9).stages] == [as_loss("ad")] * 5


def test_the_steady_preset_holds_the_scales_first_and_moves_them_slowly_then() -> None:
    """Otherwise it is the default, for large graphs and small ones."""
    for loss, n in (("ad", 100), ("rsne(T=0.2->0.02)", 5000)):
        usual, steady = default_plan(as_loss(loss), n), steady_plan(as_loss(loss), n)
        assert [stage.scales for stage in steady.stages] == [False, True]
        assert steady.scale_lr == 0.01
        stages = tuple(replace(stage, scales=True) for stage in steady.stages)
        assert replace(steady, stages=stages, scale_lr=usual.scale_lr) == usual
    assert [stage.scales for stage in steady_plan(as_loss("ad"), 100, 3).stages] == [True], (
        "nothing to unfold"
    )


def test_a_sum_with_edges_is_trained_from_coarse_to_fine() -> None:
    """A large graph has batches before all pairs; a small one has all pairs at once."""
    loss = as_loss("ad + 0.5*edges")
    small, large = default_plan(loss, 1000), default_plan(loss, 5000)
    assert [str(stage.loss) for stage in small.stages] == ["rsne(T=0.2->0.02)", "ad + 0.5*edges"]
    assert [str(s.loss) for s in large.stages] == [
        "rsne(T=0.2->0.002)",
        "ad + edges(T=1->0.2)",
        "ad + 0.5*edges(T=0.2->0.03)",
    ]
    for usual, n in ((small, 1000), (large, 5000)):
        cooling, last = landmark_plan(usual, n, 10).stages
        assert str(cooling.loss) == "rsne(T=0.02->0.002)"
        assert str(last.loss) == "ad + 0.5*edges", "no batches come before"
    assert (cooling.waits, last.waits, last.hyperbolic_rate, last.rescale) == ("all", "none", 0.1, True)
    among = plan_among_landmarks(landmark_plan(large, 5000, 10), 100)
    assert shrinking(among) == 0.02, "rounds go on where the landmarks' temperature ends"
    assert shrinking(default_plan(as_loss("stress"), 100)) == 1.0
    for chosen in map(as_loss, ("ad + 0.5*edges(T=2->0.1)", "ad + 0.5*edges(T=0.2->0.03)")):
        given = default_plan(chosen, 5000)
        for plan in (given, landmark_plan(given, 5000, 10)):
            assert plan.stages[-1].loss == chosen, "the user's temperature stays"
    assert [stage.batch for stage in large.stages] == [512, 512, None]
    assert [stage.rescale for stage in small.stages + large.stages] == [False, True, False, True, False]
    assert [stage.scales for stage in steady_plan(loss, 5000).stages] == [False, True, True]
    assert [stage.hyperbolic_rate for stage in small.stages + large.stages] == [1.0, 1.0, 1.0, 0.1, 0.1]
    assert [s.waits for s in small.stages + large.stages] == ["none", "none", "hyperbolic", "none", "none"]
    assert len(default_plan(as_loss("edges"), 5000).stages) == 2, "without lengths there is nothing to divide"
    assert default_plan(loss, 10**5).stages[-1].epochs == 40, (
        "a stage over all pairs of a large graph is short"
    )


def test_scales_wait_in_a_stage_that_says_so() -> None:
    """They start where the manifold says and stay there; a scale that does not wait starts at one."""
    waiting = [-2.0, 0.5, -3.0, 0.0]
    counts: dict[WaitName, int] = {"none": 0, "hyperbolic": 1, "all": 3}
    for waits, count in counts.items():
        plan = Plan((Stage(as_loss("stress"), 1, waits=waits),), RAdam(0.1), scale_lr=0.1)
        trainer = Trainer(TREE, Space.parse("H2 x Stein2 x SPD2 x S2"), plan)
        state = trainer.init(0)
        assert state.log_scales.tolist() == waiting[:count] + [0.0] * (4 - count)
        moved = trainer.step(state).log_scales
        assert moved[:count].tolist() == waiting[:count]
        assert (moved[count:] != 0.0).all()
    with pytest.raises(InputError, match="waits='some' of a stage is not one of none, hyperbolic, all"):
        Stage(as_loss("ad"), 1, waits="some")  # type: ignore[arg-type]


def test_the_scales_of_hyperbolic_factors_are_slow() -> None:
    """They move less in a stage of rate 0.1, and other scales do not."""
    moved = []
    for rate in (0.1, 1.0):
        stage = Stage(as_loss("stress"), 1, hyperbolic_rate=rate)
        trainer = Trainer(TREE, Space.parse("H2 x S2"), Plan((stage,), RAdam(0.1), scale_lr=0.1))
        moved.append(trainer.step(trainer.init(0)).log_scales)
    assert moved[0][0] == pytest.approx(0.1 * moved[1][0], rel=1e-9)
    assert moved[0][1] == moved[1][1] != 0.0
    with pytest.raises(InputError, match="hyperbolic_rate=2 of a stage is not between 0 and 1"):
        Stage(as_loss("ad"), 1, hyperbolic_rate=2.0)


def test_the_learning_rate_of_a_stage_may_follow_the_scale_of_a_factor() -> None:
    """A first step is as long as the learning rate; at a scale of 1/16 four times that, within bounds."""
    space = Space.parse("H2 x S2")
    wide = [-2.0 * math.log(4.0)] * 2, [4.0, 1.0]
    wider, narrow = ([-6.0] * 2, [MOST_SCALED_LR, 1.0]), ([2.0] * 2, [1.0, 1.0])
    for log_scales, lengths in (wide, wider, narrow):
        stage = Stage(as_loss("stress"), 1, scaled_lr=True)
        trainer = Trainer(TREE, space, Plan((stage,), RAdam(0.01), scale_lr=0.1))
        state = trainer.init(0)._replace(log_scales=np.array(log_scales))
        moved = trainer.step(state)
        for m, x, y, length in zip(space.factors, state.points, moved.points, lengths, strict=True):
            np.testing.assert_allclose(np.sqrt(m.sqdist(x, y)), 0.01 * length, rtol=1e-5)
    for loss, n, scaled in (
        ("ad + 0.5*edges", 1448, True),
        ("ad + 0.5*edges", 1449, False),
        ("ad", 100, False),
    ):
        plan = default_plan(as_loss(loss), n)
        assert [stage.scaled_lr for stage in plan.stages] == [scaled] * len(plan.stages)
        assert not any(stage.scaled_lr for stage in landmark_plan(plan, n, 10).stages)
        assert ("scaled_lr" in str(plan.as_json())) == scaled, "runs with other plans have other ids"


def test_a_star_does_not_diverge() -> None:
    """Its leaves go to the end of what matrices can tell apart; warnings are errors in tests."""
    star = generate("star(n=100)")
    assert evaluate(embed(star, "SPD2").embedding, star).values["ad"] < 0.05


def test_the_scale_of_matrices_stays_where_distances_keep_their_digits() -> None:
    """A loss that is least where all distances are zero would lower it without end."""

    def shorter(target: Array, sqdist: Array) -> tuple[float, Array]:
        return float(sqdist.mean()), np.full_like(sqdist, 1.0 / sqdist.size)

    plan = Plan((Stage(as_loss(shorter), 60),), RAdam(1e-9), scale_lr=1.0)
    found = {}
    for space in ("Stein2", "SPD2", "LogSPD2"):
        trainer = Trainer(TREE, Space.parse(space), plan)
        state = trainer.init(0)
        for _ in range(plan.epochs):
            state = trainer.step(state)
        found[space] = state.log_scales[0]
    assert (found["Stein2"], found["SPD2"]) == (-4.0, -8.0)
    assert found["LogSPD2"] < -8.0


def test_the_steady_preset_keeps_the_scales_at_one_while_the_graph_unfolds() -> None:
    """The default learns them from the first epoch on."""
    log_scales = {}
    for preset in ("default", "steady"):
        trainer = Trainer(TREE, H2, preset_plan(preset, as_loss("ad"), TREE.n, 40))
        state = trainer.init(0)
        while state.epoch < trainer.plan.stages[0].epochs:
            state = trainer.step(state)
        log_scales[preset] = state.log_scales[0]
    assert log_scales["default"] != 0.0
    assert log_scales["steady"] == 0.0


def test_small_graphs_start_from_a_layout_if_the_loss_has_edges() -> None:
    """Runs of other plans have the bytes and the ids that they had."""
    for loss, n, start in (("both", 100, "layout"), ("both", 5000, "ball"), ("ad", 100, "ball")):
        for plan in (default_plan(as_loss(loss), n), steady_plan(as_loss(loss), n)):
            assert (plan.initialisation, plan.radius) == (start, 0.1)
            assert ("initialisation" in plan.as_json()) == (start == "layout")
            assert landmark_plan(plan, n, 10).initialisation == "ball"
    one_stage = default_plan(as_loss("both"), 100, 3)
    assert (one_stage.initialisation, len(one_stage.stages)) == ("layout", 1)
    assert paper_plan(as_loss("both"), 100).initialisation == "ball"
    with pytest.raises(InputError, match="initialisation='here' of a plan is not one of ball, layout"):
        replace(paper_plan(as_loss("ad"), 100), initialisation="here")


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("epochs", [1, 3, 4, 7, 39, 40, 41, 50, 500])
def test_a_plan_has_as_many_epochs_as_asked_for(preset: str, epochs: int) -> None:
    plan = preset_plan(preset, as_loss("ad"), 100, epochs)
    assert plan.epochs == epochs
    assert all(stage.epochs > 0 for stage in plan.stages)
    assert [plan.stage(e)[1:] for e in (0, epochs - 1)] == [
        (plan.stages[0], 0),
        (plan.stages[-1], plan.stages[-1].epochs - 1),
    ]
    with pytest.raises(IndexError):
        plan.stage(epochs)


def test_larger_graphs_get_fewer_epochs() -> None:
    counts = [default_plan(as_loss("ad"), n).epochs for n in (100, 1000, 4000, 20000, 200_000)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == 2000
    assert counts[-1] == 400
    assert len(set(counts)) > 2


def test_of_larger_graphs_lengths_are_sampled_and_neighbours_are_not() -> None:
    for loss, batch in (
        ("ad", 512),
        ("rsne(T=0.2)", 512),
        ("rsne(T=0.2->0.01)", None),
        ("ad + rsne(T=0.05)", None),
        ("stress + 0.2*rsne(T=1)", 512),
        ("neighbourhood", None),
    ):
        plan = default_plan(as_loss(loss), 5000)
        assert [stage.batch for stage in plan.stages] == [512, batch]


def test_a_default_unfolds_first() -> None:
    plan = default_plan(as_loss("ad"), 100, 100)
    assert plan.stages[0].loss == RSNE(Schedule(0.2, 0.2))
    assert plan.stages[1].loss == as_loss("ad")
    assert plan.stages[1].rescale
    assert [stage.batch for stage in plan.stages] == [None, None]
    likelihood = default_plan(as_loss("neighbourhood"), 100, 100)  # is flat where all points are far apart
    assert not likelihood.stages[1].rescale


def test_a_cosine_rises_falls_and_ends_near_zero() -> None:
    stage = Stage(as_loss("ad"), 200, lr_factor=0.5, schedule="cosine")
    rates = [stage.lr_factor_at(epoch) for epoch in range(200)]
    assert rates[0] == pytest.approx(0.5 / 20)
    assert max(rates) == pytest.approx(0.5, rel=0.05)
    assert 0.0 < rates[-1] < 1e-4
    top = rates.index(max(rates))
    assert rates[: top + 1] == sorted(rates[: top + 1])
    assert rates[top:] == sorted(rates[top:], reverse=True)
    assert Stage(as_loss("ad"), 200, lr_factor=0.5).lr_factor_at(150) == 0.5


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"epochs": 0}, "epochs=0 is not a whole number from 1 up"),
        ({"batch": 0}, "batch=0 is not a whole number from 1 up"),
        ({"lr_factor": -1.0}, "lr_factor=-1 of a stage is not positive"),
        ({"schedule": "linear"}, "schedule='linear' of a stage is not one of constant, cosine, plateau"),
    ],
)
def test_a_stage_that_cannot_be_is_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Stage(as_loss("ad"), **{"epochs": 5, **options})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"preset": "papr"},
            "no preset is called 'papr'; did you mean 'paper'? There are default, steady, paper",
        ),
        ({"epochs": 0}, "epochs=0 is not a number of epochs"),
        ({"loss": "rsn"}, "no loss is called 'rsn'; did you mean 'rsne'?"),
        ({"optimizer": "radam(lr=0)"}, "lr=0 is not positive"),
        (
            {"space": "E15"},
            "E15 has 15 dimensions and tree(r=2,h=3) 15 nodes; take fewer dimensions than nodes",
        ),
        ({"space": "H8 x E8"}, "16 dimensions"),
        ({"seed": -1}, "seed=-1 is negative; a seed is a whole number from 0 up"),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(InputError) as caught:
        embed(TREE, **{"space": "H2", **given})
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
