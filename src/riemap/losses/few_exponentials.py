"""The exponentials of RSNE over few pairs, by NumPy; :mod:`riemap.losses.rsne_kernels` has the loops."""

import numpy as np

from riemap.types import Array


def few_exponentials(target: Array, sqdist: Array, inverse: float, own: float, out: Array) -> Array:
    """Compute what :func:`riemap.losses.rsne_kernels.exponentials` does.

    ``p`` is stored in the lower triangle of ``out``, and ``q`` in the upper one.
    """
    lower = np.stack([np.tril(target, -1) * inverse, np.tril(sqdist, -1) * own])
    exponents = lower + lower.transpose(0, 2, 1)
    p, q = np.exp(-exponents)
    np.fill_diagonal(p, 0.0)
    np.fill_diagonal(q, 0.0)
    out[...] = np.tril(p) + np.triu(q)
    terms = p * (exponents[1] - exponents[0])
    return np.stack([p.sum(axis=1), q.sum(axis=1), terms.sum(axis=1)])


def combine_few_exponentials(inverses: Array, out: Array) -> None:
    """Turn what :func:`few_exponentials` stored into the weights of both ends, in the lower triangle."""
    at_p, at_q = inverses[:, :, None] + inverses[:, None, :]
    out[...] = np.tril(out) * at_p - np.triu(out).T * at_q
