"""``python -m fuzz --minutes 60``: attack riemap, print a table, and exit with 1 if anything failed."""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from fuzz import page
from fuzz.attacks import ATTACKS
from fuzz.campaign import Campaign, repeated


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the attacks that the arguments name; return the exit code."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="how long, shared by all attacks")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="another one each time by default")
    names = [attack.name for attack in ATTACKS]
    parser.add_argument("--attack", action="append", choices=names, help="only this one, or these")
    parser.add_argument("--failures", type=Path, default=Path("fuzz-failures"), help="folder for failures")
    parser.add_argument("--repeat", type=Path, help="do the case of a failure's file again, and nothing else")
    parser.add_argument("--write", type=Path, help="a page with markers to put the table in")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="riemap-fuzz-") as name:
        shared = Path(name)
        if given.repeat is not None:
            verdict = repeated(given.repeat, shared, ATTACKS)
            print(f"{verdict.outcome}: {verdict.message}")
            return int(verdict.outcome.is_failure)
        attacks = [attack for attack in ATTACKS if attack.name in (given.attack or names)]
        print(f"seed {given.seed}", file=sys.stderr)
        tallies = Campaign(given.seed, shared, given.failures).run(attacks, given.minutes)
    print(page.table(tallies))
    print(page.notes(tallies))
    if given.write is not None:
        page.write(given.write, given.seed, given.minutes, tallies)
    return int(any(tally.failed for tally in tallies))


if __name__ == "__main__":
    sys.exit(main())
