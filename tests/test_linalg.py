"""Small matrices against mpmath and numpy."""

import mpmath
import numpy as np
import pytest
from tolerances import BATCH, CHOLESKY, EIGENVECTORS, GRADED_SINGULAR_VALUES

from riemap import linalg
from riemap.types import Array

SIZES = (1, 2, 3, 4, 8)
COUNT = 40
DIGITS = 60

every_size = pytest.mark.parametrize("n", SIZES)
every_split = pytest.mark.parametrize("split", [0.0, 1e-15, 1e-10, 1e-8, 1e-6])


def orthogonal(rng: np.random.Generator, n: int) -> Array:
    return np.linalg.qr(rng.standard_normal((COUNT, n, n)))[0]


def positive(rng: np.random.Generator, n: int, condition: float) -> Array:
    """Positive definite matrices of this condition number and any scale."""
    exponents = rng.uniform(size=(COUNT, n))
    exponents[:, 0], exponents[:, -1] = 0.0, 1.0
    values = condition**-exponents * 10.0 ** rng.uniform(-6, 6, (COUNT, 1))
    return linalg.symmetric(with_values(orthogonal(rng, n), values))


def with_values(q: Array, values: Array) -> Array:
    return (q * values[:, None, :]) @ linalg.transpose(q)


def triangle_error(value: Array, truth: mpmath.matrix) -> float:
    """Greatest relative error of an entry on or below the diagonal."""
    n = len(value)
    return max(float(abs(value[i, j] / truth[i, j] - 1)) for i in range(n) for j in range(i + 1))


def assert_diagonalised(a: Array) -> None:
    """The eigenvalues are numpy's, the vectors orthonormal, and together they make up ``a``."""
    values, vectors = linalg.eigh(a)
    scale = np.abs(a).max(axis=(-2, -1), initial=1e-300)[..., None]
    assert np.all(np.abs(np.sort(values) - np.linalg.eigvalsh(a)) <= EIGENVECTORS * scale)
    assert_orthonormal(vectors)
    again = linalg.apply(lambda t: t, values, vectors)
    assert np.all(np.abs(again - a) <= EIGENVECTORS * scale[..., None])


def assert_orthonormal(vectors: Array) -> None:
    gram = linalg.transpose(vectors) @ vectors
    assert np.all(np.abs(gram - np.eye(gram.shape[-1])) <= EIGENVECTORS)


# --- Cholesky -----------------------------------------------------------------------------------


@pytest.mark.parametrize("condition", [1e2, 1e8, 1e12])
@pytest.mark.parametrize("n", [2, 3, 4])
def test_cholesky_has_all_its_digits(n: int, condition: float) -> None:
    """Every entry of L and of its inverse; in plain double precision 1e-4 is left of 1e12."""
    a = positive(np.random.default_rng(n), n, condition)
    with mpmath.workdps(DIGITS):
        for matrix, lower, inverse in zip(a, *linalg.cholesky(a), strict=True):
            truth = mpmath.cholesky(mpmath.matrix(matrix.tolist()))
            assert triangle_error(lower, truth) <= CHOLESKY
            assert triangle_error(inverse, mpmath.inverse(truth)) <= CHOLESKY


@every_size
def test_cholesky_is_lower_triangular(n: int) -> None:
    """L Lᵀ = a and L⁻¹ L = 1, with exact zeros above the diagonal."""
    a = positive(np.random.default_rng(n), n, 10.0)
    lower, inverse = linalg.cholesky(a)
    assert not np.triu(lower, 1).any()
    assert not np.triu(inverse, 1).any()
    np.testing.assert_allclose(lower @ linalg.transpose(lower), a, rtol=1e-13)
    np.testing.assert_allclose(inverse @ lower, np.eye(n) + np.zeros_like(a), atol=1e-13)


def test_cholesky_reads_the_symmetric_part() -> None:
    """As the other functions of a symmetric matrix do after :func:`linalg.symmetric`."""
    a = positive(np.random.default_rng(0), 3, 10.0)
    skew = 0.1 * (np.tri(3) - np.tri(3).T)
    np.testing.assert_allclose(linalg.cholesky(a * (1 + skew)), linalg.cholesky(a), rtol=1e-13)


NOT_POSITIVE = {
    "negative": -np.eye(1),
    "last negative": np.diag([1.0, 1.0, -1.0]),
    "first negative": np.diag([-1.0, 1.0]),
    "indefinite": np.array([[1.0, 2.0], [2.0, 1.0]]),
    "barely indefinite": np.array([[1.0, 1.0 + 1e-15], [1.0 + 1e-15, 1.0]]),
    "zero": np.zeros((2, 2)),
    "singular": np.diag([1.0, 0.0]),
    "rank one": np.ones((2, 2)),
    "rank one, 3 rows": np.ones((3, 3)),
    "NaN": np.full((2, 2), np.nan),
}


@pytest.mark.parametrize("name", NOT_POSITIVE)
def test_cholesky_of_what_is_not_positive_definite_is_nan(name: str) -> None:
    """NaN in both results, where a distance cannot miss it; a good neighbour is not affected."""
    bad = NOT_POSITIVE[name]
    lower, inverse = linalg.cholesky(np.stack([np.eye(len(bad)), bad, np.eye(len(bad))]))
    assert np.isnan(lower[1]).any()
    assert np.isnan(inverse[1]).any()
    np.testing.assert_array_equal(lower[[0, 2]], np.stack([np.eye(len(bad))] * 2))
    np.testing.assert_array_equal(inverse[[0, 2]], np.stack([np.eye(len(bad))] * 2))


