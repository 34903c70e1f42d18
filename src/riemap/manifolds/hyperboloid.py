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

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import numpy as np
from numba import prange

from riemap.lower_triangle import mirror, row_and_end, stride
from riemap.manifolds import lorentz
from riemap.manifolds.base import TINY, Manifold, Pairs, check_size, contiguous
from riemap.manifolds.lorentz import ORIGIN
from riemap.types import Array
from riemap.vmath import inline, log1p, pair_loop


@inline
def distance(s: float) -> float:
    """``d`` from ``s = 4 sinh²(d/2)``: ``log(1 + s/2 + sinh d)``."""
    return log1p(0.5 * s + sinh(s))


@inline
def sinh(s: float) -> float:
    """``sinh d`` from ``s = 4 sinh²(d/2)``."""
    return math.sqrt(s * (1.0 + 0.25 * s))


@inline
def chord(near: float, r: float, s: float, up_r: float, down_r: float, up_s: float, down_s: float) -> float:
    """``4 sinh²(d/2)`` from ``near = |a - b|²``, ``sinh r``, ``sinh s`` and ``exp(±r/2), exp(±s/2)``."""
    radial = up_r * down_s - down_r * up_s
    return radial * radial + r * s * near


@inline
def radial_part(
    near: float, cosh_r: float, s: float, up_r: float, down_r: float, up_s: float, down_s: float
) -> float:
    """Component along the ray through ``x`` of ``sinh(d)/d log_x y``."""
    a, b = up_s * down_r, down_s * up_r
    return 0.5 * ((a - b) * (a + b) - cosh_r * s * near)


@inline
def _near(x: Array, i: int, y: Array, out: Array) -> None:
    """Squared distances of the directions, two coordinates at a time."""
    a, b = x[0, i], x[1, i]
    for j in range(out.size):
        out[j] = (a - y[0, j]) ** 2 + (b - y[1, j]) ** 2
    for k in range(2, x.shape[0] - 3, 2):
        a, b = x[k, i], x[k + 1, i]
        for j in range(out.size):
            out[j] += (a - y[k, j]) ** 2 + (b - y[k + 1, j]) ** 2


@pair_loop
def _forward(x: Array, y: Array, symmetric: bool, out: Array, slopes: Array) -> None:
    """Squared distances, and ``d / sinh d``, from the rows of :func:`_polar_rows`."""
    size, (n, m) = x.shape[0] - 3, out.shape
    for t in prange(n):
        i, end = row_and_end(t, n, m, symmetric)
        _near(x, i, y, out[i, :end])
        r, up, down = x[size, i], x[size + 1, i], x[size + 2, i]
        for j in range(end):
            s = chord(out[i, j], r, y[size, j], up, down, y[size + 1, j], y[size + 2, j])
            d = distance(s)
            out[i, j] = d * d
            slopes[i, j] = d / (sinh(s) + TINY)
    if symmetric:
        mirror(slopes, slopes)


@pair_loop
def _gradient(x: Array, y: Array, slopes: Array, w: Array) -> Array:
    """Row ``i``: the sum of ``-2 w log``, as an ambient vector."""
    size, (n, m) = x.shape[0] - 3, w.shape
    out = np.empty((n, 1 + size))
    for i in prange(n):
        near = np.empty(m)
        _near(x, i, y, near)
        r, up, down = x[size, i], x[size + 1, i], x[size + 2, i]
        cosh = math.sqrt(1.0 + r * r)
        along = 0.0
        for j in range(m):
            s = y[size, j]
            factor = -2.0 * w[i, j] * slopes[i, j]
            along += factor * radial_part(near[j], cosh, s, up, down, y[size + 1, j], y[size + 2, j])
            near[j] = factor * s
        excess = 0.0
        for k in range(0, size, 2):
            first = second = 0.0
            for j in range(m):
                first += near[j] * (y[k, j] - x[k, i])
                second += near[j] * (y[k + 1, j] - x[k + 1, i])
            out[i, 1 + k], out[i, 2 + k] = first, second
            excess += first * x[k, i] + second * x[k + 1, i]
        out[i, 0] = along * r
        for k in range(size):
            out[i, 1 + k] += (along * cosh - excess) * x[k, i]
    return out


