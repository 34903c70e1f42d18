"""Every loss obeys the same laws. A new loss is tested by being listed."""

from collections.abc import Callable
from itertools import permutations

import naive
import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tolerances import LOSS_DERIVATIVE, LOSS_REORDERED, LOSS_TWIN, LOSS_WEIGHTS

from riemap.errors import InputError
from riemap.losses import (
    LOSSES,
    RSNE,
    AverageDistortion,
    Custom,
    Loss,
    Neighbourhood,
    RowBlock,
    Schedule,
    Stress,
    Sum,
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
LENGTHS = as_loss("stress + 0.3*ad")  # of a sum with rsne no embedding is perfect for both
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


# --- laws -----------------------------------------------------------------------------------------


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
    other, out = by_triangle(loss, target, sqdist)
    assert other == pytest.approx(value, rel=LOSS_REORDERED)
    np.testing.assert_allclose(
        out, weights + weights.T, rtol=LOSS_WEIGHTS, atol=LOSS_REORDERED * np.abs(out).max()
    )


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
    ("rsne(T=0.02)", lambda t, s: naive.rsne(t, s, 0.02)),
    ("rsne(T=0.5)", lambda t, s: naive.rsne(t, s, 0.5)),
    ("rsne(T=0.1,exclusive=true)", lambda t, s: naive.rsne(t, s, 0.1, exclusive=True)),
    ("rsne(T=0.5,same_temperature=true)", lambda t, s: naive.rsne(t, s / 0.5, 0.5)),
    ("2*rsne(T=0.5) + 0.25*ad", lambda t, s: 2 * naive.rsne(t, s, 0.5) + 0.25 * naive.distortion(t, s, 0.5)),
]


@pytest.mark.parametrize(("spelled", "twin"), TWINS, ids=[name for name, _ in TWINS])
@given(seed=seeds, size=st.sampled_from([1e-3, 1.0, 20.0]))
def test_value_equals_its_naive_twin(spelled: str, twin: Callable, seed: int, size: float) -> None:
    target, sqdist = drawn(seed, size=size)
    assert as_loss(spelled)(target, sqdist)[0] == pytest.approx(
        twin(target, sqdist), rel=LOSS_TWIN, abs=LOSS_REORDERED
    )


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


@every_loss
@pytest.mark.parametrize("distance", [1.0, 1e3], ids=["near", "far"])
def test_arguments_are_left_alone(loss: Loss, distance: float) -> None:
    """Nothing is written into writeable arguments, also where points are so far apart that sums underflow."""
    target, sqdist = drawn(5)
    sqdist *= distance
    block = RowBlock(target, sqdist)
    statistics = loss.statistics(block)
    arguments = (target, sqdist, statistics)
    before = [a.copy() for a in arguments]
    out = np.empty_like(sqdist)
    loss(target, sqdist)
    loss.rows(block, statistics=statistics, both_ends=True, out=out)
    loss.lower(target, sqdist, out=out)
    if not loss.reads_both_triangles:
        above = np.triu_indices(len(target), 1)
        target[above] = before[0][above] = sqdist[above] = before[1][above] = 17.0
        loss.lower(target, sqdist, out=out)
    for argument, copy in zip(arguments, before, strict=True):
        np.testing.assert_array_equal(argument, copy)


@every_loss
def test_read_only_arguments_give_the_same_bytes(loss: Loss) -> None:
    """Numba compiles a kernel anew for read-only arrays."""
    target, sqdist = drawn(5)
    block = RowBlock(target, sqdist)
    statistics = loss.statistics(block)
    found = []
    for frozen in (False, True):
        target.flags.writeable = sqdist.flags.writeable = statistics.flags.writeable = not frozen
        out = np.full_like(sqdist, np.nan)
        value = loss.rows(block, statistics=statistics, both_ends=True, out=out)
        found.append((value, out.tobytes()))
        found.append((loss(target, sqdist)[0], loss(target, sqdist)[1].tobytes()))
    assert found[:2] == found[2:]


def test_a_function_gets_nothing_that_it_could_spoil() -> None:
    """What a user's function returns may be its own buffer; it is not written into."""
    mine = np.ones((4, 4))
    Custom(lambda target, sqdist: (1.0, mine))(hops(4), hops(4))
    assert (mine == 1.0).all()


@every_loss
def test_any_number_of_threads_gives_the_same_bytes(loss: Loss) -> None:
    """A thread writes whole rows, and sums over rows are left to NumPy."""
    if numba.config.NUMBA_NUM_THREADS < 2:
        pytest.skip("there is one thread")
    before, target, sqdist = numba.get_num_threads(), *drawn(7, n=257)
    found = []
    try:
        for count in (1, 2):
            numba.set_num_threads(count)
            value, out = by_rows(loss, target, sqdist, len(target), True)
            found.append((value, out.tobytes(), loss.statistics(RowBlock(target, sqdist)).tobytes()))
            value, out = by_triangle(loss, target, sqdist)
            found[-1] += (value, out.tobytes())
    finally:
        numba.set_num_threads(before)
    assert found[0] == found[1]


