"""Losses: what an embedding minimises, as a function of (target, sqdist)."""

import re
from collections.abc import Callable
from typing import TypeAlias

from riemap.errors import InputError
from riemap.losses.base import Loss, RowBlock
from riemap.losses.lengths import AverageDistortion, Distortion, Stress
from riemap.losses.neighbourhood import Edges, Neighbourhood
from riemap.losses.rsne import RSNE
from riemap.losses.schedule import Schedule
from riemap.losses.sums import Custom, Sum
from riemap.losses.walks import Walks
from riemap.specs import Spec, parse, resolve, shown, split
from riemap.types import Array

__all__ = [
    "LOSSES",
    "LOSSES_FOR",
    "RSNE",
    "AverageDistortion",
    "Custom",
    "Distortion",
    "Edges",
    "Loss",
    "LossLike",
    "Neighbourhood",
    "RowBlock",
    "Schedule",
    "Stress",
    "Sum",
    "Walks",
    "as_loss",
]

LOSSES: tuple[type[Loss], ...] = (
    RSNE,
    Stress,
    Distortion,
    AverageDistortion,
    Neighbourhood,
    Edges,
    Walks,
)
"""All losses that have a name. A class that is added here is known everywhere."""

LOSSES_FOR = {
    "both": "ad + 0.5*edges",
    "rank": "ad + 4*edges",
    "distance": "ad",
    "links": "walks",
    "labels": "walks",
}
"""The loss for each aim: the order of nodes around each node, their distances, or both; or the prediction of
links or labels.

``ad`` is the average distortion itself, ``edges`` puts neighbours before other nodes, and ``walks`` puts
nodes near each other that random walks connect."""

LossLike: TypeAlias = str | Loss | Callable[[Array, Array], tuple[float, Array]]
"""What :func:`as_loss` accepts."""

RENAMED_OPTIONS = {("rsne", "matched"): "same_temperature"}
"""Options that have been renamed: (loss, old name) to new name. The refusal of an old name tells the new."""

_FACTOR = re.compile(r"\s*([0-9][0-9.]*(?:[eE][+-]?[0-9]+)?)\s*\*(.*)", re.DOTALL)


def as_loss(given: LossLike) -> Loss:
    """Make a loss of its spelling, or of a function.

    Parameters
    ----------
    given
        A text such as ``"stress"`` or ``"rsne(T=0.5->0.01) + 0.3*ad"``; an aim, ``"both"``, ``"rank"``,
        ``"distance"``, ``"links"`` or ``"labels"``; a function that takes target and sqdist and returns the
        value and the weights; or a loss.

    Returns
    -------
    Loss
        The loss; ``given`` itself if it is one.

    Raises
    ------
    InputError
        If the text is not the spelling of a loss.

    Examples
    --------
    >>> str(as_loss("rsne(T=0.5->0.01) + 0.3 * ad"))
    'rsne(T=0.5->0.01) + 0.3*ad'
    >>> str(as_loss("rank"))
    'ad + 4*edges'
    """
    if isinstance(given, Loss):
        return given
    if not isinstance(given, str):
        if not callable(given):
            raise TypeError(
                f"a loss is a text such as 'rsne(T=0.02)' or a function, not {type(given).__name__}"
            )
        return Custom(given)
    given = LOSSES_FOR.get(given, given)
    try:
        parts = split(given, "+")
    except InputError as error:
        raise InputError(
            f"cannot read the loss {shown(given)}: {error}; e.g. 'rsne(T=0.02) + 0.3*ad'"
        ) from None
    terms = [_term(part) for part in parts]
    return terms[0][1] if len(terms) == 1 and terms[0][0] == 1.0 else Sum(tuple(terms))


def _term(text: str) -> tuple[float, Loss]:
    match = _FACTOR.fullmatch(text)
    factor, rest = (match[1], match[2].strip()) if match else ("1", text.strip())
    try:
        number = float(factor)
    except ValueError:
        raise InputError(f"cannot read the factor {factor!r} in loss {text!r}; e.g. '0.3*ad'") from None
    _refuse_renamed_options(parse(rest))
    registry = {loss.symbol: loss for loss in LOSSES}
    return number, resolve(rest, registry, what="loss", example="rsne(T=0.02)")()


def _refuse_renamed_options(spec: Spec) -> None:
    renamed = {key: RENAMED_OPTIONS.get((spec.name, key), key) for key in spec.arguments}
    for old, new in renamed.items():
        if old != new:
            spelled = Spec(spec.name, {renamed[key]: value for key, value in spec.arguments.items()})
            raise InputError(
                f"the option {old!r} of {spec.name} is now called {new!r}: write {str(spelled)!r}"
            )
