r"""Loops over pairs of rotations of three and four dimensions, as unit quaternions.

**n = 3.** Rotations are the unit quaternions up to sign, :math:`Gr(1, 4)`, with distances
:math:`\sqrt8` times as long.

**n = 4.** A rotation of four dimensions is :math:`x\mapsto pxq` for two unit quaternions, which are unique up
to a common sign [ConwaySmith2003, ch. 4]. Let :math:`\alpha` be the angle between the ``p`` of two rotations
``A`` and ``B``, and :math:`\beta` that between the ``q``. :math:`A^\top B` rotates two planes by
:math:`\alpha\pm\beta`, so

.. math:: d^2(A, B) = 2(\alpha + \beta)^2 + 2(\alpha - \beta)^2 = 4(\alpha^2 + \beta^2),

where the signs of the quaternions of ``B`` are such that :math:`\alpha + \beta\le\pi`, that is,
:math:`\tan\frac\alpha2\tan\frac\beta2\le1`. A rotation moves along :math:`x\mapsto vxq + pxu` while its
quaternions move along ``v`` and ``u``.

References
----------
[ConwaySmith2003] Conway, Smith. On quaternions and octonions. A K Peters, 2003.
"""

import math
from typing import NamedTuple

import numpy as np

from riemap.aligned import coordinate_rows
from riemap.loops import inline, pair_loop, point_loop
from riemap.lower_triangle import row_and_line_end
from riemap.manifolds.blocks import PairKernel
from riemap.manifolds.shared import unit_vectors
from riemap.manifolds.shared.quaternion_units import unit_sign
from riemap.manifolds.shared.unit_vectors import angle_and_slope
from riemap.threads import Part, begin
from riemap.types import Array


class Prepared(NamedTuple):
    """Rotations, and the coordinates that the loops read."""

    x: Array  # (count, n, n)
    coords: Array


# --- n = 3 -------------------------------------------------------------------------------------------


@inline
def _quaternion(a: Array) -> tuple[float, float, float, float]:
    """A quaternion of a rotation, of some length, computed from its largest component."""
    x, y, z = a[0, 0], a[1, 1], a[2, 2]
    trace = x + y + z
    if trace >= max(x, y, z):
        return 1.0 + trace, a[2, 1] - a[1, 2], a[0, 2] - a[2, 0], a[1, 0] - a[0, 1]
    if x >= max(y, z):
        return a[2, 1] - a[1, 2], 1.0 + x - y - z, a[1, 0] + a[0, 1], a[0, 2] + a[2, 0]
    if y >= z:
        return a[0, 2] - a[2, 0], a[1, 0] + a[0, 1], 1.0 + y - x - z, a[2, 1] + a[1, 2]
    return a[1, 0] - a[0, 1], a[0, 2] + a[2, 0], a[2, 1] + a[1, 2], 1.0 + z - x - y


def _quaternions(a: Array) -> Array:
    """Unit quaternions of rotations, one in each column."""
    out = coordinate_rows(4, len(a))
    _quaternions_rows(len(a), a, out)
    return out


@point_loop
def _quaternions_rows(part: Part, a: Array, out: Array) -> None:
    start, stop = begin(part)
    for i in range(start, stop):
        q = _quaternion(a[i])
        norm = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
        out[0, i], out[1, i], out[2, i], out[3, i] = q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm


def _quaternion_tangent(a: Array, q: Array, v: Array) -> Array:
    r""":math:`A[\omega]_\times` with :math:`\omega = 2\,\mathrm{Im}(\bar qv)`.

    The rotation moves along this tangent while its quaternion ``q`` moves along ``v``.
    """
    s, x, y, z = q[:, : len(a)]
    a0, b0, c0, d0 = v.T
    w0 = 2.0 * (s * b0 - x * a0 - y * d0 + z * c0)
    w1 = 2.0 * (s * c0 - y * a0 - z * b0 + x * d0)
    w2 = 2.0 * (s * d0 - z * a0 - x * c0 + y * b0)
    first, second, third = a.T  # the columns of each rotation
    columns = [w2 * second - w1 * third, w0 * third - w2 * first, w1 * first - w0 * second]
    return np.ascontiguousarray(np.transpose(columns))


def _prepare3(x: Array) -> Prepared:
    return Prepared(x, _quaternions(x))


def _forward3(a: Prepared, b: Prepared, symmetric: bool, out: Array, slopes: Array) -> None:
    unit_vectors.lines_forward(a.coords, b.coords, symmetric, 8.0, out, slopes)


def _gradient3(a: Prepared, b: Prepared, slopes: Array, w: Array) -> Array:
    return _quaternion_tangent(a.x, a.coords, unit_vectors.gradient(a.coords, b.coords, slopes, w))


