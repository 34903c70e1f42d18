"""A run on disk: the embedding, how it came about, how it went, and how good it is.

``config.json`` is there first, ``checkpoint.npz`` while training goes on, and ``embedding.npz``,
``history.csv`` and ``scores.json`` at its end; each is written beside its place and renamed onto it.
"""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, final

from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.files import written_whole
from riemap.specs import shown
from riemap.training.fit import Fit
from riemap.training.state import EpochRecord


@final
class Run:
    """The folder of a run, by the names of its files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def checkpoint(self) -> Path:
        """Where training goes on from."""
        return self.folder / "checkpoint.npz"

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to do."""
        return (self.folder / "scores.json").exists()

    def begin(self, config: Mapping[str, Any], resume: bool) -> None:
        """Make the folder and write the configuration; or, to go on, find both as they were."""
        known = self.config()
        if known is None:
            if self.folder.exists() and any(self.folder.iterdir()):
                raise InputError(f"{self.folder} holds something else than a run; name a folder that is new")
            self._write("config.json", json.dumps(config, indent=2, allow_nan=False, ensure_ascii=False))
        elif not resume:
            raise InputError(
                f"{self.folder} holds a run already, of {known.get('graph')} in {known.get('space')}; "
                "--resume goes on with it, and another --out keeps it"
            )
        elif (key := _difference(known, json.loads(json.dumps(config)))) is not None:
            raise InputError(
                f"{self.folder} holds another run: its {key} is {shown(known.get(key))}, "
                f"and not {shown(config.get(key))}"
            )

    def config(self) -> dict[str, Any] | None:
        """The configuration, if there is one."""
        path = self.folder / "config.json"
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (ValueError, OSError) as error:
            raise InputError(f"cannot read {path}: {error}") from None
        return found if isinstance(found, dict) else {}

    def end(self, fit: Fit, scores: Mapping[str, Any]) -> None:
        """Write what came out; the scores come last, and say that all is there."""
        fit.embedding.save(self.folder / "embedding.npz")
        lines = [",".join(EpochRecord._fields), *(",".join(map(str, record)) for record in fit.history)]
        self._write("history.csv", "\n".join(lines) + "\n")
        self._write("scores.json", json.dumps(scores, indent=2, allow_nan=False, ensure_ascii=False))
        self.checkpoint.unlink(missing_ok=True)

    def history(self) -> list[EpochRecord]:
        """What happened in every epoch, of a finished run; nothing if the file is not there."""
        path = self.folder / "history.csv"
        try:
            with path.open(newline="", encoding="utf-8") as file:
                return [
                    EpochRecord(**{key: kind(row[key]) for key, kind in EpochRecord.__annotations__.items()})
                    for row in csv.DictReader(file)
                ]
        except FileNotFoundError:
            return []
        except (ValueError, TypeError, KeyError):
            raise InputError(f"{path} is not the history of a run; remove it, and the run has none") from None

    def scores(self) -> dict[str, Any]:
        """The scores of a finished run."""
        found: dict[str, Any] = json.loads((self.folder / "scores.json").read_text(encoding="utf-8"))
        return found

    def _write(self, name: str, text: str) -> None:
        with written_whole(self.folder / name) as file:
            file.write(text.encode())


def _difference(known: Mapping[str, Any], config: Mapping[str, Any]) -> str | None:
    """What two runs do not have in common, if anything; how it was spelled does not count."""
    keys = (key for key in {**known, **config} if key != "given")
    return next((key for key in keys if known.get(key) != config.get(key)), None)


def load_embedding(path: Path) -> Embedding:
    """The embedding of a run's folder, or of an ``.npz`` file."""
    if path.is_dir() and not (path / "embedding.npz").exists():
        raise InputError(
            f"{path} holds no embedding.npz; 'riemap embed GRAPH --out {path}' would put one there"
        )
    return Embedding.load(path / "embedding.npz" if path.is_dir() else path)