# --- eigenvalues and singular values ------------------------------------------------------------


@every_size
def test_eigh_of_random_matrices(n: int) -> None:
    a = linalg.symmetric(np.random.default_rng(n).standard_normal((COUNT, n, n)))
    assert_diagonalised(a)


@every_size
@every_split
def test_eigh_of_repeated_eigenvalues(n: int, split: float) -> None:
    """Three values among up to eight places, exactly or nearly equal.

    Catches a Jacobi method that stops by the size of what is off the diagonal: it has converged
    only when that is small beside the differences of the eigenvalues.
    """
    rng = np.random.default_rng(n)
    values = rng.choice([1.0, 2.0, -3.0], (COUNT, n)) + split * rng.standard_normal((COUNT, n))
    assert_diagonalised(linalg.symmetric(with_values(orthogonal(rng, n), values)))


@every_size
def test_eigh_of_diagonal_matrices_is_exact(n: int) -> None:
    """Nothing is rotated: multiples of the identity, zero, and values far apart."""
    rows = np.stack([np.zeros(n), np.ones(n), np.full(n, -2.5), 10.0 ** -np.arange(0, 5 * n, 5)])
    values, vectors = linalg.eigh(np.stack([np.diag(row) for row in rows]))
    np.testing.assert_array_equal(values, rows)
    np.testing.assert_array_equal(vectors, np.stack([np.eye(n)] * len(rows)))


@every_size
@every_split
def test_left_svd_of_random_and_repeated_values(n: int, split: float) -> None:
    """Values are numpy's, vectors orthonormal, and U diag(s²) Uᵀ = g gᵀ."""
    rng = np.random.default_rng(n)
    values = rng.choice([0.5, 2.0], (COUNT, 1, n)) + split * rng.standard_normal((COUNT, 1, n))
    repeated = (orthogonal(rng, n) * values) @ orthogonal(rng, n)
    g = np.concatenate([rng.standard_normal((COUNT, n, n)), repeated, [np.eye(n), -np.eye(n)]])
    values, vectors = linalg.left_svd(g)
    expected = np.linalg.svd(g, compute_uv=False)
    assert np.all(np.abs(-np.sort(-values) - expected) <= EIGENVECTORS * expected[:, :1])
    assert_orthonormal(vectors)
    square = linalg.apply(np.square, values, vectors) - g @ linalg.transpose(g)
    assert np.all(np.abs(square) <= EIGENVECTORS * expected[:, :1, None] ** 2)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_left_svd_keeps_the_digits_of_small_values(n: int) -> None:
    """Columns of very different length: each value is right relative to itself."""
    g = orthogonal(np.random.default_rng(n), n) + 2.0 * np.eye(n)
    g = g * 10.0 ** np.arange(-6.0 * n, 0.0, 6.0)
    values = np.sort(linalg.left_svd(g)[0])
    with mpmath.workdps(DIGITS):
        for matrix, value in zip(g, values, strict=True):
            truth = sorted(mpmath.svd_r(mpmath.matrix(matrix.tolist()), compute_uv=False))
            np.testing.assert_allclose(value, np.array(truth, dtype=float), rtol=GRADED_SINGULAR_VALUES)


def test_left_svd_of_zero_is_zero() -> None:
    """Not of full rank, and without vectors; but no NaN."""
    values, vectors = linalg.left_svd(np.zeros((2, 3, 3)))
    assert not values.any()
    assert not vectors.any()


# --- batches ------------------------------------------------------------------------------------


@pytest.mark.parametrize("f", [linalg.cholesky, linalg.eigh, linalg.left_svd])
@pytest.mark.parametrize("axes", [(), (1,), (40,), (2, 4, 5), (0,), (3, 0)], ids=str)
def test_leading_axes_and_layout(f, axes: tuple[int, ...]) -> None:
    """A batch gives what a loop gives, from read-only, transposed or integer input alike."""
    a = positive(np.random.default_rng(0), 3, 100.0)[: int(np.prod(axes))].reshape(*axes, 3, 3)
    a.flags.writeable = False
    before = a.copy()
    first, second = f(a)
    assert first.shape[: len(axes)] == axes
    assert second.shape == a.shape
    for index in np.ndindex(*axes):
        one, other = f(a[index])
        np.testing.assert_allclose(first[index], one, atol=BATCH["rtol"] * np.abs(one).max())
        np.testing.assert_allclose(second[index], other, atol=BATCH["rtol"] * np.abs(other).max())
    np.testing.assert_array_equal(f(np.asfortranarray(a))[0], first)
    np.testing.assert_array_equal(a, before)
    np.testing.assert_array_equal(f(np.eye(3, dtype=int))[0], f(np.eye(3))[0])


def test_apply_is_a_function_of_the_matrix() -> None:
    """exp(log a) = a, the square root squares to a, and the constant one gives the identity."""
    a = positive(np.random.default_rng(0), 3, 10.0).reshape(4, 10, 3, 3)
    a = a / np.abs(a).max(axis=(-2, -1), keepdims=True)
    values, vectors = linalg.eigh(a)
    root = linalg.apply(np.sqrt, values, vectors)
    np.testing.assert_allclose(root @ root, a, atol=EIGENVECTORS)
    one = linalg.apply(np.ones_like, values, vectors)
    np.testing.assert_allclose(one, np.eye(3) + np.zeros_like(a), atol=EIGENVECTORS)
    logarithm = linalg.apply(np.log, values, vectors)
    np.testing.assert_allclose(linalg.apply(np.exp, *linalg.eigh(logarithm)), a, atol=EIGENVECTORS)
