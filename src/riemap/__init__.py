"""Graphs in curved spaces: embed, measure, explain, show."""

from riemap.spaces import Space

__version__ = "0.1.0"
__all__ = ["Space", "__version__"]
