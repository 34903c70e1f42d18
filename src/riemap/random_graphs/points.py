"""Draw random points from a space; the package describes the distributions."""

import math
import sys
from contextlib import suppress
from numbers import Real

import numpy as np

from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.manifolds import CompactManifold, Hyperboloid, Manifold
from riemap.memory import require
from riemap.spaces import Space
from riemap.specs import checked_seed, expect, shown, whole_number
from riemap.types import Array, Rng

SAMPLING_METHODS = ("uniform", "exp")
"""Values of ``how`` in :func:`sample`."""

RADIUS_RTOL = 1e-4
"""Largest accepted error of a point's distance from the origin, as a fraction of the radius. A larger error
means that float64 cannot represent points of this ball, or that the ball reaches the boundary of the
space."""

RADIUS_CELLS = 512
"""Number of intervals of the radius. In each of them, Gauss-Legendre quadrature is exact up to rounding."""

NEGLIGIBLE_EXPONENT = 60.0
"""Radii smaller than ``R - 60 / (n - 1)`` are ignored: the volume within them is a fraction exp(-60) = 9e-27
of the ball's, less than the rounding error of float64."""

GAUSS_NODES, GAUSS_WEIGHTS = np.polynomial.legendre.leggauss(8)
"""Nodes and weights of the Gauss-Legendre quadrature with 8 points on [-1, 1]."""


def sample(
    space: str | Space, n: int, radius: float | None = None, how: str = "uniform", seed: int = 0
) -> Embedding:
    """Draw random points from a space.

    Parameters
    ----------
    space
        A space, or its spelling, e.g. ``"H3"`` or ``"H2 x S2"``. All scales are one.
    n
        Number of points.
    radius
        Radius of the ball around the origin from which the points are drawn; 1 by default. A compact space
        that is sampled uniformly takes no radius.
    how
        ``"uniform"`` samples by volume, in compact, flat and hyperbolic spaces. ``"exp"`` samples tangent
        vectors uniformly from a ball and applies the exponential map, in any space.
    seed
        Seed of the random numbers. The same seed gives the same points.

    Returns
    -------
    Embedding
        The points, with labels from 0 to ``n - 1``.

    Raises
    ------
    InputError
        If an argument is invalid, uniform sampling is not implemented for the space, or the ball is too large
        for float64.
    MemoryError
        If the points do not fit into memory.

    Examples
    --------
    >>> sample("H3 x S2", 50, radius=5.0)
    <Embedding of 50 nodes in H3 x S2 (5 dimensions)>
    """
    drawn_from = Space.of(space)
    expect(how, str, "a sampling method", "there are 'uniform' and 'exp'")
    if how == "uniform" and radius is not None and is_compact(drawn_from):
        raise InputError(
            f"{drawn_from} is sampled uniformly as a whole, not in a ball; leave out the radius, or use "
            "'exp' to sample tangent vectors up to this length"
        )
    _check_sample(n, 1.0 if radius is None else radius, how, seed)
    numbers = sum(math.prod(m.shape) for m in drawn_from.factors)
    # A point, its tangent vector, and the results of two checks, as float64, and its label.
    require((32 * numbers + 40) * n, f"{n:,} points of {drawn_from}", "draw fewer points")
    rng = np.random.default_rng(seed)
    points = tuple(_points(m, rng, n, 1.0 if radius is None else radius, how) for m in drawn_from.factors)
    return Embedding(drawn_from, points, np.zeros(len(points)), tuple(range(n)))


def _check_sample(n: int, radius: float, how: str, seed: int) -> None:
    if how not in SAMPLING_METHODS:
        raise InputError(f"no sampling method is called {shown(how)}; there are 'uniform' and 'exp'")
    if whole_number("n", n, example=1000) < 1:
        raise InputError(f"n={n} is too small; the number of points must be at least 1, e.g. 1000")
    checked_seed(seed)
    number = isinstance(radius, Real) and not isinstance(radius, bool)
    if not number or not 0.0 < radius < sys.float_info.max:
        given = f"{radius:g}" if isinstance(radius, float) else shown(radius)
        raise InputError(f"radius={given} is not a positive number; the radius of a ball is e.g. 5")


def is_compact(space: Space) -> bool:
    """Whether all factors of a space are compact.

    Parameters
    ----------
    space
        The space.

    Returns
    -------
    bool
        True if the space is compact.

    Examples
    --------
    >>> is_compact(Space.parse("S2")), is_compact(Space.parse("S2 x H2"))
    (True, False)
    """
    return all(isinstance(m, CompactManifold) for m in space.factors)


