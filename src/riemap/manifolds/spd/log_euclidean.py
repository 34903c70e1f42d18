r"""Symmetric positive definite matrices with the log-Euclidean metric.

The metric makes the matrix logarithm an isometry onto symmetric matrices,

.. math:: d(A, B) = \|\log A - \log B\|_F, \qquad
    \langle P, Q\rangle_A = \langle D\log_A[P],\, D\log_A[Q]\rangle,

so the space is flat, and every map is the Euclidean one between a matrix logarithm and an exponential
[Arsigny2006]. Their derivatives are, in the eigenbasis of the matrix, products with the divided
differences of log and exp (Daleckii and Krein), which are computed without cancellation.

References
----------
[Arsigny2006] Arsigny, Fillard, Pennec, Ayache. Log-Euclidean metrics for fast and simple calculus
    on diffusion tensors. Magnetic Resonance in Medicine 56(2), 2006.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import numpy as np

from riemap import linalg
from riemap.coordinate_tuples import by_coordinate
from riemap.linalg import congruence, symmetric, transpose
from riemap.manifolds.blocks import PairKernel
from riemap.manifolds.shared import flat_loops
from riemap.manifolds.shared.formulas import sinhc
from riemap.manifolds.spd.symmetric_positive import SymmetricPositive
from riemap.types import Array


@final
@dataclass(frozen=True)
class LogSPD(SymmetricPositive):
    r""":math:`n\times n` symmetric positive definite matrices, log-Euclidean metric.

    >>> m = LogSPD(3)
    >>> m.shape, m.dim, str(m)
    ((3, 3), 6, 'LogSPD3')
    """

    symbol: ClassVar[str] = "LogSPD"
    name: ClassVar[str] = "SPD, log-Euclidean"
    formula: ClassVar[str] = "‖log A − log B‖_F"

    @property
    def curvature(self) -> tuple[float, float]:
        return (0.0, 0.0)

    @property
    def pair_kernel(self) -> PairKernel["_Logarithms"]:
        return _KERNEL

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
        """Zero everywhere."""
        return np.zeros_like(self.inner(x, u, v))


def _log(x: Array) -> Array:
    return linalg.apply(np.log, *linalg.eigh(x))


def _exp(x: Array) -> Array:
    return symmetric(linalg.apply(np.exp, *linalg.eigh(x)))


class _Logarithms(NamedTuple):
    """Matrices by their logarithms: eigenvalues and eigenvectors, and the entries by coordinate."""

    values: Array
    vectors: Array
    coords: Array


def _logarithms(x: Array) -> _Logarithms:
    values, vectors = linalg.eigh(x)
    entries = linalg.apply(np.log, values, vectors)
    return _Logarithms(np.log(values), vectors, by_coordinate(entries.reshape(len(x), -1)))


def _forward(a: _Logarithms, b: _Logarithms, symmetric: bool, out: Array) -> None:
    flat_loops.forward(a.coords, b.coords, symmetric, out)


def _gradient(a: _Logarithms, b: _Logarithms, w: Array) -> Array:
    size = a.values.shape[1]
    slope = flat_loops.gradient(a.coords, b.coords, w)[:, : size * size]
    return _dexp(a.values, a.vectors, slope.reshape(a.vectors.shape))


_KERNEL = PairKernel(_logarithms, _forward, _gradient)


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
