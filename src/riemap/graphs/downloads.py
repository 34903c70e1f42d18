"""Files from the network: checked, whole, and in their place only when they are both."""

import logging
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any, final

DOWNLOAD_RETRIES = 1
DOWNLOAD_TIMEOUTS = (10.0, 30.0)
"""Seconds to wait for a connection, and then for more bytes."""


def download(url: str, path: Path, sha256: str) -> None:
    """Fetch a file into a temporary one beside its place, check it, and rename it onto its place.

    Whatever goes wrong is an :class:`OSError` whose message is the reason, and the place is as it was.
    """
    import pooch  # type: ignore[import-untyped]

    fetcher = pooch.create(
        path.parent,
        base_url="",
        registry={path.name: f"sha256:{sha256}"},
        urls={path.name: url},
        retry_if_failed=DOWNLOAD_RETRIES,
    )
    try:
        with _errors_only(pooch.get_logger()), _progress_bar(path.name) as bar, ExitStack() as stack:

            def close_later(response: Any, **_: Any) -> None:
                """Pooch leaves a response open when it fails."""
                stack.callback(response.close)

            downloader = pooch.HTTPDownloader(
                progressbar=bar, timeout=DOWNLOAD_TIMEOUTS, hooks={"response": close_later}
            )
            fetcher.fetch(path.name, downloader=downloader)
    except (ValueError, OSError) as error:
        raise OSError(_reason(error, path.parent)) from None


def _reason(error: Exception, folder: Path) -> str:
    if isinstance(error, ValueError):
        return "what arrived is not the registered file (its SHA-256 differs)"
    response = getattr(error, "response", None)
    if response is not None:
        return f"the server answered {response.status_code} {response.reason}"
    if isinstance(error, PermissionError) or getattr(error, "errno", None) is not None:
        return f"{folder} cannot be written ({getattr(error, 'strerror', None) or 'no permission'})"
    return f"the connection failed or was cut short ({type(error).__name__})"


@contextmanager
def _errors_only(logger: logging.Logger) -> Iterator[None]:
    """Pooch installs a handler and reports every step."""
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def _progress_bar(label: str) -> "AbstractContextManager[_DownloadBar | bool]":
    """A progress bar where somebody may be watching."""
    return _DownloadBar(label) if sys.stderr.isatty() else nullcontext(False)


@final
class _DownloadBar:
    """What pooch asks of a progress bar, drawn by rich on stderr and gone at the end."""

    def __init__(self, label: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
        self.total = 0
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._progress.add_task(label, total=None)

    def __enter__(self) -> "_DownloadBar":
        self._progress.start()
        return self

    def __exit__(self, *problem: Any) -> None:
        self._progress.stop()

    def update(self, count: int) -> None:
        """Bytes have arrived."""
        self._progress.update(self._task, total=self.total, advance=count)

    def reset(self) -> None:
        """Count from zero again."""
        self._progress.reset(self._task)

    def close(self) -> None:
        """Pooch is done with one attempt; there may be another, so the bar stays until ``__exit__``."""
