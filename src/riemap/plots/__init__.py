"""Figures: numbers in, Matplotlib's axes out; nothing else draws."""

from riemap.plots.colouring import Colouring
from riemap.plots.distributions import bands, boxes, histograms
from riemap.plots.embeddings import embedding, picture
from riemap.plots.faithful import distances, distribution, f1_curve
from riemap.plots.histories import history
from riemap.plots.networks import network
from riemap.plots.paper import angle_boxes, f1_curves
from riemap.plots.samples import cloud, clouds, panels
from riemap.plots.summaries import curvature, summaries

__all__ = [
    "Colouring",
    "angle_boxes",
    "bands",
    "boxes",
    "cloud",
    "clouds",
    "curvature",
    "distances",
    "distribution",
    "embedding",
    "f1_curve",
    "f1_curves",
    "histograms",
    "history",
    "network",
    "panels",
    "picture",
    "summaries",
]
