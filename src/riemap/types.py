"""Short names for the two types that all layers use."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Rng"]

Array: TypeAlias = NDArray[np.float64]
"""NumPy array of float64, of any shape."""

Rng: TypeAlias = np.random.Generator
"""Source of random numbers, as made by :func:`numpy.random.default_rng`."""
