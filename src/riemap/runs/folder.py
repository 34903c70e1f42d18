"""A run on disk: its configuration, and the embedding, its history and its scores.

``config.json`` is written first, ``checkpoint.npz`` during training, and ``embedding.npz``, ``history.csv``
and ``scores.json`` in the end; each is written beside its place and renamed onto it. Each has a checksum in
it, but for ``history.csv``. ``scores.json`` has the id of the run and the checksums of the embedding and of
the history, so that a file of another run is noticed.
"""

from contextlib import suppress
from pathlib import Path
from typing import Any, final

import riemap
from riemap.checked_json import checksum_of, read_checked, write_checked
from riemap.distances import DistanceMatrix
from riemap.embeddings import Embedding
from riemap.embeddings.storage import check_recorded, embedding_checksum
from riemap.errors import InputError
from riemap.files import written_whole
from riemap.graphs import AnyGraph
from riemap.metrics import METRICS, Scores
from riemap.runs.entries import ConfigEntries, ResultEntries
from riemap.runs.histories import history_text, parse_history
from riemap.runs.result import RunResult
from riemap.runs.spec import RunSpec, difference
from riemap.specs import shown
from riemap.training.fit import Fit, Stop
from riemap.training.plan import Plan
from riemap.training.state import EpochRecord


