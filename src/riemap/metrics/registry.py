"""The registry of metrics. A metric listed here appears wherever scores are shown."""

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

from riemap.metrics import correlation, distortion, ranking
from riemap.metrics.comparison import Comparison


class Metric(NamedTuple):
    """A metric: a function that gives one number for an embedding, and how to show it.

    Listing a metric in :data:`METRICS` adds it to the API, the command line, tables and the report.

    Parameters
    ----------
    name
        Short name, such as ``auc``: the key in :class:`Scores`.
    title
        Description of a few words, for tables.
    best
        Whether high or low values are good.
    compute
        Function from a :class:`Comparison` to the value; ``None`` if it is not defined.
    extreme
        Whether one pair decides the value, as in a maximum. A sample then gives a bound only, and no standard
        error.
    percent
        Whether people see the value in percent. In Python and in JSON it is a fraction.

    Examples
    --------
    >>> [metric.name for metric in METRICS if metric.best == "low"]
    ['ad', 'ad_rescaled', 'worst', 'stress']
    """

    name: str
    title: str
    best: Literal["high", "low"]
    compute: Callable[[Comparison], float | None]
    extreme: bool = False
    percent: bool = False

    def as_json(self) -> dict[str, str | bool]:
        """Give what a page needs to show values of the metric.

        Returns
        -------
        dict
            Name, title, whether high or low is best, and whether to show percent.
        """
        return {"name": self.name, "title": self.title, "best": self.best, "percent": self.percent}

    def text(self, value: float | None) -> str:
        """Write a value for people.

        Parameters
        ----------
        value
            The value; ``None`` if it is not defined.

        Returns
        -------
        str
            In percent with two digits, or with four digits after the point, or a dash.

        Examples
        --------
        >>> METRICS[1].text(0.95724), METRICS[3].text(0.118), METRICS[3].text(None)
        ('95.72%', '0.1180', '–')
        """
        if value is None:
            return "–"
        if math.isinf(value):
            return "∞"
        if self.percent:
            return f"{100.0 * value:.2f}%"
        return f"{value:.4f}" if value < 1000.0 else f"{value:.4g}"


METRICS: tuple[Metric, ...] = (
    Metric("f1@1", "F1 of direct neighbours", "high", ranking.f1_at_1, percent=True),
    Metric("auc", "area under F1@k", "high", ranking.area_under_f1, percent=True),
    Metric("map", "mean average precision", "high", ranking.mean_average_precision, percent=True),
    Metric("ad", "average distortion", "low", distortion.average_distortion),
    Metric("ad_rescaled", "… at the best rescaling", "low", distortion.rescaled_distortion),
    Metric("worst", "worst-case distortion", "low", distortion.worst_distortion, extreme=True),
    Metric("stress", "normalised stress", "low", distortion.normalised_stress),
    Metric("pearson", "correlation of distances", "high", correlation.pearson),
    Metric("spearman", "correlation of their ranks", "high", correlation.spearman),
)
"""All metrics, in the order in which tables and the report show them."""
