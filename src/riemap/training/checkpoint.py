"""Checkpoints: the state of training in a file, from which a run continues to the same bytes."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from riemap.errors import InputError
from riemap.files import written_whole
from riemap.specs import first_difference, shown
from riemap.training.state import EpochRecord, TrainingState
from riemap.types import Array

ZIP_SIGNATURE = b"PK\3\4"
"""First bytes of every ``.npz`` file."""

REQUIRED_ARRAYS = {"identity", "numbers", "seed", "history", "log_scales"}
"""Names of arrays by which a checkpoint is told from other ``.npz`` files."""


def save_checkpoint(path: Path, identity: str, state: TrainingState, history: Sequence[EpochRecord]) -> None:
    """Write a checkpoint; an older one is replaced when the new one is complete.

    Parameters
    ----------
    path
        The file.
    identity
        What decides the result of the run, as JSON.
    state
        The state after the last epoch.
    history
        The records of all epochs so far.
    """
    arrays: dict[str, Any] = {f"points{k}": x for k, x in enumerate(state.points)}
    arrays |= {f"best_points{k}": x for k, x in enumerate(state.best_points)}
    arrays |= {f"moments{k}_{i}": a for k, part in enumerate(state.moments) for i, a in enumerate(part)}
    arrays |= {f"scale_moments{i}": a for i, a in enumerate(state.scale_moments)}
    numbers = [
        state.epoch,
        state.lr_factor,
        state.stalled_epochs,
        state.rollbacks,
        state.best_loss,
        state.seconds,
    ]
    with written_whole(path) as file:
        np.savez(
            file,
            allow_pickle=False,
            identity=np.array(identity),
            seed=np.array(str(state.seed)),  # as text: a seed may be larger than any number of NumPy
            numbers=np.array(numbers, dtype=np.float64),
            log_scales=state.log_scales,
            best_log_scales=state.best_log_scales,
            history=np.array(history, dtype=np.float64).reshape(-1, len(EpochRecord._fields)),
            **arrays,
        )


def load_checkpoint(path: Path, identity: str) -> tuple[TrainingState, list[EpochRecord]]:
    """Read a checkpoint of the same run.

    Parameters
    ----------
    path
        The file.
    identity
        What decides the result of the run, as JSON.

    Returns
    -------
    tuple of TrainingState and list of EpochRecord
        What :func:`save_checkpoint` was given.

    Raises
    ------
    InputError
        If the file is not a checkpoint, or belongs to another run. In that case the message names the first
        field that differs, and both values.
    """
    with path.open("rb") as raw:
        # Bytes that are not a checkpoint make NumPy and zipfile raise a dozen types of exception.
        try:
            arrays, theirs = _read(raw)
        except Exception as error:
            raise InputError(f"{path} is not a checkpoint of riemap: {shown(str(error), 100)}") from None
    difference = first_difference(theirs, json.loads(identity))
    if difference is not None:
        field, their_value, our_value = difference
        raise InputError(
            f"{path} is the checkpoint of another run: its {field} is {their_value!r}, and not {our_value!r}"
        )
    history = [EpochRecord(int(e), int(s), *rest) for e, s, *rest in arrays["history"].tolist()]
    return _state(arrays, history), history


def _state(arrays: dict[str, Array], history: list[EpochRecord]) -> TrainingState:
    epoch, lr_factor, stalled_epochs, rollbacks, best_loss, seconds = arrays["numbers"].tolist()
    points = _series(arrays, "points")
    return TrainingState(
        points,
        arrays["log_scales"],
        tuple(_series(arrays, f"moments{k}_") for k in range(len(points))),
        _series(arrays, "scale_moments"),
        seed=int(str(arrays["seed"][()])),
        epoch=int(epoch),
        lr_factor=lr_factor,
        stalled_epochs=int(stalled_epochs),
        rollbacks=int(rollbacks),
        best_loss=best_loss,
        best_points=_series(arrays, "best_points"),
        best_log_scales=arrays["best_log_scales"],
        record=history[-1] if history else None,
        seconds=seconds,
    )


def _series(arrays: dict[str, Array], prefix: str) -> tuple[Array, ...]:
    """Return the arrays called ``prefix0``, ``prefix1`` and so on."""
    found: list[Array] = []
    while f"{prefix}{len(found)}" in arrays:
        found.append(arrays[f"{prefix}{len(found)}"])
    return tuple(found)


def _read(raw: IO[bytes]) -> tuple[dict[str, Array], dict[str, Any]]:
    """Read all arrays, and the identity of the run they belong to."""
    if raw.read(len(ZIP_SIGNATURE)) != ZIP_SIGNATURE:
        raise InputError("it does not begin like one")
    raw.seek(0)
    with np.load(raw, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    missing = sorted(REQUIRED_ARRAYS - arrays.keys())
    if missing:
        raise InputError(f"{missing[0]} is missing")
    theirs = json.loads(str(arrays["identity"][()]))
    if not isinstance(theirs, dict):
        raise InputError("its identity is not a JSON object")
    return arrays, theirs
