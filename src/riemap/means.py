r"""The Fréchet mean of points, and Euclidean coordinates about it.

.. math:: \bar x = \arg\min_x \sum_i |\log_x x_i|_x^2, \qquad \sum_i \log_{\bar x} x_i = 0.

The coordinates of a point are the components of its logarithm at the mean in an orthonormal basis. Lengths
are those of geodesics; the Stein divergence has no geodesics of its own and uses those of SPD.

References
----------
[Karcher1977] Karcher. Riemannian center of mass and mollifier smoothing. CPAM 30(5), 1977.
[BarzilaiBorwein1988] Barzilai, Borwein. Two-point step size gradient methods. IMA J. Numer. Anal. 8(1), 1988.
"""

from typing import NamedTuple

import numpy as np

from riemap.errors import InputError
from riemap.manifolds import Manifold
from riemap.manifolds.checks import checked_points
from riemap.specs import expect
from riemap.types import Array

__all__ = ["frechet_mean", "tangent_basis", "tangent_coordinates"]

CONVERGED = 1e-14
"""Ratio of the length of the mean tangent to that of a typical tangent at which the iteration ends. Smaller
values are rounding errors."""

LEAST_GAIN = 1e-6
"""Smallest relative decrease of the spread that counts as progress. Rounding changes it by less, even where
points nearly coincide."""

SPREAD_ROUNDING = 1e-12
"""Relative increase of the spread that may be a rounding error."""

STALLED_STEPS, MAX_STEPS = 20, 2000
"""Number of steps without progress after which the iteration ends, and the largest number of steps in all."""

LONGEST_STEP = 16.0
"""Longest step, as a multiple of the step that cannot overshoot. Longer steps help where the spread is nearly
flat, as for points all over a sphere."""

START_SAMPLE = 512
"""Number of points among which the start is chosen; all their distances are computed."""


class _View(NamedTuple):
    """The points as seen from ``x``."""

    x: Array
    pull: Array  # mean of the logarithms: minus half the gradient
    length: float  # length of the pull
    spread: float  # mean of the squared lengths of the logarithms
    safe: float  # length of a step along the pull, in units of the pull, that cannot overshoot


def frechet_mean(m: Manifold, points: Array) -> Array:
    r"""The point with the smallest sum of squared geodesic distances to all others.

    Start at the point of a sample that is nearest to the rest of it. Step along the mean of :math:`\log_x
    x_i` by the secant rule of [BarzilaiBorwein1988], or by a shorter step that the curvature makes safe where
    that would increase the sum.

    If no curvature is positive, the sum has one minimum, and this finds it. Otherwise the minimum is unique
    for points within a small ball [Karcher1977]; for points all over a sphere this is a local minimum.

    Parameters
    ----------
    m
        The manifold.
    points
        Points, ``(n, *m.shape)``.

    Returns
    -------
    One point, of shape ``m.shape``.

    Examples
    --------
    >>> from riemap.manifolds import Euclidean
    >>> frechet_mean(Euclidean(1), np.array([[0.0], [1.0], [5.0]])).round(6).tolist()
    [2.0]
    """
    expect(m, Manifold, "a manifold", "e.g. riemap.manifolds.Sphere(2)")
    points = checked_points(m, points)
    if not len(points):
        raise InputError("a mean needs at least one point")
    here = best = _look(m, _central(m, points), points)
    step, stalled, least, shortest = here.safe, 0, here.spread, here.length
    for _ in range(MAX_STEPS):
        if best.length <= CONVERGED * np.sqrt(best.spread) or stalled == STALLED_STEPS:
            break
        there = _look(m, _moved(m, here, step), points)
        if there.spread > here.spread * (1.0 + SPREAD_ROUNDING) and step > here.safe:
            there = _look(m, _moved(m, here, step := here.safe), points)
        lower = there.spread < least * (1.0 - LEAST_GAIN)
        stalled = 0 if lower or there.length < 0.9 * shortest else stalled + 1
        least, shortest = min(least, there.spread), min(shortest, there.length)
        best = there if lower or there.length < best.length else best
        here, step = there, _secant(m, here, there, step)
    return best.x


def tangent_basis(m: Manifold, x: Array) -> Array:
    """An orthonormal basis of the tangent space at a point.

    Gram-Schmidt on the projections of the ambient unit vectors. Each step takes the longest remainder, so
    that no basis vector consists of rounding errors, and orthogonalises it twice, since remainders are nearly
    parallel far
    from the origin of a hyperbolic space.

    Parameters
    ----------
    m
        The manifold.
    x
        One point, of shape ``m.shape``.

    Returns
    -------
    Tangents, ``(m.dim, *m.shape)``.
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
    """Components of ``log_x`` of the points in an orthonormal basis at ``x``.

    Parameters
    ----------
    m
        The manifold.
    x
        One point, of shape ``m.shape``.
    points
        Points, ``(n, *m.shape)``.

    Returns
    -------
    Coordinates, ``(n, m.dim)``.
    """
    logs = m.log(x, points)
    return np.stack([m.inner(x, logs, b) for b in tangent_basis(m, x)], axis=-1)


def _central(m: Manifold, points: Array) -> Array:
    """The point of a sample with the smallest sum of squared distances to the sample."""
    count = min(len(points), START_SAMPLE)
    sample = points[np.linspace(0, len(points) - 1, count).round().astype(np.int64)]
    return sample[np.argmin(m.symmetric_block(sample).sqdist.sum(axis=1))]


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
    """The step after which the pull would vanish if the spread were quadratic; at least the safe step."""
    pull = m.transport(before.x, after.x, before.pull)
    squared = float(m.inner(after.x, pull, pull))
    change = squared - float(m.inner(after.x, pull, after.pull))
    wanted = step * squared / change if change > 0.0 else np.inf
    return float(np.clip(wanted, after.safe, LONGEST_STEP * after.safe))
