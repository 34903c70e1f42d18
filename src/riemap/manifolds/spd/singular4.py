r"""Singular values and left singular vectors of 4 x 4 matrices, :data:`LANES` side by side.

Pairs of columns are rotated until they are orthogonal, as in :func:`riemap.linalg.svd_lanes`; small singular
values keep their relative accuracy [DemmelVeselic1992]. Here the six rotations of a sweep are written out
with their numbers in registers, and an angle takes two divisions.

An array ``g`` of matrices is ``(16, LANES)``, with entry ``p`` of column ``k`` in row ``4 k + p``.

References
----------
[DemmelVeselic1992] Demmel, Veselić. Jacobi's method is more accurate than QR. SIAM J. Matrix
    Anal. Appl. 13(4), 1992.
"""

from riemap.linalg import LANES, MAX_SWEEPS, device
from riemap.loops import inline
from riemap.types import Array
from riemap.vmath import TINY

VALUE_COSINE, VECTOR_COSINE = 1e-4, 1e-8
"""Largest cosines between columns before the last sweep, for singular values and for vectors. The last sweep
squares them; errors of values are quadratic in the cosines, and errors of vectors linear."""

Four = tuple[float, float, float, float]


@inline
def dot(p: Four, q: Four) -> float:
    """Inner product."""
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3]


@inline
def column(g: Array, k: int, lane: int) -> Four:
    """Column ``k`` of the matrix in this lane."""
    return g[4 * k, lane], g[4 * k + 1, lane], g[4 * k + 2, lane], g[4 * k + 3, lane]


@inline
def _rotated(p: Four, q: Four, loose: float) -> tuple[Four, Four, int]:
    """Both columns, rotated to be nearly orthogonal, and whether their cosine was above ``loose``.

    The angle is that of :mod:`riemap.manifolds.shared.eigenvalues4`, with lengths divided out against
    underflow.
    """
    product, pp, qq = dot(p, q), dot(p, p), dot(q, q)
    a, b = abs(qq - pp), 2.0 * abs(product)
    share = b / (a + b + TINY)
    slant = 1.0 - 0.1844 * share
    n, d = share * slant, 4.0 * (1.0 - share) * slant + 1.9924 * share * share
    n = n if (product < 0.0) == (qq < pp) else -n
    scale = 1.0 / (d * d + n * n)
    c, s = (d * d - n * n) * scale, 2.0 * n * d * scale
    return (
        (c * p[0] - s * q[0], c * p[1] - s * q[1], c * p[2] - s * q[2], c * p[3] - s * q[3]),
        (s * p[0] + c * q[0], s * p[1] + c * q[1], s * p[2] + c * q[2], s * p[3] + c * q[3]),
        1 if product * product > loose * loose * pp * qq else 0,
    )


@inline
def _put(g: Array, k: int, lane: int, a: Four) -> None:
    g[4 * k, lane], g[4 * k + 1, lane], g[4 * k + 2, lane], g[4 * k + 3, lane] = a


@device
def orthogonalise(g: Array, loose: float) -> None:
    """Sweep until no cosine was above ``loose``; columns become left singular vectors times values."""
    for _ in range(MAX_SWEEPS):
        turned = 0
        for lane in range(LANES):
            a, b, c, d = column(g, 0, lane), column(g, 1, lane), column(g, 2, lane), column(g, 3, lane)
            a, b, t0 = _rotated(a, b, loose)
            c, d, t1 = _rotated(c, d, loose)
            a, c, t2 = _rotated(a, c, loose)
            b, d, t3 = _rotated(b, d, loose)
            a, d, t4 = _rotated(a, d, loose)
            b, c, t5 = _rotated(b, c, loose)
            _put(g, 0, lane, a)
            _put(g, 1, lane, b)
            _put(g, 2, lane, c)
            _put(g, 3, lane, d)
            turned += t0 | t1 | t2 | t3 | t4 | t5
        if turned == 0:
            return
