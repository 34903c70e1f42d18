"""Loops over pairs for :class:`riemap.losses.rsne.RSNE`.

In all of them, ``inverse`` and ``own`` are the factors of target and squared distances in the exponents:
``p`` is proportional to ``exp(-target * inverse)``, and ``q`` to ``exp(-sqdist * own)``.
"""

import math

import numpy as np

from riemap.loops import inline, pair_loop, task_loop
from riemap.losses.base import STATISTICS_ROWS
from riemap.lower_triangle import row_and_end
from riemap.threads import Part, begin
from riemap.types import Array
from riemap.vmath import exp, from_bits, to_bits

SAFE_LOG_RATIO = 300.0
"""Largest distance of a normaliser's logarithm from the middle of all of them, for the faster formula.

That formula multiplies exponentials of two such distances, and the product must stay below the largest float,
whose logarithm is 709.
"""

SUM_PARTS = 16
"""Number of parts into which rows are dealt to sum up columns.

The number is fixed so that the order of additions, and with it every byte, does not depend on the number of
threads; 16 keeps as many cores busy.
"""


@inline
def _least(values: Array) -> float:
    """Return the smallest of some non-negative floats.

    Their bits, read as integers, have the same order, and a minimum of integers vectorises.
    """
    least = to_bits(values[0])
    for j in range(len(values)):
        least = min(least, to_bits(values[j]))
    return from_bits(least)


def row_statistics(
    target: Array, sqdist: Array, inverse: float, own: float, first: int, exclusive: bool
) -> Array:
    """Compute the logarithms of both normalisers and the divergence of each row; the last row is not used."""
    found = np.zeros((STATISTICS_ROWS, len(sqdist)))
    _row_statistics_rows(len(sqdist), target, sqdist, inverse, own, first, exclusive, found)
    return found


@pair_loop
def _row_statistics_rows(
    part: Part,
    target: Array,
    sqdist: Array,
    inverse: float,
    own: float,
    first: int,
    exclusive: bool,
    found: Array,
) -> None:
    n = sqdist.shape[1]
    p, q = np.empty(n), np.empty(n)
    start, stop = begin(part)
    for i in range(start, stop):
        t, s = target[i], sqdist[i]
        for j in range(n):
            p[j] = t[j]
            q[j] = s[j]
        p[first + i] = q[first + i] = np.inf  # leaves out the node itself
        nearest_t, nearest_s = _least(p), _least(q)
        for j in range(n):
            p[j], q[j] = exp((nearest_t - p[j]) * inverse), exp((nearest_s - q[j]) * own)
        sum_p, sum_q, mean_p, mean_q = 0.0, 0.0, 0.0, 0.0
        for j in range(n):
            ratio = (nearest_t - t[j]) * inverse - (nearest_s - s[j]) * own  # log p/q without the normalisers
            sum_p += p[j]
            sum_q += q[j]
            mean_p += p[j] * ratio
            mean_q -= q[j] * ratio
        log_p, log_q = math.log(sum_p), math.log(sum_q)
        found[0, i] = log_p - nearest_t * inverse
        found[1, i] = log_q - nearest_s * own
        found[2, i] = mean_q / sum_q - log_q + log_p if exclusive else mean_p / sum_p - log_p + log_q


def exponentials(target: Array, sqdist: Array, inverse: float, own: float, out: Array) -> Array:
    """Compute both exponentials of every pair, and for each node the sums of ``p``, ``q`` and ``p log p/q``.

    The sums, ``(3, n)``, do not count the node itself. The exponentials are symmetric in the two nodes, so
    each unordered pair is visited once. For ``j < i``, ``p`` of the pair is stored in ``out[i, j]``. The
    values of ``q`` for row ``i`` are stored in the upper triangle, in row ``n - 1 - i``, which has just as
    many entries. Rows are dealt into ``SUM_PARTS`` parts, and each part sums its columns separately. A loop
    that sums a row stores nothing, for the reason given at :data:`riemap.loops.pair_loop`.
    """
    n = len(out)
    sums = np.zeros((SUM_PARTS, 3, n))
    _exponentials_rows(SUM_PARTS, target, sqdist, inverse, own, out, sums)
    return np.asarray(sums.sum(axis=0))


