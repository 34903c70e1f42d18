r"""The Grassmann manifold :math:`Gr(k, n)` of ``k``-dimensional subspaces of :math:`\mathbb{R}^n`.

A point is an orthonormal basis :math:`A\in\mathbb{R}^{n\times k}`, any basis of the same subspace being
the same point; a tangent is a matrix ``P`` with :math:`A^\top P = 0`, and
:math:`\langle P, Q\rangle = \operatorname{tr}P^\top Q` [Edelman1998]. With the principal angles
:math:`\theta_i`, whose cosines are the singular values of :math:`A^\top B`,

.. math:: d^2(A, B) = \sum_i\theta_i^2.

:mod:`riemap.manifolds.grassmann.pair_loops` has the loops over pairs.

:math:`Gr(1, n)` is real projective space, of curvature 1.

References
----------
[Edelman1998] Edelman, Arias, Smith. The geometry of algorithms with orthogonality constraints. SIAM
    J. Matrix Anal. Appl. 20(2), 1998.
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph
    embeddings. AAAI 2021. Table 1.
[Wong1968] Wong. Sectional curvatures of Grassmann manifolds. PNAS 60(1), 1968.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from riemap import linalg
from riemap.linalg import orthogonal_factor, transpose
from riemap.manifolds.base import CUT
from riemap.manifolds.blocks import PairKernel
from riemap.manifolds.compact import CompactManifold
from riemap.manifolds.grassmann import point_loops
from riemap.manifolds.grassmann.pair_loops import kernel, tangent
from riemap.manifolds.shared import unit_vectors
from riemap.manifolds.shared.formulas import contiguous, sectional_from, sinc
from riemap.types import Array, Rng
from riemap.vmath import TINY


@final
@dataclass(frozen=True)
class Grassmann(CompactManifold):
    """Subspaces of dimension ``k`` in ``n`` dimensions.

    >>> m = Grassmann(2, 4)
    >>> m.shape, m.dim, str(m)
    ((4, 2), 4, 'Gr(2,4)')
    """

    k: int
    n: int
    symbol: ClassVar[str] = "Gr"
    name: ClassVar[str] = "Grassmann, k-planes"
    formula: ClassVar[str] = "√(Σ θᵢ²), principal angles θ"
    shown: ClassVar[tuple[int, ...]] = (2, 4)
    examples: ClassVar[tuple[tuple[int, ...], ...]] = (
        (1, 3),
        (2, 4),
        (2, 5),
        (3, 5),
        (3, 6),
        (3, 7),
        (3, 8),
        (4, 8),
    )

    def size_error(self) -> str | None:
        return None if 1 <= self.k < self.n else "Gr(k,n) needs 1 <= k < n"

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.n, self.k)

    @property
    def dim(self) -> int:
        return self.k * (self.n - self.k)

    @property
    def curvature(self) -> tuple[float, float]:
        return (1.0, 1.0) if self.k in (1, self.n - 1) else (0.0, 2.0)

    @property
    def origin(self) -> Array:
        return np.eye(self.n, self.k)

    @property
    def pair_kernel(self) -> PairKernel[Any]:
        return kernel(self.k, self.n)

    def uniform(self, rng: Rng, n: int) -> Array:
        """Spans of Gaussian vectors."""
        return self.project(rng.standard_normal((n, *self.shape)))

    def around(self, rng: Rng, y: Array) -> Array:
        r"""Map directions in the plane to lines (k = 1), or in three dimensions to complex lines (k = 2).

        The direction with angle :math:`\varphi` goes to the line with angle :math:`\varphi/2`: a circle in
        this manifold that cannot shrink to a point in it. :math:`(a, b, c)` of the unit sphere goes to the
        line of :math:`(1 + c, a + ib)` in :math:`\mathbb{C}^2 = \mathbb{R}^4`, a sphere that cannot either.
        """
        if self.k == 1:
            half = 0.5 * np.arctan2(y[:, 1], y[:, 0])
            line = np.array([np.cos(half), np.sin(half)]).T
            return self.project(np.pad(line, ((0, 0), (0, self.n - 2)))[..., None])
        if self.k != 2 or self.n < 4:
            return super().around(rng, y)
        a, b, c = (y[:, :3] / np.linalg.norm(y[:, :3], axis=1, keepdims=True)).T
        zero, pole = np.zeros(len(y)), 1.0 + c + TINY
        basis = np.array([[pole, zero], [zero, pole], [a, -b], [b, a]])
        return self.project(np.moveaxis(np.pad(basis, ((0, self.n - 4), (0, 0), (0, 0))), -1, 0))

    def project(self, x: Array) -> Array:
        """The orthogonal factor of the polar decomposition: the nearest orthonormal basis."""
        return orthogonal_factor(x)

    def to_tangent(self, x: Array, u: Array) -> Array:
        r""":math:`(I - xx^\top)u`."""
        return tangent(x, u)

    def inner(self, x: Array, u: Array, v: Array) -> Array:
        r""":math:`\operatorname{tr}u^\top v`."""
        return np.sum(u * v + np.zeros_like(x), axis=(-2, -1))

    def exp(self, x: Array, u: Array) -> Array:
        r""":math:`x\cos\sqrt{u^\top u} + u\,\mathrm{sinc}\sqrt{u^\top u}`.

        Both are even, hence functions of :math:`u^\top u`.
        """
        squares, vectors = linalg.eigh(transpose(u) @ u)
        theta = np.sqrt(np.maximum(squares, 0.0))
        return self.project(x @ linalg.apply(np.cos, theta, vectors) + u @ linalg.apply(sinc, theta, vectors))

    def retract(self, x: Array, u: Array) -> Array:
        r"""Orthogonal factor of :math:`x + u` [Cruceru2021, table 1]."""
        return self.project(x + u)

    def move(self, x: Array, u: Array, v: Array) -> tuple[Array, Array]:
        """In one loop; a line moves as its unit vector does on the sphere."""
        if self.k > 1:
            return point_loops.move(*contiguous(x, u, v))
        y, moved = unit_vectors.move(*contiguous(x[..., 0], u[..., 0], v[..., 0]))
        return y[..., None], moved[..., None]

    def log(self, x: Array, y: Array) -> Array:
        r""":math:`(I - xx^\top)yR\,U\,\mathrm{diag}(\theta/\sin\theta)\,U^\top`.

        Here :math:`x^\top y = U\cos\Theta\,V^\top` and :math:`R = VU^\top`.
        """
        u, theta, ratio, turned = self._principal(x, y)
        return tangent(x, turned - x) @ linalg.apply(lambda _: ratio, theta, u)

    def transport(self, x: Array, y: Array, u: Array) -> Array:
        r"""Parallel [Edelman1998, thm. 2.4], written in the basis of ``y``.

        Along :math:`\log_x y = E\Theta U^\top` with orthonormal ``E``, the part of ``u`` in the span of
        ``E`` turns: :math:`u + E(\cos\Theta - I)E^\top u - xU\sin\Theta\,E^\top u`.
        """
        left, theta, _, turned = self._principal(x, y)
        normal = tangent(x, turned - x) @ left  # E sin(theta), column by column
        inside = transpose(normal) @ u  # sin(theta) Eᵀ u
        lean = -0.5 / np.cos(0.5 * theta)[..., None] ** 2  # (cos - 1) / sin²
        moved = u + normal @ (lean * inside) - x @ left @ inside
        return tangent(y, moved @ (transpose(turned) @ y))

    def sqdist(self, x: Array, y: Array) -> Array:
        """Sum of squared angles, each from the chord between its two unit vectors."""
        return np.sum(self._principal(x, y)[1] ** 2, axis=-1)

    def sectional(self, x: Array, u: Array, v: Array) -> Array:
        r"""Two squared curls over the squared area [Wong1968].

        .. math:: \frac12\big(\|u^\top v - v^\top u\|^2 + \|uv^\top - vu^\top\|^2\big)
        """
        inside, outside = transpose(u) @ v, u @ transpose(v)
        curl = _sum(inside - transpose(inside)) + _sum(outside - transpose(outside))
        return sectional_from(0.5 * curl, _sum(u), _sum(v), self.inner(x, u, v))

    def _principal(self, x: Array, y: Array) -> tuple[Array, Array, Array, Array]:
        r""":math:`U`, :math:`\theta`, :math:`\theta/\sin\theta` and the basis ``yR`` turned towards ``x``."""
        u, _, vt = np.linalg.svd(transpose(x) @ y)
        a, b = x @ u, y @ transpose(vt)
        near, far = np.linalg.norm(a - b, axis=-2), np.linalg.norm(a + b, axis=-2)
        theta = 2.0 * np.arctan2(near, far)
        ratio = np.where(theta > 0, theta / np.maximum(0.5 * near * far, CUT), 1.0)
        return u, theta, ratio, b @ transpose(u)


def _sum(u: Array) -> Array:
    return np.sum(u * u, axis=(-2, -1))
