"""What names the nodes of a file: their labels or their ids; and what else the file says about nodes."""

from collections.abc import Hashable, Sequence
from typing import Any

from riemap.errors import InputError
from riemap.graphs.edge_cleaning import warn
from riemap.graphs.options import ReadOptions
from riemap.specs import shown


def node_labels(
    ids: Sequence[Hashable], labels: Sequence[Any], options: ReadOptions, filename: str
) -> Sequence[Hashable]:
    """Choose what names the nodes. A warning says if labels are there but cannot be used.

    Parameters
    ----------
    ids, labels
        Id of each node, and its label, or ``None`` where it has none.
    options
        Whether to prefer labels.
    filename
        Name of the file, for the warning.

    Returns
    -------
    Sequence
        The labels, or the ids.
    """
    if options.node_labels == "id" or all(label is None for label in labels):
        return ids
    missing = sum(label is None for label in labels)
    if missing:
        problem = f"{missing} of {len(ids)} nodes have no label"
    elif len(set(labels)) < len(labels):
        seen: set[Any] = set()
        twice = next(label for label in labels if label in seen or seen.add(label))  # type: ignore[func-returns-value]
        problem = f"two nodes have the label {shown(twice)}"
    else:
        return labels
    warn(
        f"{filename}: {problem}, so nodes are named by their ids; node_labels='id' does so without a warning"
    )
    return ids


def number_or_text(text: str) -> float | str:
    """Read the value of a node's attribute: a number where it is one."""
    try:
        return float(text)
    except ValueError:
        return text


def unknown_weight(options: ReadOptions, known: Sequence[str], filename: str) -> InputError:
    """Make the error to raise if no edge has the attribute that is asked for.

    Parameters
    ----------
    options
        The options, whose ``weight`` is asked for.
    known
        Names of the attributes or columns that there are.
    filename
        Name of the input.

    Returns
    -------
    InputError
        The error, not yet raised.
    """
    there = ", ".join(shown(name) for name in known) or "none"
    return InputError(f"{filename}: no edge has {shown(options.weight)} for a weight; edges have {there}")
