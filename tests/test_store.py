"""The store returns correct distances after kills and damage, and with many processes at once."""

import io
import os
import random
import re
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riemap import files
from riemap.distances import hop_counts, paths, shortest_paths, store
from riemap.graphs import Graph, GraphWarning

N = 1200
GRAPH = Graph.from_edges(np.column_stack([np.arange(N), np.roll(np.arange(N), -1)]), name="ring")
RIGHT = np.minimum(d := np.abs(np.subtract.outer(np.arange(N), np.arange(N))), N - d)

MAKE = """
import numpy as np, sys
from riemap.distances import shortest_paths
from riemap.graphs import Graph
n = 1200
ring = Graph.from_edges(np.column_stack([np.arange(n), np.roll(np.arange(n), -1)]), name="ring")
print("ready", flush=True)
sys.stdin.readline()
for _ in range(int(sys.argv[1])):
    found = shortest_paths(ring)
    d = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    assert np.array_equal(found, np.minimum(d, n - d))
    if sys.argv[2] == "again":
        import riemap.distances.store as store
        store.save(ring, found)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RIEMAP_CACHE", str(tmp_path))
    return tmp_path / "distances"


def start(times: int, mode: str = "once") -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", MAKE, str(times), mode],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NUMBA_NUM_THREADS": "1"},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def go(process: "subprocess.Popen[str]") -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def test_distances_are_computed_once_and_then_mapped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = shortest_paths(GRAPH)
    assert isinstance(first.base, np.memmap)
    monkeypatch.setattr(paths, "hop_counts", None)
    second = shortest_paths(GRAPH)
    assert np.array_equal(first, RIGHT)
    assert np.array_equal(second, RIGHT)
    assert not second.flags.writeable
    (file,) = folder.iterdir()
    assert np.array_equal(np.load(file, mmap_mode="r"), RIGHT), "the file is a plain .npy"
    assert file.stat().st_mode & 0o777 == 0o666 & ~files._umask()


def test_every_flipped_byte_is_noticed(folder: Path) -> None:
    shortest_paths(GRAPH)
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    draw = random.Random(0)
    places = [*range(0, 140, 7), *(draw.randrange(len(whole)) for _ in range(20)), *range(-12, 0)]
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << draw.randrange(8)
        file.write_bytes(damaged)
        with pytest.warns(GraphWarning, match="damaged .*; computing them again"):
            found = shortest_paths(GRAPH)
        assert np.array_equal(found, RIGHT)
        assert file.read_bytes() == whole


@pytest.mark.parametrize("length", [0, 1, 11, 12, 100, 128, 5000, -1, -12, -13])
def test_a_file_cut_short_is_noticed(length: int, folder: Path) -> None:
    shortest_paths(GRAPH)
    (file,) = folder.iterdir()
    file.write_bytes(file.read_bytes()[:length])
    with pytest.warns(GraphWarning, match="damaged"):
        assert np.array_equal(shortest_paths(GRAPH), RIGHT)


def test_a_file_of_another_graph_is_noticed(folder: Path) -> None:
    other = Graph.from_edges(np.column_stack([np.arange(N - 1), np.arange(1, N)]), name="line")
    shortest_paths(other)
    (file,) = folder.iterdir()
    file.rename(folder / f"{GRAPH.key}.npy")
    with pytest.warns(GraphWarning, match="checksum"):
        assert np.array_equal(shortest_paths(GRAPH), RIGHT)


def forged(file: Path, matrix: np.ndarray[Any, Any], key: str = GRAPH.key) -> None:
    """Write a file with the right checksum, as whoever can write to the cache can."""
    stream = io.BytesIO()
    np.save(stream, matrix, allow_pickle=True)
    checksum = zlib.crc32(stream.getvalue(), zlib.crc32(key.encode()))
    file.write_bytes(stream.getvalue() + store.STORE_MAGIC + checksum.to_bytes(4, "little"))


@pytest.mark.parametrize(
    ("matrix", "said"),
    [
        (np.full((N, N), None), "no NumPy array of numbers or texts"),
        (np.zeros((N, N - 1), np.uint8), "shape (1200, 1199); expected uint8 or uint16 or uint32"),
        (np.zeros(N, np.uint8), "shape (1200,)"),
        (np.zeros((N, N), np.float64), "type float64"),
        (np.zeros((N, N), np.int16), "type int16"),
        (np.zeros((N, N), bool), "type bool"),
        (np.asfortranarray(RIGHT.astype(np.uint16)), "(1200, 1200)"),
        (np.full((N, N), N, np.uint16), "numbers that are not distances between 1200 nodes"),
    ],
    ids=lambda value: str(value)[:20] if isinstance(value, str) else value.dtype.name,
)
def test_a_forged_file_is_refused_before_it_is_mapped(
    matrix: np.ndarray[Any, Any], said: str, folder: Path
) -> None:
    shortest_paths(GRAPH)
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    forged(file, RIGHT.astype(np.uint16))
    assert np.array_equal(shortest_paths(GRAPH), RIGHT), "the forgery itself is right"
    forged(file, matrix)
    with pytest.warns(GraphWarning, match=re.escape(said)):
        assert np.array_equal(shortest_paths(GRAPH), RIGHT)
    assert file.read_bytes() == whole


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0])
def test_lengths_are_finite(value: float, folder: Path) -> None:
    ring = Graph.from_edges(GRAPH.edges(), np.linspace(1.0, 2.0, N), name="lengths")
    right = shortest_paths(ring).copy()
    wrong = right.copy()
    wrong[3, 4] = value
    (file,) = folder.iterdir()
    forged(file, wrong, ring.key)
    with pytest.warns(GraphWarning, match="not distances"):
        assert np.array_equal(shortest_paths(ring), right)


def test_a_pipe_in_the_cache_is_not_waited_for(folder: Path) -> None:
    folder.mkdir()
    os.mkfifo(folder / f"{GRAPH.key}.npy")
    with pytest.warns(GraphWarning, match="it is not a file") as told:
        assert np.array_equal(shortest_paths(GRAPH), RIGHT)
    assert len(told) == 2, "it is neither read nor replaced"


def test_killed_while_writing(folder: Path) -> None:
    """Distances stay right after each of twelve kills, which come at different moments of writing."""
    for delay in np.linspace(0.0, 0.05, 12):
        process = start(10_000, "again")
        go(process)
        while not folder.exists() and process.poll() is None:
            time.sleep(0.001)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert np.array_equal(shortest_paths(GRAPH), RIGHT)
    file = folder / f"{GRAPH.key}.npy"
    left = folder / f"{files._part_prefix(file)}killed.part"
    left.write_bytes(b"half")  # in case every process was killed between two files
    for part in folder.glob(".*.part"):
        os.utime(part, (0, 0))
    store.save(GRAPH, hop_counts(GRAPH))
    assert list(folder.iterdir()) == [file], "parts of killed processes are removed"


def test_eight_at_once(folder: Path) -> None:
    """Eight processes that write and read the same matrix at once all get the right one."""
    processes = [start(3, "again") for _ in range(8)]
    for process in processes:
        go(process)
    for process in processes:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    assert np.array_equal(shortest_paths(GRAPH), RIGHT)
    assert len(list(folder.iterdir())) == 1


def test_a_folder_that_cannot_be_written_gives_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("RIEMAP_CACHE", str(tmp_path / "file"))
    with pytest.warns(GraphWarning) as told:
        assert np.array_equal(shortest_paths(GRAPH), RIGHT)
    assert any("they stay in memory" in str(w.message) for w in told)


def test_a_full_disk_gives_a_warning(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    with pytest.warns(GraphWarning, match="No space left on device.*they stay in memory"):
        assert np.array_equal(shortest_paths(GRAPH), RIGHT)
    assert list(folder.iterdir()) == []


# --- size -------------------------------------------------------------------------------------------


def test_the_store_has_a_limit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file that was not used for longest goes; one that was read stays, and so does the newest."""
    matrix, k = np.zeros((N, N), np.uint8), np.arange(1, N)
    path = Graph.from_edges(np.column_stack([k - 1, k]), name="path")
    star = Graph.from_edges(np.column_stack([0 * k, k]), name="star")
    graphs = [GRAPH, path, star]
    store.save(graphs[0], RIGHT.astype(np.uint16))
    store.save(graphs[1], matrix)
    for k, graph in enumerate(graphs[:2]):
        os.utime(folder / f"{graph.key}.npy", (k, k))
    assert store.load(graphs[0]) is not None  # now the other one is unused for longest
    monkeypatch.setattr(
        store, "LARGEST_STORE_BYTES", (folder / f"{GRAPH.key}.npy").stat().st_size + 2 * N * N
    )
    store.save(graphs[2], matrix)
    assert {path.stem for path in folder.iterdir()} == {graphs[0].key, graphs[2].key}
    monkeypatch.setattr(store, "LARGEST_STORE_BYTES", 1)
    store.save(graphs[1], matrix)
    assert {path.stem for path in folder.iterdir()} == {graphs[1].key}
