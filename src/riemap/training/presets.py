"""Presets: ready-made plans of training.

``default`` is ours; ``benchmarks/quality.py`` has the measurements behind it. ``steady`` learns the scales
later and more slowly, for graphs on which they diverge with the default. ``paper`` is the protocol of
[Cruceru2021, app. F], with details taken from the authors' code.

References
----------
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph embeddings.
    AAAI 2021.
"""

from collections.abc import Callable
from dataclasses import replace

from riemap.distances import walks
from riemap.errors import InputError
from riemap.losses import RSNE, Edges, Loss, Schedule, Sum, Walks
from riemap.losses.sums import coarse_and_fine
from riemap.optim import RAdam
from riemap.optim.radam import Betas
from riemap.specs import expect, shown, suggestion, whole_number
from riemap.training.plan import Plan, Stage

DEFAULT_PAIRS = 6e9
"""Number of pairs that a run of the default visits, unless that is fewer or more epochs than the next two."""

FEWEST_EPOCHS, MOST_EPOCHS = 400, 2000
"""Bounds on the number of epochs of the default: large graphs get fewer epochs."""

ALL_PAIRS_NODES = 1448
"""Largest number of nodes for which every step of the default takes all pairs: about 2²¹ of them."""

BATCH_NODES = 512
"""Number of nodes in a batch, in the paper and for larger graphs in the default."""

BATCH_LR_FACTOR = 3.0
"""Factor of the learning rate in stages with batches: with many steps in an epoch it is stable and faster."""

FINE_SHARE, FEWEST_FINE_EPOCHS = 0.2, 40
"""Share of the default's work that goes into all pairs of a graph with batches, and the fewest epochs."""

UNFOLDING_TEMPERATURE = Schedule(0.2, 0.2)
"""Temperature of the RSNE that unfolds the graph: high, so that all nodes count and not only the nearest."""

COOLING, COOLING_IN_BATCHES = Schedule(0.2, 0.02), Schedule(0.2, 0.002)
"""The same before a sum with edges: in the end near nodes are near each other, which a loss of lengths keeps.

In H3, one seed, with ``ad`` after it: web-edu F1@1 68.9 % and AD 0.043 instead of 14.4 % and 0.056. Over all
pairs, the lower end makes a mesh of a sphere miss its shape in Gr(2,4), AD 0.060 instead of 0.039. Plans
without edges have the temperature above, as the runs of the paper's tables had it."""

EDGES_IN_BATCHES, COOL_EDGES = Edges(Schedule(1.0, 0.2)), Edges(Schedule(0.2, 0.03))
"""The term of edges in batches, and over all pairs after them, unless the user gives its temperature.

A stage over all pairs that started at 1 would tear apart what is in order by then: facebook in Stein2 had AUC
91.8 % and AD 0.093 instead of 96.0 % and 0.090. Without edges in batches, web-edu in E6 has F1@1 74.2 % and
AUC 89.5 %; with them 75.0 % and 90.0 %, or with twice their weight in batches 77.7 % and 90.5 %."""

BATCH_EDGES_FACTOR = 2.0
"""Factor of the weight of edges in batches, where the nearest other node is farther."""

HYPERBOLIC_RATE = 0.1
"""Factor of the learning rate of hyperbolic scales, in a plan with three stages, after the graph is unfolded;
until then they wait. For csphd, all pairs, AD was 7 % larger with that."""

WALK_BATCH_NODES = 1024
"""Number of nodes in a batch of the loss ``walks``. On pubmed in H16, the ROC AUC of validation links by
distance was 90.3, 90.5 and 89.6 % with 512, 1,024 and 4,096 (seed 0), and 90.7, 91.0 and 91.0 % with 512,
1,024 and 2,048 (seed 1)."""

WALK_EPOCHS = 50
"""Number of epochs with walks. On cora in H16, the ROC AUC of validation links by distance was 91.7 % after
37 epochs, 91.1 % after 75 and 91.0 % after 125 (one seed): more epochs do not help."""

PAPER_EPOCHS, BURN_IN_EPOCHS = 3040, 10
"""Number of epochs of the paper's protocol, and of each of its four stages of burn-in."""


