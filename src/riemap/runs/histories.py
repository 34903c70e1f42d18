"""The history of a run as CSV: a row for every epoch."""

import csv
import io
import math
from collections.abc import Iterable

from riemap.errors import InputError
from riemap.training.state import EpochRecord


def history_text(records: Iterable[EpochRecord]) -> bytes:
    """Write the records of all epochs as CSV."""
    lines = [",".join(EpochRecord._fields), *(",".join(map(str, record)) for record in records)]
    return ("\n".join(lines) + "\n").encode()


def parse_history(data: bytes) -> list[EpochRecord]:
    """Read what :func:`history_text` wrote.

    Parameters
    ----------
    data
        The bytes of a file.

    Returns
    -------
    list of EpochRecord
        A record for each epoch.

    Raises
    ------
    InputError
        If a row does not have the numbers of an epoch. The message does not name the file.

    Examples
    --------
    >>> parse_history(history_text([EpochRecord(0, 0, 2.5, 0.1, 0.01)]))
    [EpochRecord(epoch=0, stage=0, loss=2.5, lr=0.1, seconds=0.01)]
    """
    try:
        rows = list(csv.DictReader(io.StringIO(data.decode())))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(str(error)) from None
    return [_record(row, number) for number, row in enumerate(rows, 2)]


def _record(row: dict[str, str], number: int) -> EpochRecord:
    kinds = EpochRecord.__annotations__
    try:
        record = EpochRecord(**{key: kind(row[key]) for key, kind in kinds.items()})
        if all(map(math.isfinite, record)):
            return record
    except (KeyError, TypeError, ValueError, OverflowError):
        pass
    raise InputError(f"line {number} does not have the finite numbers {', '.join(kinds)}")
