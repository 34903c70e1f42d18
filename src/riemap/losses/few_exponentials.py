"""The exponentials of RSNE over few pairs, by NumPy; :mod:`riemap.losses.rsne_kernels` has the loops."""

import numpy as np

from riemap.types import Array


def few_exponentials(target: Array, sqdist: Array, inverse: float, own: float, out: Array) -> Array:
    """Compute what :func:`riemap.losses.rsne_kernels.exponentials` does.

    ``p`` is stored in the lower triangle of ``out``, and ``q`` in the upper one.
    """
    n = len(out)
    below = np.tri(n, k=-1, dtype=np.bool_)
    lower = np.zeros((2, n, n))
    np.multiply(target, inverse, out=lower[0], where=below)
    np.multiply(sqdist, own, out=lower[1], where=below)
    exponents = lower + lower.transpose(0, 2, 1)
    both = np.exp(np.negative(exponents, out=lower), out=lower)
    both.reshape(2, -1)[:, :: n + 1] = 0.0
    p, q = both
    np.copyto(out, np.where(below, p, q))
    terms = p * (exponents[1] - exponents[0])
    return np.stack([*both.sum(axis=2), terms.sum(axis=1)])


def combine_few_exponentials(inverses: Array, out: Array) -> None:
    """Turn what :func:`few_exponentials` stored into the weights of both ends, in the lower triangle."""
    at_p, at_q = inverses[:, :, None] + inverses[:, None, :]
    np.copyto(out, out * at_p - out.T * at_q)
