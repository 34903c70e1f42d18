"""How an input becomes a graph: what to do with directions, components, weights and labels."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from riemap.errors import InputError
from riemap.specs import shown, suggestion
from riemap.types import Array

Components: TypeAlias = Literal["largest", "keep", "require"]
"""What to do with a disconnected graph: take its largest component, keep it whole, or refuse it."""

Weights: TypeAlias = Literal["lengths", "strengths", "ignore"]
"""What the weights of edges are: lengths, strengths, which become lengths by a rule, or not used."""

StrengthToLength: TypeAlias = Literal["inverse", "log"]
"""The rule by which a strength becomes a length."""

NodeLabels: TypeAlias = Literal["label", "id"]
"""What names a node of a file in which nodes have both: its label or its id."""

CHOICES: Mapping[str, tuple[str, ...]] = {
    "components": ("largest", "keep", "require"),
    "weights": ("lengths", "strengths", "ignore"),
    "strength_to_length": ("inverse", "log"),
    "node_labels": ("label", "id"),
}
"""Accepted values of each option that is a choice."""

RENAMED_COMPONENTS = {"error": "require"}
"""Earlier values of ``components``, and what they are called now."""


class ReadOptions(NamedTuple):
    """How an input becomes a graph.

    Parameters
    ----------
    undirected
        Ignore the directions of a directed graph; otherwise it is an error.
    components
        For a disconnected graph: take its ``"largest"`` component, ``"keep"`` it whole, or ``"require"`` a
        connected one.
    weights
        What the weights are: ``"lengths"``, ``"strengths"``, or something to ``"ignore"``. Without a choice
        they are taken for lengths, with a warning.
    strength_to_length
        How a strength w becomes a length: ``"inverse"`` is 1/w, and ``"log"`` is 1 + ln(w_max / w).
    weight
        Name of the column or edge attribute that holds the weights; by default ``weight``, or another usual
        name in tables and JSON.
    node_labels
        Name nodes by their ``"label"`` where all have a different one, or by their ``"id"``.

    Examples
    --------
    >>> ReadOptions(weights="strengths").lengths(np.array([4.0, 2.0]), "pair", "edge {}".format)
    array([0.25, 0.5 ])
    """

    undirected: bool = False
    components: Components = "largest"
    weights: Weights | None = None
    strength_to_length: StrengthToLength = "inverse"
    weight: str | None = None
    node_labels: NodeLabels = "label"

    def check(self) -> None:
        """Refuse values that are not accepted.

        Raises
        ------
        InputError
            If there is one. The message lists the accepted values.
        """
        for name, accepted in CHOICES.items():
            value = getattr(self, name)
            if value in accepted or (name == "weights" and value is None):
                continue
            if name == "components" and value in RENAMED_COMPONENTS:
                raise InputError(f"components={value!r} is called {RENAMED_COMPONENTS[value]!r} now")
            option = f"{name} (--{name.replace('_', '-')})"
            raise InputError(
                f"{option} is not {shown(value)}{suggestion(str(value), accepted)} "
                f"There are {', '.join(accepted)}"
            )

    def words(self) -> list[str]:
        """Spell the options for the command line; those with their default value are left out.

        Returns
        -------
        list of str
            The words, not yet quoted for a shell.

        Examples
        --------
        >>> ReadOptions(undirected=True, weights="strengths").words()
        ['--undirected', '--weights', 'strengths']
        """
        words = []
        for name, value in self._asdict().items():
            if value != ReadOptions._field_defaults[name]:
                option = "--weight-column" if name == "weight" else f"--{name.replace('_', '-')}"
                words += [option] if value is True else [option, str(value)]
        return words

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> "ReadOptions":
        """Rebuild the options from the entries of a JSON file; missing ones have their default value.

        Parameters
        ----------
        found
            What ``_asdict`` gave; other entries are ignored.

        Returns
        -------
        ReadOptions
            The options.
        """
        given = {name: found[name] for name in cls._fields if name in found}
        if found.get("require_connected"):  # as earlier versions wrote it
            given["components"] = "require"
        return cls(**given)

    def lengths(self, weights: Array | None, name: str, place: Callable[[int], str]) -> Array | None:
        """Turn the weights of an input into lengths.

        Parameters
        ----------
        weights
            ``(m,)`` weights, or ``None`` if the input has none.
        name, place
            Name of the input, and function from the number of an edge to its place, for messages.

        Returns
        -------
        Array | None
            ``(m,)`` lengths, which are not checked unless they come from strengths; ``None`` for hops.

        Raises
        ------
        InputError
            If a strength is not positive and finite.
        """
        if weights is None or self.weights == "ignore":
            return None
        if self.weights != "strengths":
            return weights
        bad = np.flatnonzero(~((weights > 0.0) & np.isfinite(weights)))
        if len(bad):
            raise InputError(
                f"{name}, {place(int(bad[0]))}: weight {weights[bad[0]]:g} is not a positive number; "
                "a strength is one, e.g. 2.5, and pairs without a tie have no edge"
            )
        if self.strength_to_length == "log":
            return 1.0 + np.log(weights.max() / weights)
        with np.errstate(over="ignore"):  # an infinite length is refused by Graph.from_edges
            return 1.0 / weights
