"""Everything that training has come to: enough to go on from, to the same bytes."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple, final

import numpy as np

from riemap.errors import InputError
from riemap.files import written_whole
from riemap.optim import State as OptimizerState
from riemap.spaces import Points
from riemap.specs import shown
from riemap.types import Array


class EpochRecord(NamedTuple):
    """What happened in one epoch."""

    epoch: int
    stage: int
    loss: float
    lr: float
    seconds: float


@final
@dataclass
class TrainingState:
    """The state between two epochs."""

    points: Points
    log_scales: Array
    moments: tuple[OptimizerState, ...]  # of the points of each factor
    scale_moments: OptimizerState
    epoch: int = 0
    lr_factor: float = 1.0  # of the rate: lowered on a plateau, and after a step that failed
    patience: int = 0  # epochs since the loss improved, on a plateau
    rescued: int = 0  # times that a step failed
    best: float = float("inf")  # loss of the best points of the last stage
    best_points: Points = ()
    best_log_scales: Array = field(default_factory=lambda: np.empty(0))
    history: list[EpochRecord] = field(default_factory=list)

    def save(self, path: Path, identity: str) -> None:
        """Write everything, with what it belongs to."""
        arrays: dict[str, Any] = {f"points{k}": x for k, x in enumerate(self.points)}
        arrays |= {f"best_points{k}": x for k, x in enumerate(self.best_points)}
        arrays |= {f"moments{k}_{i}": a for k, part in enumerate(self.moments) for i, a in enumerate(part)}
        arrays |= {f"scale_moments{i}": a for i, a in enumerate(self.scale_moments)}
        numbers = np.array([self.epoch, self.lr_factor, self.patience, self.rescued, self.best])
        history = np.array(self.history, dtype=np.float64).reshape(-1, len(EpochRecord._fields))
        with written_whole(path) as file:
            np.savez(
                file,
                allow_pickle=False,
                identity=np.array(identity),
                log_scales=self.log_scales,
                best_log_scales=self.best_log_scales,
                numbers=numbers,
                history=history,
                **arrays,
            )

    @classmethod
    def load(cls, path: Path, identity: str) -> "TrainingState":
        """Read what :meth:`save` wrote, if it belongs to the same run."""
        with path.open("rb") as raw:
            # Bytes that are not a checkpoint make NumPy and zipfile raise a dozen types of exception.
            try:
                arrays, theirs = _read(raw)
            except Exception as error:
                raise InputError(f"{path} is not a checkpoint of riemap: {shown(str(error), 100)}") from None
        ours = json.loads(identity)
        if theirs != ours:
            raise InputError(f"{path} is the checkpoint of another run: {_difference(theirs, ours)}")
        epoch, lr_factor, patience, rescued, best = arrays["numbers"].tolist()
        history = [EpochRecord(int(e), int(s), *rest) for e, s, *rest in arrays["history"].tolist()]
        points = _series(arrays, "points")
        return cls(
            points,
            arrays["log_scales"],
            tuple(_series(arrays, f"moments{k}_") for k in range(len(points))),
            _series(arrays, "scale_moments"),
            int(epoch),
            lr_factor,
            int(patience),
            int(rescued),
            best,
            _series(arrays, "best_points"),
            arrays["best_log_scales"],
            history,
        )


def _series(arrays: dict[str, Array], prefix: str) -> tuple[Array, ...]:
    found: list[Array] = []
    while f"{prefix}{len(found)}" in arrays:
        found.append(arrays[f"{prefix}{len(found)}"])
    return tuple(found)


def _read(raw: IO[bytes]) -> tuple[dict[str, Array], dict[str, Any]]:
    """All arrays, and what they belong to."""
    if raw.read(4) != b"PK\3\4":
        raise InputError("it does not begin like one")
    raw.seek(0)
    with np.load(raw, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    theirs = json.loads(str(arrays["identity"][()]))
    if not isinstance(theirs, dict) or not {"numbers", "history", "log_scales"} <= arrays.keys():
        raise InputError("something is missing")
    return arrays, theirs


def _difference(theirs: dict[str, Any], ours: dict[str, Any]) -> str:
    """The first entry in which two descriptions of a run differ, as deep down as they can be compared."""
    key = next((key for key in ours if theirs.get(key) != ours[key]), "version")
    a, b = theirs.get(key), ours.get(key)
    if isinstance(a, dict) and isinstance(b, dict):
        return _difference(a, b)
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        i = next(i for i in range(len(b)) if a[i] != b[i])
        return f"of {key}, number {i + 1}: {_difference(a[i], b[i])}"
    return f"its {key} is {shown(a)}, and not {shown(b)}"
