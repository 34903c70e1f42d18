"""Linear algebra for very many very small matrices.

The manifolds need Cholesky factors, eigenvalues and singular values of millions of matrices of
two to five rows. A LAPACK call on one of those spends most of its time on the call itself
(``benchmarks/linalg.py`` measures it). The functions here are batched over leading axes, run in
parallel, and keep the digits that matter:

* :func:`cholesky` works in doubled precision, so that the factor of a matrix of condition
  number 1e8 has all its digits, and not half of them.
* :func:`left_svd` is a Jacobi method, which finds small singular values of a graded matrix to their
  own relative accuracy [DemmelVeselic1992]. :func:`eigh` is one too, accurate relative to the largest.

The entries of a matrix must be zero or between 1e-75 and 1e75 in size: the methods square and multiply them.
The functions whose names end in ``_inplace`` and ``_lanes`` are called from other compiled loops.

References
----------
[DemmelVeselic1992] Demmel, Veselić. Jacobi's method is more accurate than QR. SIAM J. Matrix
    Anal. Appl. 13(4), 1992.
"""

from riemap.linalg.batched import (
    apply,
    cholesky,
    congruence,
    eigh,
    left_svd,
    orthogonal_factor,
    symmetric,
    transpose,
)
from riemap.linalg.doubled import cholesky_inplace, two_product
from riemap.linalg.jacobi import LANES, MAX_SWEEPS, device, eigh_inplace, svd_lanes
from riemap.linalg.products import multiply, multiply_transposed, square_symmetric

__all__ = [
    "LANES",
    "MAX_SWEEPS",
    "apply",
    "cholesky",
    "cholesky_inplace",
    "congruence",
    "device",
    "eigh",
    "eigh_inplace",
    "left_svd",
    "multiply",
    "multiply_transposed",
    "orthogonal_factor",
    "square_symmetric",
    "svd_lanes",
    "symmetric",
    "transpose",
    "two_product",
]
