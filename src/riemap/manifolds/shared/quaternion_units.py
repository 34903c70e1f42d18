r"""The units 1, i, j, k of the quaternions, numbered from 0 to 3.

:math:`x\mapsto pxq` is a rotation ``R`` of four dimensions for unit quaternions ``p`` and ``q``, and
:math:`R_{a\oplus c\oplus b,\,c} = \pm p_aq_b` summed over ``a`` and ``b``, where :math:`\oplus` is the
exclusive or.
"""

import numpy as np

from riemap.loops import inline

UNIT_SIGNS = np.array(
    [[1.0, 1.0, 1.0, 1.0], [1.0, -1.0, 1.0, -1.0], [1.0, -1.0, -1.0, 1.0], [1.0, 1.0, -1.0, -1.0]]
)
"""The product of the units ``a`` and ``b`` is this sign times the unit ``a ^ b``."""


@inline
def unit_sign(a: int, c: int, b: int) -> float:
    """The product of three units is this sign times the unit ``a ^ c ^ b``."""
    return UNIT_SIGNS[a, c] * UNIT_SIGNS[a ^ c, b]
