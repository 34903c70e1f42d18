"""The README tells the truth: its table is the registry's, its example runs."""

import math
import re
from pathlib import Path

from riemap.cli.spaces import range_text
from riemap.manifolds import MANIFOLDS

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_table_is_the_registry() -> None:
    for cls in MANIFOLDS:
        m = cls(*cls.shown)
        curvature = range_text(*(None if math.isinf(k) else k for k in m.curvature))
        assert f"| `{m}` | {m.dim} | {curvature} | {m.formula} | {m.name} |" in README


def test_the_example_runs() -> None:
    """And ends with gradients of the shapes of the points."""
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict = {}
    exec(code, names)
    assert [g.shape for g in names["gradients"]] == [(512, 4), (512, 3)]
    assert names["in_scales"].shape == (2,)
