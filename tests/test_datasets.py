"""Datasets are found in a folder, the cache or the network, and are refused if their hash differs."""

import gzip
import hashlib
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import networkx as nx
import numpy as np
import pytest

from riemap.graphs import (
    DATASETS,
    Dissimilarities,
    Graph,
    GraphWarning,
    as_graph,
    dataset_path,
    downloads,
    load_dataset,
    open_graph,
)
from riemap.graphs.convert import NETWORKX_DATASETS
from riemap.graphs.options import Weights

FIRST_LABELS = {
    "karate": 0,
    "les-miserables": "Napoleon",
    "davis": "Evelyn Jefferson",
    "florentine": "Acciaiuoli",
}
"""First label of each dataset that comes with NetworkX."""

UNWEIGHTED = {"karate", "les-miserables"}
"""Bundled datasets whose weights are dropped."""

GOOD = gzip.compress(b"0 1\n1 2\n2 3\n3 4\n4 0\n", mtime=0)
FILE = "cycle1000.edges.gz"


class Answer(NamedTuple):
    """An answer of the server: its body, the length in its header, its status."""

    body: bytes = GOOD
    length: int = len(GOOD)
    status: int = 200


class Server(ThreadingHTTPServer):
    """An HTTP server that sends its answers one after the other, and repeats the last one."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = [Answer()]
        self.requests: list[str] = []

    def next(self) -> Answer:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.requests.append(self.path)
        answer = self.server.next()
        self.send_response(answer.status)
        self.send_header("Content-Length", str(answer.length))
        if answer.status == 302:
            self.send_header("Location", self.path)
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Log nothing."""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set an empty cache and no folder of data."""
    monkeypatch.setenv("RIEMAP_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("RIEMAP_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(downloads, "DOWNLOAD_RETRIES", 0)
    return tmp_path / "cache" / "data"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Serve a dataset ``cycle`` of five nodes from this machine."""
    with Server() as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        register(monkeypatch, f"http://127.0.0.1:{server.server_port}/{FILE}")
        yield server
        server.shutdown()


