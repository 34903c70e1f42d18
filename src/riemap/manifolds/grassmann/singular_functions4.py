r"""Functions of the singular values of 4 x 4 matrices, without singular vectors.

Let :math:`C = U\,\mathrm{diag}(s_1, \dots, s_4)\,V^\top` and :math:`S = C^\top C`. The matrices ``C``,
``CS``, :math:`CS^2` and the cofactors of ``C`` have the same singular vectors, and the singular values
:math:`s`, :math:`s^3`, :math:`s^5` and :math:`\pm s_1s_2s_3s_4/s`, where the sign is that of :math:`\det C`.
So :math:`W = U\,\mathrm{diag}(f(s_1), \dots, f(s_4))\,V^\top` is a combination of the four.

For :math:`f = 1` it is the orthogonal factor :math:`R = UV^\top`. With the elementary symmetric polynomials
:math:`e_k` of the ``s`` and :math:`E_k` of their squares, every ``s`` satisfies :math:`s^4 - e_1s^3 + e_2s^2
- e_3s + e_4 = 0`, and therefore

.. math::

    \Delta R &= (e_2e_3 - e_1e_4 + e_1E_2 + e_3E_1)\,C - (e_3 + e_1E_1)\,CS + e_1\,CS^2
        \pm (e_1e_2 - e_3)\,\mathrm{cof}\,C, \\
    \Delta &= \prod_{i<j}(s_i + s_j) = e_1e_2e_3 - e_3^2 - e_1^2e_4.

For :math:`f(s) = k_0 + k_1s + k_2s^2 + k_3s^3` and :math:`C = RH`,

.. math:: W = k_0R + k_1C + k_2RH^2 + k_3CS,\qquad e_1RH^2 = CS + e_2C - e_3R \pm \mathrm{cof}\,C.

No two singular values are subtracted, so equal ones cost no digits. Two small ones do, as they do by any
method: their singular vectors are determined by small entries.

Matrices are tuples of sixteen entries, row by row, and symmetric ones of ten lower entries.
"""

from typing import Any

from riemap.loops import inline
from riemap.unrolled import lower_index, lower_pairs, sum_of, symmetric_index, unrolled

Four = tuple[float, float, float, float]


# --- matrices ---------------------------------------------------------------------------------------------


def _gram(c: Any) -> Any:
    """``S = Cᵀ C``."""
    return [sum_of(c[k + p] * c[k + q] for k in range(0, 16, 4)) for p, q in lower_pairs(4)]


def _minors(c: Any, row: int) -> dict[tuple[int, int], Any]:
    """The minors of this row and the next, by their columns."""
    a, b = c[4 * row : 4 * row + 4], c[4 * row + 4 : 4 * row + 8]
    return {(p, q): a[p] * b[q] - a[q] * b[p] for p in range(4) for q in range(p + 1, 4)}


def _determinant(c: Any) -> Any:
    """``det C``, by minors of the first two rows and of the last two."""
    u, v = _minors(c, 0), _minors(c, 2)
    same = u[0, 1] * v[2, 3] + u[2, 3] * v[0, 1] + u[0, 3] * v[1, 2] + u[1, 2] * v[0, 3]
    return same - (u[0, 2] * v[1, 3] + u[1, 3] * v[0, 2])


def _cofactors(c: Any) -> Any:
    """Cofactors of ``C``, by minors of the first two rows and of the last two."""
    upper, lower = _minors(c, 0), _minors(c, 2)
    found = []
    for row in range(4):
        other, minors = c[4 * (row ^ 1) : 4 * (row ^ 1) + 4], lower if row < 2 else upper
        for column in range(4):
            i, j, k = (q for q in range(4) if q != column)
            minor = other[i] * minors[j, k] - other[j] * minors[i, k] + other[k] * minors[i, j]
            found.append(minor if (row + column) % 2 == 0 else -1.0 * minor)
    return found


def _polynomial(s: Any, b: Any) -> Any:
    """``b0 + b1 S + b2 S²``."""
    found = []
    for p, q in lower_pairs(4):
        square = sum_of(s[symmetric_index(p, k)] * s[symmetric_index(k, q)] for k in range(4))
        entry = b[1] * s[lower_index(p, q)] + b[2] * square
        found.append(b[0] + entry if p == q else entry)
    return found


def _combination(c: Any, b: Any) -> Any:
    """``C (b0 + b1 S + b2 S²) + b3 cof C``."""
    t = _polynomial(_gram(c), b)
    return [
        sum_of([*(c[4 * p + k] * t[symmetric_index(k, q)] for k in range(4)), b[3] * cofactor])
        for (p, q), cofactor in zip(((p, q) for p in range(4) for q in range(4)), _cofactors(c), strict=True)
    ]


determinant, combination = unrolled(_determinant), unrolled(_combination)


# --- coefficients -----------------------------------------------------------------------------------------


@inline
def _sum_of_pairs(a: float, b: float, c: float, d: float) -> float:
    """The second elementary symmetric polynomial."""
    return (a + b) * (c + d) + a * b + c * d


@inline
def coefficients(s: Four, f: Four, sign: float) -> Four:
    """Multiples of ``C``, ``C S``, ``C S²`` and the cofactors whose sum is ``W``.

    Parameters
    ----------
    s
        The singular values, of which no two may be zero.
    f
        Divided differences ``f(s1)``, ``f[s1, s2]``, ``f[s1, s2, s3]``, ``f[s1, s2, s3, s4]``.
    sign
        The sign of ``det C``.
    """
    a, b, c, d = s
    k2 = f[2] - f[3] * (a + b + c)
    k1 = f[1] - f[2] * (a + b) + f[3] * (a * b + (a + b) * c)
    k0 = f[0] - a * (f[1] - b * (f[2] - c * f[3]))
    e1, e2, e3 = a + b + c + d, _sum_of_pairs(a, b, c, d), a * b * (c + d) + c * d * (a + b)
    first, second = a * a + b * b + c * c + d * d, _sum_of_pairs(a * a, b * b, c * c, d * d)
    delta = (a + b) * (a + c) * (a + d) * (b + c) * (b + d) * (c + d)
    scale = 1.0 / (e1 * delta)
    k2, same = k2 * delta * scale, (k0 * e1 - k2 * e3) * scale  # over e1, and of ΔR
    return (
        same * (e2 * e3 - a * b * c * d * e1 + e1 * second + e3 * first) + k1 + k2 * e2,
        k2 + f[3] - same * (e3 + e1 * first),
        same * e1,
        sign * (same * (e1 * e2 - e3) + k2),
    )
