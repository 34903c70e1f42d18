"""Curvature of graphs (Gromov's δ, Ollivier-Ricci, sectional) and of embeddings (geodesic triangles)."""

from riemap.curvature.geodesic_triangles import (
    Triangles,
    angle_sum,
    angle_sums,
    is_triangle,
    parallelogram_deviation,
    parallelogram_deviations,
)
from riemap.curvature.gromov import Hyperbolicity, delta_among, delta_sampled
from riemap.curvature.gromov_exact import delta_exact
from riemap.curvature.ollivier import Ricci, ollivier_ricci
from riemap.curvature.sampled_ricci import ricci_sampled
from riemap.curvature.sectional_curvature import Sectional, sectional
from riemap.curvature.summary import ProgressCallback, Summary

__all__ = [
    "Hyperbolicity",
    "ProgressCallback",
    "Ricci",
    "Sectional",
    "Summary",
    "Triangles",
    "angle_sum",
    "angle_sums",
    "delta_among",
    "delta_exact",
    "delta_sampled",
    "is_triangle",
    "ollivier_ricci",
    "parallelogram_deviation",
    "parallelogram_deviations",
    "ricci_sampled",
    "sectional",
]
