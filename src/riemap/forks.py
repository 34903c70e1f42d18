"""Processes that are forked from this one."""

import ctypes
import os
import signal
import sys

PARENT_DEATH_SIGNAL = 1
"""Number of the request to Linux to send a process a signal when its parent ends: PR_SET_PDEATHSIG."""


def can_fork() -> bool:
    """Tell whether processes are forked here: on Linux, where a fork may use threads and libraries."""
    return sys.platform == "linux"


def begin_fork(parent: int) -> None:
    """Leave Ctrl-C to the process that this one was just forked from, and end with it.

    Parameters
    ----------
    parent
        The number of that process.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before
        os._exit(1)
