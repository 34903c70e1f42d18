"""The interface of a compact manifold."""

from abc import abstractmethod

from riemap.manifolds.base import Manifold
from riemap.types import Array, Rng


class CompactManifold(Manifold):
    """A manifold of finite volume, which has a uniform distribution."""

    @abstractmethod
    def uniform(self, rng: Rng, n: int) -> Array:
        """Draw independent points, uniform in the Riemannian volume.

        Parameters
        ----------
        rng
            Random generator.
        n
            Number of points.

        Returns
        -------
        Points, ``(n, *shape)``.
        """

    def around(self, rng: Rng, y: Array) -> Array:
        """Spread points over the manifold by a Euclidean layout, whose neighbours mostly stay neighbours.

        Parameters
        ----------
        rng
            Random generator.
        y
            A layout centred at zero, ``(n, self.shape[0])``.

        Returns
        -------
        Points, ``(n, *shape)``. The default ignores the layout and draws them uniformly.
        """
        return self.uniform(rng, len(y))