def register(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    digest = hashlib.sha256(GOOD).hexdigest()
    monkeypatch.setitem(DATASETS, "cycle", replace(DATASETS["cycle"], n=5, m=5, url=url, sha256=digest))


def files(folder: Path) -> dict[str, bytes]:
    """Return the contents of all files in a folder, temporary ones included."""
    return {path.name: path.read_bytes() for path in folder.glob("*")}


@pytest.mark.parametrize("name", [name for name in DATASETS if name not in FIRST_LABELS])
def test_every_dataset_loads_with_its_sizes(name: str, paper_graph: Callable[[str], object]) -> None:
    """The sizes are the registered ones. Dropped or merged edges would be warnings, which are errors here."""
    found = paper_graph(name)
    assert (found.n, found.name) == (DATASETS[name].n, name)
    if name == "cat-cortex":
        assert isinstance(found, Dissimilarities)
    else:
        assert isinstance(found, Graph)
        assert found.m == DATASETS[name].m


@pytest.mark.parametrize("name", FIRST_LABELS)
def test_bundled_graphs_need_no_network(name: str) -> None:
    """Bundled graphs keep their labels. Weights that are strengths are dropped, as the description says."""
    found = load_dataset(name)
    assert isinstance(found, Graph)
    assert (found.n, found.m, found.weights) == (DATASETS[name].n, DATASETS[name].m, None)
    assert ("unweighted" in DATASETS[name].description) == (name in UNWEIGHTED)
    assert found.labels[0] == FIRST_LABELS[name]


@pytest.mark.parametrize("name", NETWORKX_DATASETS)
@pytest.mark.parametrize("weights", ["ignore", "lengths"])
def test_bundled_graphs_are_those_of_networkx(name: str, weights: Weights) -> None:
    theirs = as_graph(getattr(nx, NETWORKX_DATASETS[name])(), weights=weights)
    ours = load_dataset(name, weights=weights)
    assert isinstance(ours, Graph)
    assert (ours.key, ours.labels, ours.attributes) == (theirs.key, theirs.labels, theirs.attributes)


def test_the_registry_is_complete() -> None:
    """Twenty datasets of the paper have an address and a hash; the four of NetworkX have neither."""
    assert len(DATASETS) == 24
    for name, dataset in DATASETS.items():
        assert dataset.name == name
        assert dataset.citation.endswith(".")
        assert (
            (len(dataset.sha256) == 64)
            == dataset.url.endswith(f"/{dataset.file}")
            == (name not in FIRST_LABELS)
        )


def test_a_dataset_is_downloaded_once(server: Server, cache: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The second use reads the cache. Nothing is printed if stderr is not a terminal."""
    assert dataset_path("cycle") == cache / FILE
    assert load_dataset("cycle").n == 5
    assert server.requests == [f"/{FILE}"]
    assert files(cache) == {FILE: GOOD}
    assert capfd.readouterr() == ("", "")


def test_a_terminal_gets_a_progress_bar(
    server: Server, cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    dataset_path("cycle")
    out, err = capsys.readouterr()
    assert out == ""
    assert FILE in err
    assert files(cache) == {FILE: GOOD}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(GOOD[:-1] + b"x"), "the downloaded file is not the registered one"),
        (Answer(GOOD[:20]), "was cut short"),
        (Answer(b"<html>", 6), "the downloaded file is not the registered one"),
        (Answer(b"", 0, 404), "the server answered 404 Not Found"),
    ],
    ids=["corrupted", "cut short", "another page", "missing"],
)
def test_a_bad_download_leaves_nothing(server: Server, cache: Path, answer: Answer, reason: str) -> None:
    server.answers = [answer]
    with pytest.raises(OSError, match="cannot download dataset 'cycle' from http://127") as caught:
        load_dataset("cycle")
    message = str(caught.value)
    assert reason in message
    assert all(word in message for word in (DATASETS["cycle"].url, FILE, "$RIEMAP_DATA", "karate"))
    assert "\n" not in message
    assert files(cache) == {}


@pytest.mark.parametrize("status", [200, 302])
def test_a_download_has_a_limit(
    server: Server, cache: Path, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection is closed soon after the limit, also in the middle of a redirection."""
    monkeypatch.setattr(downloads, "MAX_DOWNLOAD_BYTES", 100_000)
    server.answers = [Answer(bytes(200_000), 10**15, status)]
    with pytest.raises(
        OSError, match=r"the server sends more than 100,000 bytes, more than any dataset has\."
    ):
        load_dataset("cycle")
    assert files(cache) == {}


def test_a_failed_download_is_tried_again(
    server: Server, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(downloads, "DOWNLOAD_RETRIES", 1)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    server.answers = [Answer(GOOD[:20]), Answer()]
    assert load_dataset("cycle").n == 5
    assert len(server.requests) == 2


def test_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        register(monkeypatch, f"http://127.0.0.1:{unused.getsockname()[1]}/{FILE}")
        with pytest.raises(OSError, match=r"the connection failed .* \(ConnectionError\)\. Put"):
            load_dataset("cycle")


def test_a_cache_that_cannot_be_written(server: Server, cache: Path) -> None:
    cache.parent.touch()
    with pytest.raises(OSError, match="cache/data cannot be written"):
        load_dataset("cycle")


def test_a_damaged_cache_is_noticed_and_replaced(server: Server, cache: Path) -> None:
    cache.mkdir(parents=True)
    (cache / FILE).write_bytes(GOOD[:-3])
    with pytest.warns(GraphWarning, match=r"is damaged: .* downloading it again"):
        assert load_dataset("cycle").n == 5
    assert files(cache) == {FILE: GOOD}


def test_the_folder_of_data_comes_first(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RIEMAP_DATA", str(tmp_path))
    (tmp_path / FILE).write_bytes(GOOD)
    assert dataset_path("cycle") == tmp_path / FILE
    assert server.requests == []


def test_a_wrong_file_in_the_folder_of_data_is_an_error(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RIEMAP_DATA", str(tmp_path))
    (tmp_path / FILE).write_bytes(GOOD + b" ")
    with pytest.raises(ValueError, match=rf"{FILE} is not the file of dataset 'cycle': its SHA-256"):
        load_dataset("cycle")
    assert server.requests == []


def test_a_folder_of_data_that_does_not_exist_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RIEMAP_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(ValueError, match="which is not a folder"):
        load_dataset("power")


def test_other_sizes_than_registered_are_an_error(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DATASETS, "cycle", replace(DATASETS["cycle"], m=6))
    with pytest.raises(ValueError, match="should have 5 nodes and 6 edges"):
        load_dataset("cycle")


def test_a_wrong_name_gets_the_nearest() -> None:
    with pytest.raises(
        ValueError, match=r"no dataset is called 'pwer'; did you mean 'power'\? 'riemap datasets' lists"
    ):
        load_dataset("pwer")
    with pytest.raises(ValueError, match="comes with NetworkX and has no file"):
        dataset_path("karate")


def test_open_graph_takes_whatever_the_command_line_takes(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file is preferred to a dataset, and a dataset to a generator. A folder hides nothing."""
    monkeypatch.chdir(tmp_path)
    Path("two.edges").write_text("a b\nb c\n")
    np.save("three.npy", np.array([1.0, 2.0, 1.5]))
    monkeypatch.setitem(DATASETS, "two.edges", DATASETS["karate"])
    Path("karate").mkdir()
    assert open_graph("two.edges").labels == ("a", "b", "c")
    assert isinstance(open_graph("three.npy"), Dissimilarities)
    assert open_graph("karate").n == 34
    assert open_graph("cycle").n == 5
    assert open_graph("cycle( n = 7 )").n == 7


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "karte",
            "no file, dataset or generator is called 'karte'; did you mean 'karate'? 'riemap datasets'",
        ),
        ("hypercub", "did you mean 'hypercube'?"),
        ("nowhere/at/all.edges", "no file, dataset or generator is called 'nowhere/at/all.edges'. 'riemap"),
        ("hypercube", "generator 'hypercube': d must be given; it is spelled hypercube(d=...)"),
        ("tree(r=4,", "cannot read 'tree(r=4,'"),
        ("", "is called ''"),
        ("\0", r"is called '\x00'"),
        ("a" * 100_000, "is called 'aaaa"),
    ],
)
def test_a_text_that_names_nothing_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"called|spelled") as caught:
        open_graph(text)
    assert message in str(caught.value)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 250


def test_pieces_and_directions_are_passed_on(tmp_path: Path) -> None:
    path = tmp_path / "pieces.edges"
    path.write_text("a b\nb c\nd e\n")
    with pytest.raises(ValueError, match="2 components"):
        open_graph(str(path), components="require")
    with pytest.raises(ValueError, match="components"):
        open_graph("erdos-renyi(n=40,p=0.04,seed=1)", components="require")
    path = tmp_path / "directed.gml"
    path.write_text("graph [ directed 1 node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]")
    with pytest.raises(ValueError, match="directed"):
        open_graph(str(path))
    assert open_graph(str(path), undirected=True).n == 2
