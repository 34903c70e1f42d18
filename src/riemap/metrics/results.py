"""The scores of an embedding as a value that can be stored."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NotRequired, TypedDict, final

from riemap.checked_json import check_entries
from riemap.errors import InputError

ScoreEntries = TypedDict(
    "ScoreEntries",
    {
        "n": int,
        "sources": int,
        "scores": dict[str, float | None],
        "f1@k": list[float],
        "layers": list[int],
        "standard_errors": NotRequired[dict[str, float | None]],
    },
)
ScoreEntries.__doc__ = """Scores as JSON has them, and the types of the entries."""


@final
@dataclass(frozen=True)
class Scores:
    """The scores of an embedding; ``scores["auc"]`` is the value of one metric.

    Fractions are between 0 and 1, not percentages. A metric is ``None`` if it is not defined, such as a
    correlation when all distances are equal.

    Parameters
    ----------
    values
        Value of each metric by name.
    f1_curve
        F1@k for ``k = 1, 2, …``.
    layers
        Number of ordered pairs on each layer ``k``.
    n
        Number of nodes.
    sources
        Number of nodes that were scored against all others; ``n`` unless nodes were sampled.
    errors
        Standard error of each metric by name; empty if all nodes were scored.

    Examples
    --------
    >>> scores = Scores({"ad": 0.25}, (1.0,), (2,), n=2, sources=2)
    >>> scores["ad"]
    0.25
    """

    values: Mapping[str, float | None]
    f1_curve: tuple[float, ...]
    layers: tuple[int, ...]
    n: int
    sources: int
    errors: Mapping[str, float | None] = field(default_factory=dict)

    def __getitem__(self, name: str) -> float | None:
        if name not in self.values:
            raise KeyError(f"no metric is called {name!r}; there are {', '.join(self.values)}")
        return self.values[name]

    def as_json(self) -> dict[str, Any]:
        """Return all fields as types that JSON can hold.

        Returns
        -------
        dict
            JSON has no infinity, so an infinite distortion becomes ``None``.
        """
        found: dict[str, Any] = {
            "n": self.n,
            "sources": self.sources,
            "scores": _finite(self.values),
            "f1@k": list(self.f1_curve),
            "layers": list(self.layers),
        }
        return {**found, "standard_errors": _finite(self.errors)} if self.errors else found

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> "Scores":
        """Make scores from the result of :meth:`as_json`.

        Parameters
        ----------
        found
            A dictionary with the keys that :meth:`as_json` writes.

        Returns
        -------
        Scores
            The same scores, except that an infinite distortion has become ``None``.

        Raises
        ------
        InputError
            If an entry is missing, or of another type. The message names it.
        """
        check_entries(found, ScoreEntries)
        if len(found["f1@k"]) != len(found["layers"]):
            raise InputError(f"it has {len(found['f1@k'])} values f1@k and {len(found['layers'])} layers")
        return cls(
            found["scores"],
            tuple(found["f1@k"]),
            tuple(found["layers"]),
            found["n"],
            found["sources"],
            found.get("standard_errors", {}),
        )


def _finite(values: Mapping[str, float | None]) -> dict[str, float | None]:
    return {k: v if v is not None and math.isfinite(v) else None for k, v in values.items()}
