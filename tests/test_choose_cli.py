"""``riemap choose``: the table, the verdict, JSON, folders, and bad input."""

import json
import re
from pathlib import Path

import pytest
from choosing_helpers import shorten_plans
from helpers import parsed, run

from riemap.threads import limited

QUICK = ("--spaces", "E2,H2", "--seeds", "3")


@pytest.fixture(autouse=True)
def _short_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    shorten_plans(monkeypatch)


def test_the_answer_is_a_table_a_verdict_and_facts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("choose", "tree(r=2,h=4)", *QUICK, "--out", "found") == 0
    told = capsys.readouterr()
    assert re.search(r"^H2\* +2 +3 +0\.\d{4}", told.out, re.MULTILINE)
    assert "H2 is best by average distortion (ad) of held-out pairs" in told.out
    assert "- δ of four nodes is 0 " in told.out
    assert "riemap: next: riemap embed 'tree(r=2,h=4)' --space H2" in told.err
    assert run("choose", "tree(r=2,h=4)", *QUICK, "--out", "found", "--json") == 0
    told = capsys.readouterr()
    found = parsed(told.out)
    assert (found["best"], found["complete"], found["dim"], found["metric"]) == (["H2"], True, 2, "ad")
    assert told.err == ""
    assert run("report", "found", "-o", "page.html") == 0
    (text,) = re.findall(r'id="data">(.*?)</script>', Path("page.html").read_text(), re.DOTALL)
    page = json.loads(text)
    assert page["answer"]["best"] == ["H2"]
    assert [curve["name"] for curve in page["curves"]] == ["H2", "E2"]
    assert page["maps"][0]["title"] == "Poincaré disk, H2"
    assert [m["edges"]["shape"] for m in page["maps"]] == [[30, 2], [30, 2]]
    capsys.readouterr()
    assert run("report", "found", "karate", "-o", "page.html") == 2
    assert "karate is not the graph of found" in capsys.readouterr().err


def test_samples_are_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from riemap.choosing import splits

    monkeypatch.setattr(splits, "KNOWN_NODES", 24)
    assert run("choose", "tree(r=2,h=5)", *QUICK) == 0
    assert "tree(r=2,h=5), 63 nodes, 32 in each trial; average distortion" in capsys.readouterr().out
    monkeypatch.setattr(splits, "ALL_PAIRS_NODES", 50)
    monkeypatch.setattr(splits, "SAMPLED_NODES", 40)
    assert run("choose", "tree(r=2,h=5)", *QUICK) == 0
    assert "40 nodes drawn from the graph, 32 in each trial;" in capsys.readouterr().out


def test_an_interruption_prints_the_answer_so_far(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from contextlib import contextmanager

    from riemap.training import interrupts

    calls = 0

    def interrupted() -> bool:
        nonlocal calls
        calls += 1
        return calls > 150

    @contextmanager
    def noted():  # type: ignore[no-untyped-def]
        yield interrupted

    monkeypatch.setattr(interrupts, "deferred_interrupts", noted)
    with limited(1):  # trials in this process, which asks before every epoch
        assert run("choose", "tree(r=2,h=4)", *QUICK) == 130
    assert "This is the answer so far: it was interrupted." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "of which dimension\\? --dim 3 compares all spaces"),
        (["--dim", "2", "--for", "link"], "no metric to choose by is called 'link'; did you mean 'links'"),
        (["--dim", "2", "--for", "labels"], "which labels of 'karate'\\? Name a CSV file"),
        (["--dim", "2", "--labels", "file"], "labels were given, but ad decides"),
        (["--dim", "40", "--for", "links"], "E40 has 40 dimensions and karate 34 nodes"),
        (["--dim", "2", "--budget", "soon"], "the budget is 'soon'"),
        (["--spaces", "E2,E3"], "E3 has 3 dimensions, and spaces of 2 are compared"),
        (["--spaces", "E2)"], "its parentheses do not match"),
        (["--dim", "2", "--out", "file"], "file is a file; name a new folder"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    assert run("choose", "karate", *arguments) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert re.fullmatch(f"riemap: .*{message}.*\n", told.err)