def default_plan(loss: Loss, n: int, epochs: int | None = None) -> Plan:
    """Make the plan of the preset ``default``.

    A quarter of the work goes into RSNE at a high temperature, the rest into the loss. Losses that compare
    lengths would, from points close together, end in a crumpled embedding. RSNE at a high temperature unfolds
    the graph as a whole, and its result is a good start for any loss.

    A small graph takes all pairs in every step. A larger one takes batches of nodes: random nodes are a fair
    sample of lengths, and many more steps fit into the same time. Losses that depend on nearest neighbours
    take all pairs on graphs of any size, since a batch holds few of them. A sum with ``edges`` does both:
    it is trained in batches first, and then takes all pairs. The loss ``walks`` has a plan of its own, with
    few epochs, and with batches above 6,000 nodes.

    Parameters
    ----------
    loss
        The loss to minimise in the end.
    n
        Number of nodes.
    epochs
        Number of epochs; ``None`` chooses it by the number of nodes.

    Returns
    -------
    Plan
        Two or three stages; one if there are fewer than four epochs.

    Examples
    --------
    >>> from riemap.losses import as_loss
    >>> [(str(stage.loss), stage.epochs) for stage in default_plan(as_loss("ad"), 100).stages]
    [('rsne(T=0.2)', 500), ('ad', 1500)]
    >>> [(str(stage.loss), stage.batch) for stage in default_plan(as_loss("ad + edges"), 5000).stages]
    [('rsne(T=0.2->0.002)', 512), ('ad + 2*edges(T=1->0.2)', 512), ('ad + edges(T=0.2->0.03)', None)]
    """
    n, epochs = _checked(loss, n, epochs)
    if isinstance(loss, Walks):
        return _walk_plan(n, WALK_EPOCHS if epochs is None else epochs)
    some = BATCH_NODES if n > ALL_PAIRS_NODES else None
    unfold = _epochs(0.25, n, some) if epochs is None else epochs // 4
    far, _ = coarse_and_fine(loss)
    fine = 0 if some is None or far is loss else _fine_epochs(n) if epochs is None else epochs // 4
    main = with_term_replaced(loss, Edges(), EDGES_IN_BATCHES, BATCH_EDGES_FACTOR) if fine else loss
    batch = None if main.needs_near_pairs and not fine else some
    length = _epochs(0.75, n, batch) if epochs is None else epochs - unfold - fine
    stages = [
        Stage(main, length, _batch_lr_factor(batch), "cosine", rescale=far.least_at_target, batch=batch)
    ]
    if fine:
        stages.append(Stage(with_term_replaced(loss, Edges(), COOL_EDGES), fine, schedule="cosine"))
        stages = [replace(stage, hyperbolic_rate=HYPERBOLIC_RATE) for stage in stages]
    if unfold:
        cooling = COOLING if some is None else COOLING_IN_BATCHES
        rsne = RSNE(UNFOLDING_TEMPERATURE if far is loss else cooling)
        first = Stage(rsne, unfold, _batch_lr_factor(some), "cosine", batch=some)
        stages.insert(0, replace(first, waits="hyperbolic" if fine else "none"))
    plan = Plan(tuple(stages), RAdam(0.1, Betas(0.9, 0.99)), scale_lr=0.1)
    if some is not None or far is loss:  # plans without edges stay those of the paper's tables
        return plan
    # tree(r=2,h=5) in H3: AD 0.017 instead of 0.022
    scaled = tuple(replace(stage, scaled_lr=True) for stage in stages)
    return replace(plan, stages=scaled, initialisation="layout")


def _walk_plan(n: int, epochs: int) -> Plan:
    """Make the plan for the loss ``walks``: a fifth of the epochs unfold the graph, by walks too."""
    batch = WALK_BATCH_NODES if n > walks.EXACT_NODES else None
    unfold = epochs // 5
    stages = [Stage(Walks(), epochs - unfold, 1.0, "cosine", batch=batch)]
    if unfold:
        stages.insert(0, Stage(RSNE(UNFOLDING_TEMPERATURE), unfold, 1.0, "cosine", batch=batch))
    return Plan(tuple(stages), RAdam(0.1), scale_lr=0.1)


def steady_plan(loss: Loss, n: int, epochs: int | None = None) -> Plan:
    """Make the plan of the preset ``steady``.

    It is the default, but the scales stay at one until the graph is unfolded, and are then learned at a tenth
    of the rate: in a hyperbolic space the scale that a large graph with hubs learns may fall without end.

    Parameters
    ----------
    loss
        The loss to minimise in the end.
    n
        Number of nodes.
    epochs
        Number of epochs; ``None`` chooses it by the number of nodes.

    Returns
    -------
    Plan
        Two stages; one if there are fewer than four epochs.
    """
    plan = default_plan(loss, n, epochs)
    first, *others = plan.stages
    held = replace(first, scales=not others)
    return replace(plan, stages=(held, *others), scale_lr=plan.scale_lr / 10.0)