@final
class RunFolder:
    """The folder of a run.

    Parameters
    ----------
    path
        The folder, which need not exist.
    resume
        Whether a run that is in the folder may be continued; it is refused otherwise.
    checkpoint_every
        Number of epochs between two checkpoints.
    """

    def __init__(self, path: Path, *, resume: bool = False, checkpoint_every: int = 100) -> None:
        self.path, self.resume, self.checkpoint_every = path, resume, checkpoint_every
        self._begun, self._made = False, list[Path]()  # whether we wrote the configuration; folders we made

    @property
    def checkpoint(self) -> Path:
        """The file that training is continued from."""
        return self.path / "checkpoint.npz"

    @property
    def finished(self) -> bool:
        """Whether the run is finished; its scores are written last."""
        return self._scores_file.exists()

    def check(self, spec: RunSpec) -> None:
        """Check that the folder is new, or that the run in it is this one and may be continued.

        Parameters
        ----------
        spec
            The run to be done.

        Raises
        ------
        InputError
            If the folder holds something else, or a run that may not be continued, or another run.
        """
        known = self.config()
        if known is None:
            if not is_new(self.path):
                raise InputError(f"{self.path} holds something else than a run; name a new folder")
        elif not self.resume:
            raise InputError(
                f"{self.path} holds a run already, of {known['graph']} in {known['space']}; "
                "--resume (in Python, resume=True) continues it, and another folder leaves it alone"
            )
        else:
            self._check_same(known, spec)

    def begin(self, spec: RunSpec) -> None:
        """Check the folder, and write the configuration unless it is there.

        Parameters
        ----------
        spec
            The run to be done.

        Raises
        ------
        InputError
            As of :meth:`check`.
        """
        self.check(spec)
        if not self._config_file.exists():
            self._made = [path for path in (self.path, *self.path.parents) if not path.exists()]
            given = {} if spec.source is None else spec.source.as_json()
            config = {**spec.as_json(), "version": riemap.__version__, "given": given}
            write_checked(self._config_file, config)
            self._begun = True

    def undo_begin(self) -> None:
        """Remove what :meth:`begin` wrote, after a run that was refused before it had trained."""
        if self._begun and not self.checkpoint.exists():
            self._config_file.unlink(missing_ok=True)
            with suppress(OSError):  # somebody has put something into the folder
                for path in self._made:
                    path.rmdir()

    def _check_same(self, known: dict[str, Any], spec: RunSpec) -> None:
        """Refuse to continue another run, or one that another version began."""
        differs = difference(RunSpec.from_json(known), spec)
        if differs is None and known["version"] != riemap.__version__:
            differs = "version", known["version"], riemap.__version__
        if differs is not None:
            field, theirs, ours = differs
            raise InputError(
                f"{self.path} holds another run: its {field} is {theirs!r}, and {ours!r} is asked for"
            )

    def _check_present(self) -> None:
        """Refuse to write results into a folder that was removed during the run."""
        if not self._config_file.exists():
            raise InputError(
                f"{self._config_file} was removed while the run went on, so its results are not kept; "
                "start the run again"
            )

    def config(self) -> dict[str, Any] | None:
        """Read the configuration.

        Returns
        -------
        dict or None
            What ``config.json`` holds; ``None`` if it is not there.

        Raises
        ------
        InputError
            If it is damaged, not the configuration of a run, or that of another run than the scores are of.
        """
        found, scored = read_checked(self._config_file, ConfigEntries), self._scores() or {}
        if found is not None and scored.get("run") not in (None, RunSpec.from_json(found).id):
            raise InputError(
                f"{self._config_file} is of another run than {self._scores_file.name}, which is of "
                f"{shown(scored['run'], 100)}; restore it from a copy, or embed the graph again"
            )
        return found

    def end(self, result: RunResult) -> None:
        """Write the results. The scores come last, and say that everything is there.

        Parameters
        ----------
        result
            The results of the run.

        Raises
        ------
        InputError
            If the folder was removed during the run.
        """
        found = result.as_json()
        self._check_present()
        result.fit.embedding.save(self.path / "embedding.npz")
        text = history_text(result.fit.history)
        with written_whole(self.path / "history.csv") as file:
            file.write(text)
        sums = {"embedding_checksum": embedding_checksum(result.fit.embedding)}
        sums |= {"history_checksum": checksum_of(text)}
        write_checked(self._scores_file, {**found, "run": result.spec.id, **sums})
        self.checkpoint.unlink(missing_ok=True)
        self._check_present()

    def result(
        self, spec: RunSpec, graph: AnyGraph, plan: Plan, distances: DistanceMatrix | None = None
    ) -> RunResult:
        """Read the results of a finished run.

        Parameters
        ----------
        spec, graph, plan, distances
            The run, its graph and plan, and the distances of the graph if they are known.

        Returns
        -------
        RunResult
            What the run gave when it was done.

        Raises
        ------
        InputError
            If a file is missing or damaged.
        """
        found = self._scores()
        if found is None:
            raise InputError(f"{self._scores_file} is missing; embed the graph again")
        try:
            scores, stop = Scores.from_json(found), Stop(found["stop"])
            if missing := [m.name for m in METRICS if m.name not in scores.values]:
                raise InputError(f"its scores.{missing[0]} is missing")
        except ValueError as error:
            raise InputError(f"cannot read {self._scores_file}: {error}") from None
        history = tuple(self.history())
        fit = Fit(self.embedding(), history, stop, plan, float(found["seconds"]), graph, scores)
        return RunResult(spec, fit, graph, distances, scores)

    def embedding(self) -> Embedding:
        """Read the embedding of a finished run.

        Returns
        -------
        Embedding
            What ``embedding.npz`` holds.

        Raises
        ------
        InputError
            If it is missing, damaged, or not the one that the scores are of.
        """
        path = self.path / "embedding.npz"
        if not path.exists():
            would = f"'riemap embed GRAPH --out {self.path}' would put one there"
            raise InputError(f"{self.path} holds no {path.name}; {would}")
        found = Embedding.load(path)
        check_recorded(found, path, (self._scores() or {}).get("embedding_checksum"), self._scores_file.name)
        return found

    def history(self) -> list[EpochRecord]:
        """Read what happened in every epoch of a finished run.

        Returns
        -------
        list of EpochRecord
            A record for each epoch; empty if there is no ``history.csv``.

        Raises
        ------
        InputError
            If the file is damaged.
        """
        path = self.path / "history.csv"
        try:
            data = path.read_bytes()
            found = parse_history(data)
        except FileNotFoundError:
            return []
        except ValueError as error:
            raise InputError(
                f"{path} is not the history of a run: {error}; remove it to do without"
            ) from None
        known = (self._scores() or {}).get("history_checksum")
        if known is not None and checksum_of(data) != known:
            raise InputError(
                f"{path} does not match its checksum in {self._scores_file.name}, so it was damaged or "
                "edited; restore it from a copy, or remove it to do without"
            )
        return found

    @property
    def _config_file(self) -> Path:
        return self.path / "config.json"

    @property
    def _scores_file(self) -> Path:
        return self.path / "scores.json"

    def _scores(self) -> dict[str, Any] | None:
        return read_checked(self._scores_file, ResultEntries)


def is_new(path: Path) -> bool:
    """Whether a folder is missing, or has only hidden files, such as those that killed processes left.

    Parameters
    ----------
    path
        The folder.

    Returns
    -------
    bool
        Whether a run or a grid may begin there.

    Raises
    ------
    InputError
        If it is not a folder.
    """
    if path.exists() and not path.is_dir():
        raise InputError(f"{path} is a file; name a new folder")
    return not path.exists() or all(other.name.startswith(".") for other in path.iterdir())
