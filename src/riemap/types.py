"""Names for the two types that every layer speaks of."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Rng: TypeAlias = np.random.Generator
