"""Self-contained HTML pages: the report of a run, the leaderboard of a grid, and the answer of a choice.

A page is a single file that loads nothing from the network.
"""

from riemap.report.choice import choice_page
from riemap.report.curvatures import Curvatures
from riemap.report.leaderboard import leaderboard_page
from riemap.report.run import Subject, run_page

__all__ = ["Curvatures", "Subject", "choice_page", "leaderboard_page", "run_page"]
