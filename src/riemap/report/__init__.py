"""A run, or a grid, as one HTML page that needs nothing else: no network, no other file."""

from riemap.report.board import board_page
from riemap.report.run import Subject, run_page

__all__ = ["Subject", "board_page", "run_page"]
