"""Where compiled kernels are kept on disk, and how long compiling takes.

The name of the folder contains the version of riemap and a hash of its sources, so a kernel that another
version compiled is never loaded: Numba alone does not notice an edit to a function that a kernel calls from
another file. Nothing is written beside the sources, which may be read-only.
"""

import gc
import hashlib
import logging
import os
import time
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, final

from numba.core import event
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.runtime.nrt import rtsys

from riemap.files import cache_folder

logger = logging.getLogger(__name__)

HASH_DIGITS = 16
"""Hexadecimal digits of the hash of the sources that are kept."""


@cache
def kernel_folder() -> Path:
    """Return the folder of the kernels of this version.

    Returns
    -------
    Path
        A folder inside ``$NUMBA_CACHE_DIR``, if that is set; otherwise inside the folder of riemap's caches.
    """
    sources = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(sources.rglob("*.py")):
        digest.update(f"{path.relative_to(sources)}\0".encode())
        digest.update(path.read_bytes())
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    folder = Path(chosen) if chosen else cache_folder() / "kernels"
    return folder / f"riemap-{version('riemap')}-{digest.hexdigest()[:HASH_DIGITS]}"


class _Locator(_CacheLocator):
    """Tells Numba where to keep a kernel."""

    def __init__(self, name: str) -> None:
        self._name = name

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> "_Locator":
        return cls(f"{py_func.__module__}-{py_func.__code__.co_firstlineno}")

    def get_cache_path(self) -> str:
        return str(kernel_folder())

    def get_source_stamp(self) -> str:
        return kernel_folder().name

    def get_disambiguator(self) -> str:
        return self._name


class _Files(CompileResultCacheImpl):
    _locator_classes: Any = (_Locator,)


class _Cache(FunctionCache):
    """Numba's cache of a function, in our folder; a folder that cannot be written is done without."""

    _impl_class = _Files

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load machine code, as Numba's own method does, but without what only a compilation needs.

        Numba would first import all that it can compile, which takes longer than to load ten kernels.
        """
        try:
            rtsys.initialize(target_context)  # memory for arrays that kernels make
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)  # type: ignore[no-untyped-call]
            return None
        except Exception as error:  # damaged files may raise anything when Numba reads them
            logger.warning("compiled code could not be loaded, and is compiled anew: %s", error)
            self.flush()
            return None

    def flush(self) -> None:
        with suppress(OSError):
            super().flush()  # type: ignore[no-untyped-call]

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except OSError as error:
            logger.warning("compiled code is not kept for the next run: %s", error)
            self.disable()  # type: ignore[no-untyped-call]


def keep_on_disk(kernel: Any) -> Any:
    """Have a compiled function kept on disk, and loaded from there by later processes.

    Parameters
    ----------
    kernel
        A function that Numba compiles.

    Returns
    -------
    The same function.
    """
    kernel._cache = _Cache(kernel.py_func)  # type: ignore[no-untyped-call]
    return kernel


@final
class CompileClock(event.Listener):
    """Measures how long this process has compiled, and says once that it does.

    Python's garbage collector rests meanwhile. Numba makes so many objects that the collector would look
    through all of them again and again, which takes a seventh of the time.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.kernels = 0
        self._began: list[float] = []
        self._told = False
        self._collects = False

    @property
    def compiling(self) -> bool:
        """Whether a kernel is compiled at this moment."""
        return bool(self._began)

    def on_start(self, event: Any) -> None:
        """Note the beginning of a compilation; one kernel may compile others."""
        if not self._began:
            self._collects = gc.isenabled()
            gc.disable()
        self._began.append(time.perf_counter())
        if not self._told:
            self._told = True
            logger.info("compiling kernels: 5 to 20 seconds in the first run of a space, none in later runs")

    def on_end(self, event: Any) -> None:
        """Note the end of a compilation."""
        began = self._began.pop()
        if not self._began:
            self.seconds += time.perf_counter() - began
            self.kernels += 1
            if self._collects:
                gc.enable()


compile_clock = CompileClock()
event.register("numba:compile", compile_clock)  # type: ignore[no-untyped-call]


def working_seconds() -> float:
    """Read a clock that stands still while kernels are compiled.

    Returns
    -------
    float
        Seconds; only differences have a meaning.
    """
    return time.perf_counter() - compile_clock.seconds
