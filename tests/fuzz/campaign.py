"""Run the attacks one after the other, count what comes of the cases, and keep the failures."""

import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzz.attack import Attack, Case
from fuzz.supervisor import Supervisor
from fuzz.verdict import Outcome, Verdict

LONGEST_TITLE = 160
"""Characters of a failure's message in the line about it; its file has all of it."""


@dataclass
class Tally:
    """What came of the cases of an attack. ``whole`` is the number of cases of a round, or 0."""

    attack: type[Attack]
    counts: Counter[Outcome] = field(default_factory=Counter)
    seconds: float = 0.0
    whole: int = 0

    @property
    def cases(self) -> int:
        return self.counts.total()

    @property
    def failed(self) -> bool:
        return any(outcome.is_failure for outcome in self.counts)


@dataclass(frozen=True)
class Campaign:
    """Attacks from one seed. Failures are kept in a folder, one file for each place in the code."""

    seed: int
    shared: Path
    failures: Path
    say: Callable[[str], object] = sys.stderr.write

    def run(self, attacks: Sequence[type[Attack]], minutes: float | None) -> list[Tally]:
        """Run attacks for so many minutes, which they share; if it is None, for a few cases each."""
        shares = sum(attack.share for attack in attacks)
        supervisor = Supervisor(self.shared)
        try:
            tallies = []
            for attack in attacks:
                if minutes is not None:
                    supervisor.close()  # a process that has done one attack for long gets a successor
                seconds = None if minutes is None else 60.0 * minutes * attack.share / shares
                tallies.append(self._attacked(attack, seconds, supervisor))
            return tallies
        finally:
            supervisor.close()

    def _attacked(self, attack: type[Attack], seconds: float | None, supervisor: Supervisor) -> Tally:
        tally, started, number = Tally(attack), time.monotonic(), 0
        while number < attack.short if seconds is None else tally.seconds < seconds:
            request = {"seed": self.seed, "number": number}
            case, verdict, whole = supervisor.ask(attack, request)
            if verdict.outcome is Outcome.HANG:  # a busy machine is slow: only what hangs twice is a hang
                case, verdict, whole = supervisor.ask(attack, request)
            number, tally.whole = number + 1, max(tally.whole, whole)
            tally.counts[verdict.outcome] += 1
            tally.seconds = time.monotonic() - started
            if verdict.outcome.is_failure:
                self.keep(attack, case, verdict, number - 1)
        self.say(f"{attack.name}: {tally.cases} cases in {tally.seconds:.0f} s\n")
        return tally

    def keep(self, attack: type[Attack], case: Case, verdict: Verdict, number: int) -> None:
        """Write a failure to a file, if it is the first of its place or the smallest; tell of the first."""
        name = hashlib.sha256(f"{attack.name} {verdict.outcome} {verdict.place}".encode()).hexdigest()[:8]
        path = self.failures / f"{attack.name}-{name}.json"
        known = json.loads(path.read_text())["case"] if path.exists() else None
        if known is not None and len(json.dumps(known)) <= len(json.dumps(case)):
            return
        found = {"attack": attack.name, "seed": self.seed, "number": number, "outcome": verdict.outcome}
        found |= {"place": verdict.place, "message": verdict.message, "case": case}
        self.failures.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(found, indent=1) + "\n")
        if known is None:
            self.say(f"{verdict.outcome} in {attack.name}, {verdict.place}: {_title(verdict.message)}\n")
            self.say(f"    repeat it: make fuzz REPEAT={path}\n")


def repeated(path: Path, shared: Path, attacks: Sequence[type[Attack]]) -> Verdict:
    """Do the case of a failure's file again."""
    found: dict[str, Any] = json.loads(path.read_text())
    attack = next(attack for attack in attacks if attack.name == found["attack"])
    supervisor = Supervisor(shared)
    try:
        return supervisor.ask(attack, {"case": found["case"]})[1]
    finally:
        supervisor.close()


def _title(message: str) -> str:
    """The last line of a message, which in a traceback is the exception."""
    lines = [line.strip() for line in message.splitlines() if line.strip()] or [""]
    return lines[-1][:LONGEST_TITLE]
