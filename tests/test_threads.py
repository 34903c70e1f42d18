"""How threads wait for each other is decided once, before OpenMP is loaded, and by the user if they want."""

import os
import re
import subprocess
import sys

import pytest

from riemap.threads import SPIN_COUNT

LOAD = "import os, riemap.vmath, numba.np.ufunc.omppool; print(os.environ.get('GOMP_SPINCOUNT'))"


def loaded(**chosen: str) -> tuple[str, str]:
    """What a new process sees in its environment after the import, and the spin count of its OpenMP."""
    kept = {k: v for k, v in os.environ.items() if k not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
    environment = {**kept, **chosen, "OMP_DISPLAY_ENV": "verbose"}
    done = subprocess.run(
        [sys.executable, "-c", LOAD], env=environment, capture_output=True, text=True, check=True
    )
    found = re.search(r"GOMP_SPINCOUNT = '(\w+)'", done.stderr)
    if found is None:
        pytest.skip("Numba's OpenMP is not the GNU one here")
    return done.stdout.strip(), found[1]


def test_threads_spin_shortly_and_the_environment_is_left_alone() -> None:
    assert loaded() == ("None", str(SPIN_COUNT))


def test_the_user_decides() -> None:
    assert loaded(GOMP_SPINCOUNT="7") == ("7", "7")
    assert loaded(OMP_WAIT_POLICY="passive") == ("None", "0")
