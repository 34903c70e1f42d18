"""Convert records from one JSON file for each run to JSON lines, one file for each graph, with checksums.

Nothing is computed again. Lines that have no checksum get one; a line that does not match its own is
refused. Names that have changed are spelled as now: the loss option `matched` is `same_temperature`, and the
`rate` of a stage is `lr_factor`. The ids of the runs follow, and so do the list of the runs of a grid and the
names of its embeddings. The code that made a record is not known: its `engine` is null.

Run: python tools/convert_records.py [results/paper]
"""

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from riemap.checked_json import write_checked
from riemap.files import written_whole
from riemap.grids.record import checked_record
from riemap.grids.record_lines import json_line, read_records
from riemap.runs.spec import RunSpec, file_name


def converted(old: dict[str, Any]) -> dict[str, Any]:
    """A record in today's spelling."""
    run = old["run"]
    stages = [{_key(key): _loss(value) for key, value in stage.items()} for stage in run["plan"]["stages"]]
    run = {**run, "loss": _loss(run["loss"]), "plan": {**run["plan"], "stages": stages}}
    rest = {key: value for key, value in old.items() if key not in ("id", "version", "run")}
    head = {"id": RunSpec.from_json(run).id, "version": old["version"], "engine": None, "run": run}
    found: dict[str, Any] = {**checked_record({**head, **rest, "attempt": 1})}
    return found


def _key(name: str) -> str:
    return "lr_factor" if name == "rate" else name


def _loss(value: Any) -> Any:
    return value.replace("matched=", "same_temperature=") if isinstance(value, str) else value


def convert(folder: Path) -> int:
    """Convert all records of a folder; how many there were."""
    files = sorted((folder / "records").glob("*.json"))
    lines: dict[str, dict[str, bytes]] = defaultdict(dict)
    ids = {}
    for path in files:
        record = converted(json.loads(path.read_text(encoding="utf-8")))
        lines[file_name(record["run"]["graph"])][record["id"]] = json_line(record)
        ids[path.stem] = record["id"]
    for name, records in lines.items():
        with written_whole(folder / "records" / f"{name}.jsonl") as file:
            file.writelines(records[id] for id in sorted(records))
    for old, new in ids.items():
        embedding = folder / "embeddings" / f"{old}.npz"
        if embedding.exists():
            embedding.rename(embedding.with_name(f"{new}.npz"))
    listed = folder / "grid.json"
    if listed.exists():
        grid = json.loads(listed.read_text(encoding="utf-8"))
        grid["runs"] = [ids.get(id, id) for id in grid["runs"]]
        write_checked(listed, grid)
    for path in files:
        path.unlink()
    return len(files)


def add_checksums(folder: Path) -> int:
    """Write all lines of a folder with their checksums; how many there are."""
    count = 0
    for path in sorted((folder / "records").glob("*.jsonl")):
        lines = [json_line(record) for record in read_records(path).values()]
        with written_whole(path) as file:
            file.writelines(lines)
        count += len(lines)
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=Path("results/paper"))
    given = parser.parse_args()
    if not (given.folder / "records").is_dir():
        sys.exit(f"{given.folder} has no folder called records")
    print(f"{convert(given.folder)} records were converted")
    print(f"{add_checksums(given.folder)} records have checksums")


if __name__ == "__main__":
    main()
