r"""A space to embed in: a product of manifolds, each with a positive scale.

.. math:: d^2(x, y) = \sum_k s_k\,d_k^2(x_k, y_k), \qquad s_k = e^{\ell_k} > 0.

Points of a space are a tuple of arrays, one for each factor. Scales are given by their logarithms
:math:`\ell`, one number for each factor; without them, every scale is one.
"""

from riemap.spaces.blocks import Points, SpaceRectangularBlock, SpaceSymmetricBlock
from riemap.spaces.space import Space

__all__ = ["Points", "Space", "SpaceRectangularBlock", "SpaceSymmetricBlock"]
