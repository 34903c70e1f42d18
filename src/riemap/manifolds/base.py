"""The interface of a manifold.

Conventions for every method:

* ``x``, ``y`` are points and ``u``, ``v`` tangent vectors, of shape ``(..., *self.shape)``. Leading axes
  broadcast, and scalar results drop the trailing point axes.
* A manifold has unit scale and holds no arrays. :mod:`riemap.spaces` adds scales and products.
* Every distance inside the library is *squared* and says so in its name.
* Methods return new arrays and never write into their arguments.
"""

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, ClassVar, final

import numpy as np

from riemap.errors import InputError
from riemap.manifolds.blocks import PairKernel, RectangularBlock, SymmetricBlock, reference_kernel
from riemap.manifolds.checks import CHECKED_METHODS, check_sizes, checked_points, checking
from riemap.specs import finite_number, shown, whole_number
from riemap.types import Array, Rng

CUT = 1e-14
"""Smallest sine to divide by. At a cut locus, such as antipodes, the shortest geodesic has no direction, and
its formula divides a rounding error by zero. With this floor the quotient is shorter than the geodesic."""


class Manifold(ABC):
    """A Riemannian manifold of unit scale.

    Subclasses are frozen dataclasses whose fields are sizes (``Sphere(n=2)``). Those that can be built are
    final. Listing one in ``MANIFOLDS`` puts it into the command line, the grids, the docs and the tests.
    """

    symbol: ClassVar[str]  # how the manifold is spelled: "S" in "S2 x E3"
    name: ClassVar[str]  # how a table calls it
    formula: ClassVar[str]  # its distance, for a table
    shown: ClassVar[tuple[int, ...]] = (3,)  # sizes of the example in a table
    examples: ClassVar[tuple[tuple[int, ...], ...]] = ((2,), (3,))  # sizes for the conformance tests
    least_size: ClassVar[int] = 1  # smallest accepted size
    geodesic: ClassVar[bool] = True  # whether sqdist is the squared length of log; False for a divergence
    parallel: ClassVar[bool] = True  # whether transport is parallel transport
    waiting_log_scale: ClassVar[float | None] = None  # where it stays until a large graph is unfolded

    def __init_subclass__(cls, **options: Any) -> None:
        """Let the methods of a manifold that take arrays check them first."""
        for name in vars(cls).keys() & CHECKED_METHODS:
            setattr(cls, name, checking(vars(cls)[name]))

    # --- facts: every manifold defines these -------------------------------------------
    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Shape of the array that holds one point."""

    @property
    @abstractmethod
    def dim(self) -> int:
        """Intrinsic dimension."""

    @property
    @abstractmethod
    def curvature(self) -> tuple[float, float]:
        """Smallest and largest sectional curvature."""

    @property
    @abstractmethod
    def origin(self) -> Array:
        """The centre of :meth:`random`. The metric there must be a multiple of the dot product."""

    @property
    def least_log_scale(self) -> float:
        """The smallest that training may take; below it, points lie so far apart that digits are lost."""
        return -np.inf

    # --- geometry: every manifold defines these ----------------------------------------
    @abstractmethod
    def project(self, x: Array) -> Array:
        """Move arrays that rounding has taken off the manifold back to it.

        Returns
        -------
        Points, ``(..., *shape)``.
        """

    @abstractmethod
    def to_tangent(self, x: Array, u: Array) -> Array:
        """Project ambient arrays ``u`` orthogonally onto the tangent spaces at ``x``.

        Returns
        -------
        Tangents at ``x``, ``(..., *shape)``.
        """

    @abstractmethod
    def inner(self, x: Array, u: Array, v: Array) -> Array:
        r"""Compute Riemannian inner products :math:`\langle u, v\rangle_x`.

        Returns
        -------
        Numbers, ``(...)``.
        """

    @abstractmethod
    def exp(self, x: Array, u: Array) -> Array:
        """Follow the geodesics that leave ``x`` with velocity ``u`` until time one.

        Returns
        -------
        Points, ``(..., *shape)``.
        """

    @abstractmethod
    def log(self, x: Array, y: Array) -> Array:
        """Find the velocities at ``x`` of the shortest geodesics to ``y``; the inverse of :meth:`exp`.

        Returns
        -------
        Tangents at ``x``, ``(..., *shape)``.
        """

    @abstractmethod
    def transport(self, x: Array, y: Array, u: Array) -> Array:
        """Transport tangents ``u`` from ``x`` to ``y`` along the shortest geodesics.

        Returns
        -------
        Tangents at ``y``, ``(..., *shape)``.
        """

    @abstractmethod
    def sqdist(self, x: Array, y: Array) -> Array:
        """Compute squared distances, with a small relative error even where ``y`` is near ``x``.

        Returns
        -------
        Numbers, ``(...)``.
        """

    @abstractmethod
    def sectional(self, x: Array, u: Array, v: Array) -> Array:
        """Compute sectional curvatures of the planes spanned by ``u`` and ``v``.

        Returns
        -------
        Numbers, ``(...)``; 0 where ``u`` and ``v`` are parallel.
        """

    # --- defaults that a manifold may replace ------------------------------------------
    def size_error(self) -> str | None:
        """Return what is wrong with the sizes, if anything."""
        small = min(self._sizes) < self.least_size
        return f"the size must be at least {self.least_size}" if small else None

    def retract(self, x: Array, u: Array) -> Array:
        """Approximate :meth:`exp` to first order; the default is :meth:`exp` itself.

        Returns
        -------
        Points, ``(..., *shape)``.
        """
        return self.exp(x, u)

    def move(self, x: Array, u: Array, v: Array) -> tuple[Array, Array]:
        """Step along the geodesics from ``x`` with velocity ``u``, and transport ``v`` with them.

        Returns
        -------
        The points reached, and tangents there, both ``(..., *shape)``.
        """
        y = self.project(self.exp(x, u))
        return y, self.transport(x, y, v)

    def sqdist_grad(self, x: Array, y: Array) -> Array:
        r"""Compute Riemannian gradients of :meth:`sqdist` in ``x``.

        The default is :math:`-2\log_x y`, exact for a geodesic distance. A divergence replaces it.

        Returns
        -------
        Tangents at ``x``, ``(..., *shape)``.
        """
        return -2.0 * self.log(x, y)

    @property
    def pair_kernel(self) -> PairKernel[Any]:
        """The loops over all pairs; by default :meth:`sqdist` and :meth:`sqdist_grad`, broadcast."""
        return reference_kernel(self.sqdist, self.sqdist_grad)

    # --- the rest is final -------------------------------------------------------------
    @final
    def __post_init__(self) -> None:
        check_sizes(self)
        if error := self.size_error():
            raise InputError(f"{self}: {error}")

    @final
    def __str__(self) -> str:
        sizes = ",".join(map(str, self._sizes))
        return f"{self.symbol}{sizes}" if len(self._sizes) == 1 else f"{self.symbol}({sizes})"

    @property
    def _sizes(self) -> tuple[int, ...]:
        return tuple(getattr(self, f.name) for f in fields(self))  # type: ignore[arg-type]  # a dataclass

    @final
    def norm(self, x: Array, u: Array) -> Array:
        r"""Return lengths of tangents, :math:`\sqrt{\langle u, u\rangle_x}`, ``(...)``."""
        return np.sqrt(np.maximum(self.inner(x, u, u), 0.0))

    @final
    def random(self, rng: Rng, n: int, radius: float = 1.0, at: Array | None = None) -> Array:
        """Draw points around a centre: exponentials of Gaussian tangents.

        Tangents are drawn at the origin, where no direction is preferred, and transported to the centre.

        Parameters
        ----------
        rng
            Random generator.
        n
            Number of points.
        radius
            Root mean square of the distances to the centre.
        at
            The centre, of shape ``shape``; by default :attr:`origin`.

        Returns
        -------
        Points, ``(n, *shape)``.
        """
        if not isinstance(rng, np.random.Generator):
            raise InputError(f"rng={shown(rng)} is not a random generator, e.g. numpy.random.default_rng(0)")
        n, radius = whole_number("n", n, 0, 100), finite_number("radius", radius, 1.0)
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
    def symmetric_block(self, x: Array, *, reference: bool = False) -> SymmetricBlock:
        """Compute all pairs within one set of points.

        Parameters
        ----------
        x
            Points, ``(n, *shape)``.
        reference
            Broadcast :meth:`sqdist` and :meth:`sqdist_grad` instead; tests compare the two.

        Returns
        -------
        Squared distances, and gradients at both ends of every pair.
        """
        return self._kernel(reference).symmetric_block(checked_points(self, x))

    @final
    def rectangular_block(self, x: Array, y: Array, *, reference: bool = False) -> RectangularBlock:
        """Compute the pairs of two sets of points.

        Parameters
        ----------
        x, y
            Row points ``(n, *shape)`` and column points ``(m, *shape)``.
        reference
            Broadcast :meth:`sqdist` and :meth:`sqdist_grad` instead; tests compare the two.

        Returns
        -------
        Squared distances, and gradients at the row points.
        """
        return self._kernel(reference).rectangular_block(checked_points(self, x), checked_points(self, y))

    @final
    def pairs(self, x: Array) -> SymmetricBlock:
        """Compute all pairs within one set of points; a short name of :meth:`symmetric_block`."""
        return self.symmetric_block(x)

    @final
    def pairwise(self, x: Array, y: Array, *, reference: bool = False) -> Array:
        """Return all squared distances of two sets of points, ``(n, m)``."""
        return self.rectangular_block(x, y, reference=reference).sqdist

    @final
    def pairwise_grad(self, x: Array, y: Array, w: Array, *, reference: bool = False) -> Array:
        r"""Return the gradients :math:`\sum_j w_{ij}\,\mathrm{grad}_{x_i} d^2(x_i, y_j)`, ``(n, *shape)``."""
        return self.rectangular_block(x, y, reference=reference).gradient(w)

    @final
    def _kernel(self, reference: bool) -> PairKernel[Any]:
        return reference_kernel(self.sqdist, self.sqdist_grad) if reference else self.pair_kernel

    @final
    def _expand(self, a: Array) -> Array:
        """Reshape scalars so that they multiply points."""
        return np.reshape(a, np.shape(a) + (1,) * len(self.shape))
