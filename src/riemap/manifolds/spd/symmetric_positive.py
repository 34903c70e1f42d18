r"""What all geometries of symmetric positive definite matrices share."""

from abc import ABC
from dataclasses import dataclass
from typing import final

import numpy as np

from riemap import linalg
from riemap.linalg import symmetric
from riemap.manifolds.base import Manifold
from riemap.types import Array
from riemap.vmath import TINY

LEAST_RATIO = 1e-14
"""Smallest ratio of two eigenvalues of a point. Rounding changes an eigenvalue by some 1e-16 of the largest,
and a matrix with a smaller ratio may get a negative one. With 2e-16, the default run on web-edu in Stein3
ended in NaN."""


@dataclass(frozen=True)
class SymmetricPositive(Manifold, ABC):
    r""":math:`n\times n` symmetric positive definite matrices, with some metric."""

    n: int

    @final
    @property
    def shape(self) -> tuple[int, ...]:
        return (self.n, self.n)

    @final
    @property
    def dim(self) -> int:
        return self.n * (self.n + 1) // 2

    @property
    def origin(self) -> Array:
        return np.eye(self.n)

    @final
    def project(self, x: Array) -> Array:
        """Take the symmetric part, and lift eigenvalues to :data:`LEAST_RATIO` times the largest."""
        values, vectors = linalg.eigh(symmetric(x))
        floor = LEAST_RATIO * np.abs(values).max(axis=-1, keepdims=True) + TINY
        lifted = linalg.apply(lambda s: np.maximum(s, floor), values, vectors)
        inside = np.all(values >= floor, axis=-1)[..., None, None]
        return np.where(inside, symmetric(x), symmetric(lifted))

    @final
    def to_tangent(self, x: Array, u: Array) -> Array:
        r""":math:`(u + u^\top)/2`."""
        return symmetric(u) + np.zeros_like(x)


def frobenius(u: Array, v: Array) -> Array:
    r""":math:`\operatorname{tr}u^\top v`."""
    return np.sum(u * v, axis=(-2, -1))
