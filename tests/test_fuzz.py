"""A short share of ``make fuzz``, always of the same seed; and the harness notices every kind of failure."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from fuzz import page
from fuzz.attack import Attack
from fuzz.attacks import ATTACKS
from fuzz.campaign import Campaign, Tally, repeated
from fuzz.kills import Kills
from fuzz.mishaps import WAYS, Mishaps
from fuzz.supervisor import Supervisor
from fuzz.verdict import Outcome

FOUND = sorted((Path(__file__).parent / "fuzz" / "found").glob("*.json"))
"""Failures that were found and mended; each is a test."""


def tallied(folder: Path, attacks: Any) -> tuple[list[Any], str]:
    """Counts of a short campaign, and what it says."""
    said: list[str] = []
    (folder / "shared").mkdir()
    campaign = Campaign(1, folder / "shared", folder / "failures", said.append)
    return campaign.run(attacks, None), "".join(said)


def test_a_short_share_of_all_attacks_finds_nothing(tmp_path: Path) -> None:
    tallies, said = tallied(tmp_path, [attack for attack in ATTACKS if attack.short])
    assert not any(tally.failed for tally in tallies), said
    assert all(tally.counts[Outcome.ACCEPTED] for tally in tallies), page.table(tallies)


@pytest.mark.parametrize("name", ["embed", "store", "landmarks"])
def test_killed_at_the_first_the_last_and_a_middle_file_operation(name: str, tmp_path: Path) -> None:
    """``make fuzz`` goes through all of them, and through those of grids and reports."""
    kills = Kills()
    count = kills.begin(tmp_path, [name])
    assert count > 5
    for k in (2, count // 2, count):
        (folder := tmp_path / str(k)).mkdir()
        verdict = kills.check({"scenario": name, "kills": [k]}, folder)
        assert verdict.outcome is Outcome.ACCEPTED, f"{k} of {count}: {verdict.message}"


def test_what_was_found_stays_mended(tmp_path: Path) -> None:
    supervisor = Supervisor(tmp_path)
    verdicts = {}
    try:
        for path in FOUND:
            found = json.loads(path.read_text())
            attack = next(attack for attack in ATTACKS if attack.name == found["attack"])
            verdicts[path.name] = supervisor.ask(attack, {"case": found["case"]})[1]
    finally:
        supervisor.close()
    failures = {name: verdict.message for name, verdict in verdicts.items() if verdict.outcome.is_failure}
    assert not failures, "\n".join(f"{name}: {message[-300:]}" for name, message in failures.items())


def test_every_kind_of_failure_is_noticed_and_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Mishaps, "short", len(WAYS))
    (tally,), said = tallied(tmp_path, [Mishaps])
    assert dict(tally.counts) == {
        Outcome.ACCEPTED: 1,
        Outcome.REFUSED: 1,
        Outcome.TRACEBACK: 3,  # an empty message, an error, and too much memory
        Outcome.CHANGED: 1,
        Outcome.HANG: 1,
        Outcome.CRASH: 1,
    }
    files = sorted((tmp_path / "failures").iterdir())
    assert len(files) == 6
    assert said.count("repeat it: make fuzz REPEAT=") == 6
    (crash,) = [path for path in files if json.loads(path.read_text())["outcome"] == "crashes"]
    assert repeated(crash, tmp_path / "shared", [Mishaps]).message.startswith("SIGABRT")
    assert "| mishaps |     8 |" in page.table([tally])


def test_the_table_replaces_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(f"# Title\n\n{page.BEGIN}\nold\n{page.END}\n\nThe end.\n")
    tallies = [Tally(Mishaps, Counter({Outcome.REFUSED: 1234}))]
    page.write(path, 3, 60.0, tallies)
    text = path.read_text()
    assert "old" not in text
    assert "| mishaps | 1,234 |        0 |           1,234 |" in text
    assert "`make fuzz MINUTES=60 SEED=3`" in text
    assert text.startswith("# Title\n")
    assert text.endswith("The end.\n")
    page.write(path, 3, 60.0, tallies)
    assert path.read_text() == text


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_an_attack_says_what_it_needs(attack: type[Attack]) -> None:
    assert attack.__doc__
    assert attack.seconds > 0.0 < attack.share
