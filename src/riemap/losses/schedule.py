"""A positive number that may change during training: ``0.02``, or ``0.5->0.01``."""

import sys
from dataclasses import dataclass
from numbers import Real
from typing import final

from riemap.errors import InputError
from riemap.specs import shown, value_text


@final
@dataclass(frozen=True)
class Schedule:
    """A number that goes from ``start`` to ``end`` by equal ratios, one an epoch.

    Parameters
    ----------
    start, end
        The values in the first and the last epoch; positive and finite.

    Raises
    ------
    InputError
        If a value is not positive or not finite.

    Examples
    --------
    >>> s = Schedule.parse("0.5->0.005")
    >>> s.value_at(0.0), round(s.value_at(0.5), 6), str(s)
    (0.5, 0.05, '0.5->0.005')
    """

    start: float
    end: float

    @classmethod
    def parse(cls, text: str) -> "Schedule":
        """Read a schedule.

        Parameters
        ----------
        text
            ``0.02``, or ``0.5->0.01``.

        Returns
        -------
        Schedule
            The schedule; constant if the text has one number.

        Raises
        ------
        InputError
            If the text is neither.
        """
        parts = text.split("->")
        try:
            numbers = [float(part) for part in parts]
        except ValueError:
            raise InputError(f"{shown(text)} is not one or two numbers, as in 0.02 or 0.5->0.01") from None
        if len(numbers) > 2:
            raise InputError(f"{shown(text)} has more than two numbers; a schedule is written 0.5->0.01")
        return cls(numbers[0], numbers[-1])

    def __post_init__(self) -> None:
        for value in (self.start, self.end):
            if isinstance(value, bool) or not isinstance(value, Real) or abs(value) > sys.float_info.max:
                raise InputError(f"{shown(value)} is not a positive number, e.g. 0.02")
            if not 0.0 < value < float("inf"):
                raise InputError(f"{value:g} is not a positive number, e.g. 0.02")

    def __str__(self) -> str:
        ends = (self.start,) if self.start == self.end else (self.start, self.end)
        return "->".join(value_text(end) for end in ends)

    def value_at(self, progress: float) -> float:
        """Return the value at a moment of training.

        Parameters
        ----------
        progress
            From 0 in the first epoch to 1 in the last.

        Returns
        -------
        float
            The value.
        """
        return self.start if self.start == self.end else self.start * (self.end / self.start) ** progress
