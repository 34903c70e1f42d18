"""Weights for both ends of all pairs against NumPy, on any number of threads; arrays on cache lines."""

import numpy as np
import pytest
from thread_helpers import exactly

from riemap import lower_triangle
from riemap.aligned import by_coordinate, coordinate_rows
from riemap.lower_triangle import LOWER, ORDERED, WHOLE, row_products, spread_weights
from riemap.types import Array


def nothing_above(a: Array) -> Array:
    """The lower triangle, and NaN above it."""
    return np.where(np.tri(len(a), dtype=bool), a, np.nan)


@pytest.mark.parametrize("few", [0, 1 << 13])
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("n", [1, 15, 16, 33, 64, 87])
def test_weights_are_spread(n: int, threads: int, few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However they are given, the result has the bytes of NumPy's sum; ``saved`` becomes symmetric."""
    monkeypatch.setattr(lower_triangle, "FEW_PAIRS", few)
    rng = np.random.default_rng(n)
    w, a, b = rng.standard_normal((3, n, n))
    both, sqdist = w + w.T, nothing_above(a**2)
    expected = row_products(both, sqdist, True)
    for given, start in (
        (ORDERED, np.full((n, n), np.nan)),
        (LOWER, nothing_above(both)),
        (WHOLE, both.copy()),
    ):
        out, saved = start.copy(), np.stack([nothing_above(a + a.T), nothing_above(b + b.T)])
        with exactly(threads):
            sums = spread_weights(w if given == ORDERED else out, given, sqdist, saved, out)
        np.testing.assert_array_equal(out, both)
        np.testing.assert_array_equal(saved, [a + a.T, b + b.T])
        np.testing.assert_array_equal(sums, expected)


@pytest.mark.parametrize("n", [1, 8, 100, 512])
def test_coordinates_start_on_cache_lines(n: int) -> None:
    rows = coordinate_rows(3, n)
    assert rows.ctypes.data % 64 == 0
    assert rows.strides[0] % 64 == 0
    assert rows.strides[0] % 512 != 0
    assert rows.shape[1] >= n
    x = np.random.default_rng(0).standard_normal((n, 3))
    coords = by_coordinate(x, 4)
    np.testing.assert_array_equal(coords[:3, :n], x.T)
    assert not coords[3].any()
