"""``riemap spaces``: what there is to embed into."""

import json
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riemap.cli.messages import refuse
from riemap.errors import InputError

if TYPE_CHECKING:
    from riemap.manifolds import Manifold
    from riemap.spaces import Space


def spaces(
    space: Annotated[
        str | None,
        typer.Argument(help="A space to describe, such as 'H3^2 x Gr(2,4)'.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """List the manifolds, how they are spelled, and what they are like; or describe one space.

    Example: riemap spaces "H3^2 x Gr(2,4)"
    """
    from riemap.manifolds import MANIFOLDS
    from riemap.spaces import Space

    if space is None:
        _show([_row(cls(*cls.shown)) for cls in MANIFOLDS], None, as_json)
        return
    try:
        parsed = Space.parse(space)
    except InputError as error:
        refuse(error)
    _show([_row(m) for m in parsed.factors], parsed, as_json)


def _row(m: "Manifold") -> dict[str, Any]:
    return {
        "space": str(m),
        "name": m.name,
        "dim": m.dim,
        "curvature": [None if math.isinf(k) else k for k in m.curvature],
        "distance": m.formula,
    }


def _show(rows: list[dict[str, Any]], space: "Space | None", as_json: bool) -> None:
    if as_json:
        whole = {} if space is None else {"space": str(space), "dim": space.dim}
        typer.echo(json.dumps({**whole, "manifolds": rows}, ensure_ascii=False))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("Space", "Dim", "Curvature", "Distance", "What it is"):
        table.add_column(name, justify="right" if name == "Dim" else "left")
    for row in rows:
        curvature = range_text(*row["curvature"])
        table.add_row(row["space"], str(row["dim"]), curvature, row["distance"], row["name"])
    console = Console(highlight=False)
    console.print(table)
    if space is None:
        console.print("\nThe number is the dimension of E, H and S, and the matrix size of the others.")
        console.print('Multiply them: riemap spaces "H3^2 x Gr(2,4)"')
    else:
        console.print(f"\n{space} has {space.dim} dimensions; each factor has a scale of its own.")


def range_text(low: float | None, high: float | None) -> str:
    """A range of curvatures, as people write it; ``None`` is infinite."""
    ends = ["∞" if k is None else str(Fraction(k)).replace("-", "−") for k in (low, high)]
    if low == high:
        return ends[0]
    return f"[{ends[0]}, {ends[1]}" + (")" if high is None else "]")
