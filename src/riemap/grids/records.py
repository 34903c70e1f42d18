"""The folder of a grid: the list of its runs, and a record of each one that is done.

``grid.json`` lists the runs. ``records/GRAPH.jsonl`` has a line for every run of a graph that is done or has
failed, and ``embeddings/ID.npz`` holds the embedding of a run, which is written before its record. A file is
written beside its place and renamed onto it, so that a process that is killed leaves the old file or the new
one. ``locks/ID`` is locked while a process does a run, and ``locks/GRAPH.jsonl`` while it writes a record.

A compact folder has short records and no embeddings, so that it can be kept in a repository. It has no list:
any runs may be looked up in it.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, TypeAlias, TypedDict, cast, final

import riemap
from riemap.checked_json import read_checked, write_checked
from riemap.embeddings import Embedding
from riemap.embeddings.storage import embedding_checksum
from riemap.errors import InputError
from riemap.files import written_whole
from riemap.graphs import AnyGraph
from riemap.grids.outcomes import Outcome
from riemap.grids.record import RunRecord, compacted, finite
from riemap.grids.record_lines import json_line, read_records
from riemap.locks import try_lock, wait_for_lock
from riemap.runs.folder import is_new
from riemap.runs.spec import RunSpec, file_name
from riemap.specs import shown

Stamp: TypeAlias = tuple[int, int, int]
"""Inode, time of change and size of a file: another one means that the file was written again."""


class ListEntries(TypedDict):
    """``grid.json``: the version that began the grid, and the ids of its runs."""

    version: str
    runs: list[str]


@final
class GridFolder:
    """A grid on disk.

    Parameters
    ----------
    path
        The folder, which need not exist.
    compact
        Whether to keep short records and no embeddings.
    """

    def __init__(self, path: Path, compact: bool = False) -> None:
        self.path, self.compact, self.locks = path, compact, path / "locks"
        self._read_files: dict[Path, tuple[Stamp, dict[str, RunRecord]]] = {}

    def begin(self, ids: Sequence[str]) -> None:
        """Take the folder for a grid of these runs: a new folder, or one whose runs are all among them.

        Parameters
        ----------
        ids
            Ids of the runs of the grid.

        Raises
        ------
        InputError
            If the folder holds another grid, records of another version, or something else.
        """
        known, recorded = self.grid(), self._recorded()
        if known is None and not recorded and not is_new(self.path):
            raise InputError(f"{self.path} holds something else than a grid; name a new folder")
        versions = {known["version"]} if known else {record["version"] for record in recorded.values()}
        if others := sorted(versions - {riemap.__version__}):
            raise InputError(
                f"{self.path} holds records of riemap {shown(others[0])}, and this is "
                f"{riemap.__version__}; name another folder"
            )
        if others := [id for id in (known["runs"] if known else recorded) if id not in set(ids)]:
            raise InputError(
                f"{self.path} holds another grid: {len(others)} of its runs are not in this one, "
                f"such as {shown(others[0], 100)}; name another folder"
            )
        if known is None or known["runs"] != list(ids):
            write_checked(self._list, {"version": riemap.__version__, "runs": list(ids)})

    def grid(self) -> dict[str, Any] | None:
        """Read the version and the ids of the runs.

        Returns
        -------
        dict or None
            What ``grid.json`` holds; ``None`` if it is not there.

        Raises
        ------
        InputError
            If it is damaged.
        """
        try:
            return read_checked(self._list, ListEntries)
        except InputError as error:
            raise InputError(f"{error}; without the file, the same grid makes it again") from None

    @property
    def _list(self) -> Path:
        return self.path / "grid.json"

    def _check_present(self) -> None:
        """Refuse to go on in a folder that was removed meanwhile; a compact folder has no list."""
        if not self.compact and not self._list.exists():
            raise InputError(
                f"{self._list} was removed while the grid went on, so its results are not kept; "
                "start the grid again"
            )

    def embedding(self, id: str) -> Path:
        """Tell where the embedding of a run is, or will be: an ``.npz`` file."""
        return self.path / "embeddings" / f"{id}.npz"

    def record(self, run: RunSpec) -> RunRecord | None:
        """Look up the record of a run.

        Parameters
        ----------
        run
            The run.

        Returns
        -------
        RunRecord or None
            What is recorded; ``None`` if it is not done.

        Raises
        ------
        InputError
            If the file of the records is damaged.
        """
        return self._lines(self._file(run.graph)).get(run.id)

    def attempts(self, run: RunSpec) -> int:
        """Count how many times a run was recorded: 0 if it is not done, more than 1 if it was done again."""
        record = self.record(run)
        return 0 if record is None else record.get("attempt", 1)

    def records(self) -> list[RunRecord]:
        """Read all records, in the order of the grid; sorted by id where there is no list.

        Returns
        -------
        list of RunRecord
            Records of finished and of failed runs.

        Raises
        ------
        InputError
            If the folder is not one of a grid, or if a file of records is damaged.
        """
        known, found = self.grid(), self._recorded()
        if known is None and not found and not self.compact:
            raise InputError(f"{self.path} is not the folder of a grid; 'riemap grid FILE.toml' makes one")
        if known is None:
            return [found[id] for id in sorted(found)]
        if unlisted := found.keys() - set(known["runs"]):
            raise InputError(
                f"{self._list} does not list the run {shown(min(unlisted), 100)}, which is recorded; "
                "without the file, the same grid makes it again"
            )
        return [found[id] for id in known["runs"] if id in found]

    def _recorded(self) -> dict[str, RunRecord]:
        """All records by their ids."""
        folder = self.path / "records"
        if next(folder.glob("*.json"), None) is not None:
            raise InputError(
                f"{self.path} has a file for every record, as riemap wrote them before it had one for every "
                "graph; convert them: python tools/convert_records.py"
            )
        return {id: r for path in sorted(folder.glob("*.jsonl")) for id, r in self._lines(path).items()}

    def finished(self, graph: AnyGraph | None = None) -> list[RunRecord]:
        """Read the records of the runs that did not fail.

        Parameters
        ----------
        graph
            Only runs of this graph; all if it is ``None``.

        Returns
        -------
        list of RunRecord
            At least one.

        Raises
        ------
        InputError
            If there is none.
        """
        done = [record for record in self.records() if "error" not in record]
        if not done:
            raise InputError(f"{self.path} has no finished run; 'riemap grid' does them")
        same = [record for record in done if graph is None or record["run"]["key"] == graph.key]
        if graph is not None and not same:
            raise InputError(
                f"{self.path} has no finished run of {graph.name}; a page compares runs of one graph"
            )
        return same

    def save(self, record: RunRecord, embedding: Embedding | None = None) -> Outcome:
        """Keep the results of a run: the embedding, unless the folder is compact, and then the record.

        Parameters
        ----------
        record
            The record, which replaces an earlier one of the same run.
        embedding
            The embedding, if the run did not fail.

        Returns
        -------
        Outcome
            Whether the run is done or has failed.

        Raises
        ------
        InputError
            If the folder was removed since the grid began.
        """
        self._check_present()
        if embedding is not None and not self.compact:
            embedding.save(self.embedding(record["id"]))
            record = {**record, "embedding_checksum": embedding_checksum(embedding)}
        self.write(record)
        return Outcome.FAILED if "error" in record else Outcome.DONE

    def write(self, record: RunRecord) -> None:
        """Add a record to the file of its graph, or replace the one of the same run."""
        path = self._file(record["run"]["graph"])
        with wait_for_lock(self.locks / path.name):
            lines = dict(self._lines(path))
            before = lines.get(record["id"])
            attempt = 1 if before is None else before.get("attempt", 1) + 1
            found = finite(compacted(record) if self.compact else record)
            lines[record["id"]] = cast(RunRecord, {**found, "attempt": attempt})
            with written_whole(path) as file:
                for line in lines.values():
                    file.write(json_line(line))

    @contextmanager
    def claim(self, run: RunSpec, attempts: int) -> Iterator[Outcome | None]:
        """Take a run for the length of a ``with`` block, so that no other process does it meanwhile.

        Parameters
        ----------
        run
            The run.
        attempts
            How many times it was recorded when it was decided to do it.

        Yields
        ------
        Outcome or None
            ``None`` if the run is ours to do; ``HELD`` if another process does it now; ``FOUND`` if another
            one has recorded it since.

        Raises
        ------
        InputError
            If the folder was removed since the grid began.
        """
        self._check_present()
        with self.lock(run) as ours:
            if not ours:
                yield Outcome.HELD
            else:
                yield None if self.attempts(run) == attempts else Outcome.FOUND

    def lock(self, run: RunSpec) -> AbstractContextManager[bool]:
        """Lock a run for the length of a ``with`` block, which is told whether the lock is ours."""
        return try_lock(self.locks / run.id)

    def _file(self, graph: str) -> Path:
        return self.path / "records" / f"{file_name(graph) or 'graph'}.jsonl"

    def _lines(self, path: Path) -> dict[str, RunRecord]:
        """The records of a file by their ids; read again only if the file has changed."""
        try:
            found = path.stat()
            stamp = found.st_ino, found.st_mtime_ns, found.st_size
            if path not in self._read_files or self._read_files[path][0] != stamp:
                self._read_files[path] = stamp, read_records(path)
        except (FileNotFoundError, NotADirectoryError):
            return {}
        return self._read_files[path][1]
