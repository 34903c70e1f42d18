"""Nothing compiles at import, and a second process uses the kernels that the first compiled."""

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
found = [v for m in modules for v in vars(m).values()]
kernels = {k for k in (getattr(v, "kernel", v) for v in found) if isinstance(k, Dispatcher)}
assert len(kernels) > 80, kernels
print([k for k in kernels if k.signatures])
"""

USE_ONE = """
import numpy as np
from riemap import Space
from riemap.manifolds.hyperbolic import pair_loops
(m,) = Space.parse("H2").factors
x = m.random(np.random.default_rng(0), 5)
m.pairs(x).gradient(np.ones((5, 5)))
loops = pair_loops._forward_rows, pair_loops._gradient_rows, pair_loops._polar_coordinates_rows
stats = [loop.kernel.stats for loop in loops]
print(sum(sum(s.cache_hits.values()) for s in stats), sum(sum(s.cache_misses.values()) for s in stats))
"""

EMBED = """
import sys
from riemap.cli import main
try:
    main(["embed", "karate", "--space", "E2", "--epochs", "8", "--json"])
finally:
    heavy = ("networkx", "scipy.sparse", "scipy.linalg", "numba.np.arrayobj", "numba.np.npyimpl")
    print([name for name in heavy if name in sys.modules])
"""


def python(code: str, cache: Path) -> str:
    """Run ``code`` in a new process that caches kernels in ``cache``, and return what it prints."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "NUMBA_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_nothing_compiles_at_import(tmp_path: Path) -> None:
    """After every module is imported, no kernel has a compiled version, in memory or on disk."""
    assert python(IMPORT_ALL, tmp_path) == "[]"
    assert list(tmp_path.rglob("*.nbc")) == []


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    """The first process misses the cache once for each kernel; the second always hits it."""
    assert python(USE_ONE, tmp_path) == "0 3"
    assert python(USE_ONE, tmp_path) == "3 0"


def test_a_second_run_imports_only_what_it_needs(tmp_path: Path) -> None:
    """Neither libraries that a small graph does without, nor the parts of Numba that only compile."""
    python(EMBED, tmp_path)
    assert python(EMBED, tmp_path).splitlines()[-1] == "[]"


def test_import_is_lazy() -> None:
    """``import riemap`` alone loads neither Numba nor a submodule, yet ``dir`` lists all public names."""
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
