"""How much memory is free, asked before a large allocation instead of after the process was killed."""

import os
from pathlib import Path

from riemap.errors import NotEnoughMemoryError

_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")


def free() -> int | None:
    """Bytes that this process may still use; ``None`` where the system does not say."""
    known = [amount for amount in (_free_of_machine(), _free_of_group()) if amount is not None]
    return min(known, default=None)


def require(need: int, what: str, way_out: str) -> None:
    """Refuse to go on when ``need`` bytes are more than there are."""
    available = free()
    if available is not None and need > available:
        raise NotEnoughMemoryError(
            f"{what} need {_text(need)} of memory, and {_text(available)} are free; {way_out}"
        )


def _free_of_machine() -> int | None:
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
    """What a container's limit leaves; its file cache can be given back, so it does not count."""
    try:
        limit = int((_CGROUP / "memory.max").read_text())
        used = int((_CGROUP / "memory.current").read_text())
        facts = dict(line.split() for line in (_CGROUP / "memory.stat").read_text().splitlines())
    except (OSError, ValueError):  # no such limit, or "max"
        return None
    return max(limit - used + int(facts.get("inactive_file", 0)) + int(facts.get("active_file", 0)), 0)


def _text(size: int) -> str:
    unit, name = next((u for u in ((1e9, "GB"), (1e6, "MB")) if size >= u[0]), (1e3, "kB"))
    return f"{size / unit:.3g} {name}"
