r"""Hyperbolic space :math:`\mathbb{H}^n`, as the upper sheet of a hyperboloid.

Points are :math:`x\in\mathbb{R}^{n+1}` with :math:`\langle x, x\rangle_L = -1` and
:math:`x_0 > 0`, where :math:`\langle x, y\rangle_L = -x_0y_0 + \sum_{i\ge1} x_iy_i`.
The metric is :math:`\langle\cdot,\cdot\rangle_L` on tangent spaces; curvature is -1. The spatial
part :math:`x_{1:}` is a chart of the whole space, so :math:`x_0` is always computed from it.

The textbook distance :math:`\operatorname{arcosh}(-\langle x, y\rangle_L)` loses its digits
as :math:`y\to x`, and :math:`\langle x-y, x-y\rangle_L` loses them far from the origin, where it
is a small difference of large squares. In polar coordinates, :math:`x_{1:} = \sinh(r)\,a` and
:math:`y_{1:} = \sinh(s)\,b` with unit vectors :math:`a, b`, it is a sum of positive terms:

.. math::
    4\sinh^2\tfrac{d}{2} = \langle x-y, x-y\rangle_L
        = 4\sinh^2\tfrac{r-s}{2} + \sinh r\sinh s\,\|a-b\|^2,

where :math:`2\sinh\frac{r-s}{2} = e^{r/2}e^{-s/2} - e^{-r/2}e^{s/2}` takes two products. The logarithm
is found in the same coordinates: its component along the ray through ``x`` is a multiple of
:math:`\sinh(s-r) - \cosh r\sinh s\,\|a-b\|^2/2`, and the rest of :math:`\sinh s\,(b-a)`.

References
----------
[NickelKiela2018] Nickel, Kiela. Learning continuous hierarchies in the Lorentz model of
    hyperbolic geometry. ICML 2018.
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph
    embeddings. AAAI 2021. Appendix B lists the maps used here.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import numpy as np

from riemap.manifolds.blocks import PairKernel
from riemap.manifolds.hyperbolic import pair_loops, point_loops
from riemap.manifolds.shared.formulas import contiguous, sinhc
from riemap.manifolds.shared.polar import ORIGIN_RADIUS
from riemap.manifolds.shared.quadric import Quadric
from riemap.types import Array
from riemap.vmath import TINY


class Polar(NamedTuple):
    """Polar coordinates of points: direction, ``sinh r``, ``exp(r/2)`` and ``exp(-r/2)``."""

    direction: Array
    sinh: Array
    up: Array
    down: Array

    def ambient(self, along: Array, across: Array) -> Array:
        """Tangents with the component ``along`` on the ray, and the projection of ``across`` across it."""
        across = across - np.sum(across * self.direction, axis=-1, keepdims=True) * self.direction
        cosh = np.sqrt(1.0 + self.sinh**2)
        return np.concatenate([along * self.sinh, along * cosh * self.direction + across], axis=-1)


def polar(spatial: Array) -> Polar:
    """Polar coordinates of the points with these spatial parts; the direction of the origin is arbitrary."""
    r = np.sqrt(np.sum(spatial**2, axis=-1, keepdims=True))
    axis = np.eye(1, spatial.shape[-1])[0]
    direction = np.where(r > ORIGIN_RADIUS, spatial / np.where(r > ORIGIN_RADIUS, r, 1.0), axis)
    up = np.sqrt(r + np.sqrt(1.0 + r**2))
    return Polar(direction, r, up, 1.0 / up)


@final
@dataclass(frozen=True)
class Hyperboloid(Quadric):
    r""":math:`\mathbb{H}^n` of curvature -1; ``n`` is the intrinsic dimension.

    >>> h = Hyperboloid(2)
    >>> h.shape, h.dim, str(h)
    ((3,), 2, 'H2')
    """

    symbol: ClassVar[str] = "H"
    name: ClassVar[str] = "hyperbolic"
    formula: ClassVar[str] = "2·asinh(½·√⟨x−y, x−y⟩_L)"

    @property
    def curvature(self) -> tuple[float, float]:
        return (-1.0, -1.0)

    @property
    def pair_kernel(self) -> PairKernel[Array]:
        return PairKernel(
            pair_loops.polar_coordinates, pair_loops.forward, self._trimmed(pair_loops.gradient), saved=1
        )

    def project(self, x: Array) -> Array:
        r"""Keep :math:`x_{1:}` and set :math:`x_0=\sqrt{1+\|x_{1:}\|^2}`."""
        spatial = x[..., 1:]
        first = np.sqrt(1.0 + np.sum(spatial**2, axis=-1, keepdims=True))
        return np.concatenate([first, spatial], axis=-1)

    def to_tangent(self, x: Array, u: Array) -> Array:
        r""":math:`u + \langle x, u\rangle_L\,x`."""
        return u + self._lorentz(x, u)[..., None] * x

    def inner(self, x: Array, u: Array, v: Array) -> Array:
        r""":math:`\langle u, v\rangle_L`, positive on tangent vectors.

        With :math:`u_0 = u_{1:}\cdot x_{1:}/x_0` put in, the sum has no cancelling squares:
        along the ray through ``x`` lengths shrink by :math:`x_0`, across it they stay.
        """
        *lead, size = np.broadcast_shapes(x.shape, u.shape, v.shape)
        return point_loops.inner(*(a.reshape(-1, size) for a in contiguous(x, u, v))).reshape(lead)

    def exp(self, x: Array, u: Array) -> Array:
        r""":math:`\cosh(\|u\|)\,x + \sinh(\|u\|)\,u/\|u\|` [NickelKiela2018, eq. 9]."""
        t = self.norm(x, u)[..., None]
        return self.project(np.cosh(t) * x + sinhc(t) * u)

    def move(self, x: Array, u: Array, v: Array) -> tuple[Array, Array]:
        """In one loop, and no farther than radius 30 from the origin."""
        return point_loops.move(*contiguous(x, u, v))

    def log(self, x: Array, y: Array) -> Array:
        r""":math:`\frac{d}{\sinh d}\,(y - \cosh(d)\,x)`, in polar coordinates (see above)."""
        a, b, near, s = _pair(x, y)
        up, down = b.up * a.down, b.down * a.up
        along = 0.5 * ((up - down) * (up + down) - np.sqrt(1.0 + a.sinh**2) * b.sinh * near)
        across = b.sinh * (b.direction - a.direction)
        sinh_d = np.sqrt(s * (1.0 + 0.25 * s))
        return np.log1p(0.5 * s + sinh_d) / (sinh_d + TINY) * a.ambient(along, across)

    def transport(self, x: Array, y: Array, u: Array) -> Array:
        r"""Parallel: :math:`u + \frac{\langle y, u\rangle}{1 - \langle x, y\rangle}(x + y)` [Cruceru2021]."""
        arrays = contiguous(x, self.log(x, y), y, u)
        flat = [a.reshape(-1, a.shape[-1]) for a in arrays]
        return point_loops.transport(*flat).reshape(np.broadcast_shapes(x.shape, y.shape, u.shape))

    def sqdist(self, x: Array, y: Array) -> Array:
        """The sum of positive terms above, through its arsinh, squared."""
        s = _pair(x, y)[3][..., 0]
        return np.asarray(np.log1p(0.5 * s + np.sqrt(s * (1.0 + 0.25 * s))) ** 2)

    def sectional(self, x: Array, u: Array, v: Array) -> Array:
        """Minus one everywhere."""
        return np.full_like(self.inner(x, u, v), -1.0)

    def _lorentz(self, u: Array, v: Array) -> Array:
        product = u * v
        return np.sum(product[..., 1:], axis=-1) - product[..., 0]


def _pair(x: Array, y: Array) -> tuple[Polar, Polar, Array, Array]:
    r"""Polar coordinates of both, :math:`\|a-b\|^2` and :math:`4\sinh^2\frac d2`, last axis kept."""
    x, y = np.broadcast_arrays(x, y)
    a, b = polar(x[..., 1:]), polar(y[..., 1:])
    near = np.sum((a.direction - b.direction) ** 2, axis=-1, keepdims=True)
    return a, b, near, (a.up * b.down - a.down * b.up) ** 2 + a.sinh * b.sinh * near
