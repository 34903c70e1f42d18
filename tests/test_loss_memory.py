"""What losses read and write: their arguments stay as they are, and every byte of a result is determined."""

from itertools import permutations

import numpy as np
import pytest
from loss_helpers import (
    SUBJECTS,
    by_rows,
    by_triangle,
    drawn,
    every_loss,
    hops,
    least,
)
from thread_helpers import exactly

from riemap.losses import (
    Custom,
    Loss,
    RowBlock,
    as_loss,
)
from riemap.types import Array


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


def test_what_a_function_returns_is_not_written_into() -> None:
    """It may be a buffer that the function keeps."""
    mine = np.ones((4, 4))
    Custom(lambda target, sqdist: (1.0, mine))(hops(4), hops(4))
    assert (mine == 1.0).all()


@every_loss
def test_any_number_of_threads_gives_the_same_bytes(loss: Loss) -> None:
    """A thread writes whole rows, and sums over rows are left to NumPy."""
    target, sqdist = drawn(7, n=257)
    found = []
    for count in (1, 2, 3, 4):
        with exactly(count):
            value, out = by_rows(loss, target, sqdist, len(target), True)
            found.append((value, out.tobytes(), loss.statistics(RowBlock(target, sqdist)).tobytes()))
            value, out = by_triangle(loss, target, sqdist)
            found[-1] += (value, out.tobytes())
    assert found == [found[0]] * 4


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
