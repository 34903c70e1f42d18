"""What several test modules about losses share."""

import numpy as np
import pytest
from hypothesis import strategies as st

from riemap.losses import (
    LOSSES,
    RSNE,
    Custom,
    Loss,
    RowBlock,
    Schedule,
    as_loss,
)
from riemap.lower_triangle import mirror
from riemap.types import Array


def lopsided(target: Array, sqdist: Array) -> tuple[float, Array]:
    """A user's function whose weights are not symmetric, and not zero on the diagonal."""
    share = np.linspace(1.0, 2.0, target.size).reshape(target.shape)
    return float(np.sum(share * (sqdist - target) ** 2)), 2.0 * share * (sqdist - target) + np.eye(
        len(target)
    )


LISTED = [cls() for cls in LOSSES]
SUBJECTS = [
    *LISTED,
    RSNE(Schedule(0.05, 0.05), exclusive=True),
    RSNE(Schedule(0.2, 0.2), same_temperature=True),
    RSNE(Schedule(0.3, 0.3), exclusive=True, same_temperature=True),
    as_loss("rsne(T=0.1) + 0.3*ad + 2*neighbourhood + 0.5*rsne(T=0.2,exclusive=true)"),
    Custom(lopsided),
]
LENGTHS = as_loss("stress + 0.3*ad")  # a sum with rsne has no embedding that is perfect for both terms
FAITHFUL = [loss for loss in SUBJECTS[:-2] if loss.least_at_target] + [LENGTHS]

every_loss = pytest.mark.parametrize("loss", SUBJECTS, ids=str)
seeds = st.integers(0, 2**32 - 1)


def squares(rng: np.random.Generator, n: int) -> Array:
    """Squared distances of random points in the plane."""
    x = rng.standard_normal((n, 2))
    return np.sum((x[:, None] - x) ** 2, axis=-1)


def hops(n: int) -> Array:
    """Target of a cycle: ties, and two edges a node."""
    gap = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return (np.minimum(gap, n - gap) / (n // 2)) ** 2


def drawn(seed: int, n: int = 7, size: float = 1.0) -> tuple[Array, Array]:
    """A target, now of a graph and now of points, and squared distances."""
    rng = np.random.default_rng(seed)
    target = hops(n) if seed % 2 else squares(rng, n)
    return target / target.max(), size * squares(rng, n)


def least(target: Array) -> float:
    return float(target[target > 0.0].min())


def by_rows(loss: Loss, target: Array, sqdist: Array, size: int, both_ends: bool) -> tuple[float, Array]:
    """Value and weights, computed in blocks of rows."""
    n = len(target)
    slices = [slice(i, min(i + size, n)) for i in range(0, n, size)]
    blocks = [RowBlock(target[b], sqdist[b], b.start) for b in slices]
    statistics = np.concatenate([loss.statistics(block) for block in blocks], axis=1)
    out = np.full((n, n), np.nan)
    values = [
        loss.rows(block, statistics=statistics, both_ends=both_ends, out=out[b])
        for block, b in zip(blocks, slices, strict=True)
    ]
    return sum(values), out


def by_triangle(loss: Loss, target: Array, sqdist: Array) -> tuple[float, Array]:
    """Value and the weights of both ends, computed from all pairs at once."""
    out = np.full_like(sqdist, np.nan)
    value = loss.lower(target, sqdist, out=out)
    mirror(out, out)
    return value, out
