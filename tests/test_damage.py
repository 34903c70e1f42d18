"""Files that were damaged, edited or removed: one message names the file, and nothing wrong is shown."""

import copy
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import done_in_process, run, toml

import riemap
from riemap import checked_json, memory
from riemap.checked_json import parse_checked, with_checksum
from riemap.errors import InputError, NotEnoughMemoryError
from riemap.grids.records import GridFolder
from riemap.grids.tables import rows
from riemap.metrics import METRICS
from riemap.report import leaderboard_page
from riemap.runs import GraphSource, RunFolder, RunSpec, execute
from riemap.runs.opening import embed_command, run_config, training_setting

GRAPH = "path(n=9)"
WORDS = ["embed", GRAPH, "-s", "E2", "--epochs", "4"]
OTHERS: tuple[Any, ...] = (None, True, -1, 0.5, "text", [], [1], {}, {"a": 1}, 10**400)
"""Values with which every value of a file is replaced."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run and a grid."""
    folder = tmp_path_factory.mktemp("whole")
    riemap.embed(GRAPH, "E2", epochs=4, out=folder / "run")
    done_in_process(folder / "grid")
    return folder


def read_run(folder: Path) -> int:
    """Read a run as the commands do that show it."""
    source = GraphSource(GRAPH)
    spec = RunSpec.of(source.open(), "E2", epochs=4, source=source)
    execute(spec, RunFolder(folder, resume=True))
    config = run_config(folder)
    training_setting(config), embed_command(config, folder)
    return 1


def read_grid(folder: Path) -> int:
    """Read a grid as the commands do that show it, and count the finished runs."""
    records = GridFolder(folder).finished()
    for by in ("mean", "best"):
        rows(records, [m.name for m in METRICS], by)  # type: ignore[arg-type]
    leaderboard_page("grid", records, 0, {}, [])
    return len(records)


FILES = {
    "run/config.json": read_run,
    "run/scores.json": read_run,
    "run/history.csv": read_run,
    "grid/grid.json": read_grid,
    "grid/records/cycle-n=7.jsonl": read_grid,
}


def values(data: bytes) -> list[Any]:
    """What a JSON file, or every line of a file of records, holds."""
    return [json.loads(part) for part in (data.splitlines() if data.count(b"\n{") else [data])]


