"""Compare two descriptions, such as those of two runs."""

import itertools
from collections.abc import Mapping
from typing import Any


def first_difference(theirs: Any, ours: Any, path: str = "") -> tuple[str, Any, Any] | None:
    """Find the first field in which two descriptions differ.

    Parameters
    ----------
    theirs, ours
        Values as JSON has them: dictionaries, lists, texts, numbers, booleans, ``None``. A field that is left
        out counts as ``None``.
    path
        The name of what is compared, if it is itself a field of something.

    Returns
    -------
    tuple of str, value and value, or None
        The path of the field and both its values, in full; ``None`` if there is no difference.

    Examples
    --------
    >>> first_difference({"seed": 0, "plan": {"stages": [{"epochs": 12}]}},
    ...                  {"seed": 0, "plan": {"stages": [{"epochs": 13}]}})
    ('plan.stages[0].epochs', 12, 13)
    """
    if isinstance(theirs, Mapping) and isinstance(ours, Mapping):
        keys = dict.fromkeys([*ours, *theirs])
        parts = [(f"{path}.{key}" if path else str(key), theirs.get(key), ours.get(key)) for key in keys]
    elif isinstance(theirs, list) and isinstance(ours, list):
        pairs = enumerate(itertools.zip_longest(theirs, ours))
        parts = [(f"{path}[{i}]", a, b) for i, (a, b) in pairs]
    else:
        return None if theirs == ours else (path, theirs, ours)
    differences = (first_difference(a, b, name) for name, a, b in parts)
    return next((found for found in differences if found is not None), None)
