"""What a manifold is, for this library.

Conventions, stated once and relied on everywhere:

* ``x``, ``y`` are points and ``u``, ``v`` tangent vectors, of shape ``(..., *self.shape)``;
  leading axes broadcast, and scalar results drop the trailing point axes.
* A manifold has unit scale and holds no arrays. Scales and products belong to
  :mod:`riemap.spaces`.
* Every distance inside the library is *squared* and says so in its name.
* Methods return new arrays and never write into their arguments.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import astuple
from typing import ClassVar, NamedTuple, final

import numpy as np

from riemap.errors import InputError
from riemap.lower_triangle import mirror
from riemap.types import Array, Rng

CUT = 1e-14
"""Smallest sine to divide by. At a cut locus (antipodes, for one) the direction of the shortest
geodesic is undecided and its formula is a rounding error over zero; with this floor under the
zero the quotient stays below the length of the geodesic."""

TINY = 2.2250738585072014e-308
"""Smallest normal number: added to a divisor it turns 0/0 into 0 and changes nothing else."""

BLOCK = 1 << 22
"""How many numbers the reference loops hold at once."""


class Pairs(NamedTuple):
    """What is known about all pairs of two sets of points, each pair looked at once.

    ``gradient`` is the backward pass to the forward pass ``sqdist``: a kernel evaluates the
    transcendental part of each distance and its derivative together and keeps the derivative,
    so that going back is arithmetic only.
    """

    sqdist: Array  # (n, m)
    gradient: Callable[[Array], Array]  # w of shape (n, m) -> sum_j w_ij grad d²(x_i, y_j), (n, *shape)


class Manifold(ABC):
    """A Riemannian manifold of unit scale.

    Subclasses are frozen dataclasses whose fields are sizes (``Sphere(n=2)``), are final,
    and are listed in ``MANIFOLDS``. Listing one is enough to put it in the command line,
    the grid, the docs table and the conformance tests.
    """

    symbol: ClassVar[str]  # how a space is spelled: "S" in "S2 x E3"
    name: ClassVar[str]  # what it is called in a table
    formula: ClassVar[str]  # its distance, for a table
    shown: ClassVar[tuple[int, ...]] = (3,)  # sizes to show it with in a table
    examples: ClassVar[tuple[tuple[int, ...], ...]] = ((2,), (3,))  # sizes that the laws are run on
    geodesic: ClassVar[bool] = True  # sqdist is the squared length of log; a divergence says no
    parallel: ClassVar[bool] = True  # transport is the parallel one

    # --- facts ---------------------------------------------------------------------
    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Shape of one point."""

    @property
    @abstractmethod
    def dim(self) -> int:
        """Intrinsic dimension."""

    @property
    @abstractmethod
    def curvature(self) -> tuple[float, float]:
        """Least and greatest sectional curvature."""

    @property
    @abstractmethod
    def origin(self) -> Array:
        """The point that :meth:`random` spreads about, where the metric is a multiple of the dot product."""

    # --- geometry: every manifold writes these ---------------------------------------
    @abstractmethod
    def project(self, x: Array) -> Array:
        """Return ``x`` to the manifold after rounding error."""

    @abstractmethod
    def to_tangent(self, x: Array, u: Array) -> Array:
        """Orthogonal projection of an ambient ``u`` onto the tangent space at ``x``."""

    @abstractmethod
    def inner(self, x: Array, u: Array, v: Array) -> Array:
        r"""Riemannian inner product :math:`\langle u, v\rangle_x`."""

    @abstractmethod
    def exp(self, x: Array, u: Array) -> Array:
        """End of the geodesic that leaves ``x`` with velocity ``u``, at time one."""

    @abstractmethod
    def log(self, x: Array, y: Array) -> Array:
        """Velocity at ``x`` of the shortest geodesic to ``y``; inverse of :meth:`exp`."""

    @abstractmethod
    def transport(self, x: Array, y: Array, u: Array) -> Array:
        """Carry ``u`` from ``x`` to ``y`` along the shortest geodesic."""

    @abstractmethod
    def sqdist(self, x: Array, y: Array) -> Array:
        """Squared distance; relative error stays small as ``y`` approaches ``x``."""

    @abstractmethod
    def sectional(self, x: Array, u: Array, v: Array) -> Array:
        """Sectional curvature of the plane spanned by ``u`` and ``v``; 0 if they span none."""

    # --- defaults a manifold may replace ---------------------------------------------
    def retract(self, x: Array, u: Array) -> Array:
        """First-order substitute for :meth:`exp`; the default is :meth:`exp` itself."""
        return self.exp(x, u)

    def move(self, x: Array, u: Array, v: Array) -> tuple[Array, Array]:
        """:meth:`exp` of ``u``, and ``v`` carried there; the default does one after the other."""
        y = self.project(self.exp(x, u))
        return y, self.transport(x, y, v)

    def sqdist_grad(self, x: Array, y: Array) -> Array:
        r"""Riemannian gradient in ``x``.

        The default is :math:`-2\log_x y`, exact for a geodesic distance. A divergence replaces it.
        """
        return -2.0 * self.log(x, y)

    def kernel(self, x: Array, y: Array) -> Pairs:
        """All pairs of ``x`` and ``y``; the default broadcasts.

        If they are the same object, only the lower triangle of ``sqdist`` need be written.
        """
        return self._broadcast(x, y)

    # --- the rest is never overridden -------------------------------------------------
    @final
    def __str__(self) -> str:
        sizes = astuple(self)  # type: ignore[call-overload]  # every subclass is a dataclass
        return (
            f"{self.symbol}{sizes[0]}" if len(sizes) == 1 else f"{self.symbol}({','.join(map(str, sizes))})"
        )

    @final
    def norm(self, x: Array, u: Array) -> Array:
        r""":math:`\sqrt{\langle u, u\rangle_x}`."""
        return np.sqrt(np.maximum(self.inner(x, u, u), 0.0))

    @final
    def random(self, rng: Rng, n: int, radius: float = 1.0, at: Array | None = None) -> Array:
        """``n`` points about ``at``, or the origin: exponentials of Gaussian tangents.

        ``radius`` is the root mean square of their lengths. They are drawn at the origin, where they
        have no preferred direction, and carried to ``at``.
        """
        u = self.to_tangent(self.origin, rng.standard_normal((n, *self.shape)))
        length = self.norm(self.origin, u)
        ambient = np.sqrt(np.sum(u * u, axis=tuple(range(1, u.ndim))))
        unit = np.divide(ambient, length, out=np.zeros(n), where=length > 0)
        u = u * self._expand(unit * (radius / np.sqrt(self.dim)))
        if at is None:
            return self.project(self.exp(self.origin, u))
        v = self.transport(self.origin, at, u)
        stretch = self.norm(at, v)
        keep = np.divide(self.norm(self.origin, u), stretch, out=np.zeros(n), where=stretch > 0)
        return self.project(self.exp(at, v * self._expand(keep)))

    @final
    def _expand(self, a: Array) -> Array:
        """Scalars, shaped so that they multiply points."""
        return np.reshape(a, np.shape(a) + (1,) * len(self.shape))

    @final
    def pairs(self, x: Array, y: Array | None = None, *, reference: bool = False) -> Pairs:
        """All pairs of the points ``x`` and ``y``, or of ``x`` with itself at half the price.

        ``reference=True`` forces the broadcast of :meth:`sqdist` and :meth:`sqdist_grad`; tests
        compare the two.
        """
        x, y = self._points(x), None if y is None or y is x else self._points(y)
        run = self._broadcast if reference else self.kernel
        found = self._checked(run(x, x if y is None else y))
        if y is None:
            mirror(found.sqdist, found.sqdist)
        return found

    @final
    def triangle(self, x: Array) -> Pairs:
        """All pairs of ``x`` with itself; of ``sqdist``, only the lower triangle may be read."""
        x = self._points(x)
        return self._checked(self.kernel(x, x))

    @final
    def _checked(self, pairs: Pairs) -> Pairs:
        """With weights that a kernel may index without looking."""
        sqdist, gradient = pairs

        def checked(w: Array) -> Array:
            if np.shape(w) != sqdist.shape:
                raise InputError(f"weights of shape {np.shape(w)} for pairs of shape {sqdist.shape}")
            return gradient(_writeable(w))

        return Pairs(sqdist, checked)

    @final
    def pairwise(self, x: Array, y: Array, *, reference: bool = False) -> Array:
        """All squared distances, ``(n, m)``."""
        return self.pairs(x, y, reference=reference).sqdist

    @final
    def pairwise_grad(self, x: Array, y: Array, w: Array, *, reference: bool = False) -> Array:
        r"""Row ``i`` is :math:`\sum_j w_{ij}\,\mathrm{grad}_{x_i} d^2(x_i, y_j)`."""
        return self.pairs(x, y, reference=reference).gradient(w)

    @final
    def _broadcast(self, x: Array, y: Array) -> Pairs:
        """All pairs by the methods for one pair, a block of rows at a time."""
        step = max(1, BLOCK // max(1, y.size))
        blocks = [slice(i, i + step) for i in range(0, len(x), step)]
        sqdist = np.empty((len(x), len(y)))
        for rows in blocks:
            sqdist[rows] = self.sqdist(x[rows, None], y[None])

        def gradient(w: Array) -> Array:
            out = np.empty_like(x)
            for rows in blocks:
                out[rows] = np.einsum("ij,ij...->i...", w[rows], self.sqdist_grad(x[rows, None], y[None]))
            return out

        return Pairs(sqdist, gradient)

    @final
    def _points(self, x: Array) -> Array:
        """``x`` as the array of points that a kernel may index without looking."""
        if np.ndim(x) != 1 + len(self.shape) or np.shape(x)[1:] != self.shape:
            raise InputError(
                f"points of {self} have shape (n, {', '.join(map(str, self.shape))}), not {np.shape(x)}"
            )
        return _writeable(x)


class CompactManifold(Manifold):
    """A manifold of finite volume, which has a uniform distribution."""

    @abstractmethod
    def uniform(self, rng: Rng, n: int) -> Array:
        """``n`` independent points, uniform in the Riemannian volume."""

    def around(self, rng: Rng, y: Array) -> Array:
        """Points all over the manifold, such that those near each other in ``y`` are mostly near here too.

        ``y`` is about zero and ``(n, self.shape[0])``. The default does not try.
        """
        return self.uniform(rng, len(y))


def _writeable(a: Array) -> Array:
    """``a`` as contiguous float64; copied if read-only, which Numba would compile anew for."""
    a = np.ascontiguousarray(a, dtype=np.float64)
    return a if a.flags.writeable else a.copy()


def contiguous(*arrays: Array) -> Iterator[Array]:
    """Arrays of one shape, as a kernel takes them."""
    shapes = {a.shape for a in arrays}
    shape = shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*shapes)
    return (_writeable(a if a.shape == shape else np.broadcast_to(a, shape)) for a in arrays)


def sectional_from(curvature: Array, u: Array, v: Array, uv: Array) -> Array:
    r""":math:`\langle R(u,v)v,u\rangle / (|u|^2|v|^2 - \langle u,v\rangle^2)`, 0 on a line.

    Parameters
    ----------
    curvature
        The numerator.
    u, v, uv
        :math:`|u|^2`, :math:`|v|^2` and :math:`\langle u,v\rangle`.
    """
    area = u * v - uv * uv
    flat = area <= 1e-14 * u * v  # the angle is lost in rounding
    return np.where(flat, 0.0, curvature / np.where(flat, 1.0, area))


def check_size(n: int, least: int, spelling: str) -> None:
    """Refuse a size below ``least``."""
    if n < least:
        raise InputError(f"{spelling}: the size must be at least {least}")
