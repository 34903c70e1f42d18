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

Sizes 2 and 3 have closed forms, in :mod:`riemap.manifolds.spd_small`; :mod:`riemap.manifolds.spd4` finds
eigenvalues alone, and :mod:`riemap.manifolds.spd_any` singular vectors.

References
----------
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph
    embeddings. AAAI 2021. Table 1.
[Bhatia2007] Bhatia. Positive definite matrices. Princeton, 2007.
"""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from riemap import linalg
from riemap.linalg import congruence, symmetric, transpose
from riemap.manifolds import affine, spd_any
from riemap.manifolds.base import TINY, Manifold, Pairs, check_size, contiguous, sectional_from
from riemap.manifolds.spd4 import pairs4
from riemap.manifolds.spd_small import pairs2, pairs3
from riemap.types import Array


@final
@dataclass(frozen=True)
class SPD(Manifold):
    r""":math:`n\times n` symmetric positive definite matrices, affine-invariant metric.

    >>> m = SPD(3)
    >>> m.shape, m.dim, str(m)
    ((3, 3), 6, 'SPD3')
    """

    n: int
    symbol: ClassVar[str] = "SPD"
    name: ClassVar[str] = "SPD, affine-invariant"
    formula: ClassVar[str] = "‖log(A⁻¹B)‖_F"
    examples: ClassVar[tuple[tuple[int, ...], ...]] = ((2,), (3,), (4,))

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
        return (0.0 if self.n == 1 else -0.5, 0.0)

    @property
    def origin(self) -> Array:
        return np.eye(self.n)

    def kernel(self, x: Array, y: Array) -> Pairs:
        return {2: pairs2, 3: pairs3, 4: pairs4}.get(self.n, spd_any.pairs)(x, y)

    def project(self, x: Array) -> Array:
        """Symmetric part, with eigenvalues lifted to the rounding error of the largest."""
        return nearest_positive(x)

    def to_tangent(self, x: Array, u: Array) -> Array:
        r""":math:`(u + u^\top)/2`."""
        return symmetric(u) + np.zeros_like(x)

    def inner(self, x: Array, u: Array, v: Array) -> Array:
        r""":math:`\operatorname{tr} x^{-1}ux^{-1}v`."""
        *lead, n, _ = np.broadcast_shapes(x.shape, u.shape, v.shape)
        return affine.inner(*(a.reshape(-1, n, n) for a in contiguous(x, u, v))).reshape(lead)

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
        return symmetric(congruence(lower, linalg.apply(twice_log, values, vectors)))

    def move(self, x: Array, u: Array, v: Array) -> tuple[Array, Array]:
        r"""To :math:`KK^\top` with :math:`K = Le^{A/2}`, :math:`A = L^{-1}uL^{-\top}`; ``v`` likewise."""
        y, moved, inside = affine.move(*contiguous(x, u, v))
        doubtful = np.flatnonzero(inside == 0.0)
        if len(doubtful):
            y[doubtful] = self.project(y[doubtful])
        return y, moved

    def transport(self, x: Array, y: Array, u: Array) -> Array:
        r"""Parallel: :math:`EuE^\top` with :math:`E = (yx^{-1})^{1/2}` [Bhatia2007, ch. 6]."""
        lower, inverse = linalg.cholesky(x)
        values, vectors = linalg.left_svd(inverse @ linalg.cholesky(y)[0])
        return symmetric(congruence(lower @ linalg.apply(np.asarray, values, vectors) @ inverse, u))

    def sqdist(self, x: Array, y: Array) -> Array:
        """Squared logarithms of the squared singular values of ``G``."""
        values, _ = linalg.left_svd(linalg.cholesky(x)[1] @ linalg.cholesky(y)[0])
        return np.sum(twice_log(values) ** 2, axis=-1)

    def sectional(self, x: Array, u: Array, v: Array) -> Array:
        r""":math:`-\frac14\|[u, v]\|^2` at the identity, over the squared area."""
        _, inverse = linalg.cholesky(x)
        u, v = congruence(inverse, u), congruence(inverse, v)
        return sectional_from(-0.25 * _sum(u @ v - v @ u, u @ v - v @ u), _sum(u, u), _sum(v, v), _sum(u, v))


def nearest_positive(x: Array) -> Array:
    """Symmetric part, with eigenvalues lifted to the rounding error of the largest."""
    values, vectors = linalg.eigh(symmetric(x))
    floor = np.finfo(np.float64).eps * np.abs(values).max(axis=-1, keepdims=True) + TINY
    lifted = linalg.apply(lambda s: np.maximum(s, floor), values, vectors)
    inside = np.all(values >= floor, axis=-1)[..., None, None]
    return np.where(inside, symmetric(x), symmetric(lifted))


def twice_log(values: Array) -> Array:
    """Logarithms of the squares."""
    return 2.0 * np.log(values)


def _sum(u: Array, v: Array) -> Array:
    return np.sum(u * v, axis=(-2, -1))
