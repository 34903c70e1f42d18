r"""The special orthogonal group :math:`SO(n)` with its bi-invariant metric.

Points are rotation matrices, tangents are :math:`P = AX` with skew ``X``, and
:math:`\langle P, Q\rangle = \operatorname{tr}P^\top Q`. Geodesics are :math:`A\exp(tX)`, and

.. math:: d(A, B) = \|\log(A^\top B)\|_F = \Big(\sum_k\theta_k^2\Big)^{1/2}

over the phases :math:`\theta_k` of the eigenvalues of :math:`M = A^\top B` [Cruceru2021, app. D]. They
come in pairs, one for each plane of rotation. With the symmetric and skew parts :math:`M = S + K`,
which commute, an eigenvector ``u`` of ``S`` has :math:`Su = \cos\theta\,u` and
:math:`\|Ku\| = |\sin\theta|`, so a symmetric eigenproblem and an atan2 give all phases, and
:math:`\log M = K\,f(S)` with :math:`f = \theta/\sin\theta`.

For ``n = 3`` the rotations are the unit quaternions up to sign, :math:`Gr(1, 4)`, with distances
:math:`\sqrt8` times as long.

References
----------
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph
    embeddings. AAAI 2021.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, final

import numpy as np

from riemap import linalg
from riemap.aligned import coordinate_rows
from riemap.linalg import eigh_inplace, orthogonal_factor, transpose
from riemap.loops import inline, pair_loop, point_loop
from riemap.lower_triangle import row_and_end
from riemap.manifolds.base import CUT
from riemap.manifolds.blocks import PairKernel
from riemap.manifolds.compact import CompactManifold
from riemap.manifolds.shared import unit_vectors
from riemap.manifolds.shared.formulas import sectional_from, sinc
from riemap.threads import Part, begin
from riemap.types import Array, Rng

# --- n = 3: quaternions -----------------------------------------------------------------------------


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
    w = 2.0 * np.stack(
        [
            s * b0 - x * a0 - y * d0 + z * c0,
            s * c0 - y * a0 - z * b0 + x * d0,
            s * d0 - z * a0 - x * c0 + y * b0,
        ],
        axis=-1,
    )
    rows = -np.cross(w[:, None, :], a)  # the rows of A [w]x are the cross products a x w
    return np.asarray(rows, dtype=np.float64)


class _Prepared(NamedTuple):
    """Rotations, and the coordinates that the loops read."""

    x: Array  # (count, n, n)
    coords: Array


def _prepare3(x: Array) -> _Prepared:
    return _Prepared(x, _quaternions(x))


def _forward3(a: _Prepared, b: _Prepared, symmetric: bool, out: Array, slopes: Array) -> None:
    unit_vectors.lines_forward(a.coords, b.coords, symmetric, 8.0, out, slopes)


def _gradient3(a: _Prepared, b: _Prepared, slopes: Array, w: Array) -> Array:
    return _quaternion_tangent(a.x, a.coords, unit_vectors.lines_gradient(a.coords, b.coords, slopes, w))


_KERNEL3 = PairKernel(_prepare3, _forward3, _gradient3, saved=1)


# --- any size: eigenvectors of the symmetric part ---------------------------------------------------


@inline
def _parts(a: Array, b: Array, s: Array, k: Array, v: Array) -> None:
    """Write the symmetric part of ``aᵀ b``, diagonalised, its skew part, and eigenvectors of the former."""
    n = a.shape[0]
    for p in range(n):
        for q in range(n):
            v[p, q] = 0.0
            for r in range(n):
                v[p, q] += a[r, p] * b[r, q]
    for p in range(n):
        for q in range(n):
            s[p, q] = 0.5 * (v[p, q] + v[q, p])
            k[p, q] = 0.5 * (v[p, q] - v[q, p])
    eigh_inplace(s, v)


@inline
def _sine(k: Array, v: Array, e: Array, column: int) -> float:
    """Write ``K u`` for an eigenvector ``u`` into ``e``; return its length."""
    total = 0.0
    for p in range(k.shape[0]):
        e[p] = 0.0
        for q in range(k.shape[0]):
            e[p] += k[p, q] * v[q, column]
        total += e[p] * e[p]
    return math.sqrt(total)


def _forward_any(x: Array, y: Array, symmetric: bool, out: Array) -> None:
    _forward_any_rows(len(x), x, y, symmetric, out)


@pair_loop
def _forward_any_rows(part: Part, x: Array, y: Array, symmetric: bool, out: Array) -> None:
    n, m, size = x.shape[0], y.shape[0], x.shape[1]
    s, k, v, e = np.empty((size, size)), np.empty((size, size)), np.empty((size, size)), np.empty(size)
    start, stop = begin(part)
    for t in range(start, stop):
        i, end = row_and_end(t, n, m, symmetric)
        for j in range(end):
            _parts(x[i], y[j], s, k, v)
            total = 0.0
            for c in range(size):
                theta = math.atan2(_sine(k, v, e, c), s[c, c])
                total += theta * theta
            out[i, j] = total


def _gradient_any(x: Array, y: Array, w: Array) -> Array:
    """Row ``i``: the sum of ``-2 w log(aᵀ b)``."""
    out = np.zeros(x.shape)
    _gradient_any_rows(len(x), x, y, w, out)
    return out


@pair_loop
def _gradient_any_rows(part: Part, x: Array, y: Array, w: Array, out: Array) -> None:
    m, size = y.shape[0], x.shape[1]
    s, k, v, e = np.empty((size, size)), np.empty((size, size)), np.empty((size, size)), np.empty(size)
    start, stop = begin(part)
    for i in range(start, stop):
        for j in range(m):
            _parts(x[i], y[j], s, k, v)
            for c in range(size):
                sine = _sine(k, v, e, c)
                factor = -2.0 * w[i, j] * math.atan2(sine, s[c, c]) / max(sine, CUT)
                for p in range(size):
                    for q in range(size):
                        out[i, p, q] += factor * e[p] * v[q, c]


def _tangent_gradient_any(x: Array, y: Array, w: Array) -> Array:
    return x @ _skew(_gradient_any(x, y, w))


_KERNEL_ANY = PairKernel(lambda x: x, _forward_any, _tangent_gradient_any)


@final
@dataclass(frozen=True)
class Rotations(CompactManifold):
    r""":math:`n\times n` rotation matrices.

    >>> m = Rotations(3)
    >>> m.shape, m.dim, str(m)
    ((3, 3), 3, 'SO3')
    """

    n: int
    symbol: ClassVar[str] = "SO"
    name: ClassVar[str] = "rotations"
    formula: ClassVar[str] = "‖log(AᵀB)‖_F"
    examples: ClassVar[tuple[tuple[int, ...], ...]] = ((2,), (3,), (4,))
    least_size: ClassVar[int] = 2

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.n, self.n)

    @property
    def dim(self) -> int:
        return self.n * (self.n - 1) // 2

    @property
    def curvature(self) -> tuple[float, float]:
        return {2: (0.0, 0.0), 3: (0.125, 0.125)}.get(self.n, (0.0, 0.25))

    @property
    def origin(self) -> Array:
        return np.eye(self.n)

    @property
    def pair_kernel(self) -> PairKernel[Any]:
        return _KERNEL3 if self.n == 3 else _KERNEL_ANY

    def uniform(self, rng: Rng, n: int) -> Array:
        """Orthogonal factors of Gaussian matrices, reflected where they are reflections."""
        return self.project(rng.standard_normal((n, *self.shape)))

    def project(self, x: Array) -> Array:
        """Return the nearest orthogonal matrix; the last column of a reflection changes its sign first."""
        sign = np.where(np.linalg.det(x) < 0, -1.0, 1.0)[..., None]
        return orthogonal_factor(np.concatenate([x[..., :-1], (x[..., -1] * sign)[..., None]], axis=-1))

    def to_tangent(self, x: Array, u: Array) -> Array:
        r""":math:`x\,\mathrm{skew}(x^\top u)`."""
        return x @ _skew(transpose(x) @ u)

    def inner(self, x: Array, u: Array, v: Array) -> Array:
        r""":math:`\operatorname{tr}u^\top v`."""
        return np.sum(u * v + np.zeros_like(x), axis=(-2, -1))

    def exp(self, x: Array, u: Array) -> Array:
        r""":math:`x\exp(x^\top u)`."""
        return self.project(x @ _exp(transpose(x) @ u))

    def retract(self, x: Array, u: Array) -> Array:
        """The rotation nearest to ``x + u``."""
        return self.project(x + u)

    def log(self, x: Array, y: Array) -> Array:
        r""":math:`x\log(x^\top y)`."""
        return x @ _log(transpose(x) @ y)

    def transport(self, x: Array, y: Array, u: Array) -> Array:
        r"""Parallel: :math:`x\,e^{Y/2}\,(x^\top u)\,e^{Y/2}` with :math:`Y = \log(x^\top y)`."""
        half = _exp(0.5 * _log(transpose(x) @ y))
        return self.to_tangent(y, x @ half @ (transpose(x) @ u) @ half)

    def sqdist(self, x: Array, y: Array) -> Array:
        """Sum of the squared phases."""
        return np.sum(_phases(transpose(x) @ y)[0] ** 2, axis=-1)

    def sectional(self, x: Array, u: Array, v: Array) -> Array:
        r""":math:`\frac14\|[x^\top u, x^\top v]\|^2` over the squared area."""
        p, q = transpose(x) @ u, transpose(x) @ v
        curl = np.sum((p @ q - q @ p) ** 2, axis=(-2, -1))
        return sectional_from(0.25 * curl, self.inner(x, u, u), self.inner(x, v, v), self.inner(x, u, v))


def _skew(a: Array) -> Array:
    return 0.5 * (a - transpose(a))


def _exp(a: Array) -> Array:
    """Exponential of a skew matrix: cosine and sinc are even, hence functions of ``aᵀ a``."""
    squares, vectors = linalg.eigh(transpose(a) @ a)
    theta = np.sqrt(np.maximum(squares, 0.0))
    return linalg.apply(np.cos, theta, vectors) + a @ linalg.apply(sinc, theta, vectors)


def _phases(a: Array) -> tuple[Array, Array, Array, Array]:
    """Phases and sines of a rotation, the eigenvectors they belong to, and the skew part."""
    cosine, vectors = linalg.eigh(linalg.symmetric(a))
    skew = _skew(a)
    sine = np.linalg.norm(skew @ vectors, axis=-2)
    return np.arctan2(sine, cosine), sine, vectors, skew


def _log(a: Array) -> Array:
    theta, sine, vectors, skew = _phases(a)
    ratio = np.where(theta > 0, theta / np.maximum(sine, CUT), 1.0)
    return _skew(skew @ linalg.apply(lambda _: ratio, theta, vectors))
