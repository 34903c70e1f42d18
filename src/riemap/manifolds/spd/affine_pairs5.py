r"""Loops over pairs for the affine-invariant distance, size 5."""

import math

import numpy as np
from numpy.typing import NDArray

from riemap.coordinate_tuples import coordinates, plus, put
from riemap.linalg import LANES, device, svd_lanes
from riemap.loops import inline, pair_loop
from riemap.lower_triangle import row_and_end
from riemap.manifolds.blocks import PairKernel
from riemap.manifolds.spd import lower_entries
from riemap.manifolds.spd.affine_pairs4 import _marked
from riemap.manifolds.spd.coordinates import add_outer, squared_lengths
from riemap.manifolds.spd.eigenvalues5 import centred, coefficients, mean, off, ordered, powers, sweep
from riemap.manifolds.spd.lower_entries import at, cosquare, no_entries, square, whitened, write_congruence
from riemap.threads import Part, begin
from riemap.types import Array
from riemap.vmath import NAN, log

ZEROS = no_entries(5)
BLOCK = 32
MAX_SWEEPS = 8
LOOSE = 1e-6
LARGEST_COEFFICIENT = 1e5
LARGEST_LOSS = 2e3
WIDE = 100.0
FIVE = (0.0,) * 5



def factors(x: Array) -> Array:
    filled = np.concatenate([x, np.repeat(x[-1:], -len(x) % BLOCK, axis=0)])
    return lower_entries.factors(filled)


def _forward(x: Array, y: Array, symmetric: bool, out: Array, *saved: Array) -> None:
    _forward_rows(len(out), x, y, symmetric, out, *saved)


@pair_loop
def _forward_rows(
    part: Part, x: Array, y: Array, symmetric: bool, out: Array, s1: Array, s2: Array, s3: Array, s4: Array
) -> None:
    n, m = out.shape
    a, v, f = np.empty((15, BLOCK)), np.empty((12, BLOCK)), np.empty((5, BLOCK))
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_end(t, n, m, symmetric)
        far = 0
        for j in range(0, end, BLOCK):
            wide = 0
            for side in range(2):
                if side == 0:
                    wide = _fill(x, i, y, j, a, v)
                elif wide:
                    _fill_inverse(x, i, y, j, a, v)
                else:
                    break
                _diagonalise(a)
                _sort(a, v, 6 * side)
            if wide:
                _refine(x, i, y, j, v)
            else:
                v[6, :] = 1.0
            _finish(v, f)
            for lane in range(min(BLOCK, m - j)):
                out[i, j + lane], s1[i, j + lane], s2[i, j + lane] = f[0, lane], f[1, lane], f[2, lane]
                s3[i, j + lane], s4[i, j + lane] = f[3, lane], f[4, lane]
                far += 0 if f[1, lane] == f[1, lane] else 1
        if far:
            _far_distances(x, i, y, _marked(s1[i], end), out[i])


@inline
def _fill(x: Array, i: int, y: Array, j: int, a: Array, v: Array) -> int:
    wide = 0
    for lane in range(BLOCK):
        h = square(whitened(x, i, y, j + lane, ZEROS))
        other = whitened(y, j + lane, x, i, ZEROS)
        v[5, lane] = mean(h)
        wide += 1 if v[5, lane] * mean(cosquare(other)) > WIDE else 0
        put(a, 0, lane, centred(h))
    return wide


@inline
def _fill_inverse(x: Array, i: int, y: Array, j: int, a: Array, v: Array) -> None:
    for lane in range(BLOCK):
        h = cosquare(whitened(y, j + lane, x, i, ZEROS))
        v[11, lane] = mean(h)
        put(a, 0, lane, centred(h))


