"""Download files and verify them. A file gets its final name only after its hash was checked."""

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, final

DOWNLOAD_RETRIES = 1
"""How often a failed download is tried again. Once is enough for a connection that was cut."""

DOWNLOAD_TIMEOUTS = (10.0, 30.0)
"""Seconds to wait for a connection, and for the next bytes. A slow server answers well within both."""

MAX_DOWNLOAD_BYTES = 10_000_000
"""Largest accepted size of a download, after decompression: 37 times that of the largest dataset."""


class _TooLargeError(OSError):
    """The server sends more than is accepted."""


def download(url: str, path: Path, sha256: str) -> None:
    """Download a file into a temporary one in the same folder, check its hash, and rename it.

    Parameters
    ----------
    url
        Where to download it.
    path
        Where to put it. If the download fails, nothing changes there.
    sha256
        Expected hash, in hexadecimal digits.

    Raises
    ------
    OSError
        If the download fails, for any reason. The message gives the reason.
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

            def bound_and_close(response: Any, **_: Any) -> None:
                """Limit the size of a response, and close it at the end, which pooch does not if it fails."""
                response.iter_content = partial(_bounded, response.iter_content)
                stack.callback(response.close)

            downloader = pooch.HTTPDownloader(
                progressbar=bar, timeout=DOWNLOAD_TIMEOUTS, hooks={"response": bound_and_close}
            )
            fetcher.fetch(path.name, downloader=downloader)
    except (ValueError, OSError) as error:
        raise OSError(_reason(error, path.parent)) from None


def _bounded(chunks: Callable[..., Iterator[bytes]], *arguments: Any, **options: Any) -> Iterator[bytes]:
    """Yield the chunks of a response, after decompression, up to the accepted size."""
    size = 0
    for chunk in chunks(*arguments, **options):
        size += len(chunk)
        if size > MAX_DOWNLOAD_BYTES:
            raise _TooLargeError
        yield chunk


def _reason(error: Exception, folder: Path) -> str:
    """Explain in a few words why a download failed."""
    if isinstance(error, ValueError):
        return "the downloaded file is not the registered one (its SHA-256 differs)"
    if isinstance(error, _TooLargeError):
        return f"the server sends more than {MAX_DOWNLOAD_BYTES:,} bytes, more than any dataset has"
    response = getattr(error, "response", None)
    if response is not None:
        return f"the server answered {response.status_code} {response.reason}"
    if isinstance(error, PermissionError) or getattr(error, "errno", None) is not None:
        return f"{folder} cannot be written ({getattr(error, 'strerror', None) or 'no permission'})"
    return f"the connection failed or was cut short ({type(error).__name__})"


@contextmanager
def _errors_only(logger: logging.Logger) -> Iterator[None]:
    """Silence a logger: pooch installs a handler of its own and reports every step."""
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def _progress_bar(label: str) -> "AbstractContextManager[_DownloadBar | bool]":
    """Make a progress bar if the program runs in a terminal."""
    return _DownloadBar(label) if sys.stderr.isatty() else nullcontext(False)


@final
class _DownloadBar:
    """Progress bar with the interface that pooch expects, drawn by rich on stderr and removed at the end."""

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
        """Count the bytes that have arrived."""
        self._progress.update(self._task, total=self.total, advance=count)

    def reset(self) -> None:
        """Start again from zero."""
        self._progress.reset(self._task)

    def close(self) -> None:
        """Do nothing. Pooch calls this after each attempt, but the bar stays for the next one."""
