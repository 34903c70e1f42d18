"""Checkpoints: the state of training in a file, from which a run continues to the same bytes."""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from riemap.checked_npz import read_arrays, write_arrays
from riemap.errors import InputError
from riemap.specs import first_difference, shown
from riemap.training.state import EpochRecord, TrainingState
from riemap.types import Array

NUMBERS = ("epoch", "lr_factor", "stalled_epochs", "rollbacks", "best_loss", "seconds")
"""Numbers of a state that a checkpoint keeps in one array, in this order."""

Arrays: TypeAlias = dict[str, NDArray[Any]]


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

    Raises
    ------
    InputError
        If the folder of the file does not exist any more.
    """
    if not path.parent.is_dir():
        raise InputError(
            f"{path.parent} was removed while the run went on, so its checkpoint and results cannot be kept; "
            "start the run again"
        )
    arrays = _state_arrays(state)
    numbers = [getattr(state, name) for name in NUMBERS]
    write_arrays(
        path,
        {
            "identity": np.array(identity),
            "seed": np.array(str(state.seed)),  # as text: a seed may be larger than any number of NumPy
            "numbers": np.array(numbers, dtype=np.float64),
            "history": np.array(history, dtype=np.float64).reshape(-1, len(EpochRecord._fields)),
            **arrays,
        },
    )


def _state_arrays(state: TrainingState) -> Arrays:
    """The arrays of a state by the names that they have in a file."""
    arrays: Arrays = {f"points{k}": x for k, x in enumerate(state.points)}
    arrays |= {f"best_points{k}": x for k, x in enumerate(state.best_points)}
    arrays |= {f"moments{k}_{i}": a for k, part in enumerate(state.moments) for i, a in enumerate(part)}
    arrays |= {f"scale_moments{i}": a for i, a in enumerate(state.scale_moments)}
    return arrays | {"log_scales": state.log_scales, "best_log_scales": state.best_log_scales}


def load_checkpoint(
    path: Path, identity: str, like: TrainingState
) -> tuple[TrainingState, list[EpochRecord]]:
    """Read a checkpoint of the same run.

    Parameters
    ----------
    path
        The file.
    identity
        What decides the result of the run, as JSON.
    like
        Any state of the run, which tells the shapes of its arrays.

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
    try:
        arrays = read_arrays(path)
        difference = first_difference(_identity(arrays), json.loads(identity))
        if difference is None:
            return _state(arrays, like)
    except InputError as error:
        raise InputError(
            f"{path} is not a checkpoint of riemap: {error}; remove it to begin the run again"
        ) from None
    field, theirs, ours = difference
    raise InputError(f"{path} is the checkpoint of another run: its {field} is {theirs!r}, and not {ours!r}")


def _identity(arrays: Arrays) -> Mapping[str, Any]:
    """What decides the result of the run that a checkpoint belongs to."""
    try:
        found = json.loads(_text(arrays, "identity"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"its identity is not JSON: {shown(str(error), 100)}") from None
    if not isinstance(found, dict):
        raise InputError("its identity is not a JSON object")
    return found


def _text(arrays: Arrays, name: str) -> str:
    if name not in arrays or arrays[name].ndim != 0 or arrays[name].dtype.kind != "U":
        raise InputError(f"its {name} is missing, or is not a text")
    return str(arrays[name][()])


def _state(arrays: Arrays, like: TrainingState) -> tuple[TrainingState, list[EpochRecord]]:
    """The state and the history, whose arrays have the types and shapes that a run of this plan has."""
    seed = _text(arrays, "seed")
    if not (seed.isascii() and seed.isdecimal()):
        raise InputError(f"its seed is {shown(seed)}, which is not a whole number")
    numbers = dict(zip(NUMBERS, _floats(arrays, "numbers", (len(NUMBERS),)).tolist(), strict=True))
    count = arrays["history"].shape[0] if "history" in arrays and arrays["history"].ndim else 0
    rows = _floats(arrays, "history", (count, len(EpochRecord._fields)))
    if not np.isfinite(rows).all():
        raise InputError("its history has a number that is not finite")
    history = [EpochRecord(int(epoch), int(stage), *rest) for epoch, stage, *rest in rows.tolist()]
    if not _is_count(numbers["epoch"]) or len(history) != numbers["epoch"]:
        raise InputError(f"it has {len(history)} epochs in its history, and {numbers['epoch']:g} are done")
    if not _is_count(numbers["stalled_epochs"]) or not _is_count(numbers["rollbacks"]):
        raise InputError("its numbers of stalled epochs and rollbacks are not whole numbers")
    best = _series(arrays, "best_points", like.points if "best_points0" in arrays else ())
    return TrainingState(
        _series(arrays, "points", like.points),
        _floats(arrays, "log_scales", like.log_scales.shape),
        tuple(_series(arrays, f"moments{k}_", part) for k, part in enumerate(like.moments)),
        _series(arrays, "scale_moments", like.scale_moments),
        seed=int(seed),
        epoch=int(numbers["epoch"]),
        lr_factor=numbers["lr_factor"],
        stalled_epochs=int(numbers["stalled_epochs"]),
        rollbacks=int(numbers["rollbacks"]),
        best_loss=numbers["best_loss"],
        best_points=best,
        best_log_scales=_floats(arrays, "best_log_scales", like.log_scales.shape) if best else np.empty(0),
        record=history[-1] if history else None,
        seconds=numbers["seconds"],
    ), history


def _is_count(value: float) -> bool:
    return math.isfinite(value) and value >= 0.0 and value == int(value)


def _series(arrays: Arrays, prefix: str, like: Sequence[Array]) -> tuple[Array, ...]:
    """The arrays called ``prefix0``, ``prefix1`` and so on, with the shapes of others."""
    return tuple(_floats(arrays, f"{prefix}{k}", x.shape) for k, x in enumerate(like))


def _floats(arrays: Arrays, name: str, shape: tuple[int, ...]) -> Array:
    if name not in arrays:
        raise InputError(f"its {name} is missing")
    found = arrays[name]
    if found.dtype != np.float64 or found.shape != shape:
        raise InputError(
            f"its {name} has type {found.dtype} and shape {found.shape}; expected float64 and {shape}"
        )
    return found
