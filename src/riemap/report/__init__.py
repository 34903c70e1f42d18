"""Self-contained HTML pages: of a run, of a grid, of a choice, and of predictions.

A page is a single file that loads nothing from the network.
"""

from riemap.report.choice import choice_page
from riemap.report.curvatures import Curvatures
from riemap.report.leaderboard import leaderboard_page
from riemap.report.predictions import labels_page, links_page
from riemap.report.run import Subject, run_page

__all__ = [
    "Curvatures",
    "Subject",
    "choice_page",
    "labels_page",
    "leaderboard_page",
    "links_page",
    "run_page",
]
