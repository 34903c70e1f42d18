r"""The Fréchet mean of points, and Euclidean coordinates about it.

.. math:: \bar x = \arg\min_x \sum_i |\log_x x_i|_x^2, \qquad \sum_i \log_{\bar x} x_i = 0.

Points are seen from their mean as tangents there, and a tangent is told by its components in an orthonormal
basis. Lengths are those of geodesics: for the Stein divergence, which has none of its own, those of SPD.

References
----------
[Karcher1977] Karcher. Riemannian center of mass and mollifier smoothing. CPAM 30(5), 1977.
[BarzilaiBorwein1988] Barzilai, Borwein. Two-point step size gradient methods. IMA J. Numer. Anal. 8(1), 1988.
"""

from typing import NamedTuple

import numpy as np

from riemap.manifolds import Manifold
from riemap.types import Array

CLOSE = 1e-14
"""Length of the mean tangent against that of a typical one, below which nothing is left to gain."""

GAIN = 1e-6
"""Share of the spread that counts as progress; rounding takes less, even of points that nearly coincide."""

ROUNDING = 1e-12
"""Share of the spread that may be nothing but rounding."""

STALLED, MOST = 20, 2000
"""Steps without progress after which rounding has the word, and steps in all."""

LONGEST = 16.0
"""Longest step, in units of one that cannot overshoot; where points spread over a sphere, it is flat."""

SAMPLE = 512
"""Points among which to look for one to start from."""


class _View(NamedTuple):
    """The points as seen from ``x``."""

    x: Array
    pull: Array  # mean of the logarithms: minus half the gradient
    length: float  # of the pull
    spread: float  # mean of their squared lengths
    safe: float  # a step along the pull that cannot overshoot


def frechet_mean(m: Manifold, points: Array) -> Array:
    r"""The point with the least sum of squared geodesic distances to all others.

    Steps along the mean of :math:`\log_x x_i` by the secant rule of [BarzilaiBorwein1988], or by what the
    curvature allows where that would take it uphill, from the point of a sample that is nearest to the rest.

    Where no curvature is positive there is one minimum, and this is it. Elsewhere it is unique among points
    within a small ball [Karcher1977]; of points all over a sphere it is a local minimum.

    Parameters
    ----------
    m
        Where the points are.
    points
        ``(n, *m.shape)``.

    Returns
    -------
    One point, of shape ``m.shape``.
    """
    here = best = _look(m, _central(m, points), points)
    step, stalled = here.safe, 0
    for _ in range(MOST):
        if best.length <= CLOSE * np.sqrt(best.spread) or stalled == STALLED:
            break
        there = _look(m, _moved(m, here, step), points)
        if there.spread > here.spread * (1.0 + ROUNDING) and step > here.safe:
            there = _look(m, _moved(m, here, step := here.safe), points)
        lower = there.spread < best.spread * (1.0 - GAIN)
        stalled = 0 if lower or there.length < 0.9 * best.length else stalled + 1
        best = there if lower or there.length < best.length else best
        here, step = there, _secant(m, here, there, step)
    return best.x


def tangent_basis(m: Manifold, x: Array) -> Array:
    """Orthonormal tangents at ``x``, ``(m.dim, *m.shape)``.

    Gram-Schmidt on the projections of the ambient unit vectors. The longest remainder is next, so that no
    basis vector is made of rounding errors, and it is straightened once more, since they are nearly parallel
    far from the origin of a hyperbolic space.
    """
    rest = m.to_tangent(x, np.eye(int(np.prod(m.shape))).reshape(-1, *m.shape))
    basis = np.empty((m.dim, *m.shape))
    for k in range(m.dim):
        longest = rest[np.argmax(m.norm(x, rest))]
        longest = longest / m.norm(x, longest)
        longest = longest - np.tensordot(m.inner(x, longest, basis[:k]), basis[:k], 1)
        basis[k] = longest / m.norm(x, longest)
        rest = rest - np.multiply.outer(m.inner(x, rest, basis[k]), basis[k])
    return basis


def tangent_coordinates(m: Manifold, x: Array, points: Array) -> Array:
    """Components of ``log_x`` of the points in an orthonormal basis at ``x``, ``(n, m.dim)``."""
    logs = m.log(x, points)
    return np.stack([m.inner(x, logs, b) for b in tangent_basis(m, x)], axis=-1)


def _central(m: Manifold, points: Array) -> Array:
    """Of a sample of the points, the one with the least sum of squared distances to the sample."""
    count = min(len(points), SAMPLE)
    sample = points[np.linspace(0, len(points) - 1, count).round().astype(np.int64)]
    return sample[np.argmin(m.pairwise(sample, sample).sum(axis=1))]


def _look(m: Manifold, x: Array, points: Array) -> _View:
    logs = m.log(x, points)
    squares = m.inner(x, logs, logs)
    pull = np.mean(logs, axis=0)
    return _View(x, pull, float(m.norm(x, pull)), float(np.mean(squares)), 1.0 / _bend(m, squares))


def _bend(m: Manifold, sqdist: Array) -> float:
    r"""A bound on the second derivative of half the mean squared distance.

    For one point it is :math:`r\coth r` with :math:`r = d\sqrt{-\kappa}`, ``κ`` the least curvature, and 1 if
    that is not negative.
    """
    r = np.sqrt(max(-m.curvature[0], 0.0) * np.maximum(sqdist, 0.0))
    return float(np.mean(np.where(r > 0.0, r / np.tanh(np.where(r > 0.0, r, 1.0)), 1.0)))


def _moved(m: Manifold, view: _View, step: float) -> Array:
    return m.project(m.exp(view.x, step * view.pull))


def _secant(m: Manifold, before: _View, after: _View, step: float) -> float:
    """The step that would have made the pull vanish, were the spread a parabola; never below the safe one."""
    pull = m.transport(before.x, after.x, before.pull)
    squared = float(m.inner(after.x, pull, pull))
    change = squared - float(m.inner(after.x, pull, after.pull))
    wanted = step * squared / change if change > 0.0 else np.inf
    return float(np.clip(wanted, after.safe, LONGEST * after.safe))
