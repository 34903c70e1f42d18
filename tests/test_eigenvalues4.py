"""Eigenvalues and logarithms of 4 x 4 matrices, beside those of numpy."""

from typing import Any

import numpy as np
import pytest
from tolerances import EIGENVALUE_SQUARES4, EIGENVALUES4, LOGARITHM4

from riemap.compiling import for_python
from riemap.manifolds.shared import eigenvalues4
from riemap.manifolds.spd import logarithm4
from riemap.types import Array

COUNT = 300
LOWER = np.tril_indices(4)

LOGS = {
    "apart": [1.0, 0.3, -0.2, -1.0],
    "two equal": [1.0, 1.0, -0.5, -1.5],
    "two and two": [1.0, 1.0, -1.0, -1.0],
    "three": [0.5, 0.5, 0.5, -2.0],
    "all": [1.0, 1.0, 1.0, 1.0],
}
"""Logarithms of eigenvalues, up to a factor."""


@for_python(error_model="numpy")
def eigenvalues(entries: Any) -> Any:
    return eigenvalues4.eigenvalues(entries)


@for_python(error_model="numpy")
def coefficients(rest: Any, logs: Any) -> Any:
    return logarithm4.coefficients(rest, logs)


@for_python(error_model="numpy")
def polynomial(entries: Any, b1: float, b2: float, b3: float) -> Any:
    return logarithm4.polynomial(entries, b1, b2, b3)


def matrices(logs: list[float], split: float, turn: float) -> tuple[Array, Array, Array]:
    """Their logarithms of eigenvalues, eigenvectors near the axes or anywhere, and entries."""
    rng = np.random.default_rng(0)
    s = np.array(logs) * rng.uniform(0.0, 1.4, (COUNT, 1)) + split * rng.standard_normal((COUNT, 4))
    q = np.linalg.qr(np.eye(4) + turn * rng.standard_normal((COUNT, 4, 4)))[0]
    return s, q, (q * np.exp(s)[:, None, :]) @ np.swapaxes(q, 1, 2)


@pytest.mark.parametrize("turn", [0.0, 1e-12, 1e-6, 1e-3, 10.0])
@pytest.mark.parametrize("split", [0.0, 1e-15, 1e-9, 1e-4, 0.3])
@pytest.mark.parametrize("equal", LOGS)
def test_eigenvalues_and_the_polynomial_of_the_logarithm(equal: str, split: float, turn: float) -> None:
    """Wherever eigenvalues meet, and however the axes lie."""
    s, q, a = matrices(LOGS[equal], split, turn)
    logs = (q * (s - s.mean(axis=1, keepdims=True))[:, None, :]) @ np.swapaxes(q, 1, 2)
    for matrix, expected, log in zip(a, np.exp(s), logs, strict=True):
        entries = tuple(matrix[LOWER].tolist())
        mean, rest = eigenvalues(entries)
        values = mean * (1.0 + np.array(rest))
        np.testing.assert_allclose(np.sort(values), np.sort(expected), atol=EIGENVALUES4 * mean, rtol=0.0)
        assert np.sum(values**2) == pytest.approx(np.sum(matrix**2), rel=EIGENVALUE_SQUARES4)
        assert np.sum(np.log(values) ** 2) == pytest.approx(np.sum(np.log(expected) ** 2), abs=LOGARITHM4)
        b = coefficients(rest, tuple(np.log(values).tolist()))
        found = np.zeros((4, 4))
        found[LOWER] = polynomial(entries, *b)
        found += np.tril(found, -1).T
        found -= np.eye(4) * np.trace(found) / 4.0
        np.testing.assert_allclose(found, log, atol=LOGARITHM4, rtol=0.0)
