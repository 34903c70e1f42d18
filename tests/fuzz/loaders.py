"""Attack on what riemap reads back: damage to every file that it has written.

Expected is the very answer of the undamaged file, one clear message, or, for a cache, that it is made again.
"""

import os
import warnings
from pathlib import Path
from random import Random
from typing import Any, final

import numpy as np

from fuzz import artefacts
from fuzz.attack import Attack, Case, packed, unpacked
from fuzz.command import Finished, run, without
from fuzz.mutations import cut_or_flipped, damaged
from fuzz.structures import damaged_json, damaged_npz, unsealed
from fuzz.verdict import ACCEPTED, Outcome, SilentChangeError, Verdict, judge
from riemap.distances import hop_counts, shortest_paths
from riemap.files import cache_folder

TIMES = ("seconds", "computed", "attempt", "machine")
"""Entries that differ from one run of the same command to the next."""

RESUME = (*artefacts.EMBED, "--resume", "--json", "--out")

READS: dict[str, tuple[tuple[str, ...], ...]] = {
    "run/embedding.npz": (
        ("evaluate", "run", artefacts.GRAPH, "--json"),
        ("nearest", "run", "0", "--json"),
        ("export", "run"),
        (*RESUME, "run"),
    ),
    "run/scores.json": ((*RESUME, "run"), ("report", "run", "-o", "page.html")),
    "run/config.json": ((*RESUME, "run"), ("report", "run", "-o", "page.html")),
    "run/history.csv": ((*RESUME, "run"), ("report", "run", "-o", "page.html")),
    "half-run/checkpoint.npz": ((*RESUME, "half-run"),),
    "half-run/config.json": ((*RESUME, "half-run"),),
    "grid/grid.json": (("table", "grid", "--json"), ("report", "grid", "-o", "page.html")),
    "grid/records": (("table", "grid", "--json"), ("report", "grid", "--no-pages", "-o", "page.html")),
    "grid/embeddings": (("report", "grid", "-o", "page.html"),),
    "store": ((),),
}
"""The commands that read a file, or the files of a folder; ``store`` is the distances in the cache."""

RECORDED = ("run/history.csv", "run/embedding.npz", "grid/embeddings")
"""Files whose checksums are in other files, so that they cannot lose them."""

OUTPUTS = ("page.html", "half-run/embedding.npz", "page_files")
"""What these commands write, and is compared."""


