"""Plans of training with landmarks, for large graphs."""

from dataclasses import replace

from riemap.losses import RSNE, Edges, Stress
from riemap.losses.schedule import Schedule
from riemap.training.plan import Plan, Stage
from riemap.training.presets import (
    BATCH_LR_FACTOR,
    COOL_EDGES,
    COOLING,
    HYPERBOLIC_RATE,
    default_plan,
    with_term_replaced,
)
from riemap.training.round_tasks import UNDIVIDED_STEPS
from riemap.training.sampled_objective import BLOCK_LANDMARKS

LANDMARK_PAIRS = 5e9
"""Number of pairs of a node and a landmark that a run with landmarks visits, if the next bounds allow it.
With half of them, 195 steps of each node, a hyperbolic graph of 100,000 nodes in H3 had AD 0.090 and F1@1
16 %; after 400 steps 0.079 and 25 %."""

FEWEST_STEPS, MOST_STEPS = 300, 1600
"""Bounds on the number of steps of a node against landmarks. A hyperbolic graph of 10,000 nodes in H3: AD
0.086 after 100, 0.083 after 200."""

COOLING_ROUNDS, COOLING_IN_ROUNDS = 1 / 3, Schedule(COOLING.end, 0.002)
"""Share of the rounds in which RSNE cools down, for a loss with edges: half of the steps, since a node has
two in such a round. And its temperature, which begins where that of the landmarks ends. On hyperbolic random
graphs in H3, one seed: F1@1 70 % on 10,000 nodes after 300 steps, and 35 % on 30,000 after 80. Without these
rounds 40 % and 24 %; from 0.2 on, 62 % on 10,000."""

LANDMARK_EPOCHS, COOLING_EPOCHS = 500, 1000
"""Epochs in which landmarks are embedded before the other nodes, by stress or by RSNE. With 300 epochs of
RSNE, AD in H3 was 11 % larger on a tree of 1,093 nodes after 150 rounds, and 7 % on a hyperbolic random graph
of 30,000 nodes after 80; one seed."""


def landmark_plan(plan: Plan, n: int, epochs: int | None = None) -> Plan:
    """Make the plan with landmarks, for a large graph, of another plan.

    Its points start where landmarks place them, so that the graph is unfolded already. It is done in rounds
    instead of epochs. A loss with edges is trained as in a plan with batches: RSNE with a falling temperature
    comes first, while scales wait, and then the loss, while hyperbolic ones change slowly. Other losses have
    the last stage of the plan alone.

    Parameters
    ----------
    plan
        The plan of a preset.
    n
        Number of nodes.
    epochs
        Number of rounds; ``None`` chooses it by the number of nodes.

    Returns
    -------
    Plan
        A plan of one stage, or two for a loss with edges.

    Examples
    --------
    >>> from riemap.losses import as_loss
    >>> from riemap.training import default_plan
    >>> landmark_plan(default_plan(as_loss("ad"), 10**6), 10**6).epochs
    150
    """
    if epochs is None:
        steps = min(max(LANDMARK_PAIRS / (BLOCK_LANDMARKS * n), FEWEST_STEPS), MOST_STEPS)
        more = COOLING_ROUNDS if plan.refines else 1.0  # rounds in which a node has not one step but several
        epochs = int(steps / (1.0 + more * (UNDIVIDED_STEPS - 1)))
    cooling = int(COOLING_ROUNDS * epochs) if plan.refines else 0
    given = [stage.loss for stage in plan.stages[:-1]]
    last = replace(plan.stages[-1], epochs=epochs - cooling, lr_factor=BATCH_LR_FACTOR)
    last = replace(last, schedule="cosine", batch=None, scaled_lr=False)
    last = replace(last, hyperbolic_rate=HYPERBOLIC_RATE if cooling else 1.0)
    plan = replace(plan, stages=(last,), sampler="landmarks", initialisation="ball")
    if not cooling:
        return plan
    first = Stage(RSNE(COOLING_IN_ROUNDS), cooling, BATCH_LR_FACTOR, "cosine", waits="all")
    if last.loss not in given:
        # Cool edges, unless the user gave their temperature, follow a stage in batches, which is left out.
        # With them, 10⁵ hyperbolic nodes in H3 have AD 0.078, AUC 92.5, F1@1 11 for 0.075, 93.9, 23.
        last = replace(last, loss=with_term_replaced(last.loss, COOL_EDGES, Edges()))
    return replace(plan, stages=(first, replace(last, rescale=True)))


def plan_among_landmarks(plan: Plan, count: int) -> Plan:
    """Make the plan by which the landmarks are embedded before the other nodes.

    Parameters
    ----------
    plan
        The plan of the whole graph, as :func:`landmark_plan` makes it.
    count
        Number of landmarks.

    Returns
    -------
    Plan
        Stress after an unfolding; or RSNE with a falling temperature while scales wait, if the plan
        of the whole graph goes on with that.
    """
    usual = default_plan(Stress(), count, LANDMARK_EPOCHS)
    if len(plan.stages) == 1:
        return usual
    stage = Stage(RSNE(COOLING), COOLING_EPOCHS, schedule="cosine", waits="all")
    return replace(usual, stages=(stage,))


def shrinking(plan: Plan) -> float:
    """Return the ratio of squared target distances to those of the embedding that a plan ends with.

    Parameters
    ----------
    plan
        A plan whose last loss is RSNE or a loss of lengths.

    Returns
    -------
    float
        The last temperature of RSNE, which compares target distances divided by it; otherwise one.
    """
    loss = plan.stages[-1].loss
    return loss.T.end if isinstance(loss, RSNE) else 1.0
