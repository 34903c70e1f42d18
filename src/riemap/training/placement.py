r"""Placement: points for new nodes, where their distances to fixed nodes, the anchors, are known.

A new point minimises the mean over the anchors of

.. math:: \phi(d/\delta - 1), \qquad \phi(e) = \sqrt{e^2 + \epsilon^2} - \epsilon,

where ``d`` is its distance to an anchor in the space and :math:`\delta` the distance that it should have.
This is the average distortion of the new node, rounded off where it has a corner. Near anchors count as much
as distant ones, since errors are relative.

A point starts at the nearest anchor and at the one nearby that fits it best, and descends along the gradient
from the better of the two. The length of a step comes from the last two gradients [BarzilaiBorwein1988]; a
step that does not reduce the loss is taken back and tried again with a quarter of its length.

References
----------
[BarzilaiBorwein1988] Barzilai, Borwein. Two-point step size gradient methods. IMA J. Numer. Anal. 8(1), 1988.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riemap.errors import InputError
from riemap.loops import POINT_GRAIN, pair_loop
from riemap.spaces import Points, Space, SpaceRectangularBlock
from riemap.specs import expect
from riemap.specs.arrays import float_array
from riemap.threads import Part, begin
from riemap.types import Array

ROUNDING = 0.05
"""Relative error below which the loss is rounded off. On facebook and power in H3, the distortion is 2 %
larger with 0.2, and the same with 0.01, which is a sharper corner."""

START_ANCHORS = 8
"""Number of nearest anchors among which the start of a point is chosen. On facebook in H3, the distortion is
1 % larger with the nearest one alone, and 0.2 % smaller with 32."""

FIRST_STEPS = 4
"""Number of steps from each of two starts, the nearest anchor and the best one, before one is chosen."""

MOST_STEPS = 40
"""Largest number of steps of a point. Most need half as many; 80 give no smaller distortion."""

LEAST_GAIN = 1e-4
"""Relative decrease of the loss below which the step of a point is its last one."""

LONGEST_STEP = 16.0
"""Longest step, as a multiple of the one that cannot overshoot in a flat space."""

SHORTER = 0.25
"""Factor of a step that did not reduce the loss."""

LEAST_DISTANCE = 1e-12
"""Smallest distance that is divided by, relative to the distance that it should be."""

BLOCK_PAIRS = 1 << 18
"""Number of pairs of a point and an anchor in a block: 2 MB a matrix."""


class _View(NamedTuple):
    """The loss at some points, an entry or a row for each point."""

    x: Points
    loss: Array
    gradient: Points  # in the metric of the space, with its scales
    safe: Array  # the step, in units of the gradient, that cannot overshoot in a flat space

    def taken(self, rows: NDArray[np.int64]) -> "_View":
        """The same for some of the points."""
        x, gradient = tuple(a[rows] for a in self.x), tuple(a[rows] for a in self.gradient)
        return _View(x, self.loss[rows], gradient, self.safe[rows])

    def replaced(self, mask: NDArray[np.bool_], other: "_View") -> "_View":
        """Replace the points of a mask by those of another view."""
        rows = np.flatnonzero(mask)
        return self.updated(rows, other.taken(rows))

    def updated(self, rows: NDArray[np.int64], part: "_View") -> "_View":
        """Replace some of the points by those of another view."""

        def put(whole: Array, values: Array) -> Array:
            out = whole.copy()
            out[rows] = values
            return out

        x, gradient = tuple(map(put, self.x, part.x)), tuple(map(put, self.gradient, part.gradient))
        return _View(x, put(self.loss, part.loss), gradient, put(self.safe, part.safe))


def place(space: Space, anchors: Points, log_scales: Array, sqtarget: Array) -> Points:
    """Find the points whose distances to fixed points come nearest to given ones.

    The rows of ``sqtarget`` are independent of each other: the bytes of a point depend on its own row only.
    Nodes with the same row therefore get the same point. A node with a target of zero gets the point of that
    anchor.

    Parameters
    ----------
    space
        The space.
    anchors
        The ``k`` fixed points, an array ``(k, *shape)`` for each factor.
    log_scales
        Logarithms of the scales, one for each factor.
    sqtarget
        ``(new, k)`` squared distances that each new point should have to the anchors.

    Returns
    -------
    Points
        The ``new`` points.

    Raises
    ------
    InputError
        If shapes do not fit, or a target is negative or not finite.

    Examples
    --------
    >>> anchors = (np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0]]),)
    >>> (x,) = place(Space.parse("E2"), anchors, np.zeros(1), np.array([[2.0, 2.0, 2.0]]))
    >>> x.round(3).tolist()
    [[1.0, 1.0]]
    """
    expect(space, Space, "a space", "Space.parse('H2') makes one")
    space.sqdist(anchors, anchors, log_scales)  # refuses what are not points of the space and its scales
    target = _checked_target(sqtarget, anchors)
    size = max(BLOCK_PAIRS // target.shape[1] // POINT_GRAIN, 1) * POINT_GRAIN
    solver = _Solver(space, anchors, log_scales)
    out = tuple(np.empty((len(target), *m.shape)) for m in space.factors)
    for start in range(0, len(target), size):
        rows = slice(start, min(start + size, len(target)))
        for whole, part in zip(out, solver.solve(target[rows]), strict=True):
            whole[rows] = part
    return out


def _checked_target(sqtarget: Array, anchors: Points) -> Array:
    target = float_array("squared distances to anchors", sqtarget)
    k = len(anchors[0])
    if target.ndim != 2 or target.shape[1] != k or k == 0:
        raise InputError(
            f"squared distances of shape {target.shape} to {k} anchors; expected a row for each new node, "
            f"{('new', max(k, 1))}"
        )
    if not (np.isfinite(target).all() and (target >= 0.0).all()):
        raise InputError("squared distances to anchors are finite and not negative")
    return target


class _Solver:
    """Places the points of one block of rows after the other."""

    def __init__(self, space: Space, anchors: Points, log_scales: Array) -> None:
        self.space, self.anchors, self.log_scales = space, anchors, log_scales
        self.scales = np.exp(log_scales)
        parts = zip(space.factors, anchors, strict=True)
        self.reach = [math.sqrt(m.pairwise(y[:1], y).max()) for m, y in parts]  # of a step, in each factor

    def solve(self, sqtarget: Array) -> Points:
        """Place the points of some rows."""
        delta = np.sqrt(sqtarget[_filled(len(sqtarget))])
        inverse = np.divide(1.0, delta, out=np.zeros_like(delta), where=delta > 0.0)
        elsewhere: NDArray[np.bool_] = np.all(delta > 0.0, axis=1)  # not at the place of an anchor
        near, fitting = (
            self.descend(tuple(y[nodes] for y in self.anchors), inverse, elsewhere, FIRST_STEPS)
            for nodes in self.starts(delta, inverse)
        )
        start = near.replaced(elsewhere & (fitting.loss < near.loss), fitting)
        found = self.descend(start.x, inverse, elsewhere, MOST_STEPS)
        return tuple(x[: len(sqtarget)] for x in found.x)

    def starts(self, delta: Array, inverse: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each row, the nearest anchor, and the one with the smallest loss among the nearest ones."""
        nearest = np.argsort(delta, axis=1, kind="stable")[:, :START_ANCHORS]
        loss = [self.loss(tuple(y[column] for y in self.anchors), inverse)[0] for column in nearest.T]
        return nearest[:, 0], nearest[np.arange(len(delta)), np.argmin(loss, axis=0)]

    def descend(self, x: Points, inverse: Array, going: NDArray[np.bool_], steps: int) -> _View:
        """Step from some points until the loss no longer falls; rows that are not ``going`` stay."""
        here = found = self.look(x, inverse)
        rows, step = np.arange(len(inverse)), here.safe
        for _ in range(steps):
            if 2 * np.count_nonzero(going) <= len(going):  # go on with these rows only
                kept = np.flatnonzero(going)
                if not len(kept):
                    break
                kept = kept[_filled(len(kept))]
                found = found.updated(rows, here)
                rows, going, step, inverse = rows[kept], going[kept], step[kept], inverse[kept]
                here = here.taken(kept)
            moved, before, step = self.move(here, step)
            there = self.look(moved, inverse)
            better = going & (there.loss < here.loss)
            going = going & (~better | (there.loss < (1.0 - LEAST_GAIN) * here.loss))
            step = np.where(better, self.secant(before, there, step), SHORTER * step)
            here = here.replaced(better, there)
        return found.updated(rows, here)

    def loss(self, x: Points, inverse: Array) -> tuple[Array, Array, Array, SpaceRectangularBlock]:
        """The loss at some points, safe steps, the weights of all pairs, and the pairs."""
        pairs = self.space.rectangular_block(x, self.anchors, self.log_scales)
        weights, loss, bend = np.empty(inverse.shape), np.empty(len(inverse)), np.empty(len(inverse))
        _loss_rows(len(inverse), inverse, pairs.sqdist, weights, loss, bend)
        return loss, 1.0 / bend, weights, pairs

    def look(self, x: Points, inverse: Array) -> _View:
        """Compute the loss and its gradient at some points."""
        loss, safe, weights, pairs = self.loss(x, inverse)
        unit, _ = pairs.gradient(weights)
        return _View(x, loss, tuple(g / s for g, s in zip(unit, self.scales, strict=True)), safe)

    def move(self, view: _View, step: Array) -> tuple[Points, Points, Array]:
        """Step against the gradient; return the points, the transported gradients and the steps taken."""
        factors = self.space.factors
        for m, x, g, reach in zip(factors, view.x, view.gradient, self.reach, strict=True):
            length = m.norm(x, g)
            step = np.minimum(
                step, np.divide(reach, length, out=np.full(len(step), np.inf), where=length > 0.0)
            )
        parts = [
            m.move(x, -g * m._expand(step), g) for m, x, g in zip(factors, view.x, view.gradient, strict=True)
        ]
        return tuple(y for y, _ in parts), tuple(g for _, g in parts), step

    def secant(self, before: Points, there: _View, step: Array) -> Array:
        """The step after which the gradient would vanish if the loss were quadratic."""
        square = self.inner(there.x, before, before)
        change = square - self.inner(there.x, before, there.gradient)
        wanted = np.divide(step * square, change, out=np.full(len(step), np.inf), where=change > 0.0)
        return np.clip(wanted, there.safe, LONGEST_STEP * there.safe)

    def inner(self, x: Points, u: Points, v: Points) -> Array:
        """Inner products in the metric of the space."""
        parts = zip(self.space.factors, self.scales, x, u, v, strict=True)
        return np.sum([s * m.inner(y, a, b) for m, s, y, a, b in parts], axis=0)


