r"""Coordinates of positive definite matrices for the loops over pairs of SPD and Stein.

Both need the eigenvalues of :math:`A^{-1}B` for every pair, and both factor out the determinant: :math:`A =
t^2\hat A` with :math:`\det\hat A = 1`. A set of matrices is an array with a row for each coordinate and a
column for each matrix.

**2 x 2.** Matrices of determinant one are a hyperbolic plane,
:math:`\hat A = \begin{pmatrix}x_0+x_1 & x_2\\ x_2 & x_0-x_1\end{pmatrix}` with ``x`` on the
hyperboloid, and the eigenvalues of :math:`\hat A^{-1}\hat B` are :math:`e^{\pm\theta}` for the
hyperbolic distance :math:`\theta`.

**3 x 3.** With Cholesky factors, :math:`G = \hat L_A^{-1}\hat L_B` and
:math:`H = G^{-1} = \hat L_B^{-1}\hat L_A`, the matrix :math:`M = GG^\top` has the eigenvalues of
:math:`\hat A^{-1}\hat B`. Its invariants :math:`e_1 = \operatorname{tr} M = \|G\|^2` and
:math:`e_2 = \operatorname{tr} M^{-1} = \|H\|^2` determine them. Near :math:`B = A` both are close to 3
and the digits are in

.. math:: P = e_1 + e_2 - 6 = \|G - H^\top\|^2,

again a sum of squares. Gradients are combinations of :math:`M = GG^\top` and :math:`M^{-1} = H^\top H`,
in the coordinates in which ``A`` is the identity; :math:`L_A\,\cdot\,L_A^\top` takes them back.
"""

import math
from typing import NamedTuple

import numpy as np

from riemap.aligned import coordinate_rows
from riemap.linalg import LANES, cholesky, cholesky_inplace, two_product
from riemap.loops import inline, point_loop, task_loop
from riemap.manifolds.shared.polar import ORIGIN_RADIUS, chord, radial_part
from riemap.threads import Part, begin
from riemap.types import Array
from riemap.vmath import log

# --- 2 x 2 -----------------------------------------------------------------------------------------


def planar(a: Array) -> Array:
    """Coordinates of 2 x 2 matrices.

    The rows are the direction (2), ``sinh r``, ``exp(±r/2)`` (2), ``log det``, ``det^(1/4)`` and its inverse.
    """
    out = coordinate_rows(8, len(a))
    _planar_rows(a.shape[0], a, out)
    return out


@point_loop
def _planar_rows(part: Part, a: Array, out: Array) -> None:
    start, stop = begin(part)
    for i in range(start, stop):
        b = 0.5 * (a[i, 0, 1] + a[i, 1, 0])
        ac, ac_low = two_product(a[i, 0, 0], a[i, 1, 1])
        bb, bb_low = two_product(b, b)
        det = (ac - bb) + (ac_low - bb_low)
        root = math.sqrt(det)
        u, v = 0.5 * (a[i, 0, 0] - a[i, 1, 1]) / root, b / root
        r = math.sqrt(u * u + v * v)
        out[0, i], out[1, i] = (u / r, v / r) if r > ORIGIN_RADIUS else (1.0, 0.0)
        up = math.sqrt(r + math.sqrt(1.0 + r * r))
        out[2, i], out[3, i], out[4, i] = r, up, 1.0 / up
        quarter = math.sqrt(root)
        out[5, i], out[6, i], out[7, i] = log(det), quarter, 1.0 / quarter


@inline
def near2(x: Array, i: int, y: Array, j: int) -> float:
    """Squared distance between the directions of two points, from :func:`planar` coordinates."""
    return (x[0, i] - y[0, j]) ** 2 + (x[1, i] - y[1, j]) ** 2


@inline
def chord2(near: float, x: Array, i: int, y: Array, j: int) -> float:
    """``4 sinh²(θ/2)``, from :func:`planar` coordinates."""
    return chord(near, x[2, i], y[2, j], x[3, i], x[4, i], y[3, j], y[4, j])


@inline
def radial2(near: float, cosh: float, x: Array, i: int, y: Array, j: int) -> float:
    """Component along the ray of ``sinh(θ)/θ log``, from :func:`planar` coordinates."""
    return radial_part(near, cosh, y[2, j], x[3, i], x[4, i], y[3, j], y[4, j])


