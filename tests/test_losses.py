"""Every loss obeys the same laws. A new loss is tested by being listed."""

from collections.abc import Callable
from unittest import mock

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from loss_helpers import (
    FAITHFUL,
    by_rows,
    by_triangle,
    drawn,
    every_loss,
    hops,
    least,
    seeds,
)
from tolerances import LOSS_DERIVATIVE, LOSS_REORDERED, LOSS_TWIN, LOSS_WEIGHTS

from riemap.losses import (
    LOSSES,
    RSNE,
    Edges,
    Loss,
    Neighbourhood,
    Schedule,
    Stress,
    as_loss,
    neighbourhood,
    rsne,
)
from riemap.types import Array


@every_loss
@given(seed=seeds, exponent=st.integers(-2, 1))
def test_weights_are_the_slopes_of_the_value(loss: Loss, seed: int, exponent: int) -> None:
    """w_ij is the central difference of the value in sqdist_ij, but where |d - δ| has its kink."""
    target, sqdist = drawn(seed, n=5, size=10.0**exponent)
    loss = loss.for_target(least(target))
    weights = loss(target, sqdist)[1]
    for i, j in np.argwhere(np.abs(sqdist / np.maximum(target, 1e-9) - 1.0) > 1e-3):
        h = 1e-5 * sqdist[i, j]
        up, down = sqdist.copy(), sqdist.copy()
        up[i, j] += h
        down[i, j] -= h
        slope = (loss(target, up)[0] - loss(target, down)[0]) / (2.0 * h) if h else 0.0
        assert weights[i, j] == pytest.approx(slope, rel=LOSS_DERIVATIVE, abs=LOSS_DERIVATIVE), (i, j)


@every_loss
@given(seed=seeds)
def test_the_diagonal_has_no_weight(loss: Loss, seed: int) -> None:
    target, sqdist = drawn(seed)
    for both_ends in (False, True):
        out = by_rows(loss, target, sqdist, len(target), both_ends)[1]
        assert not np.diagonal(out).any()
        assert np.isfinite(out).all()
    assert not np.diagonal(by_triangle(loss, target, sqdist)[1]).any()


@every_loss
@given(
    seed=seeds,
    size=st.sampled_from([1, 3, 5, 11]),
    spread=st.sampled_from([1.0, 1e3, 1e6]),
    cold=st.sampled_from([1.0, 1e-4]),
)
def test_blocks_of_rows_give_the_whole(loss: Loss, seed: int, size: int, spread: float, cold: float) -> None:
    """Blocks give the same weights to the bit; with both ends, and from lower triangles, they give w + wᵀ.

    Some points are far apart and some temperatures low, so that sums over rows differ by more orders of
    magnitude than a float has.
    """
    if not loss.blockwise:
        size = 11
    if isinstance(loss, RSNE):
        loss = RSNE(Schedule(cold * loss.T.start, cold * loss.T.start), loss.exclusive)
    target, sqdist = drawn(seed, n=11)
    sqdist[0], sqdist[:, 0] = spread * sqdist[0], spread * sqdist[:, 0]
    target[1, 2:], target[2:, 1] = 1.0, 1.0  # a node that is far from all others but one
    target[1, 0] = target[0, 1] = 1.0
    loss = loss.for_target(least(target))
    value, weights = loss(target, sqdist)
    for both_ends, expected in ((False, weights), (True, weights + weights.T)):
        other, out = by_rows(loss, target, sqdist, size, both_ends)
        assert other == pytest.approx(value, rel=LOSS_REORDERED)
        np.testing.assert_allclose(
            out, expected, rtol=LOSS_WEIGHTS, atol=LOSS_REORDERED * np.abs(expected).max()
        )
    np.testing.assert_array_equal(by_rows(loss, target, sqdist, size, False)[1], weights)
    for few in (rsne.FEW_PAIRS, 0):
        with mock.patch.object(rsne, "FEW_PAIRS", few):
            other, out = by_triangle(loss, target, sqdist)
        assert other == pytest.approx(value, rel=LOSS_REORDERED)
        np.testing.assert_allclose(
            out, weights + weights.T, rtol=LOSS_WEIGHTS, atol=LOSS_REORDERED * np.abs(out).max()
        )


