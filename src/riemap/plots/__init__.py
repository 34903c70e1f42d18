"""Figures: numbers in, Matplotlib's axes out; nothing else draws."""

from riemap.plots.distributions import bands, boxes, histograms
from riemap.plots.networks import network
from riemap.plots.samples import cloud, clouds, panels
from riemap.plots.summaries import summaries

__all__ = ["bands", "boxes", "cloud", "clouds", "histograms", "network", "panels", "summaries"]
