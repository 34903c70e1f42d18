"""Fixtures and settings of all tests."""

import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# Numba does not compile a cached kernel again if a helper in another file changes, so each state of the
# sources has its own cache. `make test` sets one; this is for a plain `pytest`.
ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("RIEMAP_DATA") or ROOT.parent / "shared" / "data")
SOURCES = b"".join(p.read_bytes() for p in sorted((ROOT / "src").rglob("*.py")))
os.environ.setdefault(
    "NUMBA_CACHE_DIR", str(ROOT / ".numba_cache" / hashlib.sha256(SOURCES).hexdigest()[:16])
)

collect_ignore = ["fuzz/guided.py"]  # it imports Atheris, which no test needs

# The first example of a test is slow since it compiles kernels, so there are no deadlines.
_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("ci", max_examples=25, derandomize=True, **_COMMON)
settings.register_profile("nightly", max_examples=1000, **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session", autouse=True)
def _one_thread_a_worker() -> None:
    """Use one thread in each worker of pytest-xdist: the workers share the cores."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        from riemap.threads import set_count

        set_count(1)


@pytest.fixture(autouse=True)
def _no_lines_of_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """Print no lines that say that a command takes long: how many there are depends on the machine."""
    from riemap.cli import progress

    monkeypatch.setattr(progress, "FIRST_LINE_SECONDS", 1e6)


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Use one thread in a test: on graphs of a few nodes, waiting for threads takes longer than the work."""
    from riemap.threads import limited

    with limited(1):
        yield


@pytest.fixture
def paper_graph(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Return a function that loads a dataset of the paper, or skips the test if its file is missing."""
    from riemap.graphs import DATASETS, load_dataset

    def load(name: str) -> Any:
        if DATASETS[name].file and not (DATA / DATASETS[name].file).is_file():
            pytest.skip(f"no {DATASETS[name].file}: $RIEMAP_DATA names no folder that holds it")
        monkeypatch.setenv("RIEMAP_DATA", str(DATA))
        return load_dataset(name)

    return load


@pytest.fixture(autouse=True)
def _cache_of_its_own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set a temporary cache, so that tests neither read nor fill that of the user."""
    monkeypatch.setenv("RIEMAP_CACHE", str(tmp_path_factory.getbasetemp() / "riemap-cache"))
