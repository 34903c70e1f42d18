"""Records as lines of JSON, each with a checksum."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from riemap.checked_json import parse_checked, with_checksum
from riemap.errors import InputError
from riemap.grids.record import RunRecord, checked_record


def json_line(record: Mapping[str, Any]) -> bytes:
    """Write a record as one line of JSON, with its checksum.

    Returns
    -------
    bytes
        The line in UTF-8, with its end.
    """
    text = json.dumps(with_checksum(record), allow_nan=False, ensure_ascii=False)
    return f"{text}\n".encode(errors="backslashreplace")  # lone surrogates, as JSON escapes them


def read_records(path: Path) -> dict[str, RunRecord]:
    """Read the records of a file; a line that is torn, or is not the record of a run, is refused.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    dict
        The records by their ids.

    Raises
    ------
    InputError
        If a line is damaged. The message names the file, the line and the entry.
    """
    found: dict[str, RunRecord] = {}
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            record = checked_record(parse_checked(line))
        except InputError as error:
            raise InputError(
                f"{path}, line {number} is not the record of a run ({error}); "
                "remove the line to have the run done again"
            ) from None
        found[record["id"]] = record
    return found
