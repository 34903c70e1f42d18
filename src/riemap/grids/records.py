"""The folder of a grid: what is to be done, and a record of each run that is.

``grid.json`` lists the runs. A run that is finished has ``embeddings/ID.npz`` and ``records/ID.json``; the
record comes last and says that all is there. Each is written beside its place and renamed onto it.
``locks/ID`` is locked while a process is at work on a run; the system unlocks it whatever ends the process.

A compact folder has small records and no points, so that it can be kept in a repository. It has no list
either: whoever asks for some runs finds those that are there.
"""

import json
import math
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any, final

import riemap
from riemap.errors import InputError
from riemap.files import written_whole
from riemap.specs import shown


@final
class Folder:
    """A grid on disk; a compact one keeps no embeddings."""

    def __init__(self, path: Path, compact: bool = False) -> None:
        self.path, self.compact = path, compact

    def begin(self, ids: Sequence[str]) -> None:
        """Take the folder for a grid of these runs: a new one, or one whose runs are all among them."""
        known = self.grid()
        if known is None:
            if self.path.exists() and any(not name.startswith(".") for name in os.listdir(self.path)):
                raise InputError(f"{self.path} holds something else than a grid; name a folder that is new")
        elif known["version"] != riemap.__version__:
            raise InputError(
                f"{self.path} holds records of riemap {shown(known['version'])}, and this is "
                f"{riemap.__version__}; name another folder"
            )
        elif others := [id for id in known["runs"] if id not in set(ids)]:
            raise InputError(
                f"{self.path} holds another grid: {len(others)} of its runs are not in this one, "
                f"such as {shown(others[0], 100)}; name another folder"
            )
        if known is None or known["runs"] != list(ids):
            _write(self.path / "grid.json", {"version": riemap.__version__, "runs": list(ids)})

    def grid(self) -> dict[str, Any] | None:
        """Version and ids of the runs, if the folder is one of a grid."""
        found = _read(self.path / "grid.json")
        if found is None:
            return None
        if not isinstance(found.get("runs"), list) or "version" not in found:
            raise InputError(f"{self.path / 'grid.json'} is not the list of a grid's runs")
        return found

    def embedding(self, id: str) -> Path:
        """Where the embedding of a run is, or will be."""
        return self.path / "embeddings" / f"{id}.npz"

    def record(self, id: str) -> dict[str, Any] | None:
        """What came of a run, if anything did."""
        found = _read(self._record(id))
        if found is not None and not ("error" in found or found.keys() >= {"run", "dim", "scores"}):
            raise InputError(
                f"{self._record(id)} is not the record of a run; remove it, and it is done again"
            )
        return found

    def records(self) -> list[dict[str, Any]]:
        """What there is, in the order of the grid; in that of their ids where there is no list."""
        known = self.grid()
        ids = sorted(path.stem for path in (self.path / "records").glob("*.json"))
        if known is None and not ids and not self.compact:
            raise InputError(
                f"{self.path} is not the folder of a grid; 'riemap grid FILE.toml --out' makes one"
            )
        ids = ids if known is None else known["runs"]
        return [found for id in ids if (found := self.record(id)) is not None]

    def write(self, id: str, record: Mapping[str, Any]) -> None:
        """Say that a run is finished."""
        found = finite(record)
        _write(self._record(id), compacted(found) if self.compact else found, None if self.compact else 2)

    def stamp(self, id: str) -> str:
        """What tells one record of a run from a later one; empty if there is none."""
        try:
            found = self._record(id).stat()
        except FileNotFoundError:
            return ""
        return f"{found.st_ino} {found.st_mtime_ns}"

    @contextmanager
    def claim(self, id: str) -> Iterator[bool]:
        """Whether the run is ours to do, which no other process is told until we leave or die."""
        path = self.path / "locks" / id
        path.parent.mkdir(parents=True, exist_ok=True)
        file = _locked(path)
        if file is None:
            yield False
            return
        with file:
            try:
                yield True
            finally:
                path.unlink(missing_ok=True)

    def _record(self, id: str) -> Path:
        return self.path / "records" / f"{id}.json"


def machine(threads: int) -> dict[str, Any]:
    """What a run was done on, and nothing that tells whose machine it is."""
    return {
        "cores": cores(),
        "threads": threads,
        "platform": f"{platform.system()} {platform.machine()}",
        **{name: version(name) for name in ("numpy", "numba")},
        "python": platform.python_version(),
    }


def cores() -> int:
    """How many this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not everywhere
        return os.cpu_count() or 1


def finite(value: Any) -> Any:
    """The same with ``None`` for every number that is none, which JSON does not have.

    >>> finite({"loss": [1.0, float("nan")]})
    {'loss': [1.0, None]}
    """
    if isinstance(value, Mapping):
        return {key: finite(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [finite(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def compacted(record: Mapping[str, Any]) -> dict[str, Any]:
    """The same with fewer digits, and without what the graph tells by itself.

    >>> compacted({"scores": {"ad": 0.12345678901, "map": None}, "f1@k": [0.123456], "layers": [7]})
    {'scores': {'ad': 0.123456789, 'map': None}, 'f1@k': [0.1235]}
    """
    found = {key: value for key, value in record.items() if key != "layers"}
    if "scores" in found:
        found["scores"] = {
            name: None if value is None else float(f"{value:.9g}") for name, value in found["scores"].items()
        }
        found["f1@k"] = [None if value is None else round(value, 4) for value in found["f1@k"]]
    if angles := found.get("angles"):
        found["angles"] = {
            "mean": round(angles["mean"], 5),
            "quantiles": [round(value, 5) for value in angles["quantiles"]],
        }
    return found


def _locked(path: Path) -> IO[bytes] | None:
    """A file that is locked as long as it is open; nothing if another process has it."""
    import fcntl  # which Windows lacks; tables do without

    while True:
        file = path.open("ab")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        except BlockingIOError:
            file.close()
            return None
        except FileNotFoundError:
            pass
        file.close()  # it was removed by the one who had it, after we had opened it


def _write(path: Path, found: Mapping[str, Any], indent: int | None = 2) -> None:
    with written_whole(path) as file:
        text = json.dumps(found, indent=indent, allow_nan=False, ensure_ascii=False)
        file.write(f"{text}\n".encode())


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, RecursionError) as error:
        raise InputError(f"cannot read {path}: {error}; remove it, and it is made again") from None
    if not isinstance(found, dict):
        raise InputError(f"{path} holds no JSON object; remove it, and it is made again")
    return found
