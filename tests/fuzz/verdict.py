"""What may come of a case, and how an exception is judged."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import riemap
from riemap.errors import DivergedError, InputError, NotEnoughMemoryError

LONGEST_MESSAGE = 1200
"""Characters of the longest message that is still clear. Messages quote paths and specs."""

SOURCES = Path(riemap.__file__).parent


class Outcome(StrEnum):
    """What came of a case; the value is the heading of its column in the table."""

    ACCEPTED = "accepted"
    REFUSED = "refused clearly"
    TRACEBACK = "tracebacks"
    HANG = "hangs"
    CRASH = "crashes"
    CHANGED = "silent changes"

    @property
    def is_failure(self) -> bool:
        return self not in (Outcome.ACCEPTED, Outcome.REFUSED)


@dataclass(frozen=True)
class Verdict:
    """An outcome, its message, and for a failure the place in the code, by which failures are told apart."""

    outcome: Outcome
    message: str = ""
    place: str = ""


ACCEPTED = Verdict(Outcome.ACCEPTED)


class SilentChangeError(Exception):
    """A result differs from the right one, and nothing was said."""


def judge(action: Callable[[], object]) -> Verdict:
    """Do something, and judge how it ends: a result, a refusal, a wrong result, or a traceback."""
    try:
        action()
    except (InputError, NotEnoughMemoryError, DivergedError) as error:
        return refusal(str(error), place_of(error))
    except OSError as error:
        if error.filename is None:
            return failed(error)
        return refusal(str(error), place_of(error))
    except SilentChangeError as error:
        return Verdict(Outcome.CHANGED, str(error), place_of(error.__cause__ or error))
    except BaseException as error:
        return failed(error)
    return ACCEPTED


def failed(error: BaseException) -> Verdict:
    """Judge an exception that is no refusal."""
    text = "".join(traceback.format_exception(error, limit=-12))
    return Verdict(Outcome.TRACEBACK, text, place_of(error))


def refusal(message: str, place: str) -> Verdict:
    """Judge the message of a refusal: it is one printable line, not empty, and not endless."""
    if not message.strip():
        problem = "an empty message"
    elif len(message) > LONGEST_MESSAGE:
        problem = "an endless message"
    elif "\n" in message:
        problem = "a message of several lines"
    else:
        return Verdict(Outcome.REFUSED, message)
    return Verdict(Outcome.TRACEBACK, f"{problem}: {message[:LONGEST_MESSAGE]}", f"{problem}, {place}")


def place_of(error: BaseException) -> str:
    """Type of an exception, and the innermost function of riemap that it came through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(SOURCES)]
    if not ours:
        return type(error).__name__
    last = ours[-1]
    return f"{type(error).__name__} in {Path(last.filename).relative_to(SOURCES)}:{last.name}"
