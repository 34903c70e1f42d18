"""Many runs, listed in a file: their records, the executors that do them, and tables of their scores."""

from riemap.grids.budget import Budget
from riemap.grids.grid import read_grid
from riemap.grids.local_executor import execute_locally
from riemap.grids.outcomes import Outcome, RunOutcome
from riemap.grids.queue import unfinished
from riemap.grids.ray_executor import execute_on_ray
from riemap.grids.recheck import Checked, check
from riemap.grids.record import Failure, RunRecord
from riemap.grids.records import GridFolder
from riemap.grids.tables import Cell, Row, rows
from riemap.grids.typeset import Piece, Sheet, sheet

__all__ = [
    "Budget",
    "Cell",
    "Checked",
    "Failure",
    "GridFolder",
    "Outcome",
    "Piece",
    "Row",
    "RunOutcome",
    "RunRecord",
    "Sheet",
    "check",
    "execute_locally",
    "execute_on_ray",
    "read_grid",
    "rows",
    "sheet",
    "unfinished",
]
