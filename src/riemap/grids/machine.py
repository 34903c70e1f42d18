"""The machine that runs are done on."""

import os
import platform
from importlib.metadata import version
from typing import Any


def machine_facts(threads: int) -> dict[str, Any]:
    """Describe what a run was done on, without anything that tells whose machine it is.

    Parameters
    ----------
    threads
        Number of threads of the run.

    Returns
    -------
    dict
        Cores, threads, platform, and versions of NumPy, Numba and Python.
    """
    return {
        "cores": cores(),
        "threads": threads,
        "platform": f"{platform.system()} {platform.machine()}",
        **{name: version(name) for name in ("numpy", "numba")},
        "python": platform.python_version(),
    }


def cores() -> int:
    """Count the cores that this process may use.

    Returns
    -------
    int
        At least one.
    """
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows do not have it
        return os.cpu_count() or 1
