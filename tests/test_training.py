"""Training: good embeddings, scales, schedules, and any kind of graph."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from training_helpers import H2, TREE, failing, losses, plan_of

from riemap import Dissimilarities, Graph, embed, evaluate, generate
from riemap.losses import RSNE, Loss, Schedule, as_loss
from riemap.optim import RSGD, RAdam
from riemap.training import Plan, Stage, Stop, Trainer, fit

pytestmark = pytest.mark.usefixtures("one_thread")


def test_a_tree_fits_the_hyperbolic_plane() -> None:
    """0.056 with this seed, and 0.062 with the worst of the next; the flat plane has 0.092."""
    curved, even = (
        evaluate(embed(TREE, space, loss="ad", epochs=500).embedding, TREE).as_json()["scores"]["ad"]
        for space in ("H2", "E2")
    )
    assert curved < 0.065 < even


def test_a_product_learns_its_scales() -> None:
    """A path in H2 x E1: the two scales end up different."""
    found = embed(generate("path(n=12)"), "H2 x E1", loss="ad", epochs=200).embedding
    assert found.log_scales.shape == (2,)
    assert abs(found.log_scales[0] - found.log_scales[1]) > 1e-3


def test_scales_stay_where_they_are_frozen() -> None:
    result = fit(TREE, H2, plan_of("stress", 5, scales=False))
    assert result.embedding.log_scales.tolist() == [0.0]
    assert fit(TREE, H2, plan_of("stress", 5)).embedding.log_scales.tolist() != [0.0]


def test_a_stage_may_begin_by_rescaling() -> None:
    """The first loss is that of the best factor on all distances; none of those tried is better."""
    result = fit(TREE, H2, plan_of("stress", 1, rescale=True))
    trainer = Trainer(TREE, H2, result.plan)
    state = trainer.init(0)
    values = [
        trainer.objective.value(as_loss("stress"), state.points, np.array([shift]))
        for shift in np.arange(-14, 14.5, 0.5)
    ]
    assert losses(result) == [pytest.approx(min(values))]
    assert losses(fit(TREE, H2, plan_of("stress", 1)))[0] > 2.0 * min(values)


def test_a_rescale_leaves_the_scales_if_the_loss_is_nan_for_every_factor() -> None:
    loss = failing(lambda call: call <= 57)  # every factor that is tried
    found = losses(fit(TREE, H2, plan_of(loss, 3, rescale=True)))
    assert found == pytest.approx(losses(fit(TREE, H2, plan_of("stress", 3))), rel=1e-12)


@pytest.mark.parametrize(
    "graph",
    [
        nx.balanced_tree(2, 3),
        "tree(r=2,h=3)",
        generate("tree(r=2,h=3)"),
        Graph.from_edges([(i, i + 1) for i in range(9)], [1.0, 2.5, 1.0, 0.5, 3.0, 1.0, 2.0, 1.0, 1.0]),
        Dissimilarities(
            np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0))) ** 0.7, tuple("abcdef"), "roots"
        ),
    ],
    ids=["networkx", "text", "graph", "weighted", "dissimilarities"],
)
@pytest.mark.parametrize("loss", ["stress", "neighbourhood"])
def test_embeds_whatever_has_distances(graph: object, loss: str) -> None:
    result = embed(graph, "E2", loss=loss, epochs=60)
    assert result.stop is Stop.FINISHED
    assert len(result.history) == 60
    last = [record.loss for record in result.history if record.stage == 1]
    assert last[-1] < 0.5 * last[0]  # scales alone, without moving a point, would gain 2 %
    assert result.embedding.labels == getattr(graph, "labels", tuple(range(15)))


def test_a_file_is_embedded_too(tmp_path: Path) -> None:
    path = tmp_path / "line.edges"
    path.write_text("a b\nb c\nc d\n")
    assert set(embed(path, "E1", epochs=3).embedding.labels) == {"a", "b", "c", "d"}


def test_another_optimizer_takes_the_place_of_the_presets() -> None:
    result = embed(TREE, "H2", optimizer="rsgd(lr=0.05)", epochs=8)
    assert result.plan.optimizer == RSGD(0.05)
    assert max(record.lr for record in result.history) <= 0.05


def test_the_loss_follows_its_schedule() -> None:
    """The value of the first epoch is that of the first temperature, and of the last the last."""
    values: list[str] = []

    class Watched(RSNE):  # type: ignore[misc]
        def at_progress(self, progress: float) -> Loss:
            values.append(f"{progress:.3f}")
            return super().at_progress(progress)

    fit(TREE, H2, Plan((Stage(Watched(Schedule(0.5, 0.1)), 5),), RAdam(0.1), 0.1))
    assert [v for v in values if v not in ("0.000", "1.000")] == ["0.250", "0.500", "0.750"]
    hot, cold = (fit(TREE, H2, plan_of(f"rsne(T={T})", 1)).history[0].loss for T in (0.5, 0.1))
    annealed = fit(TREE, H2, plan_of("rsne(T=0.5->0.1)", 2))
    assert annealed.history[0].loss == hot
    assert annealed.history[1].loss != cold
    trainer = Trainer(TREE, H2, annealed.plan)
    points, scales = annealed.embedding.points, annealed.embedding.log_scales
    # Values at different temperatures are not comparable: the last epoch counts, not the least.
    assert trainer.objective.value(as_loss("rsne(T=0.1)"), points, scales) == annealed.history[1].loss
