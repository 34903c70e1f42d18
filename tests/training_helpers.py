"""What several test modules about training share."""

import math
from collections.abc import Callable

import numpy as np

from riemap import Space, generate
from riemap.losses import as_loss
from riemap.optim import RAdam
from riemap.training import EpochRecord, Fit, Plan, Stage
from riemap.types import Array

TREE = generate("tree(r=2,h=3)")
H2, PRODUCT = Space.parse("H2"), Space.parse("H2 x E1 x S2")


def plan_of(loss: object, epochs: int, batch: int | None = None, **options: object) -> Plan:
    """One stage, at a constant rate unless told otherwise."""
    return Plan((Stage(as_loss(loss), epochs, batch=batch, **options),), RAdam(0.1), scale_lr=0.1)


def in_bytes(result: Fit) -> bytes:
    return b"".join(x.tobytes() for x in (*result.embedding.points, result.embedding.log_scales))


def losses(result: Fit) -> list[float]:
    return [record.loss for record in result.history]


def flat(target: Array, sqdist: Array) -> tuple[float, Array]:
    """A loss that cannot improve."""
    return 1.0, np.zeros_like(sqdist)


def failing(calls: Callable[[int], bool]) -> Callable[[Array, Array], tuple[float, Array]]:
    """A stress that is NaN in some of its calls, counted from one."""
    count, right = 0, as_loss("stress")

    def sometimes(target: Array, sqdist: Array) -> tuple[float, Array]:
        nonlocal count
        count += 1
        value, weights = right(target, sqdist)
        return math.nan if calls(count) else value, weights

    return sometimes


def stopped(at: int) -> Callable[[EpochRecord], bool]:
    return lambda record: record.epoch + 1 < at


BATCHED = plan_of("rsne(T=0.1) + 0.3*ad", 12, batch=4)
"""A plan whose steps take four of the nodes of ``TREE`` at a time."""
