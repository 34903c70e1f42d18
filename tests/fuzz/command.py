"""Run a command in this process, and judge what it prints and its exit code."""

import contextlib
import io
import json
import math
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fuzz.verdict import ACCEPTED, Outcome, Verdict, failed, refusal
from riemap.cli import main

DIVERGED = "the loss became NaN or infinite"
"""Part of the message of a training that diverges, which ends with code 1."""


@dataclass(frozen=True)
class Finished:
    """A command that has ended: its exit code, what it printed, and the exception that it raised."""

    words: tuple[str, ...]
    code: int
    out: str
    err: str
    error: BaseException | None = None

    @property
    def told(self) -> set[str]:
        """The messages on stderr."""
        return {line for line in self.err.splitlines() if line.startswith("riemap: ")}

    @property
    def verdict(self) -> Verdict:
        """A result; a clear message and code 2, or 1 where training diverged; or a failure."""
        command = " ".join(self.words[:2] if self.words[:1] in (("plot",), ("paper",)) else self.words[:1])
        if self.error is not None:
            return failed(self.error)
        if self.code == 0:
            problem = _not_json(self.out) if "--json" in self.words else None
            return ACCEPTED if problem is None else Verdict(Outcome.CHANGED, problem, f"--json of {command}")
        told = [line for line in self.told if not line.startswith("riemap: warning: ")]
        usage = [line for line in self.err.splitlines() if line.startswith("Error: ")]
        expected = self.code == 2 or (self.code == 1 and (command == "grid" or DIVERGED in self.err))
        if not expected or not (told or usage):
            text = f"exit code {self.code} with {self.err[-1000:]!r} on stderr"
            return Verdict(Outcome.TRACEBACK, text, f"exit code {self.code} of {command}")
        return refusal((told or usage)[-1], command)


def run(words: Sequence[str], folder: Path, **environment: str) -> Finished:
    """Run a command in a folder, with some environment variables."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogateescape", newline="") for _ in range(2))
    code, error = 0, None
    with (
        contextlib.chdir(folder),
        _environment(environment),
        warnings.catch_warnings(),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main(list(words))
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        except BaseException as raised:
            code, error = 1, raised
    return Finished(tuple(words), code, _text(out), _text(err), error)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()


@contextlib.contextmanager
def _environment(values: dict[str, str]) -> Any:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _not_json(text: str) -> str | None:
    """Say why a text is not one strict JSON object: NaN and infinities, for example, are not JSON."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    try:
        found = json.loads(text, parse_constant=refuse)
    except ValueError as error:
        return f"stdout is not JSON: {error}"
    return None if isinstance(found, dict) else "stdout is not a JSON object"


def not_finite(path: Path) -> str | None:
    """Say which array of an .npz file holds a NaN or an infinity, if one does."""
    with np.load(path, allow_pickle=False) as file:
        for name in file.files:
            array = file[name]
            if array.dtype.kind == "f" and not np.isfinite(array).all():
                return f"{name} of {path.name} is not finite"
    return None


def without(found: Any, *keys: str) -> Any:
    """A JSON value without some keys, such as times. NaN becomes text, so that values can be compared."""
    if isinstance(found, dict):
        return {key: without(value, *keys) for key, value in found.items() if key not in keys}
    if isinstance(found, list):
        return [without(value, *keys) for value in found]
    return str(found) if isinstance(found, float) and math.isnan(found) else found
