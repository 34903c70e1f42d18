r"""Symmetric positive definite matrices with the Stein divergence as squared distance.

.. math:: S(A, B) = \log\det\tfrac{A+B}{2} - \tfrac12\log\det(AB)
    = \sum_i\log\cosh\tfrac12\log\lambda_i(A^{-1}B).

:math:`\sqrt S` is a metric, invariant to congruence and inversion [Sra2012], and close to
:math:`d/\sqrt8` for the affine-invariant distance ``d`` of nearby matrices. Everything Riemannian
(metric, exponential, logarithm, transport, curvature) is that of :class:`riemap.manifolds.spd.SPD`, as
in the paper; only the squared distance and its gradient differ:

.. math:: \mathrm{grad}_A S = A\big((A+B)^{-1} - \tfrac12 A^{-1}\big)A.

([Cruceru2021, sec. 3.1] prints :math:`\frac12(A+B)^{-1}` in it, which differs by a factor from the
derivative of ``S``.)

Every size has loops of its own over all pairs: :mod:`riemap.manifolds.stein_small` for 2 and 3,
:mod:`riemap.manifolds.stein4` and :mod:`riemap.manifolds.stein_any`.

References
----------
[Sra2012] Sra. A new metric on the manifold of kernel matrices with application to matrix geometric
    means. NIPS 2012.
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph
    embeddings. AAAI 2021.
"""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from riemap import linalg
from riemap.linalg import congruence
from riemap.manifolds import stein_any
from riemap.manifolds.base import Manifold, Pairs, check_size
from riemap.manifolds.spd import SPD
from riemap.manifolds.stein4 import pairs4
from riemap.manifolds.stein_small import pairs2, pairs3
from riemap.types import Array


@final
@dataclass(frozen=True)
class Stein(Manifold):
    r""":math:`n\times n` symmetric positive definite matrices, Stein divergence.

    >>> m = Stein(3)
    >>> m.shape, m.dim, str(m)
    ((3, 3), 6, 'Stein3')
    """

    n: int
    symbol: ClassVar[str] = "Stein"
    name: ClassVar[str] = "SPD, Stein divergence"
    formula: ClassVar[str] = "√(log(det ½(A+B) / √det AB))"
    examples: ClassVar[tuple[tuple[int, ...], ...]] = ((2,), (3,), (4,))
    geodesic: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_size(self.n, 1, str(self))

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.n, self.n)

    @property
    def dim(self) -> int:
        return self._spd.dim

    @property
    def curvature(self) -> tuple[float, float]:
        return self._spd.curvature

    @property
    def origin(self) -> Array:
        return self._spd.origin

    @property
    def _spd(self) -> SPD:
        return SPD(self.n)

    def kernel(self, x: Array, y: Array) -> Pairs:
        return {2: pairs2, 3: pairs3, 4: pairs4}.get(self.n, stein_any.pairs)(x, y)

    def project(self, x: Array) -> Array:
        """As SPD."""
        return self._spd.project(x)

    def to_tangent(self, x: Array, u: Array) -> Array:
        """As SPD."""
        return self._spd.to_tangent(x, u)

    def inner(self, x: Array, u: Array, v: Array) -> Array:
        """As SPD."""
        return self._spd.inner(x, u, v)

    def exp(self, x: Array, u: Array) -> Array:
        """As SPD."""
        return self._spd.exp(x, u)

    def retract(self, x: Array, u: Array) -> Array:
        """As SPD."""
        return self._spd.retract(x, u)

    def log(self, x: Array, y: Array) -> Array:
        """As SPD."""
        return self._spd.log(x, y)

    def move(self, x: Array, u: Array, v: Array) -> tuple[Array, Array]:
        """As SPD."""
        return self._spd.move(x, u, v)

    def transport(self, x: Array, y: Array, u: Array) -> Array:
        """As SPD."""
        return self._spd.transport(x, y, u)

    def sectional(self, x: Array, u: Array, v: Array) -> Array:
        """As SPD."""
        return self._spd.sectional(x, u, v)

    def sqdist(self, x: Array, y: Array) -> Array:
        r""":math:`\sum_i\log\frac{\sigma_i + 1/\sigma_i}{2}` over singular values of :math:`L_x^{-1}L_y`."""
        values, _ = linalg.left_svd(linalg.cholesky(x)[1] @ linalg.cholesky(y)[0])
        return np.sum(np.log1p(0.5 * (values - 1.0) ** 2 / values), axis=-1)

    def sqdist_grad(self, x: Array, y: Array) -> Array:
        r""":math:`L\big((I+M)^{-1} - \frac12I\big)L^\top` with :math:`M = L^{-1}yL^{-\top}`."""
        lower, inverse = linalg.cholesky(x)
        values, vectors = linalg.left_svd(inverse @ linalg.cholesky(y)[0])
        slopes = linalg.apply(lambda s: 0.5 * (1.0 - s) * (1.0 + s) / (1.0 + s * s), values, vectors)
        return congruence(lower, slopes)