# --- neighbours -----------------------------------------------------------------------------------


ONE_TRIANGLE = [loss for loss in SUBJECTS if not loss.reads_both_triangles]


@pytest.mark.parametrize("loss", ONE_TRIANGLE, ids=str)
@pytest.mark.parametrize("distance", [1.0, 1e3], ids=["near", "far"])
def test_lower_triangles_are_enough(loss: Loss, distance: float) -> None:
    """A loss that says so does not read entries above the diagonals, also where its sums underflow."""
    target, sqdist = drawn(1, 21)
    sqdist *= distance
    loss = loss.for_target(least(target))
    expected = by_triangle(loss, target, sqdist)
    above = np.triu_indices(21, 1)
    target[above] = sqdist[above] = np.nan
    value, out = by_triangle(loss, target, sqdist)
    assert value == expected[0]
    np.testing.assert_array_equal(out, expected[1])


def test_most_losses_read_one_triangle() -> None:
    assert {type(loss).symbol for loss in ONE_TRIANGLE} >= {"stress", "ad", "distortion", "rsne"}
    assert not as_loss("ad + 0.1*rsne(T=0.1)").reads_both_triangles
    assert as_loss("ad + neighbourhood").reads_both_triangles


def side_by_side(arrays: list[Array], order: tuple[int, ...], gap: int) -> list[Array]:
    """Copies in one block of memory, so many numbers apart."""
    n, block = len(arrays[0]), np.zeros(len(arrays) * (arrays[0].size + gap))
    places = [i * (n * n + gap) for i in range(len(arrays))]
    copies = {k: block[place : place + n * n].reshape(n, n) for k, place in zip(order, places, strict=True)}
    for k, copy in copies.items():
        copy[:] = arrays[k]
    return [copies[k] for k in range(len(arrays))]


@every_loss
@pytest.mark.parametrize("n", [5, 15, 18])
def test_where_the_arrays_lie_makes_no_difference(loss: Loss, n: int) -> None:
    """Compiled loops look whether what they write is close to what they read, and if so go another way."""
    target, sqdist = drawn(0, n)
    loss, found = loss.for_target(least(target)), set()
    for order in permutations(range(3)):
        for gap in range(40):
            t, s, out = side_by_side([target, sqdist, target], order, gap)
            value = loss.lower(t, s, out=out)
            triangle = np.tril(out).tobytes()
            statistics = loss.statistics(RowBlock(t, s))
            total = loss.rows(RowBlock(t, s), statistics=statistics, both_ends=True, out=out)
            found.add((value, triangle, statistics.tobytes(), total, out.tobytes()))
    assert len(found) == 1


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


# --- spelling -------------------------------------------------------------------------------------

SPELLED = [
    "rsne(T=0.02)",
    "rsne(T=0.5->0.01)",
    "rsne(T=0.0123456789)",
    "rsne(T=1e-05,exclusive=true)",
    "stress",
    "distortion",
    "ad",
    "neighbourhood",
    "rsne(T=0.02) + 0.3*ad",
    "0.1234567*stress + 1e20*ad",
    "2*ad",
]


@pytest.mark.parametrize("text", SPELLED)
def test_spelling_round_trips(text: str) -> None:
    """Every digit of a number comes back; a run is known by this text."""
    loss = as_loss(text)
    assert str(loss) == text
    assert as_loss(str(loss)) == loss
    assert hash(as_loss(text)) == hash(loss)
    assert as_loss(loss) is loss


@every_loss
def test_subjects_round_trip(loss: Loss) -> None:
    if not isinstance(loss, Custom):
        assert as_loss(str(loss)) == loss
        assert as_loss(f"  {loss} ") == loss


