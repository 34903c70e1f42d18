"""The README agrees with the registries and the benchmarks; ``test_docs`` runs its examples and commands."""

import math
import re

import pytest
from commands import shown_lines
from conftest import ROOT

from riemap.cli.spaces import range_text
from riemap.manifolds import MANIFOLDS
from riemap.spaces import Space

README = (ROOT / "README.md").read_text(encoding="utf-8")
BENCHMARKS = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")


def test_the_table_is_the_registry() -> None:
    for cls in MANIFOLDS:
        m = cls(*cls.shown)
        curvature = range_text(*(None if math.isinf(k) else k for k in m.curvature))
        assert f"| `{m}` | {m.dim} | {curvature} | {m.formula} | {m.name} |" in README


def test_the_examples_run() -> None:
    """The first example embeds 34 nodes; the second gives gradients of the shapes of the points."""
    first, spaces = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict = {}
    exec(first, names)
    assert names["fit"].embedding.n == 34
    names = {}
    exec(spaces, names)
    assert [g.shape for g in names["gradients"]] == [(512, 4), (512, 3)]
    assert names["in_scales"].shape == (2,)


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) < 150


@pytest.mark.parametrize(
    ("page", "heading", "columns", "count"),
    [
        ("README.md", "| graph and space | F1@1 |", slice(2, 6), 24),
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


def test_the_commands_of_every_verb_are_shown() -> None:
    """``test_docs`` runs them, in the order of the page."""
    shown = {line.split()[1] for line in shown_lines(README)}
    verbs = {
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
    }
    assert shown >= verbs | {"plot", "nearest", "cache"}


def test_no_product_of_the_readme_is_flat() -> None:
    """A line times a line is a plane: each product has a factor that curves."""
    texts = [README, (ROOT / "Makefile").read_text(encoding="utf-8")]
    products = {found for text in texts for found in re.findall(r'"([\w(),^]+(?: x [\w(),^]+)+)"', text)}
    assert len(products) >= 3
    for product in products:
        assert any(m.dim > 1 and m.curvature != (0.0, 0.0) for m in Space.parse(product).factors), product