@given(seed=seeds, temperature=st.sampled_from([1.0, 0.1, 1e-3]), same=st.booleans())
def test_few_pairs_of_rsne_are_weighted_by_numpy(seed: int, temperature: float, same: bool) -> None:
    """NumPy gives what the loops give; the triangle above the diagonal is not read."""
    loss = RSNE(Schedule(temperature, temperature), same_temperature=same)
    target, sqdist = drawn(seed, n=11)
    above = np.triu(np.ones((11, 11), bool), 1)
    few_value, few_weights = by_triangle(loss, *(np.where(above, np.inf, a) for a in (target, sqdist)))
    with mock.patch.object(rsne, "FEW_PAIRS", 0):
        value, weights = by_triangle(loss, target, sqdist)
    assert few_value == pytest.approx(value, rel=LOSS_TWIN, abs=LOSS_REORDERED)
    np.testing.assert_allclose(few_weights, weights, rtol=LOSS_WEIGHTS, atol=LOSS_REORDERED)


@pytest.mark.parametrize("loss", FAITHFUL, ids=str)
@given(seed=seeds, exponent=st.integers(-4, 0))
def test_a_perfect_embedding_is_least(loss: Loss, seed: int, exponent: int) -> None:
    """The value there is zero, and positive in any other place."""
    target, noise = drawn(seed)
    perfect = target / loss.T.start if isinstance(loss, RSNE) and not loss.same_temperature else target
    value, weights = loss(target, perfect)
    assert abs(value) < LOSS_REORDERED
    if isinstance(loss, RSNE | Stress):  # smooth there
        assert np.abs(weights).max() < LOSS_REORDERED
    assert loss(target, perfect * np.exp(10.0**exponent * (noise + noise.T)))[0] >= value


@given(seed=seeds)
def test_neighbourhood_is_least_elsewhere(seed: int) -> None:
    """Edges pull without end: shorter ones are better than those of the graph."""
    target = hops(9)
    closer = np.where(target > least(target), target, 0.5 * target)
    assert Neighbourhood()(target, closer)[0] < Neighbourhood()(target, target)[0]
    assert not Neighbourhood().least_at_target
    assert not as_loss("ad + neighbourhood").least_at_target
    assert as_loss("ad + stress").least_at_target


TWINS: list[tuple[str, Callable[[Array, Array], float]]] = [
    ("stress", naive.stress),
    ("distortion", naive.distortion),
    ("ad", lambda t, s: naive.distortion(t, s, 0.5)),
    ("neighbourhood", naive.neighbourhood),
    ("edges(T=0.5)", lambda t, s: naive.edges(t, s, 0.5)),
    ("edges", lambda t, s: naive.edges(t, s, 1.0)),
    ("rsne(T=0.02)", lambda t, s: naive.rsne(t, s, 0.02)),
    ("rsne(T=0.5)", lambda t, s: naive.rsne(t, s, 0.5)),
    ("rsne(T=0.1,exclusive=true)", lambda t, s: naive.rsne(t, s, 0.1, exclusive=True)),
    ("rsne(T=0.5,same_temperature=true)", lambda t, s: naive.rsne(t, s / 0.5, 0.5)),
    ("walks", lambda t, s: naive.rsne(t, s, least(t) / 0.01)),
    ("2*rsne(T=0.5) + 0.25*ad", lambda t, s: 2 * naive.rsne(t, s, 0.5) + 0.25 * naive.distortion(t, s, 0.5)),
]


