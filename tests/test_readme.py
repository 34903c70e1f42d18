"""The README tells the truth: its table is the registry's, its examples and commands run."""

import math
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from riemap.cli import main
from riemap.cli.spaces import range_text
from riemap.embeddings import Embedding
from riemap.graphs import load_dataset
from riemap.manifolds import MANIFOLDS
from riemap.metrics import METRICS
from riemap.spaces import Space

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_table_is_the_registry() -> None:
    for cls in MANIFOLDS:
        m = cls(*cls.shown)
        curvature = range_text(*(None if math.isinf(k) else k for k in m.curvature))
        assert f"| `{m}` | {m.dim} | {curvature} | {m.formula} | {m.name} |" in README


def test_the_examples_run() -> None:
    """Gradients have the shapes of the points; scores are numbers, and distances those between nodes."""
    first, spaces, graphs = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict = {}
    exec(first, names)
    assert names["fit"].embedding.n == 34
    names = {}
    exec(spaces, names)
    assert [g.shape for g in names["gradients"]] == [(512, 4), (512, 3)]
    assert names["in_scales"].shape == (2,)
    names = {}
    exec(graphs, names)
    assert (names["hops"].shape, names["hops"].itemsize) == ((34, 34), 1)
    assert names["target"].block(np.arange(34)).max() == 1.0
    assert all(isinstance(names["scores"][m.name], float) for m in METRICS)


def test_the_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a folder that has the embedding and the grid they name; with few epochs: only spelling counts."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("riemap.training.plan.MOST", 40)
    monkeypatch.setattr("riemap.training.plan.FEWEST", 40)
    graph, space = load_dataset("karate"), Space.parse("H2")
    (grid,) = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    Path("grid.toml").write_text(grid)
    points = space.random(np.random.default_rng(0), graph.n)
    Embedding(space, points, np.zeros(1), graph.labels).save("karate-h2.npz")
    shown = "".join(block for block in README.split("```")[1::2] if block.startswith("\n"))
    commands = [shlex.split(line, comments=True) for line in re.findall(r"^riemap .*", shown, re.MULTILINE)]
    assert {command[1] for command in commands} >= {
        "datasets",
        "describe",
        "embed",
        "evaluate",
        "export",
        "grid",
        "table",
        "paper",
        "sample",
        "plot",
    }
    for command in commands:
        with pytest.raises(SystemExit) as stop:
            main(command[1:])
        assert not stop.value.code, command
