"""Pictures of the factors of a space: coordinates to draw, how to draw them, and a caption.

Hyperbolic space is shown as the Poincaré ball with the Fréchet mean at its centre, the sphere as a globe with
the mean towards the reader, and 2 x 2 matrices in their cone and as ellipses. Other factors are shown by
tangent coordinates at the mean, reduced to three by principal components.
"""

from riemap.views.factors import LARGEST_SHOWN_FACTORS, factor_views, views
from riemap.views.view import View

__all__ = ["LARGEST_SHOWN_FACTORS", "View", "factor_views", "views"]