@task_loop
def _exponentials_rows(
    part: Part, target: Array, sqdist: Array, inverse: float, own: float, out: Array, sums: Array
) -> None:
    n = len(out)
    start, stop = begin(part)
    for share in range(start, stop):
        sum_p, sum_q, mean = sums[share, 0], sums[share, 1], sums[share, 2]
        for number in range(n * share // SUM_PARTS, n * (share + 1) // SUM_PARTS):
            i = row_and_end(number, n, n, True)[0]
            t, s = target[i], sqdist[i]
            p, q = out[i], out[n - 1 - i, n - i :]
            for j in range(i):
                p[j] = exp(-t[j] * inverse)
            for j in range(i):
                q[j] = exp(-s[j] * own)
            for j in range(i):
                sum_p[j] += p[j]
            for j in range(i):
                sum_q[j] += q[j]
            for j in range(i):
                mean[j] += p[j] * (s[j] * own - t[j] * inverse)
            sum_of_p, sum_of_q, sum_of_terms = 0.0, 0.0, 0.0
            for j in range(i):
                sum_of_p += p[j]
                sum_of_q += q[j]
                sum_of_terms += p[j] * (s[j] * own - t[j] * inverse)
            sum_p[i] += sum_of_p
            sum_q[i] += sum_of_q
            mean[i] += sum_of_terms


def combine_exponentials(inverses: Array, out: Array) -> None:
    """Turn the exponentials that :func:`exponentials` stored in ``out`` into the weights of both ends.

    ``inverses`` are the factors of ``p`` and ``q`` at each node.
    """
    _combine_exponentials_rows(len(out), inverses, out)


@pair_loop
def _combine_exponentials_rows(part: Part, inverses: Array, out: Array) -> None:
    n = len(out)
    inverse_p, inverse_q = inverses[0], inverses[1]
    start, stop = begin(part)
    for number in range(start, stop):
        i = row_and_end(number, n, n, True)[0]
        q, w = out[n - 1 - i, n - i :], out[i]
        for j in range(i):
            w[j] = w[j] * (inverse_p[i] + inverse_p[j]) - q[j] * (inverse_q[i] + inverse_q[j])
        w[i] = 0.0


def inclusive_weights(
    target: Array,
    sqdist: Array,
    inverse: float,
    own: float,
    first: int,
    statistics: Array,
    both_ends: bool,
    out: Array,
) -> None:
    r"""Write :math:`w_{ij} = (p_{j|i} - q_{j|i})/n`, times the factor ``own`` of the squared distances.

    With ``both_ends``, :math:`e^{-a}/Z_i + e^{-a}/Z_j = e^{-a}/Z_i\,(1 + Z_i/Z_j)` takes one exponential a
    pair. Its ratio is a product of exponentials, which must be within the range of floats; see
    :data:`SAFE_LOG_RATIO`. Otherwise each end takes an exponential.
    """
    logs = statistics[:2]
    least, greatest = logs.min(axis=1), logs.max(axis=1)
    middle = 0.5 * (least + greatest)
    narrow = both_ends and float((greatest - middle).max()) < SAFE_LOG_RATIO
    inverses = np.exp(middle[:, None] - logs) if narrow else logs
    _inclusive_weights_rows(
        len(sqdist), target, sqdist, inverse, own, first, logs, inverses, narrow, both_ends, out
    )


@pair_loop
def _inclusive_weights_rows(
    part: Part,
    target: Array,
    sqdist: Array,
    inverse: float,
    own: float,
    first: int,
    logs: Array,
    inverses: Array,
    narrow: bool,
    both_ends: bool,
    out: Array,
) -> None:
    n = sqdist.shape[1]
    share = own / n
    log_p, log_q = logs[0], logs[1]
    inverse_p, inverse_q = inverses[0], inverses[1]
    start, stop = begin(part)
    for i in range(start, stop):
        t, s = target[i], sqdist[i]
        w = out[i]  # a statement of its own: Numba loses writes to an array unpacked from a mixed tuple
        own_p, own_q = log_p[first + i], log_q[first + i]
        if narrow:
            sum_p, sum_q = 1.0 / inverse_p[first + i], 1.0 / inverse_q[first + i]
            for j in range(n):
                of_p = exp(-t[j] * inverse - own_p) * (1.0 + sum_p * inverse_p[j])
                w[j] = (of_p - exp(-s[j] * own - own_q) * (1.0 + sum_q * inverse_q[j])) * share
        else:
            for j in range(n):
                w[j] = (exp(-t[j] * inverse - own_p) - exp(-s[j] * own - own_q)) * share
            if both_ends:
                for j in range(n):
                    w[j] += (exp(-t[j] * inverse - log_p[j]) - exp(-s[j] * own - log_q[j])) * share
        w[first + i] = 0.0


def exclusive_weights(
    target: Array,
    sqdist: Array,
    inverse: float,
    own: float,
    first: int,
    statistics: Array,
    both_ends: bool,
    out: Array,
) -> None:
    r"""Write :math:`w_{ij} = q_{j|i}(\mathrm{KL}_i - \log q_{j|i}/p_{j|i})/n`, times the factor ``own``."""
    _exclusive_weights_rows(len(sqdist), target, sqdist, inverse, own, first, statistics, both_ends, out)


@pair_loop
def _exclusive_weights_rows(
    part: Part,
    target: Array,
    sqdist: Array,
    inverse: float,
    own: float,
    first: int,
    statistics: Array,
    both_ends: bool,
    out: Array,
) -> None:
    n = sqdist.shape[1]
    share = own / n
    log_p, log_q, divergence = statistics[0], statistics[1], statistics[2]
    start, stop = begin(part)
    for i in range(start, stop):
        t, s = target[i], sqdist[i]
        w = out[i]
        own_p, own_q, level = log_p[first + i], log_q[first + i], divergence[first + i]
        for j in range(n):
            ratio = t[j] * inverse - s[j] * own
            w[j] = exp(-s[j] * own - own_q) * (level - ratio + own_q - own_p) * share
        if both_ends:
            for j in range(n):
                ratio = t[j] * inverse - s[j] * own
                w[j] += exp(-s[j] * own - log_q[j]) * (divergence[j] - ratio + log_q[j] - log_p[j]) * share
        w[first + i] = 0.0
