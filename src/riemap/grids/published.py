"""Published figures, to compare ours with: a CSV file with columns graph, dim, space, and some metrics.

Values have the units of our tables: F1 and AUC are in percent. Spaces have our spelling or the paper's: with
the dimension beside them, ``Euc Hyp Sphere SPD Stein``; in products, ``H(3)^4`` and ``SPD(2)^4``, by which
[Cruceru2021, table 7] means the Stein divergence. A file may instead have a column ``space`` and a column for
every graph, all of one metric, which the user must name.

References
----------
[Cruceru2021] Cruceru, Bécigneul, Ganea. Computationally tractable Riemannian manifolds for graph
    embeddings. AAAI 2021.
"""

import csv
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from riemap.errors import InputError
from riemap.grids.tables import Row, better, digits, text
from riemap.metrics import METRICS
from riemap.spaces import Space
from riemap.specs import shown

Key: TypeAlias = tuple[str, str]
"""The name of a graph, and a space in our spelling."""

Reference: TypeAlias = Mapping[Key, Mapping[str, float]]
"""Published figures: values by metric, for every graph and space."""

KEYS = ("graph", "dim", "space")
"""Columns that name a row."""

VERDICTS = ("better", "equal", "worse")


def _size(dim: int) -> int:
    """The size n of symmetric matrices of dimension n(n + 1)/2."""
    return (math.isqrt(8 * dim + 1) - 1) // 2


_NAMES: dict[str, Callable[[int], str]] = {
    "Euc": lambda dim: f"E{dim}",
    "Hyp": lambda dim: f"H{dim}",
    "Sphere": lambda dim: f"S{dim}",
    "SPD": lambda dim: f"SPD{_size(dim)}",
    "Stein": lambda dim: f"Stein{_size(dim)}",
}


def our_space(name: str, dim: str = "") -> Space:
    """Read a space from the paper's name of it, or from ours.

    Parameters
    ----------
    name
        Such as ``"Hyp"``, ``"H(3)^4"`` or ``"H3"``.
    dim
        The dimension, which a name such as ``"Hyp"`` needs.

    Returns
    -------
    Space
        The space.

    Raises
    ------
    InputError
        If there is no such space, or if it has another dimension.

    Examples
    --------
    >>> str(our_space("SPD", "6")), str(our_space("SPD(3)xGr(3,5)")), str(our_space("H3"))
    ('SPD3', 'Stein3 x Gr(3,5)', 'H3')
    """
    if name in _NAMES:
        if not re.fullmatch(r"[0-9]{1,4}", dim):
            raise InputError(f"{name} needs a dimension, and {shown(dim)} is not a whole number")
        space = Space.parse(_NAMES[name](int(dim)))
    else:
        space = Space.parse(re.sub(r"\bSPD\(", "Stein(", name))
    if dim and dim != str(space.dim):
        raise InputError(f"{shown(name)} has {space.dim} dimensions, and not {shown(dim)}")
    return space


def read_reference(path: Path, metrics: Sequence[str] = ()) -> Reference:
    """Read the figures of a file; an empty cell, or a dash, has no figure.

    Parameters
    ----------
    path
        A CSV file.
    metrics
        The metrics that are asked for; exactly one for a file with a column for every graph.

    Returns
    -------
    mapping
        Figures by metric, for every graph and space.

    Raises
    ------
    InputError
        If the file is not such a table.
    """
    try:
        lines = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig")), strict=True))
    except (ValueError, csv.Error) as error:
        raise InputError(f"{path.name} is not CSV: {error}") from None
    names = list(lines[0]) if lines else []
    known = [m.name for m in METRICS if m.name in names]
    numbered = list(enumerate(lines, 2))
    if names[:1] == ["space"] and len(names) > 1 and not {*known, *KEYS} & set(names[1:]):
        if len(metrics) != 1:
            raise InputError(
                f"{path.name} has a column for every graph, all of one metric; name it, e.g. --metric ad"
            )
        known = list(metrics)
        numbered = [(k, _long(line, graph, known[0])) for graph in names[1:] for k, line in numbered]
    elif not known or not set(KEYS) <= set(names):
        raise InputError(
            f"{path.name} has the columns {shown(names)}; a reference has graph, dim, space, and "
            "metrics such as f1@1, auc, ad"
        )
    found: dict[Key, dict[str, float]] = {}
    for number, line in numbered:
        try:
            graph, dim, name = ((line.get(key) or "").strip() for key in KEYS)
            key = graph, str(our_space(name, dim))
            if key in found:
                raise InputError(f"{graph} in {key[1]} is there already")
            found[key] = {m: v for m in known if (v := _number(line[m] or "")) is not None}
        except InputError as error:
            raise InputError(f"{path.name}, row {number}: {error}") from None
    return found


def _long(line: Mapping[str, str], graph: str, metric: str) -> dict[str, str]:
    """One cell of a file that has a column for every graph."""
    return {"graph": graph, "dim": "", "space": line["space"], metric: line[graph]}


def _number(given: str) -> float | None:
    if given.strip() in ("", "-", "–"):
        return None
    try:
        value = float(given)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{shown(given)} is not a number, e.g. 0.125")
    return value


def verdict(row: Row, metric: str, reference: Reference) -> str | None:
    """Compare our value with the published one as they are shown; ``None`` if one of them is missing."""
    ours = row.cells[metric].value
    theirs = reference.get((row.graph, row.space), {}).get(metric)
    if ours is None or theirs is None:
        return None
    a, b = float(text(metric, ours)), round(theirs, digits(metric))
    return "equal" if a == b else "better" if better(metric, a, b) else "worse"


def counts(table: Sequence[Row], metrics: Sequence[str], reference: Reference) -> dict[str, int]:
    """Count the cells where our value is better, equal and worse."""
    found = [verdict(row, metric, reference) for row in table for metric in metrics]
    return {word: found.count(word) for word in VERDICTS}
