"""Scores of predictions: ROC AUC and average precision of links, accuracy and F1 of labels."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riemap.types import Array


def roc_auc(truth: ArrayLike, score: ArrayLike) -> float:
    """Share of the pairs (positive, negative) whose positive has the higher score; ties count one half.

    Parameters
    ----------
    truth, score
        ``(k,)`` whether each item is positive, and its score. Both kinds must occur.

    Returns
    -------
    float
        From 0 to 1; 0.5 for random scores.

    Examples
    --------
    >>> roc_auc([True, True, False], [0.9, 0.2, 0.5])
    0.5
    """
    from scipy.stats import rankdata

    positive = np.asarray(truth, bool)
    ranks, count = rankdata(np.asarray(score, float)), int(positive.sum())
    wins = float(ranks[positive].sum()) - 0.5 * count * (count + 1)
    return wins / (count * (len(positive) - count))


def average_precision(truth: ArrayLike, score: ArrayLike) -> float:
    """Mean, over the positives, of the precision among the items that score at least as high.

    Parameters
    ----------
    truth, score
        As for :func:`roc_auc`.

    Returns
    -------
    float
        From 0 to 1; the share of positives for random scores.

    Examples
    --------
    >>> average_precision([True, False, True], [0.9, 0.5, 0.2])
    0.8333333333333333
    """
    positive, values = np.asarray(truth, bool), np.asarray(score, float)
    order = np.argsort(-values, kind="stable")
    found = np.cumsum(positive[order])
    last = np.append(np.diff(values[order]) != 0.0, True)  # items with equal scores count together
    counts = np.flatnonzero(last) + 1
    hits = found[last]
    return float(np.sum(hits / counts * np.diff(hits, prepend=0)) / hits[-1])


def accuracy(truth: NDArray[Any], predicted: NDArray[Any]) -> float:
    """Share of the items whose class is predicted.

    Returns
    -------
    float
        From 0 to 1.
    """
    return float(np.mean(np.asarray(truth) == np.asarray(predicted)))


def f1_of_classes(truth: NDArray[Any], predicted: NDArray[Any], classes: NDArray[Any]) -> Array:
    """F1 of each class: the harmonic mean of precision and recall; zero where nothing was found.

    Parameters
    ----------
    truth, predicted
        The class of each item, and the predicted one.
    classes
        The classes to score.

    Returns
    -------
    array
        One number for each class.

    Examples
    --------
    >>> f1_of_classes(np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([0, 1])).round(3).tolist()
    [0.667, 0.667]
    """
    truth, predicted = np.asarray(truth), np.asarray(predicted)
    found = []
    for one in classes:
        both = int(np.sum((truth == one) & (predicted == one)))
        sizes = int(np.sum(truth == one)) + int(np.sum(predicted == one))
        found.append(2.0 * both / sizes if sizes else 0.0)
    return np.array(found)
