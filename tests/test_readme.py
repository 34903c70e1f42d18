"""The README tells the truth: its table is the registry's, its examples and commands run."""

import math
import re
import shlex
from pathlib import Path

import pytest
from conftest import ROOT

from riemap.cli import main
from riemap.cli.spaces import range_text
from riemap.manifolds import MANIFOLDS

README = (ROOT / "README.md").read_text(encoding="utf-8")
BENCHMARKS = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")


def test_the_table_is_the_registry() -> None:
    for cls in MANIFOLDS:
        m = cls(*cls.shown)
        curvature = range_text(*(None if math.isinf(k) else k for k in m.curvature))
        assert f"| `{m}` | {m.dim} | {curvature} | {m.formula} | {m.name} |" in README


def test_the_examples_run() -> None:
    """Gradients have the shapes of the points."""
    first, spaces = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict = {}
    exec(first, names)
    assert names["fit"].embedding.n == 34
    names = {}
    exec(spaces, names)
    assert [g.shape for g in names["gradients"]] == [(512, 4), (512, 3)]
    assert names["in_scales"].shape == (2,)


def test_it_is_short() -> None:
    assert len(README.splitlines()) < 150


@pytest.mark.parametrize(
    ("page", "heading", "columns", "count"),
    [
        ("README.md", "| graph and space | loss |", slice(3, 7), 24),
        ("README.md", "| | riemap | compared with |", slice(2, 4), 8),
        ("docs/benchmarks.md", "| what | riemap | compared with |", slice(2, 4), 12),
    ],
)
def test_figures_are_those_of_the_benchmarks(page: str, heading: str, columns: slice, count: int) -> None:
    """Every number in the table is also in benchmarks/README.md, with at least as many digits."""
    kept = {float(x) for x in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", BENCHMARKS)}
    kept |= {float(x) for x in re.findall(r"(\d+)(?:x| times)", BENCHMARKS)}
    table = (ROOT / page).read_text(encoding="utf-8").partition(heading)[2].partition("\n\n")[0]
    rows = [line.split("|")[columns] for line in table.splitlines()[2:]]
    numbers = [x for row in rows for cell in row for x in re.findall(r"\d+(?:\.\d+)?", cell)]
    assert len(numbers) == count
    for x in numbers:
        digits = len(x.partition(".")[2])
        assert any(round(k, digits) == float(x) for k in kept), x
    for script in re.findall(r"(benchmarks/\w+\.py)", table):
        assert (ROOT / script).is_file()


def test_the_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In this order, in a folder that has the grid they name; with few epochs: only spelling counts."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("riemap.training.presets.MOST_EPOCHS", 40)
    monkeypatch.setattr("riemap.training.presets.FEWEST_EPOCHS", 40)
    (grid,) = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    Path("grid.toml").write_text(grid)
    shown = "".join(block for block in README.split("```")[1::2] if block.startswith("\n"))
    commands = [shlex.split(line, comments=True) for line in re.findall(r"^riemap .*", shown, re.MULTILINE)]
    assert {command[1] for command in commands} >= {
        "datasets",
        "describe",
        "embed",
        "evaluate",
        "export",
        "grid",
        "report",
        "table",
        "paper",
        "sample",
        "plot",
    }
    for command in commands:
        with pytest.raises(SystemExit) as stop:
            main(command[1:])
        assert not stop.value.code, command
