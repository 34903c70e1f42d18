"""Kernels on a given number of threads."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from riemap import threads
from riemap.core_share import CoreShare


@contextmanager
def exactly(count: int) -> Iterator[None]:
    """Let kernels use so many threads, however few rows they have and however busy the machine is."""
    run = threads.run

    def eager(kernel: Any, rows: int, args: tuple[Any, ...], least: int, grain: int) -> None:
        run(kernel, rows, args, 2, grain)

    with (
        threads.limited(count),
        patch.object(CoreShare, "threads", lambda share, allowed: allowed),
        patch.object(threads, "run", eager),
    ):
        yield
