"""Figures: numbers in, Matplotlib's axes out; nothing else draws."""

from riemap.plots.distributions import bands, boxes, histograms
from riemap.plots.networks import network
from riemap.plots.paper import angle_boxes, f1_curves
from riemap.plots.samples import cloud, clouds, panels
from riemap.plots.summaries import summaries

__all__ = [
    "angle_boxes",
    "bands",
    "boxes",
    "cloud",
    "clouds",
    "f1_curves",
    "histograms",
    "network",
    "panels",
    "summaries",
]
