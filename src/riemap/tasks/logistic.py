r"""Logistic regression with a penalty on the weights, minimised by L-BFGS.

.. math:: \min_W \; \sum_i -\log \frac{e^{x_i W_{y_i}}}{\sum_c e^{x_i W_c}} + \frac{1}{2 C} \|W\|^2

Columns are standardised first, and the intercepts have no penalty.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from riemap.types import Array

LEAST_SPREAD = 1e-12
"""Standard deviation below which a column counts as constant and is not divided by it."""

LBFGS_STEPS = 500
"""Most iterations; some tens are enough for the models here."""


@final
@dataclass(frozen=True)
class FittedLogistic:
    """Weights of a logistic regression.

    Parameters
    ----------
    mean, spread
        What each column is reduced by, and divided by.
    weights
        ``(columns + 1, classes)``; the last row has the intercepts.
    """

    mean: Array
    spread: Array
    weights: Array

    def log_proba(self, x: Array) -> Array:
        """Logarithms of the probabilities of the classes, ``(k, classes)``."""
        from scipy.special import log_softmax

        return log_softmax(_with_one((x - self.mean) / self.spread) @ self.weights, axis=1)


def fit_logistic(x: Array, codes: NDArray[np.int64], classes: int, C: float = 1.0) -> FittedLogistic:
    """Fit a logistic regression.

    Parameters
    ----------
    x
        ``(k, columns)`` numbers.
    codes
        ``(k,)`` class of each row, from 0 on.
    classes
        Number of classes.
    C
        Inverse of the penalty.

    Returns
    -------
    FittedLogistic
        The weights.

    Examples
    --------
    >>> model = fit_logistic(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1]), 2)
    >>> model.log_proba(np.array([[0.0], [3.0]])).argmax(axis=1).tolist()
    [0, 1]
    """
    from scipy.optimize import minimize
    from scipy.special import log_softmax

    mean, spread = x.mean(axis=0), x.std(axis=0)
    spread = np.where(spread > LEAST_SPREAD, spread, 1.0)
    design = _with_one((x - mean) / spread)
    rows, truth = np.arange(len(codes)), np.eye(classes)[codes]

    def objective(flat: Array) -> tuple[float, Array]:
        w = flat.reshape(design.shape[1], classes)
        log_p = log_softmax(design @ w, axis=1)
        penalised = w.copy()
        penalised[-1] = 0.0
        value = -log_p[rows, codes].sum() + 0.5 / C * float(np.sum(penalised**2))
        return float(value), (design.T @ (np.exp(log_p) - truth) + penalised / C).ravel()

    start = np.zeros(design.shape[1] * classes)
    found = minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": LBFGS_STEPS})
    return FittedLogistic(mean, spread, found.x.reshape(design.shape[1], classes))


def folds(codes: NDArray[np.int64], count: int, seed: int) -> NDArray[np.int64]:
    """Deal the rows of each class into folds in turn, in random order; the fold of each row.

    >>> np.bincount(folds(np.array([0, 0, 1, 1, 1, 1]), 2, seed=0)).tolist()
    [3, 3]
    """
    order = np.random.default_rng(seed).permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    found = np.empty(len(codes), np.int64)
    starts = np.searchsorted(codes[order], codes[order])
    found[order] = (np.arange(len(codes)) - starts) % count
    return found


def _with_one(x: Array) -> Array:
    return np.column_stack([x, np.ones(len(x))])
