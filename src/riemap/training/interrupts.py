"""Handling of Ctrl-C while compiled code runs."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def deferred_interrupts() -> Iterator[Callable[[], bool]]:
    """Note the first Ctrl-C instead of raising ``KeyboardInterrupt``.

    An exception that is raised while compiled code runs cannot always pass through it: Numba turns it into a
    ``SystemError``. A second Ctrl-C raises ``KeyboardInterrupt`` at once, for a user who does not want to
    wait. Nothing changes outside the main thread, or if the process has a handler of its own for Ctrl-C.

    Yields
    ------
    Callable
        A function that tells whether Ctrl-C was pressed.
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