@inline
def _diagonalise(a: Array) -> None:
    for _ in range(MAX_SWEEPS):
        turned = 0
        for lane in range(BLOCK):
            h = coordinates(a, 0, lane, ZEROS)
            diagonal = h[0] * h[0] + h[2] * h[2] + h[5] * h[5] + h[9] * h[9] + h[14] * h[14]
            turned += 1 if off(h) > LOOSE * LOOSE * diagonal + 1e-33 else 0
            put(a, 0, lane, sweep(h))
        if turned == 0:
            break


@inline
def _sort(a: Array, v: Array, row: int) -> None:
    for lane in range(BLOCK):
        u = ordered(a[0, lane], a[2, lane], a[5, lane], a[9, lane], a[14, lane])
        c = v[row + 5, lane]
        put(v, row, lane, (c + c * u[0], c + c * u[1], c + c * u[2], c + c * u[3], c + c * u[4]))


@inline
def _refine(x: Array, i: int, y: Array, j: int, v: Array) -> None:
    for lane in range(BLOCK):
        g = whitened(x, i, y, j + lane, ZEROS)
        low, high = 1.0 / v[10, lane], v[4, lane]
        centre = math.sqrt(low * high)
        a = v[1, lane] if v[1, lane] > centre else 1.0 / v[9, lane]
        b = v[2, lane] if v[2, lane] > centre else 1.0 / v[8, lane]
        c = v[3, lane] if v[3, lane] > centre else 1.0 / v[7, lane]
        over = 1.0 / low
        la, lb, lc = min(high / a, a * over), min(high / b, b * over), min(high / c, c * over)
        most = max(max(la, lb), lc)
        second = max(min(la, lb), min(max(la, lb), lc))
        p = (g[0] * over) * g[2] * g[5] * g[9] * (g[14] / high)
        p *= g[0] * g[2] * g[5] * g[9] * g[14]
        a, b, c = p / (b * c) if la == most else a, p / (a * c) if lb == most else b, p / (a * b) if lc == most else c
        wide = v[5, lane] * v[11, lane] > WIDE
        v[6, lane] = second if wide else 1.0
        v[0, lane] = low if wide else v[0, lane]
        v[1, lane] = a if wide else v[1, lane]
        v[2, lane] = b if wide else v[2, lane]
        v[3, lane] = c if wide else v[3, lane]


@inline
def _finish(v: Array, f: Array) -> None:
    for lane in range(BLOCK):
        e = coordinates(v, 0, lane, FIVE)
        s = log(e[0]), log(e[1]), log(e[2]), log(e[3]), log(e[4])
        f[0, lane] = s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + s[3] * s[3] + s[4] * s[4]
        shift = 0.5 * (s[0] + s[4])
        c = coefficients(e, (s[0] - shift, s[1] - shift, s[2] - shift, s[3] - shift, s[4] - shift))
        up, down = e[4], 1.0 / e[0]
        most = max(max(abs(c[0]), abs(c[1]) * up) * up, max(abs(c[2]), abs(c[3]) * down) * down)
        near = most < LARGEST_COEFFICIENT and v[6, lane] < LARGEST_LOSS
        f[1, lane] = c[0] if near else NAN
        f[2, lane], f[3, lane] = c[1] if near else 0.0, c[2] if near else 0.0
        f[4, lane] = c[3] if near else 0.0


@inline
def _gather(x: Array, i: int, y: Array, columns: NDArray[np.int64], g: Array) -> None:
    for lane in range(LANES):
        a = whitened(x, i, y, columns[min(lane, len(columns) - 1)], ZEROS)
        for p in range(5):
            for q in range(5):
                g[p, q, lane] = a[at(p, q)] if q <= p else 0.0


@device
def _far_distances(x: Array, i: int, y: Array, far: NDArray[np.int64], out: Array) -> None:
    g, v, s, d = np.empty((5, 5, LANES)), np.empty((5, 5, LANES)), np.empty(LANES), np.empty(LANES)
    for start in range(0, len(far), LANES):
        columns = far[start : start + LANES]
        _gather(x, i, y, columns, g)
        svd_lanes(g, v)
        d[:] = 0.0
        for k in range(5):
            squared_lengths(g, k, s)
            for lane in range(LANES):
                d[lane] += log(s[lane]) ** 2
        for lane in range(len(columns)):
            out[columns[lane]] = d[lane]


