"""Symmetric positive definite matrices, with four geometries."""

from riemap.manifolds.spd.affine_invariant import SPD
from riemap.manifolds.spd.bures_wasserstein import BuresWasserstein
from riemap.manifolds.spd.log_euclidean import LogSPD
from riemap.manifolds.spd.stein import Stein

__all__ = ["SPD", "BuresWasserstein", "LogSPD", "Stein"]
