"""Check that enough memory is free before a large allocation; otherwise the system may kill the process."""

import os
from pathlib import Path

from riemap.errors import NotEnoughMemoryError

_MEMINFO = Path("/proc/meminfo")
"""File in which Linux reports the memory of the machine."""

_CGROUP = Path("/sys/fs/cgroup")
"""Folder in which Linux reports the memory limit of a container."""

_STATM = Path("/proc/self/statm")
"""File in which Linux reports the memory of this process, in pages."""


def free() -> int | None:
    """Return the free memory.

    Returns
    -------
    int | None
        Bytes that this process can still use; ``None`` if the system does not tell.
    """
    amounts = (_free_of_machine(), _free_of_group(), _free_of_process())
    return min((amount for amount in amounts if amount is not None), default=None)


def require(need: int, what: str, way_out: str) -> None:
    """Raise an error if less than the needed memory is free.

    Parameters
    ----------
    need
        Needed memory in bytes.
    what
        What the memory is for; the subject of the message, in the plural.
    way_out
        What the user can do instead; the end of the message.

    Raises
    ------
    MemoryError
        If less than ``need`` bytes are free.
    """
    available = free()
    if available is not None and need > available:
        raise NotEnoughMemoryError(
            f"{what} need {text(need)} of memory, and {text(available)} are free; {way_out}"
        )


def _free_of_machine() -> int | None:
    """Return the free memory of the machine; all of its memory if only that is known."""
    try:
        lines = _MEMINFO.read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def _free_of_group() -> int | None:
    """Return what the container's memory limit leaves. The file cache can be freed, so it counts as free."""
    try:
        limit = int((_CGROUP / "memory.max").read_text())
        used = int((_CGROUP / "memory.current").read_text())
        facts = dict(line.split() for line in (_CGROUP / "memory.stat").read_text().splitlines())
    except (OSError, ValueError):  # there is no such file, or the limit is "max"
        return None
    return max(limit - used + int(facts.get("inactive_file", 0)) + int(facts.get("active_file", 0)), 0)


def _free_of_process() -> int | None:
    """Return what the limit of this process's address space (``ulimit -v``) leaves."""
    try:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        used = int(_STATM.read_text().split()[0]) * resource.getpagesize()
    except (ImportError, OSError, ValueError):  # Windows has no such module, and macOS no such file
        return None
    return None if limit == resource.RLIM_INFINITY else max(limit - used, 0)


def text(size: int) -> str:
    """Write a size in bytes with a unit.

    Parameters
    ----------
    size
        Number of bytes.

    Returns
    -------
    str
        Three digits and a unit.

    Examples
    --------
    >>> text(160_000)
    '160 kB'
    """
    size = min(size, 10**300)  # a user can ask for a number with more digits than a float can hold
    unit, name = next((u for u in ((1e9, "GB"), (1e6, "MB")) if size >= u[0]), (1e3, "kB"))
    return f"{size / unit:.3g} {name}"
