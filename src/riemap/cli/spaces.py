"""``riemap spaces``: the manifolds that graphs can be embedded in."""

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riemap.cli.arguments import AsJson
from riemap.cli.messages import refusing
from riemap.cli.output import new_console, new_table, print_json

if TYPE_CHECKING:
    from riemap.manifolds import Manifold
    from riemap.spaces import Space


def spaces(
    space: Annotated[
        str | None,
        typer.Argument(help="A space to describe, such as 'H3^2 x Gr(2,4)'.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List all manifolds with their dimension, curvature and distance; or describe one space.

    Example: riemap spaces "H3^2 x Gr(2,4)"
    """
    with refusing():
        from riemap.manifolds import MANIFOLDS
        from riemap.spaces import Space

        parsed = None if space is None else Space.parse(space)
        manifolds = [cls(*cls.shown) for cls in MANIFOLDS] if parsed is None else parsed.factors
        _show([_row(m) for m in manifolds], parsed, as_json)


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
        product = {} if space is None else {"space": str(space), "dim": space.dim}
        print_json({**product, "manifolds": rows})
        return
    table = new_table("Space", "Dim", "Curvature", "Distance", "What it is", right=("Dim",))
    for row in rows:
        curvature = range_text(*row["curvature"])
        table.add_row(row["space"], str(row["dim"]), curvature, row["distance"], row["name"])
    console = new_console()
    console.print(table)
    if space is None:
        console.print("\nThe number is the dimension of E, H and S, and the matrix size of the others.")
        console.print('Products are spaces too: riemap spaces "H3^2 x Gr(2,4)"')
    else:
        console.print(f"\n{space} has {space.dim} dimensions. Training learns a scale for each factor.")


def range_text(low: float | None, high: float | None) -> str:
    """Write a range of curvatures as text; ``None`` is infinite.

    >>> range_text(-0.5, 0.0), range_text(1.0, 1.0)
    ('[−1/2, 0]', '1')
    """
    ends = ["∞" if k is None else str(Fraction(k)).replace("-", "−") for k in (low, high)]
    if low == high:
        return ends[0]
    return f"[{ends[0]}, {ends[1]}" + (")" if high is None else "]")
