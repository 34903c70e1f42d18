"""How many threads to use while other programs need cores, too.

Threads that spin are never idle. So what is missing between the time that passed and the processor time that
the threads got went to other programs.
"""

import math
import sys
import time
from typing import final

if sys.platform != "win32":
    from resource import RUSAGE_SELF, getrusage

MEASURED_SECONDS = 0.02
"""For how long the processor time is measured before the number of threads is decided: several time slices
of Linux, which are 3 to 4 milliseconds."""

LOST_CORES = 0.3
"""How many cores may be missing before a thread is given up. On a quiet machine less than 0.05 are missing,
and beside one other busy process 0.5 to 1."""

SWITCHES_PER_SECOND = 100
"""How often a second the system may take a core away before we look at the time lost. Beside one other busy
process it does so 130 to 300 times. Without this rule, work that one thread does would look as if the other
threads had lost their cores."""

LONGEST_SECONDS = 0.1
"""Longer measurements are ignored: one thread compiled or loaded a kernel meanwhile, or did other work, or
the kernels are so long that waiting at their ends does not matter."""

FIRST_REST_SECONDS, LONGEST_REST_SECONDS = 0.5, 4.0
"""For how long fewer threads are used before all are tried again, and the limit of this time, which doubles
with each trial that fails."""


@final
class CoreShare:
    """How many threads to use, from the processor time that they got."""

    def __init__(self) -> None:
        self.used = 0
        self._allowed = 0
        self._began = 0.0  # when the measurement began
        self._processor = 0.0  # processor time of the process then
        self._switches = 0  # how often the system had taken a core away by then
        self._rest = FIRST_REST_SECONDS
        self._rest_ends = 0.0
        self._was_busy = False

    def threads(self, allowed: int) -> int:
        """Decide on the number of threads, if they were measured for long enough."""
        if allowed != self._allowed:
            self._allowed = self.used = allowed
        now = time.perf_counter()
        seconds = now - self._began
        if seconds < MEASURED_SECONDS or sys.platform == "win32":
            return self.used
        usage = getrusage(RUSAGE_SELF)
        processor = usage.ru_utime + usage.ru_stime
        lost = self.used - (processor - self._processor) / seconds
        interrupted = usage.ru_nivcsw - self._switches > SWITCHES_PER_SECOND * seconds
        busy = seconds < LONGEST_SECONDS and interrupted and lost > LOST_CORES
        twice, self._was_busy = busy and self._was_busy, busy  # a single loss may have other causes
        self._began, self._processor, self._switches = now, processor, usage.ru_nivcsw
        if self.used < allowed:
            if now > self._rest_ends:
                self.used = allowed
        elif twice:
            self.used = max(1, self.used - math.ceil(lost - LOST_CORES))
            self._rest_ends = now + self._rest
            self._rest = min(2.0 * self._rest, LONGEST_REST_SECONDS)
        elif not busy:
            self._rest = FIRST_REST_SECONDS
        return self.used