@given(start=st.floats(1e-9, 1e9), end=st.floats(1e-9, 1e9), factor=st.floats(1e-9, 1e30))
def test_any_number_round_trips(start: float, end: float, factor: float) -> None:
    loss = Sum(((factor, RSNE(Schedule(start, end))), (1.0, AverageDistortion())))
    assert as_loss(str(loss)) == loss


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("RSNE(T=0.1)", "did you mean 'rsne'?"),
        ("stres", "did you mean 'stress'?"),
        ("quantum", "no loss is called 'quantum'. There are rsne, stress, distortion, ad, neighbourhood"),
        ("rsne(T=0)", "T=0 is not a schedule: 0 is not a positive number"),
        ("rsne(T=-1)", "-1 is not a positive number"),
        ("rsne(T=nan)", "nan is not a positive number"),
        ("rsne(T=inf)", "inf is not a positive number"),
        ("rsne(T=1->0)", "0 is not a positive number"),
        ("rsne(T=0.1->)", "is not one or two numbers, as in 0.02 or 0.5->0.01"),
        ("rsne(T=0.1->0.2->0.3)", "more than two numbers"),
        ("rsne(T=warm)", "is not one or two numbers"),
        (
            "rsne(t=0.1)",
            "there is no argument 't'; it is spelled rsne(T=0.02,exclusive=false,same_temperature=false)",
        ),
        ("rsne(exclusive=yes)", "exclusive=yes is neither true nor false"),
        ("ad(T=1)", "there is no argument 'T'"),
        ("neighbourhood(edge=1)", "there is no argument 'edge'"),
        ("0*ad", "the factor of ad is 0; it must be positive, e.g. 0.3*ad"),
        ("-1*ad", "cannot read '-1*ad'"),
        ("1e999*ad", "the factor of ad is inf"),
        ("1.2.3*ad", "cannot read the factor '1.2.3' in loss '1.2.3*ad'"),
        ("0.3*", "it is empty"),
        ("ad +", "it is empty"),
        ("+ ad", "it is empty"),
        ("", "it is empty"),
        ("rsne(T=0.1", "cannot read the loss 'rsne(T=0.1': its parentheses do not match"),
        ("ad)", "its parentheses do not match"),
        (
            "ad + rsne(T=0.1,matched=true)",
            "the option 'matched' of rsne is now called 'same_temperature': "
            "write 'rsne(T=0.1,same_temperature=true)'",
        ),
    ],
)
def test_bad_spellings_are_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        as_loss(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_loss_is_refused() -> None:
    with pytest.raises(TypeError, match=r"a loss is a text such as 'rsne\(T=0.02\)' or a function, not int"):
        as_loss(3)  # type: ignore[arg-type]


# --- schedules, sums, functions -------------------------------------------------------------------


def test_a_schedule_goes_by_equal_ratios() -> None:
    schedule = Schedule.parse("0.5->0.005")
    assert [schedule.value_at(p) for p in (0.0, 0.5, 1.0)] == pytest.approx([0.5, 0.05, 0.005])
    assert {Schedule.parse("0.1").value_at(p) for p in (0.0, 0.3, 1.0)} == {0.1}


def test_losses_take_the_temperature_of_the_moment() -> None:
    loss = as_loss("rsne(T=0.5->0.005,exclusive=true) + 0.3*ad")
    assert loss.at_progress(0.0) == as_loss("rsne(T=0.5,exclusive=true) + 0.3*ad")
    half = loss.at_progress(0.5).terms[0][1].T
    assert half.start == half.end == pytest.approx(0.05)
    target, sqdist = drawn(1)
    assert loss.at_progress(1.0)(target, sqdist)[0] == pytest.approx(
        naive.rsne(target, sqdist, 0.005, exclusive=True) + 0.3 * naive.distortion(target, sqdist, 0.5)
    )
    assert as_loss("ad").at_progress(0.5) == as_loss("ad")
    fixed = as_loss("rsne(T=0.1)")
    assert fixed.at_progress(0.7) is fixed


def test_a_sum_knows_what_its_terms_need() -> None:
    """One that has a user's function in it cannot come in blocks."""
    assert not Sum(((1.0, Custom(lopsided)), (1.0, Stress()))).blockwise
    assert not as_loss("ad + stress").compares_rows
    assert as_loss("ad + rsne(T=0.1)").compares_rows
    assert as_loss("2*neighbourhood").for_target(0.3).terms[0][1] == Neighbourhood().for_target(0.3)


def test_a_sum_within_a_sum_is_one_sum() -> None:
    inner = as_loss("rsne(T=0.1) + 0.3*ad")
    assert str(Sum(((2.0, inner), (1.0, Stress())))) == "2*rsne(T=0.1) + 0.6*ad + stress"


def test_a_temperature_may_be_a_plain_number() -> None:
    assert RSNE(0.05) == as_loss("rsne(T=0.05)")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="-1 is not a positive number"):
        RSNE(-1)  # type: ignore[arg-type]


def test_any_function_is_a_loss() -> None:
    loss = as_loss(lopsided)
    assert str(loss) == "lopsided"
    assert not loss.blockwise
    target, sqdist = drawn(2)
    assert loss(target, sqdist)[0] == lopsided(target, sqdist)[0]


@pytest.mark.parametrize(
    ("value", "weights"),
    [(1.0, np.zeros((3, 4))), (1.0, 0.0), (1.0, None), (np.zeros(4), np.zeros((4, 4)))],
)
def test_a_function_of_wrong_shapes_is_refused(value: object, weights: object) -> None:
    def mine(target: Array, sqdist: Array) -> tuple[object, object]:
        return value, weights

    with pytest.raises(
        ValueError,
        match=r"the loss mine returned a value of shape .* expected a number and weights of shape \(4, 4\)",
    ):
        as_loss(mine)(hops(4), hops(4))