@pytest.mark.parametrize("name", FILES)
def test_every_digit_that_is_changed_is_noticed(name: str, whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    path, read = tmp_path / name, FILES[name]
    data = path.read_bytes()
    places = [match.start() for match in re.finditer(rb"[0-9]", data)]
    read(path.parent if read is read_run else tmp_path / "grid")
    for place in places[:: 1 + len(places) // 150]:
        digit = b"%d" % (9 - int(data[place : place + 1]))
        path.write_bytes(data[:place] + digit + data[place + 1 :])
        if path.suffix != ".csv" and values(path.read_bytes()) == values(data):
            continue  # the 17th digit of a number, which means the same number
        with pytest.raises(InputError, match=re.escape(path.name)):
            read(tmp_path / name.split("/")[0])


def changed(value: Any) -> Iterator[Any]:
    """Copies of a JSON value in which one value is replaced, missing, or has another name."""
    for other in OTHERS:
        yield copy.deepcopy(other)
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        for other in changed(inner):
            found = copy.copy(value)
            found[key] = other
            yield found
        if isinstance(value, dict):
            rest = {name: entry for name, entry in value.items() if name != key}
            yield rest
            yield {**rest, f"{key}s": inner}


@pytest.mark.parametrize("name", [name for name in FILES if not name.endswith(".csv")])
def test_any_structure_is_accepted_or_refused_in_one_line(name: str, whole: Path, tmp_path: Path) -> None:
    """Without a checksum, as earlier versions wrote files: no other exception than the one for the user."""
    shutil.copytree(whole, tmp_path, dirs_exist_ok=True)
    path, read = tmp_path / name, FILES[name]
    first, *lines = path.read_text().splitlines() if name.endswith(".jsonl") else [path.read_text()]
    refused = 0
    for found in list(changed(parse_checked(first.encode())))[::3]:
        path.write_text("\n".join([json.dumps(found), *lines]))
        try:
            shown = read(tmp_path / name.split("/")[0])
        except InputError:
            refused += 1
        else:
            assert shown == (8 if name == "grid/grid.json" else shown), "a list that is wrong drops no run"
    assert refused > 20


@pytest.mark.parametrize(
    "text", [b"", b"{", b"[" * 100_000, b"NaN", b'{"n": NaN}', b'{"n": 1e999}', b"\xff", b"9" * 5000]
)
def test_what_is_no_json_is_refused(text: bytes) -> None:
    with pytest.raises(InputError, match=r"it is not JSON|it holds"):
        parse_checked(text)


def test_layout_does_not_matter_and_values_do() -> None:
    entries = {"b": [1.0, {"c": None}], "a": "ü\udcff"}
    found = with_checksum(entries)
    shuffled = json.dumps(dict(reversed(found.items())), indent=4)
    assert parse_checked(shuffled.encode()) == entries
    assert parse_checked(json.dumps(entries).encode()) == entries, "a file without a checksum is read"
    with pytest.raises(InputError, match="remove its entry 'checksum' to accept it"):
        parse_checked(json.dumps({**found, "a": "u"}).encode())


def test_lone_surrogates_are_written_as_json_escapes_them(tmp_path: Path) -> None:
    checked_json.write_checked(tmp_path / "a.json", {"graph": "\udcff"})
    assert json.loads((tmp_path / "a.json").read_text())["graph"] == "\udcff"
    assert parse_checked((tmp_path / "a.json").read_bytes()) == {"graph": "\udcff"}


def test_empty_scores_name_the_file_and_the_field(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(whole / "run", tmp_path / "run")
    (tmp_path / "run" / "scores.json").write_text("{}")
    assert run(*WORDS, "--out", str(tmp_path / "run"), "--resume") == 2
    assert capsys.readouterr().err == f"riemap: cannot read {tmp_path}/run/scores.json: its n is missing\n"


# --- a folder that is begun, removed or refused ---------------------------------------------------------


def test_the_rest_of_a_killed_start_is_no_other_run(tmp_path: Path) -> None:
    for name, words in {"run": WORDS, "grid": ["grid", str(toml(tmp_path))]}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / ".config.json.abc.part").write_text('{"gra')
        more = ["--resume"] if name == "run" else []
        assert run(*words, "--out", str(tmp_path / name), *more) == 0
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").touch()
    with pytest.raises(InputError, match="holds something else than a run"):
        riemap.embed(GRAPH, "E2", epochs=4, out=tmp_path / "other")
    with pytest.raises(InputError, match="is a file; name a new folder"):
        riemap.embed(GRAPH, "E2", epochs=4, out=tmp_path / "other" / "letter.txt")


@pytest.mark.parametrize(("epochs", "every"), [(4, 100), (8, 3)], ids=["end", "checkpoint"])
def test_a_folder_that_is_removed_in_the_middle(epochs: int, every: int, tmp_path: Path) -> None:
    """Noticed at the next checkpoint, or in the end; and it does not come back."""
    source = GraphSource(GRAPH)
    spec = RunSpec.of(source.open(), "E2", epochs=epochs, source=source)

    def remove(record: Any) -> None:
        if record.epoch == 3:  # the last epoch of four
            shutil.rmtree(tmp_path / "run")

    folder = RunFolder(tmp_path / "run", checkpoint_every=every)
    with pytest.raises(InputError, match=r"was removed while the run went on, .* start the run again"):
        execute(spec, folder, callbacks=(remove,))
    assert list(tmp_path.iterdir()) == []


def test_a_grid_that_is_removed_in_the_middle(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    begin = GridFolder.begin

    def removed(folder: GridFolder, ids: Any) -> None:
        begin(folder, ids)
        shutil.rmtree(out)

    monkeypatch.setattr(GridFolder, "begin", removed)
    assert run("grid", str(toml(tmp_path)), "--out", str(out)) == 2
    assert capsys.readouterr().err == (
        f"riemap: {out}/grid.json was removed while the grid went on, so its results are not kept; "
        "start the grid again\n"
    )
    assert not out.exists()


def test_a_run_that_is_refused_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither before training, for another graph or for memory, nor where training itself refuses."""
    source, out = GraphSource(GRAPH), tmp_path / "a" / "b" / "run"
    spec = RunSpec.of(source.open(), "E2", epochs=4, source=source)
    with pytest.raises(InputError, match="is another run by now"):
        execute(spec, RunFolder(out), graph=GraphSource("path(n=8)").open())
    with pytest.raises(InputError, match="distances are finite, zero on the diagonal"):
        execute(spec, RunFolder(out), distances=np.zeros((3, 3)))
    monkeypatch.setattr(memory, "free", lambda: 10)
    with pytest.raises(NotEnoughMemoryError):
        execute(spec, RunFolder(out))
    assert list(tmp_path.iterdir()) == []


def test_a_list_that_was_lost_is_made_again(whole: Path, tmp_path: Path) -> None:
    """As the message says: the same grid finds its records; and another one does not take them."""
    shutil.copytree(whole / "grid", tmp_path / "grid")
    before = (tmp_path / "grid" / "grid.json").read_bytes()
    (tmp_path / "grid" / "grid.json").unlink()
    with pytest.raises(InputError, match="holds another grid: 8 of its runs"):
        GridFolder(tmp_path / "grid").begin(["other"])
    assert run("grid", str(toml(tmp_path)), "--out", str(tmp_path / "grid")) == 0
    assert (tmp_path / "grid" / "grid.json").read_bytes() == before


# --- files of another run -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["config.json", "embedding.npz", "history.csv", "scores.json"])
def test_a_file_of_another_run_is_noticed(
    name: str, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every command names a file that does not belong to the others; a folder of earlier days is read."""
    shutil.copytree(whole / "run", tmp_path / "run")
    riemap.embed(GRAPH, "E2", epochs=4, seed=1, out=tmp_path / "other")
    shutil.copy(tmp_path / "other" / name, tmp_path / "run")
    words = ["report", str(tmp_path / "run"), "-o", str(tmp_path / "page.html")]
    assert run(*words) == 2
    assert re.search(f"run/{'config.json' if name == 'scores.json' else name} ", capsys.readouterr().err)
    if name != "config.json":
        assert run(*WORDS, "--resume", "--out", str(tmp_path / "run")) == 2
    path = tmp_path / "run" / "scores.json"
    scores = json.loads(path.read_text())
    for key in ("checksum", "run", "embedding_checksum", "history_checksum"):
        scores.pop(key)
    path.write_text(json.dumps(scores))
    assert run(*words) == 0


def test_an_embedding_of_another_run_of_a_grid_is_noticed(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(whole / "grid", tmp_path / "grid")
    one, two, *_ = sorted((tmp_path / "grid" / "embeddings").glob("cycle*"))
    shutil.copy(one, two)
    assert run("report", str(tmp_path / "grid"), "-o", str(tmp_path / "page.html")) == 2
    assert f"riemap: {two} does not match its checksum in the record of its run" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["table", "report"])
def test_runs_without_a_record_are_counted(
    verb: str, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(whole / "grid", tmp_path / "grid")
    records = tmp_path / "grid" / "records" / "cycle-n=7.jsonl"
    more = ["--no-pages", "-o", str(tmp_path / "page.html")] if verb == "report" else []
    words = [verb, str(tmp_path / "grid"), *more]
    assert run(*words) == 0
    assert "not done" not in capsys.readouterr().err
    lines = records.read_bytes().splitlines(keepends=True)
    for kept in (7, 3):
        records.write_bytes(b"".join(lines[:kept]))
        assert run(*words) == 0
        assert f"riemap: {8 - kept} of 8 runs are not done" in capsys.readouterr().err


# --- another graph --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["evaluate", "{run}", "cycle(n=9)"], "--json"),
        (["export", "{run}", "--format", "graphml", "--graph", "cycle(n=9)"], "--points"),
        (["report", "{run}", "cycle(n=9)", "-o", "{out}.html"], "--undirected"),
        (["plot", "distances", "{run}", "--graph", "cycle(n=9)", "-o", "{out}.png"], "--undirected"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_another_graph_is_refused_unless_forced(
    words: list[str], option: str, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, page = str(whole / "run"), str(tmp_path / "page")
    arguments = [word.format(run=folder, out=page) for word in words]
    assert run(*arguments, option) == 2
    assert capsys.readouterr() == (
        "",
        f"riemap: 'cycle(n=9)' is not the graph that was embedded in {folder}, which is 'path(n=9)', "
        "or it has changed; name that one, or add --force to take this one\n",
    )
    assert run(*arguments, option, "--force") == 0
    right = [word.replace("cycle(n=9)", GRAPH) for word in arguments]
    assert run(*right, option) == 0
