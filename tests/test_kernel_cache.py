"""Compiled kernels are kept in a folder of their version; one that cannot be written is done without."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import riemap

USE = """
import logging, sys
logging.basicConfig(level="INFO", format="%(message)s", stream=sys.stdout)
import numpy as np
from riemap.lower_triangle import row_products
from riemap.kernel_cache import compile_clock, kernel_folder
a = np.ones((3, 3))
print(row_products(a, a, False), kernel_folder().name, compile_clock.seconds > 0.0)
"""


def python(code: str, **environment: str) -> str:
    """Run code in a new process, and return what it prints."""
    kept = {k: v for k, v in os.environ.items() if k not in ("NUMBA_CACHE_DIR", "RIEMAP_CACHE")}
    done = subprocess.run(
        [sys.executable, "-c", code], env={**kept, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_kernels_are_compiled_once_and_told_about(tmp_path: Path) -> None:
    first, second = (python(USE, RIEMAP_CACHE=str(tmp_path)) for _ in range(2))
    assert "compiling kernels: " in first
    assert first.rstrip().endswith("True")
    assert "compiling" not in second
    assert second.rstrip().endswith("False")
    (folder,) = (tmp_path / "kernels").iterdir()
    assert folder.name.startswith(f"riemap-{riemap.__version__}-")


def test_edited_sources_use_another_folder(tmp_path: Path) -> None:
    """Even if the edit is to a function that the kernel calls from another file."""
    shutil.copytree(Path(riemap.__file__).parent, tmp_path / "src" / "riemap")
    names = []
    for _ in range(2):
        told = python(USE, RIEMAP_CACHE=str(tmp_path / "cache"), PYTHONPATH=str(tmp_path / "src"))
        names.append(told.split()[-2])
        assert "compiling" in told
        with (tmp_path / "src" / "riemap" / "errors.py").open("a") as file:
            file.write("# edited\n")
    assert names[0] != names[1]


def test_a_folder_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    told = python(USE, RIEMAP_CACHE=str(tmp_path / "file"))
    assert "[3. 3. 3.]" in told
    assert "compiled code is not kept for the next run" in told


def test_damaged_files_are_noticed_and_compiled_anew(tmp_path: Path) -> None:
    for damage in (b"", b"not a kernel", None):
        python(USE, RIEMAP_CACHE=str(tmp_path))
        for path in (tmp_path / "kernels").rglob("*.nb?"):
            path.write_bytes(path.read_bytes()[:-9] if damage is None else damage)
        told = python(USE, RIEMAP_CACHE=str(tmp_path))
        assert "[3. 3. 3.]" in told
        assert "compiling" in told
        assert "compiling" not in python(USE, RIEMAP_CACHE=str(tmp_path))
