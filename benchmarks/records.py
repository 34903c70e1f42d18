"""Records of benchmarks: a line of JSON for each finished run, so that a benchmark can be continued."""

import json
from pathlib import Path
from typing import Any


def read_records(path: Path) -> list[dict[str, Any]]:
    """Read the lines; half a line, which a run that was killed may have left, is removed."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
    if lines and not lines[-1].endswith("\n"):
        path.write_text("".join(lines[:-1]), encoding="utf-8")
    return [json.loads(line) for line in lines if line.endswith("\n")]


def add_record(path: Path, record: dict[str, Any]) -> None:
    """Append a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record, allow_nan=False) + "\n")
