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
        """Take the symmetric part, and lift eigenvalues to the rounding error of the largest."""
        values, vectors = linalg.eigh(symmetric(x))
        floor = np.finfo(np.float64).eps * np.abs(values).max(axis=-1, keepdims=True) + TINY
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
