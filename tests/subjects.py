"""Manifolds that the laws run on, and points and tangents of them."""

import numpy as np
import pytest
from hypothesis import strategies as st
from tolerances import ZERO

from riemap.manifolds import MANIFOLDS, CompactManifold, Manifold
from riemap.types import Array, Rng

SUBJECTS = [cls(*sizes) for cls in MANIFOLDS for sizes in cls.examples]
COMPACT = [m for m in SUBJECTS if isinstance(m, CompactManifold)]

every_manifold = pytest.mark.parametrize("m", SUBJECTS, ids=str)
every_compact = pytest.mark.parametrize("m", COMPACT, ids=str)

seeds = st.integers(0, 2**32 - 1)
radii = st.floats(1e-3, 1.0)


def start(m: Manifold, seed: int, n: int = 8, radius: float = 1.0) -> tuple[Rng, Array]:
    """A generator, and points that are the same for the same seed."""
    rng = np.random.default_rng(seed)
    return rng, m.random(rng, n, radius)


def unit(m: Manifold, rng: Rng, x: Array) -> Array:
    """Random unit tangents, one at each point."""
    u = m.to_tangent(x, rng.standard_normal(x.shape))
    return u / expand(m, m.norm(m.project(x), u))


def expand(m: Manifold, a: Array) -> Array:
    """Scalars, shaped so that they multiply points."""
    return np.reshape(a, np.shape(a) + (1,) * len(m.shape))


def length(m: Manifold, x: Array, u: Array) -> Array:
    return m.norm(x, u)


def check_blocks(m: Manifold, x: Array, w: Array) -> None:
    """Distances and gradients within ``x``, and between ``x`` and a part of it, beside the plain version."""
    within = [m.symmetric_block(x, reference=reference) for reference in (False, True)]
    between = [m.rectangular_block(x, x[:33], reference=reference) for reference in (False, True)]
    for fast, plain in (within, between):
        columns = fast.sqdist.shape[1]
        np.testing.assert_allclose(np.sqrt(fast.sqdist), np.sqrt(plain.sqdist), rtol=1e-12, atol=ZERO)
        slope = plain.gradient(w[:, :columns])
        np.testing.assert_allclose(fast.gradient(w[:, :columns]), slope, atol=1e-12 * np.abs(slope).max())
