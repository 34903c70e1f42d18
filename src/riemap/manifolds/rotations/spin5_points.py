"""Matrices of quaternions for rotations of five dimensions, as :mod:`spin5_pairs` defines them."""

import numpy as np

from riemap.aligned import by_coordinate
from riemap.manifolds.rotations.quaternion_pairs import Prepared, prepare4
from riemap.types import Array


def _product(a: Array, b: Array) -> Array:
    """Products of quaternions in rows, ``(4, n)``."""
    return np.array(
        [
            a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3],
            a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1],
        ]
    )


def _conjugate(a: Array) -> Array:
    return np.concatenate([a[:1], -a[1:]])


def prepare(a: Array) -> Prepared:
    """Write a rotation as one in the plane of ``e_0`` and ``± A e_0`` after one that leaves ``e_0`` alone.

    The sign is that of the entry ``A_00``. With a minus, a half turn that reverses ``e_0`` and ``e_1`` is
    between the two.
    """
    n = len(a)
    sign = np.where(a[:, 0, 0] < 0.0, -1.0, 1.0)
    v = sign * a[:, :, 0].T
    rest = a[:, 1:, 1:] - v[1:].T[:, :, None] * (a[:, 0, 1:] / (1.0 + v[0])[:, None])[:, None]
    rest[:, 0] *= sign[:, None]
    quaternions = prepare4(rest).coords[:, :n]
    p, q = quaternions[:4], _conjugate(quaternions[4:])
    c = np.sqrt(0.5 * (1.0 + v[0]))
    s = v[1:] / (2.0 * c)
    columns = np.array([c * p, _product(_conjugate(s), p), -_product(s, q), c * q])
    turned = np.array([_product(s, p), -c * p, c * q, _product(_conjugate(s), q)])
    both = np.where(sign < 0.0, turned, columns)
    return Prepared(a, by_coordinate(both.reshape(16, n).T))


def skew_matrices(z: Array) -> Array:
    r"""The matrices of :math:`X\mapsto ZX - XZ` for the ten entries of skew ``Z`` in rows."""
    n = len(z)
    x, y, w = np.zeros((4, n)), z[:, 3:7], np.zeros((4, n))
    x[1:], w[1:] = z[:, :3].T, z[:, 7:].T
    out = np.zeros((n, 5, 5))
    out[:, 0, 1:], out[:, 1:, 0] = 2.0 * y, -2.0 * y
    for k, unit in enumerate(np.eye(4)[:, :, None]):
        out[:, 1:, 1 + k] = (_product(x, unit) - _product(unit, w)).T
    return out