def _is_flat(m: Manifold) -> bool:
    """Whether the exponential map is an isometry."""
    return m.curvature == (0.0, 0.0) and not isinstance(m, CompactManifold)


def _points(m: Manifold, rng: Rng, n: int, radius: float, how: str) -> Array:
    """Draw the points of one factor."""
    if how == "uniform" and isinstance(m, CompactManifold):
        return m.uniform(rng, n)
    share = rng.random(n)
    if how == "exp" or _is_flat(m):
        lengths = radius * share ** (1.0 / m.dim)
    elif isinstance(m, Hyperboloid):
        lengths = hyperbolic_radii(m.dim, radius, share)
    else:
        raise InputError(
            f"uniform sampling from balls of {m} is not implemented; 'uniform' is for E, H, S, LogSPD, Gr "
            f"and SO, and 'exp' for any space, e.g. riemap sample {m} --how exp --out DIR"
        )
    return _at_distances(m, rng, lengths, radius)


def _at_distances(m: Manifold, rng: Rng, lengths: Array, radius: float) -> Array:
    """Place points at given distances from the origin, in random directions."""
    u = m.to_tangent(m.origin, rng.standard_normal((len(lengths), *m.shape)))
    factor = lengths / m.norm(m.origin, u)
    fits = False
    # An overflow makes points or errors NaN or infinite, or LAPACK does not converge.
    with np.errstate(all="ignore"), suppress(np.linalg.LinAlgError):
        points = m.project(m.exp(m.origin, u * factor.reshape(-1, *(1,) * len(m.shape))))
        if isinstance(m, CompactManifold):
            fits = bool(np.isfinite(points).all())
        else:
            error = np.abs(m.norm(m.origin, m.log(m.origin, points)) - lengths).max()
            fits = bool(error <= RADIUS_RTOL * radius)
    if not fits:
        raise InputError(
            f"a ball of radius {radius:g} does not fit into {m} in float64; use a radius between 1 and 5"
        )
    return points


def hyperbolic_radii(dim: int, radius: float, share: Array) -> Array:
    r"""Invert the distribution of the radius in a uniform ball of hyperbolic space.

    .. math:: F(r) = \int_0^r \sinh^{n-1}t\,dt \Big/ \int_0^R \sinh^{n-1}t\,dt.

    The integral is tabulated on a grid of cells. Within a cell, Newton's method starts from the solution in
    flat space. The integrand increases, so the iterates decrease to the solution.

    Parameters
    ----------
    dim
        Dimension ``n`` of the space.
    radius
        Radius ``R`` of the ball.
    share
        Values of ``F``: fractions of the volume, between 0 and 1.

    Returns
    -------
    Array
        The radii ``r`` with ``F(r) = share``.

    Examples
    --------
    >>> hyperbolic_radii(2, 5.0, np.array([0.5, 1.0])).round(3)
    array([4.32, 5.  ])
    """
    edges = np.linspace(max(0.0, radius - NEGLIGIBLE_EXPONENT / max(dim - 1, 1e-9)), radius, RADIUS_CELLS + 1)
    total = np.concatenate([[0.0], np.cumsum(_integral(dim, radius, edges[:-1], edges[1:]))])
    aim = share * total[-1]
    cell = np.clip(np.searchsorted(total, aim, side="right") - 1, 0, RADIUS_CELLS - 1)
    low, high, below = edges[cell], edges[cell + 1], total[cell]
    part = (aim - below) / np.maximum(total[cell + 1] - below, np.finfo(float).tiny)
    inner = (low / high) ** dim
    r = high * np.clip(inner + part * (1.0 - inner), 0.0, 1.0) ** (1.0 / dim)
    for _ in range(5):
        slope = np.maximum(_density(dim, radius, r), np.finfo(float).tiny)
        r = np.clip(r - (below + _integral(dim, radius, low, r) - aim) / slope, low, high)
    return r


def _density(dim: int, radius: float, r: Array) -> Array:
    r"""Compute :math:`(\sinh r/\sinh R)^{n-1}` without overflow."""
    ratio = np.exp(r - radius) * np.expm1(-2.0 * r) / np.expm1(-2.0 * radius)
    return np.asarray(ratio ** (dim - 1))


def _integral(dim: int, radius: float, low: Array, high: Array) -> Array:
    """Integrate the density from ``low`` to ``high`` by Gauss-Legendre quadrature."""
    half = 0.5 * (high - low)
    at = low[:, None] + half[:, None] * (1.0 + GAUSS_NODES)
    return half * (_density(dim, radius, at) @ GAUSS_WEIGHTS)
