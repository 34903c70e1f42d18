"""Blocks of pairs: fused loops against the broadcast, two types that agree, and arguments left alone."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from subjects import every_manifold, seeds, start, unit
from thread_helpers import exactly
from tolerances import CHAIN, KERNEL_GRADIENT, KERNEL_SQDIST, TWO_KERNELS

from riemap.manifolds import Manifold
from riemap.spaces import Space
from riemap.types import Array


@every_manifold
@given(seed=seeds, radius=st.floats(1e-4, 3.0), n=st.integers(1, 20), other=st.integers(1, 20))
def test_kernel_agrees_with_reference(m: Manifold, seed: int, radius: float, n: int, other: int) -> None:
    """Fused loops over all pairs, within one set or between two, equal the plain broadcast."""
    rng, x = start(m, seed, n, radius)
    y = m.random(rng, other, radius)
    within = [m.symmetric_block(x, reference=reference) for reference in (False, True)]
    between = [m.rectangular_block(x, y, reference=reference) for reference in (False, True)]
    for fast, plain in (within, between):
        w = rng.standard_normal(fast.sqdist.shape)
        np.testing.assert_allclose(fast.sqdist, plain.sqdist, **KERNEL_SQDIST)
        rtol, atol = KERNEL_GRADIENT.values()
        slope = plain.gradient(w)
        np.testing.assert_allclose(
            fast.gradient(w), slope, rtol=rtol, atol=atol * (1e-3 + np.abs(slope).max())
        )


@every_manifold
@pytest.mark.parametrize("n", [1, 7, 8, 21])
def test_a_symmetric_block_serves_both_ends(m: Manifold, n: int) -> None:
    """Its gradient takes weights of ordered pairs; the other two take w + wᵀ, whole or its lower triangle."""
    rng, x = start(m, 3, n)
    w = rng.standard_normal((n, n))
    both = w + w.T
    block = m.symmetric_block(x)
    expected = block.gradient(w)
    np.testing.assert_array_equal(block.gradient_symmetric(both), expected)
    nothing_above = np.where(np.tri(n, dtype=bool), both, np.nan)
    np.testing.assert_array_equal(block.gradient_lower(nothing_above), expected)
    given = nothing_above.copy()
    np.testing.assert_array_equal(block.gradient_lower(given, given), expected)
    np.testing.assert_array_equal(given, both)
    one_end = m.rectangular_block(x, x).gradient(both)
    np.testing.assert_allclose(expected, one_end, rtol=CHAIN, atol=CHAIN * (1e-3 + np.abs(one_end).max()))


@every_manifold
def test_blocks_agree_with_each_other(m: Manifold) -> None:
    """A symmetric block is the rectangular block of its points with themselves, and exactly symmetric."""
    rng, x = start(m, 3, n=21)
    y, w = m.random(rng, 5), rng.standard_normal((21, 5))
    block = m.symmetric_block(x)
    lower = np.tril(block.lower)
    np.testing.assert_array_equal(np.tril(block.sqdist), lower)
    np.testing.assert_array_equal(block.sqdist, block.sqdist.T)
    np.testing.assert_array_equal(m.pairs(x).sqdist, block.sqdist)
    np.testing.assert_allclose(m.pairwise(x, x), block.sqdist, **TWO_KERNELS)
    np.testing.assert_array_equal(m.pairwise(x, y), m.rectangular_block(x, y).sqdist)
    np.testing.assert_array_equal(m.pairwise_grad(x, y, w), m.rectangular_block(x, y).gradient(w))


@every_manifold
def test_threads_do_not_change_a_byte(m: Manifold) -> None:
    """On one to four threads, the results are the same bytes."""
    rng, x = start(m, 1, n=45)
    w = rng.standard_normal((45, 45))
    results = []
    for count in (1, 2, 3, 4):
        with exactly(count):
            within, between = m.symmetric_block(x), m.rectangular_block(x, x[:30])
            found = within.sqdist, within.gradient(w), between.sqdist, between.gradient(w[:, :30])
            results.append([a.tobytes() for a in found])
    assert results == [results[0]] * 4


def calls(m: Manifold, x: Array, y: Array, u: Array, v: Array, w: Array) -> dict[str, Callable[[], object]]:
    """Every method that takes arrays, ready to be called."""
    return {
        **{f.__name__: partial(f, x) for f in (m.project, m.pairs, m.symmetric_block)},
        **{f.__name__: partial(f, x, u) for f in (m.to_tangent, m.exp, m.retract, m.norm)},
        **{f.__name__: partial(f, x, y) for f in (m.log, m.sqdist, m.sqdist_grad, m.pairwise)},
        **{f.__name__: partial(f, x, u, v) for f in (m.inner, m.sectional, m.move)},
        "transport": lambda: m.transport(x, y, u),
        "pairwise_grad": lambda: m.pairwise_grad(x, y, w),
        "sqdist of a block": lambda: m.symmetric_block(x).sqdist,
        "gradient": lambda: m.symmetric_block(x).gradient(w),
        "gradient_lower": lambda: m.symmetric_block(x).gradient_lower(w),
        "gradient_symmetric": lambda: m.symmetric_block(x).gradient_symmetric(w),
    }


@every_manifold
def test_arguments_are_left_alone(m: Manifold) -> None:
    """No method writes into its arguments: writeable float64 arrays, which the loops take without a copy."""
    rng, x = start(m, 2)
    arguments = [x, x[::-1].copy(), unit(m, rng, x), unit(m, rng, x), rng.standard_normal((8, 8))]
    before = [a.tobytes() for a in arguments]
    for name, call in calls(m, *arguments).items():
        call()
        assert [a.tobytes() for a in arguments] == before, name


@every_manifold
def test_read_only_arrays_are_accepted(m: Manifold) -> None:
    """Such as arrays that were mapped from a file."""
    rng, x = start(m, 2)
    arguments = [x, x[::-1].copy(), unit(m, rng, x), unit(m, rng, x), rng.standard_normal((8, 8))]
    for a in arguments:
        a.flags.writeable = False
    assert all(call() is not None for call in calls(m, *arguments).values())


@every_manifold
def test_wrong_shapes_are_refused(m: Manifold) -> None:
    """Before a kernel reads past the end of an array."""
    _, x = start(m, 0, n=3)
    with pytest.raises(ValueError, match="points of"):
        m.pairwise(x[..., :-1], x)
    with pytest.raises(ValueError, match="points of"):
        m.pairwise(x, x[0])
    with pytest.raises(ValueError, match="weights of shape"):
        m.pairwise_grad(x, x, np.ones((2, 3)))


@pytest.mark.parametrize("symbol", ["E", "S", "H"])
@pytest.mark.parametrize("n", [7, 8, 9, 16, 17])
def test_kernels_take_many_coordinates_in_pieces(symbol: str, n: int) -> None:
    """Points with more coordinates than the registers hold have the distances and gradients of one pair."""
    (m,) = Space.parse(f"{symbol}{n}").factors
    rng, x = start(m, 3, 21)
    w = rng.standard_normal((21, 21))
    fast, plain = (m.symmetric_block(x, reference=reference) for reference in (False, True))
    np.testing.assert_allclose(fast.sqdist, plain.sqdist, **KERNEL_SQDIST)
    slope = plain.gradient(w)
    atol = KERNEL_GRADIENT["atol"] * np.abs(slope).max()
    np.testing.assert_allclose(fast.gradient(w), slope, rtol=KERNEL_GRADIENT["rtol"], atol=atol)
