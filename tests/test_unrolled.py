"""Straight-line code for matrices of several sizes: entries by NumPy, and the same numbers from a loop."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba import njit

from riemap.manifolds.spd import eigenvalues5, logarithm5, lower_entries, stein_pairs_unrolled
from riemap.types import Array
from riemap.unrolled import absolute, unrolled, with_sign

SIZES = (1, 2, 4, 5)


def full(entries: Any, size: int) -> Array:
    """The lower triangle with these entries."""
    out = np.zeros((size, size))
    out[np.tril_indices(size)] = entries
    return out


def lower(a: Array) -> Array:
    return a[np.tril_indices(len(a))]


def divergence_slopes(m: Array) -> Array:
    return np.asarray(np.linalg.inv(np.eye(len(m)) + m) - 0.5 * np.eye(len(m)))


ONE: dict[str, tuple[Any, Callable[[Array], Array]]] = {
    "square": (lower_entries, lambda g: lower(g @ g.T)),
    "cosquare": (lower_entries, lambda g: lower(g.T @ g)),
    "trace": (lower_entries, lambda g: np.trace(g)),
    "slopes": (stein_pairs_unrolled, lambda g: lower(divergence_slopes(g + g.T - np.diag(np.diag(g))))),
    "far_slopes": (stein_pairs_unrolled, lambda g: lower(divergence_slopes(g @ g.T))),
    "root_determinant": (
        stein_pairs_unrolled,
        lambda g: np.sqrt(np.linalg.det(np.eye(len(g)) + g @ g.T)),
    ),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ONE)
def test_a_function_of_one_triangle(name: str, size: int) -> None:
    """Its plain text in Python, and what a compiled function gets, equal the textbook formula."""
    module, formula = ONE[name]
    g = np.eye(size) + 0.2 * np.tril(np.random.default_rng(size).standard_normal((size, size)))
    entries = tuple(lower(g).tolist())
    compiled: Any = getattr(module, name)
    found = njit(lambda entries: compiled(entries))(entries)
    np.testing.assert_allclose(found, formula(g), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(getattr(module, f"_{name}")(list(entries)), formula(g), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("size", SIZES)
def test_functions_of_two_triangles(size: int) -> None:
    rng = np.random.default_rng(size)
    g, h = (np.eye(size) + 0.2 * np.tril(rng.standard_normal((size, size))) for _ in range(2))
    a, b = tuple(lower(g).tolist()), tuple(lower(h).tolist())
    product, rise = lower_entries.product, stein_pairs_unrolled.rise
    found, (above, trace) = njit(lambda a, b: (product(a, b), rise(a, b)))(a, b)
    np.testing.assert_allclose(full(found, size), g @ h, rtol=1e-12, atol=1e-14)
    z = 0.25 * (g - h.T) @ (g - h.T).T
    np.testing.assert_allclose(above, np.linalg.det(np.eye(size) + z) - 1.0, rtol=1e-11)
    np.testing.assert_allclose(trace, np.trace(z), rtol=1e-12)


def test_signs() -> None:
    """Absolute values, and signs of other numbers, also of zeros."""
    a, b = (-2.0, 3.0, -0.0, 5.0), (1.0, -1.0, 1.0, -0.0)

    def _signs(a: Any, b: Any) -> Any:
        return [f for p, q in zip(a, b, strict=True) for f in (absolute(p), with_sign(p, q))]

    signs = unrolled(_signs)
    found = njit(lambda a, b: signs(a, b))(a, b)
    expected = np.stack([np.abs(a), np.copysign(a, b)], axis=1).ravel()
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))
    np.testing.assert_array_equal(_signs(a, b), expected)


def test_powers_of_a_matrix_and_its_inverse() -> None:
    rng = np.random.default_rng(0)
    a, c = rng.standard_normal((5, 5)), (0.5, -1.0, 2.0, 0.7)
    m = a @ a.T + np.eye(5)
    inverse = np.linalg.inv(m)
    powers = logarithm5.powers
    found = njit(lambda m, inverse, c: powers(m, inverse, c))(
        tuple(lower(m).tolist()), tuple(lower(inverse).tolist()), c
    )
    expected = c[0] * m + c[1] * m @ m + c[2] * inverse + c[3] * inverse @ inverse
    np.testing.assert_allclose(full(found, 5), np.tril(expected), rtol=1e-12, atol=1e-12)


def test_sweeps_make_a_matrix_diagonal() -> None:
    """With its eigenvalues on the diagonal, to rounding errors after six sweeps."""
    rng = np.random.default_rng(0)
    sweep, centred = eigenvalues5.sweep, eigenvalues5.centred
    once = njit(lambda m: sweep(m))
    for _ in range(100):
        a = rng.standard_normal((5, 5))
        entries = tuple(lower(a @ a.T).tolist())
        for _ in range(6):
            entries = once(entries)
        found = full(entries, 5)
        np.testing.assert_allclose(np.sort(np.diag(found)), np.linalg.eigvalsh(a @ a.T), atol=1e-13)
        np.testing.assert_allclose(found - np.diag(np.diag(found)), 0.0, atol=1e-12)
    rest = njit(lambda m: centred(m))(tuple(lower(a @ a.T).tolist()))
    np.testing.assert_allclose(full(rest, 5), np.tril(5.0 * a @ a.T / np.sum(a * a) - np.eye(5)), atol=1e-14)