def _checked(loss: Loss, n: int, epochs: int | None) -> tuple[int, int | None]:
    """Check what a preset is given; return the number of nodes and of epochs."""
    expect(loss, Loss, "a loss", "riemap.losses.as_loss('stress') makes one")
    nodes = whole_number("n", n, 1, 100, "number of nodes")
    return nodes, None if epochs is None else whole_number("epochs", epochs, 1, 500, "number of epochs")


def _epochs(share: float, n: int, batch: int | None) -> int:
    """Return the number of epochs for a share of the default's work, within the bounds."""
    pairs = 0.5 * n * (n if batch is None else batch)
    return int(share * min(max(DEFAULT_PAIRS / pairs, FEWEST_EPOCHS), MOST_EPOCHS))


def _fine_epochs(n: int) -> int:
    """Return the number of epochs over all pairs in which a graph with batches learns its edges."""
    return int(
        min(max(FINE_SHARE * DEFAULT_PAIRS / (0.5 * n * n), FEWEST_FINE_EPOCHS), FINE_SHARE * MOST_EPOCHS)
    )


def with_term_replaced(loss: Loss, old: Loss, new: Loss, factor: float = 1.0) -> Loss:
    """Replace a term of a sum by another, with a factor, if it is there."""
    if not isinstance(loss, Sum):
        return loss
    return Sum(tuple((w * factor, new) if part == old else (w, part) for w, part in loss.terms))


def _batch_lr_factor(batch: int | None) -> float:
    return 1.0 if batch is None else BATCH_LR_FACTOR


def paper_plan(loss: Loss, n: int, epochs: int | None = None) -> Plan:
    """Make the plan of the preset ``paper``.

    RAdam at 0.01 with batches of 512 nodes: 40 epochs of burn-in at a tenth of the learning rate, with
    decreasing temperatures and fixed scales; then 3,000 epochs, or fewer if plateaus bring the learning rate
    below 1e-5.

    Parameters
    ----------
    loss
        The loss to minimise.
    n
        Number of nodes; this plan does not depend on it.
    epochs
        Number of epochs, of which at most 40 are burn-in; ``None`` takes 3,040.

    Returns
    -------
    Plan
        Five stages; one if there are fewer than five epochs.
    """
    n, epochs = _checked(loss, n, epochs)
    epochs = PAPER_EPOCHS if epochs is None else epochs
    each = min(BURN_IN_EPOCHS, epochs // 5)  # fewer if there are fewer than fifty epochs in all
    heated = _heated(loss) if each else []
    burn_in = [Stage(hot, each, lr_factor=0.1, scales=False, batch=BATCH_NODES) for hot in heated]
    last = Stage(loss, epochs - 4 * each, schedule="plateau", batch=BATCH_NODES)
    return Plan((*burn_in, last), RAdam(0.01), scale_lr=0.01)


def _heated(loss: Loss) -> list[Loss]:
    """Return the loss at four, three, two and one times its temperature, if it has one."""
    if not isinstance(loss, RSNE):
        return [loss] * 4
    return [replace(loss, T=Schedule(k * loss.T.start, k * loss.T.end)) for k in (4, 3, 2, 1)]


PRESETS: dict[str, Callable[[Loss, int, int | None], Plan]] = {
    "default": default_plan,
    "steady": steady_plan,
    "paper": paper_plan,
}
"""The function that makes the plan of each preset."""


def preset_plan(preset: str, loss: Loss, n: int, epochs: int | None = None) -> Plan:
    """Make the plan of a preset.

    Parameters
    ----------
    preset
        ``"default"``, ``"steady"`` or ``"paper"``.
    loss
        The loss to minimise.
    n
        Number of nodes.
    epochs
        Number of epochs; ``None`` takes the preset's own.

    Returns
    -------
    Plan
        The plan.

    Raises
    ------
    InputError
        If there is no such preset, or the number of epochs is not positive.
    """
    expect(preset, str, "the name of a preset", f"there are {', '.join(PRESETS)}")
    if preset not in PRESETS:
        raise InputError(
            f"no preset is called {shown(preset)}{suggestion(preset, PRESETS)} There are {', '.join(PRESETS)}"
        )
    return PRESETS[preset](loss, n, epochs)
