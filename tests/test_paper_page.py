"""``docs/paper.md`` is what the records make of its template."""

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from helpers import paper_record as record

from riemap.grids.records import GridFolder
from riemap.paper.records import packaged_records
from riemap.runs import RunSpec

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def maker() -> Any:
    """The script, as a module."""
    path = ROOT / "tools" / "paper_page.py"
    spec = importlib.util.spec_from_file_location("paper_page", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_made_from_the_records(maker: Any) -> None:
    records = GridFolder(maker.RECORDS, compact=True).records()
    made = maker.page(maker.TEMPLATE.read_text(encoding="utf-8"), records)
    assert maker.PAGE.read_text(encoding="utf-8") == made, "run: python tools/paper_page.py"


def test_the_package_has_the_records(maker: Any) -> None:
    kept = GridFolder(maker.RECORDS, compact=True).records()
    assert packaged_records() == kept, "run: python tools/paper_page.py"
    assert maker.PACKED.stat().st_size < 200_000


def test_records_tell_nothing_of_a_machine(maker: Any) -> None:
    """Neither paths nor names; and they are small."""
    paths = list((maker.RECORDS / "records").iterdir())
    assert {path.suffix for path in paths} == {".jsonl"}
    for text in (line for path in paths for line in path.read_text(encoding="utf-8").splitlines()):
        assert "/" not in text
        assert len(text) < 6000
        found = json.loads(text)
        assert RunSpec.from_json(found["run"]).id == found["id"]
        assert set(found["machine"]) == {"cores", "threads", "platform", "python", "numpy", "numba"}


def test_every_slot(maker: Any) -> None:
    """By hand: a better cell, a worse one, one missing; one run that beats all; time and versions."""
    machine = {"python": "3.11.0", "numpy": "2.0", "numba": "0.60", "platform": "Linux", "threads": 1}
    more = {"machine": machine, "version": "0.1.0"}
    records = [
        record("bunny-fine", "S2", "ad", 88.0, 95.0, 0.12) | more,
        record("bunny-fine", "S2", "ad", 87.0, 94.0, 0.13, seed=1) | more,
        record("bunny-fine", "S2", "stress + 0.2*rsne(T=1)", 86.0, 94.0, 0.13) | more,
        record("csphd", "H3", "stress + 0.2*rsne(T=1)", 60.0, 93.0, 0.1, preset="steady") | more,
        record("csphd", "E3", "ad", 30.0, 95.0, 0.1) | more,
        record("csphd", "E3", "ad", 31.0, 95.0, 0.1, preset="steady") | more,
    ]
    slots = ["losses", "overview", "cost", "worse", "single count", "single", "presets", "table6", "figures"]
    made = maker.page("\n".join(f"<!-- {slot} -->" for slot in slots), records)
    assert "- **d** `ad`" in made
    assert "| table6 | 2 | 0 | 1 | 88 |" in made
    assert "| bunny-fine | 2 | S2 | f1@1 | 88.00 | 88.12 | c 86.00, d 88.00 of 2 |" in made
    assert (
        "| bunny-fine | 2 | S2 | _88.00_ | 88.12 | **95.00** | 89.61 | **0.120** | 0.146 | d d d | 30 |"
        in made
    )
    assert "| bunny-fine | 2 | Gr(1,3) | – | 85.06 | – | 85.95 | – | 0.146 | – – – | – |" in made
    assert "| csphd | 3 | E3 | f1@1 | 31.00 | 52.12 | d 30.00, D 31.00 |" in made
    assert "| csphd | 3 | E3 | d | 30.00 | **31.00** | 95.00 | 95.00 | 0.100 | 0.100 |" in made
    assert "In **1** of the 108 rows of table 5" in made
    assert (
        r"| 3 | H3 | 60.00 | 55.55 | 93.00 | 92.46 | 0.100 | 0.124 | stress + 0.2\*rsne(T=1), steady |"
        in made
    )
    assert (
        "6 runs took 0.0 hours in all, with riemap 0.1.0, Python 3.11.0, NumPy 2.0, Numba 0.60, on Linux"
        in made
    )
    with pytest.raises(KeyError):
        maker.page("<!-- tabel5 -->", [])