@inline
def write2(out: Array, x: Array, i: int, along: float, across: float, across1: float, flat: float) -> None:
    """Write the tangent matrix with these components.

    ``along`` is the component along the ray, ``across`` and ``across1`` those across it (yet to be
    projected), ``flat`` that of ``log det``.
    """
    r, root = x[2, i], x[6, i] * x[6, i]
    cosh = math.sqrt(1.0 + r * r)
    push = along * cosh - (across * x[0, i] + across1 * x[1, i])
    v0, v1, v2 = along * r, across + push * x[0, i], across1 + push * x[1, i]
    flat *= 0.5
    out[i, 0, 0] = root * (v0 + v1 + flat * (cosh + r * x[0, i]))
    out[i, 1, 1] = root * (v0 - v1 + flat * (cosh - r * x[0, i]))
    out[i, 0, 1] = out[i, 1, 0] = root * (v2 + flat * r * x[1, i])


# --- 3 x 3 -----------------------------------------------------------------------------------------


def spatial(a: Array) -> Array:
    """Coordinates of 3 x 3 matrices.

    The rows are the lower triangles of ``L`` and ``L⁻¹`` (6 each) at unit determinant, ``log det``, ``t``,
    ``1/t``.
    """
    n = a.shape[0]
    out = coordinate_rows(15, n)
    _spatial_rows((n + 63) // 64, a, out)
    return out


@task_loop
def _spatial_rows(part: Part, a: Array, out: Array) -> None:
    n = a.shape[0]
    lower, inverse = np.empty((3, 3)), np.empty((3, 3))
    scratch, scratch1 = np.empty((3, 3)), np.empty((3, 3))
    start, stop = begin(part)
    for block in range(start, stop):
        for i in range(64 * block, min(n, 64 * block + 64)):
            cholesky_inplace(3, a[i], lower, inverse, scratch, scratch1)
            t = np.cbrt(lower[0, 0] * lower[1, 1] * lower[2, 2])
            write_triangles(3, lower, inverse, t, out, i)
            out[12, i], out[13, i], out[14, i] = 6.0 * math.log(t), t, 1.0 / t


@inline
def write_triangles(size: int, lower: Array, inverse: Array, t: float, out: Array, i: int) -> None:
    """Write the lower triangle of ``lower / t``, then that of ``inverse * t``, to column ``i``."""
    row, count = 0, size * (size + 1) // 2
    for p in range(size):
        for q in range(p + 1):
            out[row, i], out[row + count, i] = lower[p, q] / t, inverse[p, q] * t
            row += 1


@inline
def triangles(x: Array, i: int, y: Array, j: int) -> tuple[float, ...]:
    """The six lower entries of ``L_x⁻¹ L_y``, from :func:`spatial` coordinates."""
    return (
        x[6, i] * y[0, j],
        x[7, i] * y[0, j] + x[8, i] * y[1, j],
        x[8, i] * y[2, j],
        x[9, i] * y[0, j] + x[10, i] * y[1, j] + x[11, i] * y[3, j],
        x[10, i] * y[2, j] + x[11, i] * y[4, j],
        x[11, i] * y[5, j],
    )


@inline
def invariants(g: tuple[float, ...], h: tuple[float, ...]) -> tuple[float, float, float, float]:
    """``e1 - 3``, ``e2 - 3``, their sum ``P`` and difference ``Q``."""
    p = (g[0] - h[0]) ** 2 + (g[2] - h[2]) ** 2 + (g[5] - h[5]) ** 2
    g_off = g[1] * g[1] + g[3] * g[3] + g[4] * g[4]
    h_off = h[1] * h[1] + h[3] * h[3] + h[4] * h[4]
    p = p + g_off + h_off
    a = g_off + (g[0] * g[0] + g[2] * g[2] + g[5] * g[5]) - 3.0
    b = h_off + (h[0] * h[0] + h[2] * h[2] + h[5] * h[5]) - 3.0
    q = a - b
    close = p < 1.0
    return (0.5 * (p + q) if close else a), (0.5 * (p - q) if close else b), p, q


@inline
def square(g: tuple[float, ...]) -> tuple[float, ...]:
    """Lower entries of ``g gᵀ``."""
    return (
        g[0] * g[0],
        g[1] * g[0],
        g[1] * g[1] + g[2] * g[2],
        g[3] * g[0],
        g[3] * g[1] + g[4] * g[2],
        g[3] * g[3] + g[4] * g[4] + g[5] * g[5],
    )


@inline
def cosquare(h: tuple[float, ...]) -> tuple[float, ...]:
    """Lower entries of ``hᵀ h``."""
    return (
        h[0] * h[0] + h[1] * h[1] + h[3] * h[3],
        h[2] * h[1] + h[4] * h[3],
        h[2] * h[2] + h[4] * h[4],
        h[5] * h[3],
        h[5] * h[4],
        h[5] * h[5],
    )


@inline
def write3(out: Array, x: Array, i: int, w: tuple[float, ...], trace: float) -> None:
    """Write ``L W Lᵀ``, where ``W`` has the lower entries ``w``, shifted on its diagonal to this trace."""
    shift = (trace - (w[0] + w[2] + w[5])) / 3.0
    t = x[13, i]
    l0, l1, l2, l3, l4, l5 = t * x[0, i], t * x[1, i], t * x[2, i], t * x[3, i], t * x[4, i], t * x[5, i]
    w0, w2, w5 = w[0] + shift, w[2] + shift, w[5] + shift
    b0, b1 = l1 * w0 + l2 * w[1], l1 * w[1] + l2 * w2
    c0 = l3 * w0 + l4 * w[1] + l5 * w[3]
    c1 = l3 * w[1] + l4 * w2 + l5 * w[4]
    c2 = l3 * w[3] + l4 * w[4] + l5 * w5
    out[i, 0, 0] = l0 * w0 * l0
    out[i, 1, 1] = b0 * l1 + b1 * l2
    out[i, 2, 2] = c0 * l3 + c1 * l4 + c2 * l5
    out[i, 0, 1] = out[i, 1, 0] = b0 * l0
    out[i, 0, 2] = out[i, 2, 0] = c0 * l0
    out[i, 1, 2] = out[i, 2, 1] = c0 * l1 + c1 * l2


# --- any size: whitened factors of LANES matrices side by side, of shape (size, size, LANES) --------------


@inline
def whiten(inverse: Array, lower: Array, j: int, g: Array) -> None:
    """Write ``L_A⁻¹ L_B`` to ``g`` for the ``B`` from ``j`` on; past the end, the last one is repeated."""
    size, last = g.shape[0], lower.shape[2] - 1
    for p in range(size):
        for q in range(size):
            for lane in range(LANES):
                g[p, q, lane] = 0.0
            for k in range(q, p + 1):
                for lane in range(LANES):
                    g[p, q, lane] += inverse[p, k] * lower[k, q, min(j + lane, last)]


@inline
def squared_lengths(g: Array, k: int, s: Array) -> None:
    """Write the squared lengths of columns ``k``: eigenvalues of ``A⁻¹ B`` if columns are orthogonal."""
    for lane in range(LANES):
        s[lane] = 0.0
    for p in range(g.shape[0]):
        for lane in range(LANES):
            s[lane] += g[p, k, lane] * g[p, k, lane]


@inline
def add_outer(out: Array, g: Array, k: int, s: Array) -> None:
    """Add the sum over lanes of ``s`` times column ``k`` times its transpose to ``out``."""
    for p in range(g.shape[0]):
        for q in range(g.shape[0]):
            total = 0.0
            for lane in range(LANES):
                total += s[lane] * g[p, k, lane] * g[q, k, lane]
            out[p, q] += total


class Factors(NamedTuple):
    """Cholesky factors ``L`` and their inverses, by matrix and entry by entry."""

    lower: Array  # (n, size, size)
    inverse: Array
    lowers: Array  # (size, size, n)
    inverses: Array


def factors(x: Array) -> Factors:
    """Factor matrices of any size."""
    lower, inverse = cholesky(x)
    return Factors(lower, inverse, np.moveaxis(lower, 0, 2).copy(), np.moveaxis(inverse, 0, 2).copy())
