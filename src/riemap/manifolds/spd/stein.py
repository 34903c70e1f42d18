r"""Symmetric positive definite matrices with the Stein divergence as squared distance.

.. math:: S(A, B) = \log\det\tfrac{A+B}{2} - \tfrac12\log\det(AB)
    = \sum_i\log\cosh\tfrac12\log\lambda_i(A^{-1}B).

:math:`\sqrt S` is a metric, invariant to congruence and inversion [Sra2012], and close to
:math:`d/\sqrt8` for the affine-invariant distance ``d`` of nearby matrices. Metric, exponential,
logarithm, transport and curvature are those of :class:`riemap.manifolds.SPD`, as in the paper; only the
squared distance and its gradient differ:

.. math:: \mathrm{grad}_A S = A\big((A+B)^{-1} - \tfrac12 A^{-1}\big)A.

([Cruceru2021, sec. 3.1] prints :math:`\frac12(A+B)^{-1}` in it, which differs by a factor from the
derivative of ``S``.)

Loops over pairs depend on the size: ``stein_pairs_small`` has 2 and 3, ``stein_pairs_unrolled`` has 4
and 5, and ``stein_pairs_any`` all others.

References
----------
[Sra2012] Sra. A new metric on the manifold of kernel matrices with application to matrix geometric
    means. NIPS 2012.
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph
    embeddings. AAAI 2021.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from riemap import linalg
from riemap.linalg import congruence
from riemap.manifolds.blocks import PairKernel
from riemap.manifolds.spd import stein_pairs_any, stein_pairs_small, stein_pairs_unrolled
from riemap.manifolds.spd.affine_invariant import AffineInvariant
from riemap.types import Array

_KERNELS: dict[int, PairKernel[Any]] = {
    2: stein_pairs_small.KERNEL2,
    3: stein_pairs_small.KERNEL3,
    4: stein_pairs_unrolled.KERNEL,
    5: stein_pairs_unrolled.KERNEL,
}


@final
@dataclass(frozen=True)
class Stein(AffineInvariant):
    r""":math:`n\times n` symmetric positive definite matrices, Stein divergence.

    >>> m = Stein(3)
    >>> m.shape, m.dim, str(m)
    ((3, 3), 6, 'Stein3')
    """

    symbol: ClassVar[str] = "Stein"
    name: ClassVar[str] = "SPD, Stein divergence"
    formula: ClassVar[str] = "√(log(det ½(A+B) / √det AB))"
    geodesic: ClassVar[bool] = False
    # Squared distances grow like lengths, so that a low scale sends points far out. With landmarks, 400
    # rounds in Stein2, one seed, AD, AUC and F1@1 where the scale waits, and where it does not: facebook
    # 0.094, 97.7 %, 79.2 % and 0.106, 96.7 %, 78.9 %; grqc 0.117, 85.5 %, 69.8 % and 0.120, 84.9 %, 64.5 %;
    # power about the same. condmat became NaN where it did not wait.
    waiting_log_scale: ClassVar[float | None] = 0.5

    # A squared distance of e⁴ belongs to ratios of eigenvalues around 1e24. On grqc in Stein2 ranks were good
    # with this bound (AUC 85.2 %), and not without it (78.6 %, at -4.5), with the same distortion.
    @property
    def least_log_scale(self) -> float:
        return -4.0

    @property
    def pair_kernel(self) -> PairKernel[Any]:
        return _KERNELS.get(self.n, stein_pairs_any.KERNEL)

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
