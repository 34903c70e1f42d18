r"""Symmetric positive definite matrices with the affine-invariant metric.

.. math::
    \langle P, Q\rangle_A = \operatorname{tr} A^{-1}PA^{-1}Q, \qquad
    d(A, B) = \|\log(A^{-1}B)\|_F = \Big(\sum_i\log^2\lambda_i(A^{-1}B)\Big)^{1/2}.

The distance does not change under congruence :math:`A\mapsto XAX^\top` nor inversion. Curvature is in
:math:`[-\frac12, 0]`: matrices of determinant one carry the negative part, and the determinant is a
flat line.

With the Cholesky factor :math:`A = LL^\top` every formula is one at the identity, for
:math:`L^{-1}BL^{-\top} = GG^\top`, :math:`G = L_A^{-1}L_B`: the :math:`\lambda_i` are the squared
singular values of ``G``, so that condition numbers enter by their square root.

Loops over pairs of sizes 2 and 3 use closed forms (``affine_pairs_small``), those of sizes 4 and 5 find
eigenvalues without eigenvectors (``affine_pairs4``, ``affine_pairs5``), and those of other sizes find
singular vectors (``affine_pairs_any``).

References
----------
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph
    embeddings. AAAI 2021. Table 1.
[Bhatia2007] Bhatia. Positive definite matrices. Princeton, 2007.
"""

from abc import ABC
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from riemap import linalg
from riemap.linalg import congruence, symmetric, transpose
from riemap.manifolds.blocks import PairKernel
from riemap.manifolds.shared.formulas import contiguous, sectional_from
from riemap.manifolds.spd import (
    affine_pairs4,
    affine_pairs5,
    affine_pairs_any,
    affine_pairs_small,
    point_loops,
)
from riemap.manifolds.spd.symmetric_positive import SymmetricPositive, frobenius
from riemap.types import Array

_KERNELS: dict[int, PairKernel[Any]] = {
    2: affine_pairs_small.KERNEL2,
    3: affine_pairs_small.KERNEL3,
    4: affine_pairs4.KERNEL,
    5: affine_pairs5.KERNEL,
}


@dataclass(frozen=True)
class AffineInvariant(SymmetricPositive, ABC):
    """The affine-invariant Riemannian metric, without a choice of squared distance."""

    examples: ClassVar[tuple[tuple[int, ...], ...]] = ((2,), (3,), (4,), (5,))

    @property
    def curvature(self) -> tuple[float, float]:
        return (0.0 if self.n == 1 else -0.5, 0.0)

    def inner(self, x: Array, u: Array, v: Array) -> Array:
        r""":math:`\operatorname{tr} x^{-1}ux^{-1}v`."""
        *lead, n, _ = np.broadcast_shapes(x.shape, u.shape, v.shape)
        return point_loops.inner(*(a.reshape(-1, n, n) for a in contiguous(x, u, v))).reshape(lead)

    def exp(self, x: Array, u: Array) -> Array:
        r""":math:`L\exp(L^{-1}uL^{-\top})L^\top`."""
        lower, inverse = linalg.cholesky(x)
        values, vectors = linalg.eigh(congruence(inverse, u))
        root = lower @ (vectors * np.exp(0.5 * values)[..., None, :])
        return root @ transpose(root)

    def retract(self, x: Array, u: Array) -> Array:
        r""":math:`x + u + \frac12 ux^{-1}u`, the exponential to second order [Cruceru2021, table 1]."""
        _, inverse = linalg.cholesky(x)
        half = inverse @ u
        return symmetric(x + u + 0.5 * transpose(half) @ half)

    def log(self, x: Array, y: Array) -> Array:
        r""":math:`L\log(L^{-1}yL^{-\top})L^\top`."""
        lower, inverse = linalg.cholesky(x)
        values, vectors = linalg.left_svd(inverse @ linalg.cholesky(y)[0])
        return symmetric(congruence(lower, linalg.apply(_twice_log, values, vectors)))

    def move(self, x: Array, u: Array, v: Array) -> tuple[Array, Array]:
        r"""To :math:`KK^\top` with :math:`K = Le^{A/2}`, :math:`A = L^{-1}uL^{-\top}`; ``v`` likewise."""
        y, moved, inside = point_loops.move(*contiguous(x, u, v))
        doubtful = np.flatnonzero(inside == 0.0)
        if len(doubtful):
            y[doubtful] = self.project(y[doubtful])
        return y, moved

    def transport(self, x: Array, y: Array, u: Array) -> Array:
        r"""Parallel: :math:`EuE^\top` with :math:`E = (yx^{-1})^{1/2}` [Bhatia2007, ch. 6]."""
        lower, inverse = linalg.cholesky(x)
        values, vectors = linalg.left_svd(inverse @ linalg.cholesky(y)[0])
        return symmetric(congruence(lower @ linalg.apply(np.asarray, values, vectors) @ inverse, u))

    def sectional(self, x: Array, u: Array, v: Array) -> Array:
        r""":math:`-\frac14\|[u, v]\|^2` at the identity, over the squared area."""
        _, inverse = linalg.cholesky(x)
        u, v = congruence(inverse, u), congruence(inverse, v)
        return sectional_from(
            -0.25 * frobenius(u @ v - v @ u, u @ v - v @ u), frobenius(u, u), frobenius(v, v), frobenius(u, v)
        )


