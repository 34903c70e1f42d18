"""Attacks on readers and specs that are guided by coverage, with Atheris. No test needs it.

Run: ``.venv/bin/pip install atheris; PYTHONPATH=tests .venv/bin/python -m fuzz.guided readers --minutes 10``.
Atheris keeps inputs that reach new branches, and so finds in seconds what takes random damage long. It knows
bytes only: a first byte that chooses the format, and then the file or the text.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import atheris

with atheris.instrument_imports(include=["riemap.graphs", "riemap.specs", "riemap.spaces"]):
    from fuzz import corpus
    from fuzz.attack import Attack, Case, packed
    from fuzz.campaign import Campaign
    from fuzz.readers import Readers
    from fuzz.specs import Specs

FILES = {**corpus.TEXTS, **corpus.TABLES, "groups.csv": corpus.GROUPS}
SPECS = {
    "space": b"H2 x Gr(2,4)^2",
    "loss": b"rsne(T=0.5->0.01) + 0.3*ad",
    "optimizer": b"radam(lr=0.05,betas=(0.9,0.99))",
    "schedule": b"0.5->0.01",
}
LONGEST_INPUT = 1000
"""Bytes of the longest input: parsers have no deeper states, and short ones are tried more often."""


def case_of(attack: type[Attack], data: bytes) -> Case:
    """The case that some bytes stand for."""
    if attack is Specs:
        kind = list(SPECS)[data[0] % len(SPECS)]
        return {"kind": kind, "text": data[1:].decode("utf-8", "surrogateescape")}
    name = list(FILES)[data[0] % len(FILES)]
    how = "table" if name in corpus.TABLES else "groups" if name == "groups.csv" else "text"
    return {"how": how, "name": name, "data": packed(data[1:]), "undirected": bool(data[0] & 128)}


def main() -> None:
    """Attack until the time is up; failures are kept as those of ``make fuzz``."""
    parser = argparse.ArgumentParser(prog="fuzz.guided", description=__doc__)
    parser.add_argument("attack", choices=("readers", "specs"))
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--failures", type=Path, default=Path("fuzz-failures"), help="folder for failures")
    given = parser.parse_args()
    attack: type[Attack] = Specs if given.attack == "specs" else Readers
    folder = Path(tempfile.mkdtemp(prefix="riemap-fuzz-"))
    campaign, checker = Campaign(0, folder, given.failures), attack()

    def once(data: bytes) -> None:
        if data:
            case = case_of(attack, data)
            verdict = checker.check(case, folder)
            if verdict.outcome.is_failure:
                campaign.keep(attack, case, verdict, -1)

    starts: Any = SPECS if attack is Specs else FILES
    (folder / "corpus").mkdir()
    for number, text in enumerate(starts.values()):
        (folder / "corpus" / str(number)).write_bytes(bytes([number]) + text)
    limits = [
        f"-max_total_time={60 * given.minutes:.0f}",
        f"-max_len={LONGEST_INPUT}",
        "-print_final_stats=1",
    ]
    atheris.Setup([sys.argv[0], str(folder / "corpus"), *limits], once)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
