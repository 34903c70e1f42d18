r"""Blocks of pairs of points: squared distances, and gradients of their weighted sums.

A block is one of two types, each with one meaning of its gradient:

* :class:`SymmetricBlock` holds all pairs within one set of ``n`` points. It computes and stores the lower
  triangle, and its gradients serve both ends of every pair.
* :class:`RectangularBlock` holds the pairs of ``n`` row points with ``m`` column points. Its gradient is that
  of the row points; the column points are fixed.

A :class:`PairKernel` is how a manifold computes blocks. Its forward pass evaluates the transcendental
part of each distance and keeps the derivative, so that the backward pass is arithmetic only.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar, final

import numpy as np

from riemap.aligned import on_cache_lines
from riemap.errors import InputError
from riemap.lower_triangle import LOWER, ORDERED, WHOLE, mirror, spread_weights
from riemap.types import Array

Prepared = TypeVar("Prepared")

KEPT_NUMBERS = 1 << 22
"""Largest number of weights (32 MB) whose memory is kept from one gradient to the next."""

PAGE_OFFSET = 2048
"""Byte of a page where kept memory starts; large arrays of NumPy start at the first bytes.
A load has to wait for earlier stores to the same place in another page. With 512 columns, where rows are a
page apart, adding the transpose would take 40 % longer."""

REFERENCE_NUMBERS = 1 << 22
"""How many numbers (32 MB) the reference loops hold at once."""


@final
class SymmetricBlock:
    """All pairs within one set of ``n`` points.

    Attributes
    ----------
    lower
        Squared distances, ``(n, n)``; only the lower triangle may be read.
    """

    def __init__(self, lower: Array, saved: Array, row_gradient: Callable[[Array], Array]) -> None:
        self.lower = lower
        self._saved = saved
        self._row_gradient = row_gradient

    @cached_property
    def sqdist(self) -> Array:
        """All squared distances, ``(n, n)``."""
        mirror(self.lower, self.lower)
        return self.lower

    def gradient(self, w: Array) -> Array:
        r"""Gradient of :math:`\sum_{ij} w_{ij}\,d^2(x_i, x_j)` at every point.

        Parameters
        ----------
        w
            Weights of ordered pairs, ``(n, n)``, of any kind.

        Returns
        -------
        Riemannian gradients, ``(n, *shape)``.
        """
        return self.spread(checked_weights(w, self.lower.shape), ORDERED, scratch(self.lower.shape))[0]

    def gradient_lower(self, w: Array, out: Array | None = None) -> Array:
        r"""As :meth:`gradient`, for weights of both ends of a pair, :math:`w_{ij} + w_{ji}`.

        Parameters
        ----------
        w
            Weights of unordered pairs, ``(n, n)``; only the lower triangle is read.
        out
            Where to write the whole symmetric matrix; may be ``w`` itself. A new array by default.

        Returns
        -------
        Riemannian gradients, ``(n, *shape)``.
        """
        out = lower_copied(w, self.lower.shape, out)
        return self.spread(out, LOWER, out)[0]

    def gradient_symmetric(self, both: Array) -> Array:
        r"""As :meth:`gradient_lower`, for a matrix that is already symmetric.

        Parameters
        ----------
        both
            :math:`w_{ij} + w_{ji}`, ``(n, n)``.

        Returns
        -------
        Riemannian gradients, ``(n, *shape)``.
        """
        both = checked_weights(both, self.lower.shape)
        return self.spread(both, WHOLE, both)[0]

    def spread(self, w: Array, given: int, out: Array) -> tuple[Array, float]:
        r"""Compute the gradient, and :math:`\sum_{ij} w_{ij}\,d^2(x_i, x_j)` itself.

        Parameters
        ----------
        w, given, out
            The weights, how they are given, and where to write them for both ends of a pair, as
            :func:`riemap.lower_triangle.spread_weights` takes them.

        Returns
        -------
        gradients
            Riemannian gradients, ``(n, *shape)``.
        total
            The weighted sum of :attr:`lower`.
        """
        sums = spread_weights(w, given, self.lower, self._saved, out)
        return self._row_gradient(out), float(sums.sum())


@final
class RectangularBlock:
    """The pairs of ``n`` row points with ``m`` column points.

    Attributes
    ----------
    sqdist
        Squared distances, ``(n, m)``.
    """

    def __init__(self, sqdist: Array, row_gradient: Callable[[Array], Array]) -> None:
        self.sqdist = sqdist
        self._row_gradient = row_gradient

    def gradient(self, w: Array) -> Array:
        r"""Gradient of :math:`\sum_{ij} w_{ij}\,d^2(x_i, y_j)` at the row points :math:`x_i`.

        Parameters
        ----------
        w
            Weights, ``(n, m)``.

        Returns
        -------
        Riemannian gradients, ``(n, *shape)``.
        """
        return self._row_gradient(checked_weights(w, self.sqdist.shape))


@final
@dataclass(frozen=True)
class PairKernel(Generic[Prepared]):
    """How a manifold computes all pairs of two sets of points.

    Parameters
    ----------
    prepare
        ``prepare(x)`` computes whatever the loops read about each point, once for each set.
    forward
        ``forward(a, b, symmetric, sqdist, *saved)`` fills the squared distances, ``(n, m)``, and the saved
        matrices of that shape, from two prepared sets. With ``symmetric=True`` the two sets are the same:
        it need only fill the lower triangles of ``sqdist`` and of saved matrices that are symmetric.
    gradient
        ``gradient(a, b, *saved, w)`` returns the sum over ``j`` of ``w_ij`` times the gradient at ``x_i``
        of the squared distance to ``y_j``, ``(n, *shape)``.
    saved
        How many matrices the forward pass keeps for the backward pass.
    saved_symmetric
        Whether the saved matrices are symmetric if the two sets are the same.
    symmetric_gradient
        A faster ``gradient`` for two sets that are the same, if there is one.
    """

    prepare: Callable[[Array], Prepared]
    forward: Callable[..., None]
    gradient: Callable[..., Array]
    saved: int = 0
    saved_symmetric: bool = True
    symmetric_gradient: Callable[..., Array] | None = None

    def symmetric_block(self, x: Array) -> SymmetricBlock:
        """Compute all pairs within ``x``."""
        a = self.prepare(x)
        matrices = on_cache_lines((1 + self.saved, len(x), len(x)))
        sqdist, *saved = matrices
        self.forward(a, a, True, sqdist, *saved)
        gradient = self.symmetric_gradient or self.gradient
        to_mirror = matrices[1:] if self.saved_symmetric else matrices[:0]
        return SymmetricBlock(sqdist, to_mirror, lambda w: gradient(a, a, *saved, w))

    def rectangular_block(self, x: Array, y: Array) -> RectangularBlock:
        """Compute the pairs of ``x`` with ``y``."""
        a, b = self.prepare(x), self.prepare(y)
        sqdist, *saved = on_cache_lines((1 + self.saved, len(x), len(y)))
        self.forward(a, b, False, sqdist, *saved)
        return RectangularBlock(sqdist, lambda w: self.gradient(a, b, *saved, w))


def reference_kernel(
    sqdist: Callable[[Array, Array], Array], sqdist_grad: Callable[[Array, Array], Array]
) -> PairKernel[Array]:
    """Make a kernel that broadcasts the functions for one pair, some rows at a time."""

    def forward(x: Array, y: Array, symmetric: bool, out: Array) -> None:
        for rows in _row_slices(x, y):
            out[rows] = sqdist(x[rows, None], y[None])

    def gradient(x: Array, y: Array, w: Array) -> Array:
        out = np.empty_like(x)
        for rows in _row_slices(x, y):
            out[rows] = np.einsum("ij,ij...->i...", w[rows], sqdist_grad(x[rows, None], y[None]))
        return out

    return PairKernel(lambda x: x, forward, gradient)


def _row_slices(x: Array, y: Array) -> list[slice]:
    step = max(1, REFERENCE_NUMBERS // max(1, y.size))
    return [slice(i, i + step) for i in range(0, len(x), step)]


def checked_weights(w: Array, shape: tuple[int, ...]) -> Array:
    """Return ``w`` in the form that compiled loops index without checks.

    Raises
    ------
    InputError
        If its shape is not that of the pairs.
    """
    if np.shape(w) != shape:
        raise InputError(f"weights of shape {np.shape(w)} for pairs of shape {shape}")
    return writeable(w)


def lower_copied(w: Array, shape: tuple[int, ...], out: Array | None) -> Array:
    """Return ``out``, by default kept memory, with the lower triangle of ``w``."""
    w = checked_weights(w, shape)
    if out is None:
        out = scratch(shape)
    if out is not w:
        np.copyto(out, w)
    return out


_kept = threading.local()


def scratch(shape: tuple[int, ...]) -> Array:
    """An array whose memory is kept for the next call, unless it is large.

    The C library returns memory of this size to the system after use. Paging it in again took 15 ns a pair
    for 512 points, where the loops of Euclidean space take 1.5.
    """
    found: Array | None = getattr(_kept, "array", None)
    if found is None or found.shape != shape:
        found = on_cache_lines(shape, PAGE_OFFSET)
        _kept.array = found if found.size <= KEPT_NUMBERS else None
    return found


def writeable(a: Any) -> Array:
    """Return ``a`` as contiguous float64; copied if read-only, since Numba would compile anew for that."""
    a = np.ascontiguousarray(a, dtype=np.float64)
    return a if a.flags.writeable else a.copy()
