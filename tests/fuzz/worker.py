"""The process that does the cases. It may hang, crash or run out of memory, and is then started anew.

It reads requests on stdin, one JSON object a line, and answers on stdout: first the case, so that it is known
whatever happens, and then the verdict.
"""

import faulthandler
import json
import os
import resource
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import IO, Any

from fuzz.attack import Attack
from fuzz.attacks import ATTACKS
from fuzz.mishaps import Mishaps
from riemap.threads import set_count

MEMORY_BYTES = 3 << 30
"""Memory that the process may use. A file of some kilobytes that needs more is a memory bomb."""

TRACE_SHARE = 0.8
"""Share of a case's time after which the stack is written to stderr: where a hang hangs."""


def main() -> None:
    """Answer requests until stdin ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever else is printed is not an answer
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    set_count(1)  # graphs are small; the attack on threads sets its own numbers
    shared = Path(sys.argv[1])
    known: dict[str, type[Attack]] = {attack.name: attack for attack in ATTACKS}
    known[Mishaps.name] = Mishaps
    ready: dict[str, Attack] = {}
    for line in sys.stdin:
        request = json.loads(line)
        name = request["attack"]
        if name not in ready:
            ready[name] = known[name]()
            _answer(answers, {"whole": ready[name].prepare(shared)})
        else:
            _answer(answers, {"whole": 0})
        _do(ready[name], request, answers)


def _do(attack: Attack, request: dict[str, Any], answers: IO[str]) -> None:
    case = request.get("case")
    if case is None:
        number = request["number"]
        case = attack.draw(Random(f"{request['seed']}/{attack.name}/{number}"), number)
    _answer(answers, {"case": case})
    faulthandler.dump_traceback_later(TRACE_SHARE * attack.seconds)
    with tempfile.TemporaryDirectory(prefix="riemap-fuzz-") as folder:
        verdict = attack.check(case, Path(folder))
    faulthandler.cancel_dump_traceback_later()
    _answer(answers, {"outcome": verdict.outcome, "message": verdict.message, "place": verdict.place})


def _answer(answers: IO[str], found: dict[str, Any]) -> None:
    answers.write(json.dumps(found) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
