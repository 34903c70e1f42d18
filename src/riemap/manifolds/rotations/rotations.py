r"""The special orthogonal group :math:`SO(n)` with its bi-invariant metric.

Points are rotation matrices, tangents are :math:`P = AX` with skew ``X``, and
:math:`\langle P, Q\rangle = \operatorname{tr}P^\top Q`. Geodesics are :math:`A\exp(tX)`, and

.. math:: d(A, B) = \|\log(A^\top B)\|_F = \Big(\sum_k\theta_k^2\Big)^{1/2}

over the phases :math:`\theta_k` of the eigenvalues of :math:`M = A^\top B` [Cruceru2021, app. D]. They
come in pairs, one for each plane of rotation. With the symmetric and skew parts :math:`M = S + K`,
which commute, an eigenvector ``u`` of ``S`` has :math:`Su = \cos\theta\,u` and
:math:`\|Ku\| = |\sin\theta|`, so a symmetric eigenproblem and an atan2 give all phases, and
:math:`\log M = K\,f(S)` with :math:`f = \theta/\sin\theta`.

:mod:`riemap.manifolds.rotations.quaternion_pairs` has closed forms for ``n = 3`` and ``n = 4``, and
:mod:`riemap.manifolds.rotations.spin5_pairs` for ``n = 5``.

References
----------
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph
    embeddings. AAAI 2021.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from riemap import linalg
from riemap.linalg import orthogonal_factor, transpose
from riemap.manifolds.base import CUT
from riemap.manifolds.blocks import PairKernel
from riemap.manifolds.compact import CompactManifold
from riemap.manifolds.rotations import any_pairs, quaternion_pairs, spin5_pairs
from riemap.manifolds.rotations.any_pairs import skew
from riemap.manifolds.shared.formulas import sectional_from, sinc
from riemap.types import Array, Rng

_KERNELS: dict[int, PairKernel[Any]] = {
    3: quaternion_pairs.KERNEL3,
    4: quaternion_pairs.KERNEL4,
    5: spin5_pairs.KERNEL,
}


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
    examples: ClassVar[tuple[tuple[int, ...], ...]] = ((2,), (3,), (4,), (5,))
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
        return _KERNELS.get(self.n, any_pairs.KERNEL)

    def uniform(self, rng: Rng, n: int) -> Array:
        """Orthogonal factors of Gaussian matrices, reflected where they are reflections."""
        return self.project(rng.standard_normal((n, *self.shape)))

    def around(self, rng: Rng, y: Array) -> Array:
        """Rotate the first plane by the angle of the first two coordinates, in the plane and in space.

        These rotations are a circle that cannot shrink to a point. That of lines in ``Gr(1,4)``, which is the
        same space as SO3, is the same circle. In more dimensions it would be in half of the manifold.
        """
        if self.n > 3:
            return super().around(rng, y)
        angle = np.arctan2(y[:, 1], y[:, 0])
        x = np.tile(self.origin, (len(y), 1, 1))
        x[:, 0, 0] = x[:, 1, 1] = np.cos(angle)
        x[:, 1, 0] = np.sin(angle)
        x[:, 0, 1] = -x[:, 1, 0]
        return self.project(x)

    def project(self, x: Array) -> Array:
        """Return the nearest orthogonal matrix; the last column of a reflection changes its sign first."""
        sign = np.where(np.linalg.det(x) < 0, -1.0, 1.0)[..., None]
        return orthogonal_factor(np.concatenate([x[..., :-1], (x[..., -1] * sign)[..., None]], axis=-1))

    def to_tangent(self, x: Array, u: Array) -> Array:
        r""":math:`x\,\mathrm{skew}(x^\top u)`."""
        return x @ skew(transpose(x) @ u)

    def inner(self, x: Array, u: Array, v: Array) -> Array:
        r""":math:`\operatorname{tr}u^\top v`."""
        return np.sum(u * v + np.zeros_like(x), axis=(-2, -1))

    def exp(self, x: Array, u: Array) -> Array:
        r""":math:`x\exp(x^\top u)`."""
        return self.project(x @ _exp(transpose(x) @ u))

    def retract(self, x: Array, u: Array) -> Array:
        """The rotation nearest to ``x + u``."""
        return self.project(x + u)

    def move(self, x: Array, u: Array, v: Array) -> tuple[Array, Array]:
        r"""With :math:`h = e^{x^\top u/2}`: the points :math:`xhh`, and :math:`xh\,(x^\top v)\,h`."""
        half = _exp(0.5 * (transpose(x) @ u))
        middle = x @ half
        y = self.project(middle @ half)
        return y, self.to_tangent(y, middle @ (transpose(x) @ v) @ half)

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


def _exp(a: Array) -> Array:
    """Exponential of a skew matrix: cosine and sinc are even, hence functions of ``aᵀ a``."""
    squares, vectors = linalg.eigh(transpose(a) @ a)
    theta = np.sqrt(np.maximum(squares, 0.0))
    return linalg.apply(np.cos, theta, vectors) + a @ linalg.apply(sinc, theta, vectors)


def _phases(a: Array) -> tuple[Array, Array, Array, Array]:
    """Phases and sines of a rotation, the eigenvectors they belong to, and the skew part."""
    cosine, vectors = linalg.eigh(linalg.symmetric(a))
    rest = skew(a)
    sine = np.linalg.norm(rest @ vectors, axis=-2)
    return np.arctan2(sine, cosine), sine, vectors, rest


def _log(a: Array) -> Array:
    theta, sine, vectors, rest = _phases(a)
    ratio = np.where(theta > 0, theta / np.maximum(sine, CUT), 1.0)
    return skew(rest @ linalg.apply(lambda _: ratio, theta, vectors))
