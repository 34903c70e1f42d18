"""What the sphere and the hyperboloid share as level sets of a quadratic form."""

from abc import ABC
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from riemap.manifolds.base import Manifold
from riemap.types import Array


@dataclass(frozen=True)
class Quadric(Manifold, ABC):
    r"""A manifold of dimension ``n`` whose points are vectors of :math:`\mathbb{R}^{n+1}`."""

    n: int

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.n + 1,)

    @property
    def dim(self) -> int:
        return self.n

    @property
    def origin(self) -> Array:
        return np.eye(1, self.n + 1)[0]

    def _trimmed(self, gradient: Callable[..., Array]) -> Callable[..., Array]:
        """Wrap a gradient loop that pads the coordinates to an even number."""
        return lambda *arguments: gradient(*arguments)[:, : self.n + 1]
