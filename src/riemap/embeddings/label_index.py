"""From the labels of nodes to their row numbers."""

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riemap.errors import InputError
from riemap.graphs.graph import Labels
from riemap.specs import expect, shown, suggestion

LARGEST_SUGGESTION_NODES = 20_000
"""Largest number of nodes whose labels are searched for one similar to an unknown label. The search takes
about a second for this many."""


class LabelIndex:
    """Row number of each label. A number and its text are the same label unless both are labels."""

    def __init__(self, labels: Labels) -> None:
        self._labels = labels
        self._row_by_label: dict[Hashable, int] = {label: i for i, label in enumerate(labels)}
        self._row_by_text = {str(label): i for i, label in enumerate(labels)}

    def row_numbers(self, labels: "list[Any] | Labels") -> NDArray[np.int64]:
        """Row numbers of several labels."""
        expect(labels, Iterable, "a list of labels", "e.g. ['a', 'b']")
        return np.array([self._row_number(label) for label in labels], dtype=np.int64)

    def __contains__(self, label: object) -> bool:
        return label in self._row_by_label or str(label) in self._row_by_text

    def _row_number(self, label: Hashable) -> int:
        known_label = self._row_by_label.get(label) if isinstance(label, Hashable) else None
        found = self._row_by_text.get(str(label)) if known_label is None else known_label
        if found is None:
            known = self._row_by_text if len(self._labels) <= LARGEST_SUGGESTION_NODES else ()
            near = suggestion(str(label), known)
            first = f" The first one is {shown(self._labels[0])}"
            raise InputError(f"no node is called {shown(label)}{near}{first}")
        return found
