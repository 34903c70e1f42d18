"""``riemap nearest``: who is close to whom."""

import json
from pathlib import Path
from typing import Annotated

import typer

from riemap.cli.arguments import AsJson
from riemap.cli.messages import one_line, refusing


def nearest(
    run: Annotated[
        Path,
        typer.Argument(metavar="RUN", help="The folder of a run, or an .npz file.", show_default=False),
    ],
    node: Annotated[str, typer.Argument(metavar="NODE", help="A node, by its label.", show_default=False)],
    k: Annotated[int, typer.Option("-k", help="How many.")] = 10,
    as_json: AsJson = False,
) -> None:
    """List the nodes that are nearest to one in an embedding, the nearest first.

    Example: riemap nearest karate-h2 33 -k 5
    """
    with refusing():
        from riemap.runs import load_embedding

        found = load_embedding(run).nearest(node, k)
    if as_json:
        rows = [{"node": str(label), "distance": distance} for label, distance in found]
        typer.echo(json.dumps({"node": node, "nearest": rows}, ensure_ascii=False))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("Node")
    table.add_column("Distance", justify="right")
    for label, distance in found:
        table.add_row(Text(one_line(str(label))), f"{distance:.4f}")
    Console(highlight=False, markup=False, emoji=False).print(table)