@device
def _far_slopes(x: Array, i: int, y: Array, far: NDArray[np.int64], w: Array) -> Array:
    g, v, s = np.empty((5, 5, LANES)), np.empty((5, 5, LANES)), np.empty(LANES)
    out = np.zeros((5, 5))
    for start in range(0, len(far), LANES):
        columns = far[start : start + LANES]
        _gather(x, i, y, columns, g)
        svd_lanes(g, v)
        for k in range(5):
            squared_lengths(g, k, s)
            for lane in range(LANES):
                s[lane] = -2.0 * w[columns[lane]] * log(s[lane]) / s[lane] if lane < len(columns) else 0.0
            add_outer(out, g, k, s)
    return out


def _gradient(x: Array, y: Array, symmetric: bool, *saved_and_weights: Array) -> Array:
    out = np.empty((len(saved_and_weights[0]), 5, 5))
    _gradient_rows(len(out), x, y, symmetric, *saved_and_weights, out)
    return out


@inline
def _scaled(weight: float, b1: float, b2: float, b3: float, b4: float) -> tuple[float, float, float, float]:
    flat = b1 != b1
    weight = 0.0 if flat else weight
    return weight * (0.0 if flat else b1), weight * b2, weight * b3, weight * b4


@pair_loop
def _gradient_rows(
    part: Part,
    x: Array,
    y: Array,
    symmetric: bool,
    b1: Array,
    b2: Array,
    b3: Array,
    b4: Array,
    w: Array,
    out: Array,
) -> None:
    n, m = w.shape
    start, stop = begin(part)
    for t in range(start, stop):
        i = row_and_end(t, n, m, False)[0]
        total, trace, far = ZEROS, 0.0, 0
        split = i + 1 if symmetric else m
        for j in range(split):
            far += 1 if b1[i, j] != b1[i, j] else 0
            trace -= 2.0 * w[i, j] * (y[30, j] - x[30, i])
            b = _scaled(-2.0 * w[i, j], b1[i, j], b2[i, j], b3[i, j], b4[i, j])
            total = plus(total, 1.0, powers(whitened(x, i, y, j, ZEROS), whitened(y, j, x, i, ZEROS), b))
        for j in range(split, m):
            far += 1 if b1[i, j] != b1[i, j] else 0
            trace -= 2.0 * w[i, j] * (y[30, j] - x[30, i])
            b = _scaled(2.0 * w[i, j], b1[i, j], b2[i, j], b3[i, j], b4[i, j])
            b = b[2], b[3], b[0], b[1]
            total = plus(total, 1.0, powers(whitened(x, i, y, j, ZEROS), whitened(y, j, x, i, ZEROS), b))
        e = np.empty(15)
        for k in range(15):
            e[k] = total[k]
        if far:
            slopes = _far_slopes(x, i, y, _marked(b1[i], m), w[i])
            for p in range(5):
                for q in range(p + 1):
                    e[at(p, q)] += slopes[p, q]
        shift = 0.2 * (trace - (e[0] + e[2] + e[5] + e[9] + e[14]))
        e[0] += shift
        e[2] += shift
        e[5] += shift
        e[9] += shift
        e[14] += shift
        write_congruence(out, x, i, e)


def _gradient_between(x: Array, y: Array, *rest: Array) -> Array:
    return _gradient(x, y, False, *rest)


def _gradient_within(x: Array, y: Array, *rest: Array) -> Array:
    return _gradient(x, y, True, *rest)


KERNEL = PairKernel(factors, _forward, _gradient_between, saved=4, symmetric_gradient=_gradient_within)
