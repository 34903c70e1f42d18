"""Which columns of a table hold the ends of edges, their weights and their directions."""

from collections.abc import Sequence
from typing import NamedTuple

from riemap.errors import InputError
from riemap.graphs.edge_cleaning import warn
from riemap.graphs.options import ReadOptions
from riemap.specs import shown

END_HEADINGS = (
    ("source", "target"),
    ("src", "dst"),
    ("from", "to"),
    ("fromnodeid", "tonodeid"),
    ("source_id", "target_id"),
    ("node1", "node2"),
    ("node_1", "node_2"),
    ("id1", "id2"),
    ("id_1", "id_2"),
)
"""Names, in lower case, of the two columns with the ends of edges."""

WEIGHT_HEADINGS = ("weight", "length", "distance", "value")
"""Names, in lower case, of a column with weights. The first of them that a table has is taken."""

TYPE_HEADING = "type"
"""Name, in lower case, of Gephi's column that says whether an edge is directed."""


class Columns(NamedTuple):
    """Numbers of the columns of a table, counted from zero; ``None`` where there is none."""

    source: int
    target: int
    weight: int | None = None
    type: int | None = None
    weight_name: str = "weight"


def find_columns(names: Sequence[str], options: ReadOptions, where: str) -> Columns | None:
    """Find the columns of a table by their names, in any order and in upper or lower case.

    Parameters
    ----------
    names
        Name of each column.
    options
        The options, which may name the column of the weights.
    where
        Name of the table, for messages.

    Returns
    -------
    Columns | None
        The columns; ``None`` if the names do not tell which hold the ends of edges.

    Raises
    ------
    InputError
        If there is no column that is called as the options say, or two columns have the same name.

    Examples
    --------
    >>> find_columns(["Weight", "Target", "Source"], ReadOptions(), "my.csv")
    Columns(source=2, target=1, weight=0, type=None, weight_name='weight')
    """
    plain = [name.strip().lower() for name in names]
    pair = next((pair for pair in END_HEADINGS if set(pair) <= set(plain)), None)
    weight = _weight_column(names, plain, options)
    if pair is not None:
        ends = [plain.index(name) for name in pair]
    elif options.weight is not None and weight is not None:
        ends = [i for i, name in enumerate(plain) if i != weight and name != ""][:2]
    else:
        return None
    if len(ends) < 2:
        raise InputError(f"{where} has {len(names)} columns; it needs those of two nodes, e.g. source,target")
    if weight is None and options.weight is not None:
        there = ", ".join(shown(name) for name in names)
        raise InputError(f"{where}: no column is called {shown(options.weight)}; there are {there}")
    used = [*ends, *([] if weight is None else [weight])]
    for i in used:
        if plain.count(plain[i]) > 1:
            raise InputError(f"{where}: two columns are called {shown(names[i])}; rename one")
    kind = plain.index(TYPE_HEADING) if TYPE_HEADING in plain else None
    return Columns(ends[0], ends[1], weight, kind, "weight" if weight is None else plain[weight])


def _weight_column(names: Sequence[str], plain: Sequence[str], options: ReadOptions) -> int | None:
    if options.weight is not None:
        return next((i for i, name in enumerate(names) if name.strip() == options.weight.strip()), None)
    return next((plain.index(name) for name in WEIGHT_HEADINGS if name in plain), None)


def tell_columns(names: Sequence[str], columns: Columns, where: str, guess: str) -> None:
    """Say in one warning which columns are read, and which are not.

    Parameters
    ----------
    names
        Name of each column.
    columns
        What each is used for.
    where
        Name of the table.
    guess
        What was guessed, such as "took its first line for a heading".
    """
    text = f"{where}: {guess}: edges from {shown(names[columns.source])} to {shown(names[columns.target])}"
    text += "" if columns.weight is None else f", weights in {shown(names[columns.weight])}"
    text += "" if columns.type is None else f", directions in {shown(names[columns.type])}"
    left = [name for i, name in enumerate(names) if i not in columns and name.strip()]
    if left:
        text += f"; not read: {', '.join(map(shown, left[:8]))}{', …' if len(left) > 8 else ''}"
    if left and columns.weight is None:
        text += "; weight= (--weight-column) names a column of weights"
    warn(text)
