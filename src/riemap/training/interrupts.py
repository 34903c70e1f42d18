"""Ctrl-C, kept for a moment that can bear it."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def noted_interrupts() -> Iterator[Callable[[], bool]]:
    """Note the first Ctrl-C instead of raising it; what is given says whether there was one.

    An exception that is raised in the middle of a step can meet compiled code that cannot pass it on: Numba
    turns it into a ``SystemError``. A second Ctrl-C raises all the same, for those who cannot wait. Nothing
    changes where Ctrl-C is not ours to handle: outside the main thread, or if it does not raise anyway.
    """
    noted = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        if noted.is_set():
            signal.default_int_handler(number, frame)
        noted.set()

    in_main = threading.current_thread() is threading.main_thread()
    ours = in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if ours:
        signal.signal(signal.SIGINT, note)
    try:
        yield noted.is_set
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