KERNEL3 = PairKernel(_prepare3, _forward3, _gradient3, saved=1)


# --- n = 4 -------------------------------------------------------------------------------------------


def prepare4(x: Array) -> Prepared:
    """The quaternions of rotations of four dimensions: ``p`` in rows 0 to 3, ``q`` in rows 4 to 7."""
    out = coordinate_rows(8, len(x))
    _prepare4_rows(len(x), x, out)
    return Prepared(x, out)


@point_loop
def _prepare4_rows(part: Part, x: Array, out: Array) -> None:
    """Write ``p`` and ``q``.

    The matrix of a rotation is linear in the products ``p_a q_b``, which form a matrix of rank one. Its
    longest row is a multiple of ``q``.
    """
    m = np.empty((4, 4))
    start, stop = begin(part)
    for i in range(start, stop):
        longest, most = 0, 0.0
        for a in range(4):
            square = 0.0
            for b in range(4):
                m[a, b] = 0.0
                for c in range(4):
                    m[a, b] += 0.25 * unit_sign(a, c, b) * x[i, a ^ c ^ b, c]
                square += m[a, b] * m[a, b]
            if square > most:
                longest, most = a, square
        square = 0.0
        for b in range(4):
            out[4 + b, i] = m[longest, b] / math.sqrt(most)
        for a in range(4):
            out[a, i] = 0.0
            for b in range(4):
                out[a, i] += m[a, b] * out[4 + b, i]
            square += out[a, i] * out[a, i]
        for a in range(4):
            out[a, i] /= math.sqrt(square)


@inline
def _near(x: Array, i: int, y: Array, j: int, k: int) -> float:
    """Squared length of the difference of the quaternions in rows ``k`` to ``k + 3``."""
    return (
        (x[k, i] - y[k, j]) ** 2
        + (x[k + 1, i] - y[k + 1, j]) ** 2
        + (x[k + 2, i] - y[k + 2, j]) ** 2
        + (x[k + 3, i] - y[k + 3, j]) ** 2
    )


@inline
def _far(x: Array, i: int, y: Array, j: int, k: int) -> float:
    """Squared length of the sum of the quaternions in rows ``k`` to ``k + 3``."""
    return (
        (x[k, i] + y[k, j]) ** 2
        + (x[k + 1, i] + y[k + 1, j]) ** 2
        + (x[k + 2, i] + y[k + 2, j]) ** 2
        + (x[k + 3, i] + y[k + 3, j]) ** 2
    )


def _forward4(a: Prepared, b: Prepared, symmetric: bool, out: Array, left: Array, right: Array) -> None:
    """Write squared distances, and quotients of angles and sines, with a minus where ``-B`` is nearer."""
    _forward4_rows(len(out), a.coords, b.coords, symmetric, out, left, right)


@pair_loop
def _forward4_rows(
    part: Part, x: Array, y: Array, symmetric: bool, out: Array, left: Array, right: Array
) -> None:
    n, m = out.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_line_end(t, n, m, symmetric)
        for j in range(end):
            near, near1 = _near(x, i, y, j, 0), _near(x, i, y, j, 4)
            far, far1 = _far(x, i, y, j, 0), _far(x, i, y, j, 4)
            flip = near * near1 > far * far1  # tan(α/2) tan(β/2) > 1
            alpha, slope = angle_and_slope(far if flip else near, near if flip else far)
            beta, slope1 = angle_and_slope(far1 if flip else near1, near1 if flip else far1)
            out[i, j] = 4.0 * (alpha * alpha + beta * beta)
            left[i, j] = -slope if flip else slope
            right[i, j] = -slope1 if flip else slope1


def _gradient4(a: Prepared, b: Prepared, left: Array, right: Array, w: Array) -> Array:
    v = unit_vectors.gradient(a.coords[:4], b.coords[:4], left, w)
    u = unit_vectors.gradient(a.coords[4:], b.coords[4:], right, w)
    out = np.zeros(a.x.shape)
    _tangents4_rows(len(w), a.coords, v, u, out)
    return out


@point_loop
def _tangents4_rows(part: Part, x: Array, v: Array, u: Array, out: Array) -> None:
    start, stop = begin(part)
    for i in range(start, stop):
        for a in range(4):
            for b in range(4):
                product = v[i, a] * x[4 + b, i] + x[a, i] * u[i, b]
                for c in range(4):
                    out[i, a ^ c ^ b, c] += unit_sign(a, c, b) * product


KERNEL4 = PairKernel(prepare4, _forward4, _gradient4, saved=2)
