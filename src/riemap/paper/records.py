"""The records of our own runs of the paper's tables, which come with the package.

``data/records.jsonl.gz`` has the lines of ``results/paper/records`` in the repository, so that tables and
figures can be shown wherever riemap is installed. ``tools/paper_page.py`` writes it.
"""

import gzip
from importlib.resources import files
from pathlib import Path

from riemap.checked_json import parse_checked
from riemap.grids.record import RunRecord, checked_record

PACKED_FILE = "data/records.jsonl.gz"
"""The file of records in this package."""


def packed(folder: Path) -> bytes:
    """Pack the records of a folder; the same records give the same bytes.

    Parameters
    ----------
    folder
        The folder of a compact grid, such as ``results/paper``.

    Returns
    -------
    bytes
        The content of the file.
    """
    lines = b"".join(path.read_bytes() for path in sorted((folder / "records").glob("*.jsonl")))
    return gzip.compress(lines, 9, mtime=0)


def packaged_records() -> list[RunRecord]:
    """Read the records that come with the package.

    Returns
    -------
    list of RunRecord
        Sorted by id.

    Examples
    --------
    >>> len(packaged_records()) > 500
    True
    """
    data = gzip.decompress(files("riemap.paper").joinpath(PACKED_FILE).read_bytes())
    found = [checked_record(parse_checked(line)) for line in data.splitlines()]
    return sorted(found, key=lambda record: record["id"])
