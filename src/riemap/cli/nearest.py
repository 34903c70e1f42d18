"""``riemap nearest``: the nodes that are nearest to one in an embedding."""

from typing import Annotated

import typer

from riemap.cli.arguments import AsJson, RunPath
from riemap.cli.messages import one_line, refusing
from riemap.cli.output import new_console, new_table, print_json


def nearest(
    run: RunPath,
    node: Annotated[str, typer.Argument(metavar="NODE", help="The label of a node.", show_default=False)],
    k: Annotated[int, typer.Option("-k", help="Number of nodes to list.")] = 10,
    as_json: AsJson = False,
) -> None:
    """List the nodes that are nearest to a node in an embedding, in order of distance.

    Example: riemap nearest karate-h2 33 -k 5
    """
    with refusing():
        from riemap.runs import load_embedding

        found = load_embedding(run).nearest(node, k)
    if as_json:
        rows = [{"node": str(label), "distance": distance} for label, distance in found]
        print_json({"node": node, "nearest": rows})
        return
    from rich.text import Text

    table = new_table("Node", "Distance", right=("Distance",))
    for label, distance in found:
        table.add_row(Text(one_line(str(label))), f"{distance:.4f}")
    new_console().print(table)
