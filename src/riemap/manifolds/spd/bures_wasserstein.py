r"""Symmetric positive definite matrices with the Bures-Wasserstein metric.

The distance of optimal transport between centred Gaussians of these covariances,

.. math:: d^2(A, B) = \operatorname{tr}A + \operatorname{tr}B - 2\operatorname{tr}(A^{1/2}BA^{1/2})^{1/2}
    = \min_{R\in O(n)}\|X - YR\|_F^2 \quad\text{for any } A = XX^\top,\ B = YY^\top.

The second form is the one computed: it is a sum of squares that vanish as :math:`B\to A`, and the best
``R`` is the orthogonal factor of :math:`Y^\top X`. It means that :math:`X\mapsto XX^\top` is a
Riemannian submersion from flat matrices [BhatiaJainLim2019], and everything else follows: with the
solution ``S`` of :math:`SA + AS = P`, the tangent ``P`` lifts to :math:`SX`,
:math:`\langle P, Q\rangle_A = \frac12\operatorname{tr}SQ`, geodesics are :math:`(I+tS)A(I+tS)`, and the
curvature is non-negative by O'Neill's formula.

The cone is not complete: its boundary is at distance :math:`\sqrt{\lambda_{\min}(A)}` from ``A``, and
exp and log are inverse only within that.

References
----------
[BhatiaJainLim2019] Bhatia, Jain, Lim. On the Bures-Wasserstein distance between positive definite
    matrices. Expositiones Mathematicae 37(2), 2019.
[ONeill1966] O'Neill. The fundamental equations of a submersion. Michigan Math. J. 13(4), 1966.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from riemap import linalg
from riemap.linalg import congruence, symmetric, transpose
from riemap.manifolds.blocks import PairKernel
from riemap.manifolds.shared.formulas import sectional_from
from riemap.manifolds.spd import bures_pairs, bures_pairs3, bures_pairs4
from riemap.manifolds.spd.bures_pairs import push
from riemap.manifolds.spd.symmetric_positive import SymmetricPositive
from riemap.types import Array

ORIGIN_SCALE = 9.0
"""Multiple of the identity around which points are drawn. Its distance to the boundary is 3, so that unit
balls around points near the origin stay inside; the distance from the identity would be 1."""

_KERNELS: dict[int, PairKernel[Any]] = {
    2: bures_pairs.KERNEL2,
    3: bures_pairs3.KERNEL,
    4: bures_pairs4.KERNEL,
}


@final
@dataclass(frozen=True)
class BuresWasserstein(SymmetricPositive):
    r""":math:`n\times n` symmetric positive definite matrices, Bures-Wasserstein metric.

    >>> m = BuresWasserstein(3)
    >>> m.shape, m.dim, str(m)
    ((3, 3), 6, 'BW3')
    """

    symbol: ClassVar[str] = "BW"
    name: ClassVar[str] = "SPD, Bures-Wasserstein"
    formula: ClassVar[str] = "√(tr(A + B) − 2 tr√(√A B √A))"
    parallel: ClassVar[bool] = False
    examples: ClassVar[tuple[tuple[int, ...], ...]] = ((2,), (3,), (4,))

    @property
    def curvature(self) -> tuple[float, float]:
        return (0.0, 0.0 if self.n == 1 else np.inf)

    @property
    def origin(self) -> Array:
        return ORIGIN_SCALE * np.eye(self.n)

    @property
    def pair_kernel(self) -> PairKernel[Any]:
        return _KERNELS.get(self.n, bures_pairs.KERNEL)

    def inner(self, x: Array, u: Array, v: Array) -> Array:
        r""":math:`\frac12\operatorname{tr}S_uv`."""
        return 0.5 * np.sum(_lyapunov(x, u) * v, axis=(-2, -1))

    def exp(self, x: Array, u: Array) -> Array:
        r""":math:`(I+S)x(I+S) = x + u + SxS`."""
        s = _lyapunov(x, u)
        return symmetric(x + u + s @ x @ s)

    def log(self, x: Array, y: Array) -> Array:
        r""":math:`(xy)^{1/2} + (yx)^{1/2} - 2x`, as :math:`DX^\top + XD^\top` with :math:`D = YR - X`."""
        lower, difference = _best_difference(x, y)
        return push(lower, difference)

    def transport(self, x: Array, y: Array, u: Array) -> Array:
        """Lift to matrices, aligned with the geodesic, and push down at ``y``: exact to first order only.

        Parallel transport would need the solution of a differential equation without closed form.
        """
        lower, difference = _best_difference(x, y)
        return push(lower + difference, _lyapunov(x, u) @ lower)

    def sqdist(self, x: Array, y: Array) -> Array:
        r""":math:`\|YR - X\|^2`."""
        return np.sum(_best_difference(x, y)[1] ** 2, axis=(-2, -1))

    def sectional(self, x: Array, u: Array, v: Array) -> Array:
        r"""Three times the squared vertical part of :math:`S_vS_uX`, over the squared area [ONeill1966].

        The vertical part is :math:`X\Omega` with skew :math:`\Omega` and
        :math:`x\Omega + \Omega x = X(S_vS_u - S_uS_v)X` for the symmetric root ``X``.
        """
        values, vectors = linalg.eigh(x)
        root = linalg.apply(np.sqrt, values, vectors)
        s, t = _lyapunov(x, u), _lyapunov(x, v)
        omega = _lyapunov(x, congruence(root, t @ s - s @ t))
        return sectional_from(
            3.0 * np.sum((root @ omega) ** 2, axis=(-2, -1)),
            self.inner(x, u, u),
            self.inner(x, v, v),
            self.inner(x, u, v),
        )


def _lyapunov(x: Array, u: Array) -> Array:
    """The ``S`` with ``S x + x S = u``."""
    values, vectors = linalg.eigh(x)
    inside = congruence(transpose(vectors), u) / (values[..., :, None] + values[..., None, :])
    return congruence(vectors, inside)


def _best_difference(x: Array, y: Array) -> tuple[Array, Array]:
    """The Cholesky factor ``X`` of ``x``, and ``Y R - X`` for the nearest root of ``y``."""
    lower, other = linalg.cholesky(x)[0], linalg.cholesky(y)[0]
    u, _, vt = np.linalg.svd(transpose(other) @ lower)
    return lower, other @ (u @ vt) - lower
