r"""How sure it is that one space is better than another, from trials with the same seeds.

The scores of two spaces with one seed belong to the same held-out pairs, so that their difference varies less
than either. With ``k`` seeds, the mean difference has the standard error

.. math:: \sqrt{v / k}, \qquad v = \frac{\nu_0 v_0 + \sum_i (x_i - \bar x)^2}{\nu_0 + k - 1},

where :math:`v_0` is the typical variance of such differences over the other spaces, which counts like
:math:`\nu_0` further seeds  [Smyth2004]. Few seeds alone often have a variance that is far too small by
chance. A difference is *clear* if it is larger than this error times the quantile of Student's distribution
with :math:`\nu_0 + k - 1` degrees of freedom. That is two standard errors for many seeds and two spaces. The
best of many spaces is partly best by chance, so that the level is stricter for more of them.

References
----------
[Smyth2004] Smyth. Linear models and empirical Bayes methods for assessing differential expression in
    microarray experiments. Statistical Applications in Genetics and Molecular Biology 3(1), 2004.
[WilsonHilferty1931] Wilson, Hilferty. The distribution of chi-square. PNAS 17(12), 1931.
"""

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias, final

from riemap.choosing.trial_record import TrialRecord
from riemap.metrics.registry import Metric

MOST_PRIOR_SEEDS = 3.0
"""Largest number of seeds that the typical variance counts for. It counts for half a seed for each further
space that it is estimated from."""

WRONG, SELDOM_WRONG = 0.05, 0.005
"""How often one of two equal spaces may be called better than the other: in the answer, after the whole plan;
and when a space is given up before that, which is decided several times. Both are divided by the square root
of the number of other spaces. In simulations of up to 12 equal spaces with 2 to 5 seeds, normal and with
outliers, some 5 % or fewer are then called worse than the one that came out best; without it, up to 13 %."""

SHORT_EXPONENT = 1 / 3
"""Spaces differ in how much they still gain by more epochs, so that after a short trial a space must also be
worse by a factor to be given up: the cube root of how many times longer the whole plan is, 2 for an eighth of
it. On small graphs, distortions in negatively curved spaces fall by up to this factor, and others hardly."""

LEAST_SHORT_ERROR = 0.02
"""An error after a short trial; if that of the best space is smaller, it counts as this one. A space that
fits exactly may be as far from that: of 100 points of SPD2, an eighth of the plan left a distortion of 0.026
in SPD2 and 0.009 in H2 x S1, the whole plan 0.007 and 0.011."""

SeedScores: TypeAlias = Mapping[int, float]
"""The score of each seed."""


class Difference(NamedTuple):
    """How much worse a space is than the best one: positive if it is worse.

    Parameters
    ----------
    mean, se
        Mean over the common seeds, and its standard error.
    seeds
        Number of common seeds.
    freedom
        Degrees of freedom of the standard error.
    """

    mean: float
    se: float
    seeds: int
    freedom: float

    def is_clear(self, wrong: float = WRONG) -> bool:
        """Whether the difference is larger than chance explains, but for this share of cases."""
        from scipy.special import stdtrit

        return self.freedom > 0.0 and self.mean > self.se * float(stdtrit(self.freedom, 1.0 - 0.5 * wrong))


