"""Start the worker process, ask it for cases, and notice if it hangs or crashes."""

import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, final

from fuzz.attack import Attack, Case
from fuzz.verdict import Outcome, Verdict

PREPARE_SECONDS = 900.0
"""Time to start and to make the shared files, which compiles kernels if Numba's cache is empty."""

TICK_SECONDS = 0.5
"""Time between two looks at the clock. A tick counts no more than twice this, so that a machine that was
asleep does not make a case hang."""

THREADS = "4"
"""Number of threads that Numba starts in the worker. The attack on threads uses one to all of them; the other
attacks use one, since their graphs are small."""

_FRAME = re.compile(r'File ".*riemap/(\S+\.py)", line \d+ in (\S+)')
"""A line of a stack that faulthandler wrote."""


class TimeUpError(Exception):
    """The worker did not answer in time."""


@final
class Supervisor:
    """One worker process at a time, in a folder that its successors use, too."""

    def __init__(self, shared: Path) -> None:
        self.shared, self.log = shared, shared / "worker.log"
        self.process: subprocess.Popen[str] | None = None
        self.lines: queue.SimpleQueue[str] = queue.SimpleQueue()

    def ask(self, attack: type[Attack], request: dict[str, Any]) -> tuple[Case, Verdict, int]:
        """Have a case done: the case, what came of it, and how many cases are a whole round."""
        if self.process is None:
            self._start()
        case: Case = request.get("case", {})
        whole = 0
        try:
            assert self.process is not None
            assert self.process.stdin is not None
            with suppress(BrokenPipeError):
                self.process.stdin.write(json.dumps({"attack": attack.name, **request}) + "\n")
                self.process.stdin.flush()
            whole = self._answer(PREPARE_SECONDS)["whole"]
            case = self._answer(PREPARE_SECONDS)["case"]
            found = self._answer(attack.seconds)
            return case, Verdict(Outcome(found["outcome"]), found["message"], found["place"]), whole
        except TimeUpError:
            self.close()
            text = f"no end after {attack.seconds:g} seconds\n{self._last_words()}"
            return case, Verdict(Outcome.HANG, text, self._place()), whole
        except EOFError:
            code = self.close()
            name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            return (
                case,
                Verdict(Outcome.CRASH, f"{name}\n{self._last_words()}", f"{name} {self._place()}"),
                whole,
            )

    def close(self) -> int:
        """End the worker process and everything that it has started; return its exit code."""
        if self.process is None:
            return 0
        code = self.process.poll()
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        ended = self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()
        self.process = None
        return ended if code is None else code

    def _start(self) -> None:
        tests = str(Path(__file__).parents[1])
        paths = [tests, os.environ.get("PYTHONPATH", "")]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "RIEMAP_CACHE": str(self.shared / "cache"),
            "NUMBA_NUM_THREADS": THREADS,
            "OPENBLAS_NUM_THREADS": "1",
            "MPLBACKEND": "agg",
            "COLUMNS": "100",
            **dict.fromkeys(("http_proxy", "https_proxy"), "http://127.0.0.1:9"),  # nothing is downloaded
        }
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "fuzz.worker", str(self.shared)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=environment,
                start_new_session=True,
            )
        self.lines = queue.SimpleQueue()
        threading.Thread(target=_listen, args=(self.process.stdout, self.lines), daemon=True).start()

    def _answer(self, seconds: float) -> dict[str, Any]:
        """The next answer of the worker; an empty line is the end of its stdout."""
        spent = 0.0
        while spent < seconds:
            started = time.monotonic()
            try:
                line = self.lines.get(timeout=TICK_SECONDS)
            except queue.Empty:
                spent += min(time.monotonic() - started, 2.0 * TICK_SECONDS)
                continue
            if not line:
                raise EOFError
            found: dict[str, Any] = json.loads(line)
            return found
        raise TimeUpError

    def _last_words(self) -> str:
        return self.log.read_text(errors="replace")[-4000:]

    def _place(self) -> str:
        found = _FRAME.search(self._last_words())
        return f"in {found[1]}:{found[2]}" if found else ""


def _listen(stream: Any, lines: "queue.SimpleQueue[str]") -> None:
    with suppress(ValueError):  # the stream was closed
        for line in stream:
            lines.put(line)
    lines.put("")
