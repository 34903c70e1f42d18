"""Rotation matrices."""

from riemap.manifolds.rotations.rotations import Rotations

__all__ = ["Rotations"]