@pytest.mark.parametrize(("spelled", "twin"), TWINS, ids=[name for name, _ in TWINS])
@given(seed=seeds, size=st.sampled_from([1e-3, 1.0, 20.0]))
def test_value_equals_its_naive_twin(spelled: str, twin: Callable, seed: int, size: float) -> None:
    target, sqdist = drawn(seed, size=size)
    assert as_loss(spelled)(target, sqdist)[0] == pytest.approx(
        twin(target, sqdist), rel=LOSS_TWIN, abs=LOSS_REORDERED
    )


@pytest.mark.parametrize("loss", [Neighbourhood(), Edges(), Edges(T=Schedule(0.03, 0.03))], ids=str)
@pytest.mark.parametrize("both_ends", [False, True])
@given(seed=seeds, size=st.sampled_from([1e-3, 1.0, 20.0]))
def test_few_edges_are_compared_as_many_are(loss: Loss, both_ends: bool, seed: int, size: float) -> None:
    """By NumPy and by compiled loops: in blocks of rows, and where no pair or every pair is an edge."""
    target, sqdist = drawn(seed, size=size)
    if seed % 3 == 0:
        target[target > 0.0] = 1.0
    loss = loss.for_target(least(target))
    found = []
    for few in (neighbourhood.FEW_PAIRS, 0):
        with mock.patch.object(neighbourhood, "FEW_PAIRS", few):
            found.append(by_rows(loss, target, sqdist, 3, both_ends))
    assert found[0][0] == pytest.approx(found[1][0], rel=LOSS_TWIN, abs=LOSS_REORDERED)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-10, atol=1e-12 * np.abs(found[1][1]).max())


def test_every_listed_loss_has_a_twin() -> None:
    assert {loss.symbol for loss in LOSSES} <= {name.partition("(")[0] for name, _ in TWINS}


@every_loss
@pytest.mark.parametrize("T", [1e-6, 1e6])
@pytest.mark.parametrize("size", [0.0, 1e-300, 1e-12, 1e6])
def test_extremes_stay_finite(loss: Loss, T: float, size: float) -> None:
    """Points that meet, points far apart, some of each; temperatures from freezing to boiling."""
    if isinstance(loss, RSNE):
        loss = RSNE(Schedule(T, T), loss.exclusive)
    target, sqdist = drawn(3, size=size)
    sqdist[0, 1] = sqdist[1, 0] = 0.0
    sqdist[2, 3] = sqdist[3, 2] = 1e6
    loss = loss.for_target(least(target))
    for both_ends in (False, True):
        value, out = by_rows(loss, target, sqdist, len(target), both_ends)
        assert np.isfinite(value)
        assert np.isfinite(out).all()
    other, out = by_triangle(loss, target, sqdist)
    assert other == pytest.approx(value)
    assert np.isfinite(out).all()


@every_loss
def test_two_nodes_are_enough(loss: Loss) -> None:
    value, weights = loss(1.0 - np.eye(2), 0.25 * (1.0 - np.eye(2)))
    assert np.isfinite(value)
    assert np.isfinite(weights).all()


def test_neighbours_are_those_of_the_whole_graph() -> None:
    """In a batch without the graph's shortest pairs, ``for_target`` says that there are none."""
    target = np.ascontiguousarray(hops(9)[::2, ::2])  # nodes 0 and 8 are neighbours
    nodes = np.ix_([1, 2, 3], [1, 2, 3])  # among these no two are
    apart = np.ascontiguousarray(target[nodes])
    assert Neighbourhood().for_target(least(hops(9)))(apart, apart)[0] == 0.0
    assert Neighbourhood()(apart, apart)[0] > 0.0
    # Rounding does not part lengths that are the same.
    rough = target * (1.0 + 1e-13 * np.arange(5))
    np.testing.assert_allclose(
        Neighbourhood().for_target(least(target))(rough, target)[1], Neighbourhood()(target, target)[1]
    )


def test_without_strangers_nothing_pushes() -> None:
    """All nodes of a clique are neighbours: each edge is certain."""
    clique = 1.0 - np.eye(4)
    value, weights = Neighbourhood()(clique, 0.3 * clique)
    assert value == 0.0
    assert not weights.any()
