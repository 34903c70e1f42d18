"""Self-contained HTML pages: the report of a run, and the leaderboard of a grid.

A page is a single file that loads nothing from the network.
"""

from riemap.report.curvatures import Curvatures
from riemap.report.leaderboard import leaderboard_page
from riemap.report.run import Subject, run_page

__all__ = ["Curvatures", "Subject", "leaderboard_page", "run_page"]
