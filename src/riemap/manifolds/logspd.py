r"""Symmetric positive definite matrices with the log-Euclidean metric.

The matrix logarithm is made an isometry onto symmetric matrices,

.. math:: d(A, B) = \|\log A - \log B\|_F, \qquad
    \langle P, Q\rangle_A = \langle D\log_A[P],\, D\log_A[Q]\rangle,

so the space is flat, and its tools are those of Euclidean space between a logarithm and an exponential
[Arsigny2006]. Their derivatives are, in the eigenbasis of the matrix, products with the divided
differences of log and exp (Daleckii and Krein), which are computed without cancellation.

References
----------
[Arsigny2006] Arsigny, Fillard, Pennec, Ayache. Log-Euclidean metrics for fast and simple calculus
    on diffusion tensors. Magnetic Resonance in Medicine 56(2), 2006.
"""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from riemap import linalg
from riemap.linalg import congruence, symmetric, transpose
from riemap.manifolds.base import Manifold, Pairs, check_size
from riemap.manifolds.euclidean import forward, gradient
from riemap.manifolds.hyperboloid import sinhc
from riemap.manifolds.spd import nearest_positive
from riemap.types import Array


@final
@dataclass(frozen=True)
class LogSPD(Manifold):
    r""":math:`n\times n` symmetric positive definite matrices, log-Euclidean metric.

    >>> m = LogSPD(3)
    >>> m.shape, m.dim, str(m)
    ((3, 3), 6, 'LogSPD3')
    """

    n: int
    symbol: ClassVar[str] = "LogSPD"
    name: ClassVar[str] = "SPD, log-Euclidean"
    formula: ClassVar[str] = "‖log A − log B‖_F"

    def __post_init__(self) -> None:
        check_size(self.n, 1, str(self))

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.n, self.n)

    @property
    def dim(self) -> int:
        return self.n * (self.n + 1) // 2

    @property
    def curvature(self) -> tuple[float, float]:
        return (0.0, 0.0)

    @property
    def origin(self) -> Array:
        return np.eye(self.n)

    def kernel(self, x: Array, y: Array) -> Pairs:
        """The Euclidean loops, on the entries of the logarithms."""
        values, vectors = linalg.eigh(x)
        columns = _columns(linalg.apply(np.log, values, vectors))
        others = columns if y is x else _columns(_log(y))

        def back(w: Array) -> Array:
            slope = gradient(columns, others, w)
            return _dexp(np.log(values), vectors, slope.reshape(x.shape))

        return Pairs(forward(columns, others), back)

    def project(self, x: Array) -> Array:
        """Symmetric part, with eigenvalues lifted to the rounding error of the largest."""
        return nearest_positive(x)

    def to_tangent(self, x: Array, u: Array) -> Array:
        r""":math:`(u + u^\top)/2`."""
        return symmetric(u) + np.zeros_like(x)

    def inner(self, x: Array, u: Array, v: Array) -> Array:
        r""":math:`\langle D\log_x[u], D\log_x[v]\rangle`."""
        values, vectors = linalg.eigh(x)
        return np.sum(_dlog(values, vectors, u) * _dlog(values, vectors, v), axis=(-2, -1))

    def exp(self, x: Array, u: Array) -> Array:
        r""":math:`\exp(\log x + D\log_x[u])`."""
        values, vectors = linalg.eigh(x)
        return _exp(linalg.apply(np.log, values, vectors) + _dlog(values, vectors, u))

    def log(self, x: Array, y: Array) -> Array:
        r""":math:`D\exp_{\log x}[\log y - \log x]`."""
        values, vectors = linalg.eigh(x)
        return _dexp(np.log(values), vectors, _log(y) - linalg.apply(np.log, values, vectors))

    def transport(self, x: Array, y: Array, u: Array) -> Array:
        r"""Parallel: :math:`D\exp_{\log y}[D\log_x[u]]`."""
        values, vectors = linalg.eigh(y)
        return _dexp(np.log(values), vectors, _dlog(*linalg.eigh(x), u))

    def sqdist(self, x: Array, y: Array) -> Array:
        r""":math:`\|\log x - \log y\|_F^2`."""
        return np.sum((_log(x) - _log(y)) ** 2, axis=(-2, -1))

    def sectional(self, x: Array, u: Array, v: Array) -> Array:
        """0 everywhere."""
        return np.zeros_like(self.inner(x, u, v))


def _log(x: Array) -> Array:
    return linalg.apply(np.log, *linalg.eigh(x))


def _exp(x: Array) -> Array:
    return symmetric(linalg.apply(np.exp, *linalg.eigh(x)))


def _columns(x: Array) -> Array:
    return x.reshape(len(x), -1).T.copy()


def _dlog(values: Array, vectors: Array, u: Array) -> Array:
    r"""Derivative of log at :math:`V\,\mathrm{diag}(values)\,V^\top`, in direction ``u``."""
    a, b = values[..., :, None], values[..., None, :]
    z = (a - b) / (a + b)
    small = np.abs(z) < 1e-2
    series = 1.0 + z**2 * (1 / 3 + z**2 * (1 / 5 + z**2 * (1 / 7 + z**2 / 9)))
    slope = 2.0 / (a + b) * np.where(small, series, np.arctanh(z) / np.where(small, 1.0, z))
    return _hadamard(slope, vectors, u)


def _dexp(values: Array, vectors: Array, u: Array) -> Array:
    r"""Derivative of exp at :math:`V\,\mathrm{diag}(values)\,V^\top`, in direction ``u``."""
    a, b = values[..., :, None], values[..., None, :]
    return _hadamard(np.exp(0.5 * (a + b)) * sinhc(0.5 * (a - b)), vectors, u)


def _hadamard(slope: Array, vectors: Array, u: Array) -> Array:
    return symmetric(congruence(vectors, slope * congruence(transpose(vectors), u)))