@pair_loop
def _polar_rows(x: Array) -> Array:
    """One row a coordinate, one column a point: direction, ``sinh r``, ``exp(r/2)``, ``exp(-r/2)``.

    The rows of the direction are made even in number by one of zeros.
    """
    n, dim = x.shape[0], x.shape[1] - 1
    size = dim + dim % 2
    out = np.zeros((size + 3, stride(n)))
    for i in prange(n):
        total = 0.0
        for k in range(dim):
            total += x[i, k + 1] * x[i, k + 1]
        r = math.sqrt(total)
        for k in range(dim):
            out[k, i] = x[i, k + 1] / r if r > ORIGIN else (1.0 if k == 0 else 0.0)
        up = math.sqrt(r + math.sqrt(1.0 + total))
        out[size, i], out[size + 1, i], out[size + 2, i] = r, up, 1.0 / up
    return out


class Polar(NamedTuple):
    """Polar coordinates of points: direction, ``sinh r``, ``exp(r/2)`` and ``exp(-r/2)``."""

    direction: Array
    sinh: Array
    up: Array
    down: Array

    def ambient(self, along: Array, across: Array) -> Array:
        """The tangent with these components along the ray and, after projection, across it."""
        across = across - np.sum(across * self.direction, axis=-1, keepdims=True) * self.direction
        cosh = np.sqrt(1.0 + self.sinh**2)
        return np.concatenate([along * self.sinh, along * cosh * self.direction + across], axis=-1)


def polar(spatial: Array) -> Polar:
    """Polar coordinates of the points with these spatial parts; at the origin any direction does."""
    r = np.sqrt(np.sum(spatial**2, axis=-1, keepdims=True))
    axis = np.eye(1, spatial.shape[-1])[0]
    direction = np.where(r > ORIGIN, spatial / np.where(r > ORIGIN, r, 1.0), axis)
    up = np.sqrt(r + np.sqrt(1.0 + r**2))
    return Polar(direction, r, up, 1.0 / up)


@final
@dataclass(frozen=True)
class Hyperboloid(Manifold):
    r""":math:`\mathbb{H}^n` of curvature -1; ``n`` is the intrinsic dimension.

    >>> h = Hyperboloid(2)
    >>> h.shape, h.dim, str(h)
    ((3,), 2, 'H2')
    """

    n: int
    symbol: ClassVar[str] = "H"
    name: ClassVar[str] = "hyperbolic"
    formula: ClassVar[str] = "2·asinh(½·√⟨x−y, x−y⟩_L)"

    def __post_init__(self) -> None:
        check_size(self.n, 1, str(self))

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.n + 1,)

    @property
    def dim(self) -> int:
        return self.n

    @property
    def curvature(self) -> tuple[float, float]:
        return (-1.0, -1.0)

    @property
    def origin(self) -> Array:
        return np.eye(1, self.n + 1)[0]

    def kernel(self, x: Array, y: Array) -> Pairs:
        rows = _polar_rows(x)
        others = rows if y is x else _polar_rows(y)
        sqdist, slopes = np.empty((2, len(x), len(y)))
        _forward(rows, others, y is x, sqdist, slopes)
        return Pairs(sqdist, lambda w: _gradient(rows, others, slopes, w)[:, : x.shape[1]])

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
        return lorentz.inner(*(a.reshape(-1, size) for a in contiguous(x, u, v))).reshape(lead)

    def exp(self, x: Array, u: Array) -> Array:
        r""":math:`\cosh(\|u\|)\,x + \sinh(\|u\|)\,u/\|u\|` [NickelKiela2018, eq. 9]."""
        t = self.norm(x, u)[..., None]
        return self.project(np.cosh(t) * x + sinhc(t) * u)

    def move(self, x: Array, u: Array, v: Array) -> tuple[Array, Array]:
        """In one pass."""
        return lorentz.move(*contiguous(x, u, v))

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
        return lorentz.transport(*flat).reshape(np.broadcast_shapes(x.shape, y.shape, u.shape))

    def sqdist(self, x: Array, y: Array) -> Array:
        """The sum of positive terms above, through its arsinh, squared."""
        s = _pair(x, y)[3][..., 0]
        return np.asarray(np.log1p(0.5 * s + np.sqrt(s * (1.0 + 0.25 * s))) ** 2)

    def sectional(self, x: Array, u: Array, v: Array) -> Array:
        """-1 everywhere."""
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


def sinhc(t: Array) -> Array:
    """``sinh(t) / t``, 1 at zero."""
    return np.where(t == 0, 1.0, np.sinh(t) / np.where(t == 0, 1.0, t))
