"""Figures, drawn with Matplotlib: functions that take numbers and return axes or a figure.

A function with one panel returns its axes and takes ``ax=`` to draw into existing ones; a function with
several panels returns a new figure.
"""

from riemap.plots.colouring import Colouring
from riemap.plots.distributions import bands, boxes, distribution, histograms
from riemap.plots.embeddings import embedding, picture
from riemap.plots.faithfulness import distances, f1_curve
from riemap.plots.histories import history
from riemap.plots.networks import network
from riemap.plots.node_names import PlotWarning
from riemap.plots.paper import angle_boxes, f1_curves
from riemap.plots.samples import cloud, clouds, sample_panels
from riemap.plots.summaries import curvature, summaries

__all__ = [
    "Colouring",
    "PlotWarning",
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
    "picture",
    "sample_panels",
    "summaries",
]
