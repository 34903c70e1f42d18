"""Subspaces of a Euclidean space."""

from riemap.manifolds.grassmann.grassmann import Grassmann

__all__ = ["Grassmann"]
