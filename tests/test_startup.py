"""Starting up: nothing compiles at import, and a second process finds what the first compiled."""

import os
import subprocess
import sys
from pathlib import Path

import riemap

IMPORT_ALL = """
import importlib, pkgutil, riemap
from numba.core.dispatcher import Dispatcher
names = [m.name for m in pkgutil.walk_packages(riemap.__path__, "riemap.")]
modules = [importlib.import_module(name) for name in names]
kernels = {k for m in modules for k in vars(m).values() if isinstance(k, Dispatcher)}
assert len(kernels) > 30, kernels
print([k for k in kernels if k.signatures])
"""

USE_ONE = """
import numpy as np
from riemap import Space
from riemap.manifolds import hyperboloid
(m,) = Space.parse("H2").factors
x = m.random(np.random.default_rng(0), 5)
m.pairs(x).gradient(np.ones((5, 5)))
stats = [k.stats for k in (hyperboloid._forward, hyperboloid._gradient, hyperboloid._polar_rows)]
print(sum(sum(s.cache_hits.values()) for s in stats), sum(sum(s.cache_misses.values()) for s in stats))
"""


def python(code: str, cache: Path) -> str:
    """What a new process prints that runs ``code`` with its compiled kernels in ``cache``."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "NUMBA_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_nothing_compiles_at_import(tmp_path: Path) -> None:
    """Every module is imported, and no kernel has a compiled version, in memory or on disk."""
    assert python(IMPORT_ALL, tmp_path) == "[]"
    assert list(tmp_path.rglob("*.nbc")) == []


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    """The first misses the cache once for each kernel; the second only hits."""
    assert python(USE_ONE, tmp_path) == "0 3"
    assert python(USE_ONE, tmp_path) == "3 0"


def test_import_is_lazy() -> None:
    """``import riemap`` alone loads neither Numba nor a submodule; the names are there all the same."""
    code = (
        "import sys, riemap; assert 'numba' not in sys.modules; "
        "assert not [name for name in sys.modules if name.startswith('riemap.')]; "
        "print(riemap.Space.parse('H3'), *dir(riemap))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["H3", *sorted([*riemap.__all__, *riemap._SUBMODULES])]
    assert set(riemap.__all__) == {*riemap._HOMES, "__version__"}
    wrong = subprocess.run(
        [sys.executable, "-c", "import riemap; riemap.nothing"], capture_output=True, text=True
    )
    assert "has no attribute 'nothing'" in wrong.stderr