@final
@dataclass(frozen=True)
class SPD(AffineInvariant):
    r""":math:`n\times n` symmetric positive definite matrices, affine-invariant metric.

    >>> m = SPD(3)
    >>> m.shape, m.dim, str(m)
    ((3, 3), 6, 'SPD3')
    """

    symbol: ClassVar[str] = "SPD"
    name: ClassVar[str] = "SPD, affine-invariant"
    formula: ClassVar[str] = "‖log(A⁻¹B)‖_F"
    # With landmarks, 400 rounds, one seed, AD, AUC and F1@1 where the scale waits, and where it does not:
    # SPD2 on facebook 0.088, 97.1 %, 75.5 % and 0.111, 92.0 %, 75.7 %; on grqc 0.122, 84.6 %, 68.6 % and
    # 0.118, 80.3 %, 57.9 %; on power 0.069, 91.2 %, 75.3 % and 0.072, 90.9 %, 77.4 %. SPD3 on facebook
    # 0.056, 97.2 %, 81.0 % and 0.073, 97.9 %, 81.6 %.
    waiting_log_scale: ClassVar[float | None] = -3.0

    # At -9, 2 x 2 matrices of a large graph have ratios of eigenvalues around 1e14, and have lost all digits
    # but two. Default run, seed 0, SPD2, AUC, F1@1 and AD without this bound, at -8.5 and at -8:
    # california 62.5 %, 32.9 %, 0.117; 78.6 %, 31.1 %, 0.115; and 83.2 %, 30.8 %, 0.120;
    # grqc       76.3 %, 65.9 %, 0.112; 81.0 %, 66.9 %, 0.111; and 82.7 %, 68.5 %, 0.116;
    # web-edu    94.1 %, 77.2 %, 0.053; 95.0 %, 74.0 %, 0.062; and 94.4 %, 81.4 %, 0.076.
    # Larger matrices need less: in SPD3 only web-edu comes that far. Without a bound, at -9 and at -8 it has
    # 95.2 %, 87.1 %, 0.031; 95.2 %, 87.2 %, 0.031; and 95.7 %, 89.6 %, 0.038.
    @property
    def least_log_scale(self) -> float:
        return -8.0 if self.n == 2 else -9.0

    @property
    def pair_kernel(self) -> PairKernel[Any]:
        return _KERNELS.get(self.n, affine_pairs_any.KERNEL)

    def sqdist(self, x: Array, y: Array) -> Array:
        """Squared logarithms of the squared singular values of ``G``."""
        values, _ = linalg.left_svd(linalg.cholesky(x)[1] @ linalg.cholesky(y)[0])
        return np.sum(_twice_log(values) ** 2, axis=-1)


def _twice_log(values: Array) -> Array:
    """Logarithms of the squares."""
    return 2.0 * np.log(values)
