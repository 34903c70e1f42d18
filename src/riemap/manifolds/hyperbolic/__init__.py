"""Hyperbolic space."""

from riemap.manifolds.hyperbolic.hyperboloid import Hyperboloid

__all__ = ["Hyperboloid"]