@final
class Board:
    """The scores of all spaces, by the number of epochs of a trial.

    Parameters
    ----------
    metric
        The metric that is compared.
    full
        Number of epochs of the whole plan.
    records
        All trials.
    """

    def __init__(self, metric: Metric, full: int, records: Iterable[TrialRecord] = ()) -> None:
        self.metric, self.full = metric, full
        self.sign = 1.0 if metric.best == "low" else -1.0
        self.scores: dict[int, dict[str, dict[int, float]]] = {}
        self.seconds: dict[str, dict[int, list[float]]] = {}
        self.diverged: set[str] = set()
        for record in records:
            self.add(record)

    def add(self, record: TrialRecord) -> None:
        """Add a trial."""
        space, epochs = record["space"], record["epochs"]
        self.seconds.setdefault(space, {}).setdefault(epochs, []).append(record["seconds"])
        if not record["scores"]:
            self.diverged.add(space)
        elif (value := record["scores"][self.metric.name]) is not None:
            self.scores.setdefault(epochs, {}).setdefault(space, {})[record["seed"]] = value

    @property
    def epochs(self) -> list[int]:
        """Numbers of epochs for which there are trials, the largest first."""
        return sorted(self.scores, reverse=True)

    def level(self, space: str) -> int:
        """Largest number of epochs with two or more seeds of a space, else with one; 0 without a score."""
        for least in (2, 1):
            for epochs in self.epochs:
                if len(self.scores[epochs].get(space, ())) >= least:
                    return epochs
        return 0

    def values(self, space: str, epochs: int) -> SeedScores:
        """The score of each seed."""
        return self.scores.get(epochs, {}).get(space, {})

    def mean(self, space: str, epochs: int) -> float:
        """Mean score of a space; there is at least one."""
        return statistics.fmean(self.values(space, epochs).values())

    def ranked(self, spaces: Iterable[str], epochs: int) -> list[str]:
        """Order spaces by their mean score with a number of epochs, the best first."""
        known = [s for s in spaces if self.values(s, epochs) and s not in self.diverged]
        return sorted(known, key=lambda space: self.sign * self.mean(space, epochs))

    def best(self) -> str | None:
        """The space with the best mean, over common seeds, among those with the longest trials.

        Spaces that were given up have fewer seeds than the others, and cannot be the best.
        """
        for fewest in (2, 1):
            for epochs in self.epochs:
                found = {s: v for s, v in self.scores[epochs].items() if s not in self.diverged}
                most = max((len(v) for v in found.values()), default=0)
                full = {s: v for s, v in found.items() if len(v) >= max(most - 1, fewest)}
                if full:
                    common = set.intersection(*(set(v) for v in full.values()))
                    return min(full, key=lambda s: self.sign * sum(full[s][seed] for seed in common))
        return None

    def difference(self, space: str, best: str) -> tuple[Difference, int] | None:
        """Compare a space with the best one in the longest trials that both have.

        Returns
        -------
        tuple of Difference and int, or None
            How much worse it is, and the number of epochs; ``None`` if they have no common seeds.
        """
        for least in (2, 1):
            for epochs in self.epochs:
                common = self._gaps(space, best, epochs)
                if len(common) >= least:
                    return _moderated(common, *self._typical(best, epochs)), epochs
        return None

    def is_worse(self, space: str, best: str, wrong: float = WRONG) -> bool:
        """Whether a space is clearly worse than the best one; after short trials, also by a factor."""
        if space in self.diverged:
            return True
        found = self.difference(space, best)
        if space == best or found is None:
            return False
        difference, epochs = found
        others = math.sqrt(max(len(self.scores[epochs]) - 1, 1))
        if epochs >= self.full:
            return difference.is_clear(wrong / others)
        factor = (self.full / epochs) ** SHORT_EXPONENT
        far = self._error(space, epochs) > factor * max(self._error(best, epochs), LEAST_SHORT_ERROR)
        return far and difference.is_clear(SELDOM_WRONG / others)

    def _error(self, space: str, epochs: int) -> float:
        """Distance of the mean score from a perfect one, which is 0 or 1."""
        mean = self.mean(space, epochs)
        return mean if self.metric.best == "low" else 1.0 - mean

    def _gaps(self, space: str, best: str, epochs: int) -> list[float]:
        a, b = self.values(space, epochs), self.values(best, epochs)
        return [self.sign * (a[seed] - b[seed]) for seed in sorted(a.keys() & b.keys())]

    def _typical(self, best: str, epochs: int) -> tuple[float, float]:
        """The typical variance of differences to the best space, and how many seeds it counts for.

        It is the median over the other spaces, each divided by the median that samples of its size have when
        the true variance is one  [WilsonHilferty1931].
        """
        gaps = [self._gaps(s, best, epochs) for s in self.scores[epochs] if s != best]
        known = [statistics.variance(x) / (1.0 - 2.0 / (9.0 * (len(x) - 1))) ** 3 for x in gaps if len(x) > 1]
        if not known:
            return 0.0, 0.0
        return statistics.median(known), min(MOST_PRIOR_SEEDS, 0.5 * (len(known) - 1))


def _moderated(gaps: Sequence[float], typical: float, prior: float) -> Difference:
    k, mean = len(gaps), statistics.fmean(gaps)
    freedom = prior + k - 1
    if not freedom:
        return Difference(mean, math.inf, k, 0.0)
    squares = math.fsum((x - mean) ** 2 for x in gaps)
    return Difference(mean, math.sqrt((prior * typical + squares) / freedom / k), k, freedom)