@final
class Loaders(Attack):
    """Files of riemap that are damaged, swapped, renamed or forged."""

    name = "loaders"
    seconds = 60.0
    share = 1.5
    short = 16

    def prepare(self, shared: Path) -> int:
        artefacts.make(shared)
        self.shared = shared
        self.right: dict[tuple[str, tuple[str, ...]], Any] = {}
        return 0

    def draw(self, rng: Random, number: int) -> Case:
        read = list(READS)[number % len(READS)]
        path = self._path(rng, read)
        data = path.read_bytes()
        command = rng.choice(READS[read])
        name = path.name if read == "store" else str(path.relative_to(self.shared))
        data = self._damaged(rng, path, data)
        return {"read": read, "file": name, "data": packed(data), "command": command}

    def _path(self, rng: Random, read: str) -> Path:
        if read == "store":
            return cache_folder() / "distances" / f"{artefacts.stored_graph().key}.npy"
        path = self.shared / read
        return path if path.is_file() else rng.choice(sorted(path.iterdir()))

    def _damaged(self, rng: Random, path: Path, data: bytes) -> bytes:
        """What is put in the place of the file."""
        choice = rng.random()
        files = [p for name in ("run", "half-run", "grid") for p in sorted((self.shared / name).rglob("*.*"))]
        if choice < 0.08:
            foreign = [file.read_bytes() for file in files if _kind(file) != _kind(path)]
            return rng.choice((b"", b"{}", b"[]", *foreign))
        if choice < 0.12 and (others := self._others(path)):
            return rng.choice(others).read_bytes()
        if choice < 0.4 or path.suffix in (".csv", ".npy"):
            small = len(data) < 100_000 and rng.random() < 0.5
            return damaged(rng, data) if small else cut_or_flipped(rng, data)
        if path.suffix == ".npz":
            return damaged_npz(rng, data, [p.read_bytes() for p in files if p.suffix == ".npz"])
        return damaged_json(rng, data)

    def _others(self, path: Path) -> list[Path]:
        """Whole files of the same kind that are of another run, or of other runs of the grid."""
        if path.parent.name in ("run", "half-run"):
            return [path.parent.with_name(path.parent.name.replace("run", "other")) / path.name]
        return [
            other for other in sorted(path.parent.iterdir()) if other != path and _kind(other) == _kind(path)
        ]

    def check(self, case: Case, folder: Path) -> Verdict:
        words = tuple(case["command"])
        if case["read"] == "store":
            return self._store(case)
        top = case["file"].split("/")[0]
        if (top, words) not in self.right:
            clean = folder / "clean"
            clean.mkdir()
            artefacts.copied(self.shared, clean, top)
            finished, found = _answered(words, clean)
            if finished.code != 0:
                raise RuntimeError(f"{words} fails on whole files: {finished.err}") from finished.error
            self.right[top, words] = found | {"told": finished.told}
        broken = folder / "case"
        broken.mkdir()
        artefacts.copied(self.shared, broken, top)
        (broken / case["file"]).write_bytes(unpacked(case["data"]))
        finished, found = _answered(words, broken)
        if finished.code != 0 or finished.verdict.outcome.is_failure:
            return finished.verdict
        if case["read"] not in RECORDED and unsealed(unpacked(case["data"])):
            return Verdict(Outcome.ACCEPTED, "without a checksum")
        right_answer = dict(self.right[top, words])
        if finished.told - right_answer.pop("told"):
            return Verdict(Outcome.ACCEPTED, "with a message")
        for name, right in right_answer.items():
            if found.get(name) != right:
                message = f"{name} of {' '.join(words)} differs: {_difference(found.get(name), right)}"
                return Verdict(Outcome.CHANGED, message, f"{case['read']}, {words[0]}, {name}")
        return ACCEPTED

    def _store(self, case: Case) -> Verdict:
        graph = artefacts.stored_graph()
        path = cache_folder() / "distances" / case["file"]
        path.write_bytes(unpacked(case["data"]))

        def action() -> None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = shortest_paths(graph)
            if not np.array_equal(found, hop_counts(graph)):
                raise SilentChangeError("the stored distances are wrong")

        try:
            return judge(action)
        finally:
            os.unlink(path)
            shortest_paths(graph)


def _kind(path: Path) -> str:
    """Files of one kind have the same format."""
    return (
        path.parent.name
        if path.parent.name in ("records", "embeddings")
        else path.name.replace("embedding.npz", "embeddings")
    )


def _answered(words: tuple[str, ...], folder: Path) -> tuple[Finished, dict[str, Any]]:
    """Run a command; return how it ended, and everything that it printed and wrote, without times."""
    finished = run(words, folder)
    printed = artefacts.strict(finished.out) if "--json" in words else finished.out
    found: dict[str, Any] = {"stdout": without(printed, *TIMES)}
    for path in (folder / name for name in OUTPUTS):
        for file in [path] if path.is_file() else sorted(path.glob("*")):
            found[file.name] = file.read_bytes()
    return finished, found


def _difference(found: Any, right: Any) -> str:
    """Where two values first differ."""
    if isinstance(found, dict) and isinstance(right, dict):
        key = next(
            k for k in [*right, *found] if found.get(k) != right.get(k) or (k in found) != (k in right)
        )
        return f"{key}: {_difference(found.get(key), right.get(key))}"
    a, b = (str(x) if not isinstance(x, bytes) else x.decode(errors="replace") for x in (found, right))
    at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return f"{a[max(0, at - 40) : at + 60]!r} instead of {b[max(0, at - 40) : at + 60]!r}"
