"""However work is divided among threads, the bytes of results are the same."""

import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[1] / "tools" / "equal_bytes.py"


@pytest.mark.parametrize(
    ("part", "nodes"),
    [("kernels", ["202"]), ("trainings", ["201"])],
    ids=["kernels", "trainings"],
)
def test_any_division_of_work_gives_the_same_bytes(part: str, nodes: list[str]) -> None:
    """A complete check is ``python tools/equal_bytes.py``; see there what it compares."""
    command = [sys.executable, str(TOOL), "--only", part, "--epochs", "1", "--nodes", *nodes]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