def _filled(count: int) -> NDArray[np.int64]:
    """Numbers of so many rows, filled up with the last one to a multiple of ``POINT_GRAIN``.

    Compiled loops round the points of a whole vector otherwise than those that are left over. Filled up, the
    bytes of a point do not depend on its place.
    """
    return np.minimum(np.arange(-(-count // POINT_GRAIN) * POINT_GRAIN), count - 1)


@pair_loop
def _loss_rows(part: Part, inverse: Any, sqdist: Any, weights: Any, loss: Any, bend: Any) -> None:
    r"""Sum :math:`\phi(d/\delta-1)` over rows, and write its derivatives in :math:`d^2`.

    ``inverse`` is :math:`1/\delta`, or zero for a pair that is ignored. ``bend`` is the sum of the second
    derivatives in ``d`` of the parabolas that touch the terms and are nowhere below them.
    """
    n = inverse.shape[1]
    share = 1.0 / n
    start, stop = begin(part)
    for i in range(start, stop):
        r, s = inverse[i], sqdist[i]
        w = weights[i]
        for j in range(n):
            ratio = math.sqrt(s[j]) * r[j]
            error = ratio - 1.0
            root = math.sqrt(error * error + ROUNDING * ROUNDING)
            w[j] = 0.5 * share * r[j] * r[j] * error / (root * max(ratio, LEAST_DISTANCE))
        total, steep = 0.0, 0.0
        for j in range(n):
            error = math.sqrt(s[j]) * r[j] - 1.0
            root = math.sqrt(error * error + ROUNDING * ROUNDING)
            total += root - ROUNDING
            steep += r[j] * r[j] / root
        loss[i] = share * total
        bend[i] = share * steep if steep > 0.0 else 1.0
