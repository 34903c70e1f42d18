"""A run on disk: its configuration, and the embedding, its history and its scores.

``config.json`` is written first, ``checkpoint.npz`` during training, and ``embedding.npz``, ``history.csv``
and ``scores.json`` in the end; each is written beside its place and renamed onto it.
"""

import csv
import json
from pathlib import Path
from typing import Any, final

import riemap
from riemap.distances import DistanceMatrix
from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.files import written_whole
from riemap.graphs import AnyGraph
from riemap.metrics import Scores
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

    @property
    def checkpoint(self) -> Path:
        """The file that training is continued from."""
        return self.path / "checkpoint.npz"

    @property
    def finished(self) -> bool:
        """Whether the run is finished; its scores are written last."""
        return (self.path / "scores.json").exists()

    def begin(self, spec: RunSpec) -> None:
        """Make the folder and write the configuration; or check that the run in it is this one.

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
            if self.path.exists() and any(self.path.iterdir()):
                raise InputError(f"{self.path} holds something else than a run; name a new folder")
            self._write("config.json", self._config(spec))
        elif not self.resume:
            raise InputError(
                f"{self.path} holds a run already, of {known.get('graph')} in {known.get('space')}; "
                "--resume (in Python, resume=True) continues it, and another folder leaves it alone"
            )
        else:
            self._check_same(known, spec)

    def _config(self, spec: RunSpec) -> dict[str, Any]:
        given = {} if spec.source is None else spec.source._asdict()
        given = {"graph": given.pop("text"), **given} if given else given
        return {**spec.as_json(), "version": riemap.__version__, "given": given}

    def _check_same(self, known: dict[str, Any], spec: RunSpec) -> None:
        """Refuse to continue another run, or one that another version began."""
        try:
            differs = difference(RunSpec.from_json(known), spec)
        except (InputError, TypeError, KeyError, AttributeError):
            raise InputError(
                f"{self.path / 'config.json'} is not the configuration of a run; name another folder"
            ) from None
        if differs is None and known.get("version") != riemap.__version__:
            differs = "version", known.get("version"), riemap.__version__
        if differs is not None:
            field, theirs, ours = differs
            raise InputError(
                f"{self.path} holds another run: its {field} is {theirs!r}, and {ours!r} is asked for"
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
            If it is damaged.
        """
        return self._read("config.json")

    def end(self, result: RunResult) -> None:
        """Write the results. The scores come last, and say that everything is there.

        Parameters
        ----------
        result
            The results of the run.
        """
        found = result.as_json()
        result.fit.embedding.save(self.path / "embedding.npz")
        history = result.fit.history
        lines = [",".join(EpochRecord._fields), *(",".join(map(str, record)) for record in history)]
        with written_whole(self.path / "history.csv") as file:
            file.write(("\n".join(lines) + "\n").encode())
        self._write("scores.json", found)
        self.checkpoint.unlink(missing_ok=True)

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
        found = self._read("scores.json") or {}
        try:
            stop, seconds, scores = Stop(found["stop"]), float(found["seconds"]), Scores.from_json(found)
        except (KeyError, TypeError, ValueError):
            raise InputError(f"{self.path / 'scores.json'} does not hold the scores of a run") from None
        fit = Fit(load_embedding(self.path), tuple(self.history()), stop, plan, seconds, graph.name)
        return RunResult(spec, fit, graph, distances, scores)

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
            with path.open(newline="", encoding="utf-8") as file:
                return [
                    EpochRecord(**{key: kind(row[key]) for key, kind in EpochRecord.__annotations__.items()})
                    for row in csv.DictReader(file)
                ]
        except FileNotFoundError:
            return []
        except (ValueError, TypeError, KeyError, csv.Error):
            raise InputError(f"{path} is not the history of a run; remove it to do without") from None

    def _read(self, name: str) -> dict[str, Any] | None:
        path = self.path / name
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (ValueError, RecursionError, OSError) as error:
            raise InputError(f"cannot read {path}: {error}") from None
        if not isinstance(found, dict):
            raise InputError(f"cannot read {path}: it holds {shown(found)} instead of an object")
        return found

    def _write(self, name: str, found: dict[str, Any]) -> None:
        with written_whole(self.path / name) as file:
            file.write(
                json.dumps(found, indent=2, allow_nan=False, ensure_ascii=False).encode(
                    "utf-8", "backslashreplace"
                )
            )


def load_embedding(path: Path) -> Embedding:
    """Read the embedding of a run's folder, or of an ``.npz`` file.

    Parameters
    ----------
    path
        The folder or the file.

    Returns
    -------
    Embedding
        What it holds.

    Raises
    ------
    InputError
        If it holds no embedding.
    """
    if path.is_dir() and not (path / "embedding.npz").exists():
        raise InputError(
            f"{path} holds no embedding.npz; 'riemap embed GRAPH --out {path}' would put one there"
        )
    return Embedding.load(path / "embedding.npz" if path.is_dir() else path)
