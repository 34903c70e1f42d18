"""Texts for messages about wrong input: a user's value in one line, and a similar name."""

import difflib
from collections.abc import Iterable


def shown(value: object, width: int = 60) -> str:
    r"""Show a user's value in a message, as one short printable line.

    Parameters
    ----------
    value
        Any object; bytes are shown as text.
    width
        Largest number of characters. A longer text is cut.

    Returns
    -------
    str
        The ``repr`` of the value, without control characters.

    Examples
    --------
    >>> shown("two\nlines")
    "'two\\nlines'"
    """
    text = repr(value.decode(errors="replace") if isinstance(value, bytes) else value)
    text = text if text.isprintable() else ascii(text)[1:-1]
    return shortened(text, width)


def shortened(text: str, width: int = 120) -> str:
    """Cut a text that is longer than ``width`` characters, for a message."""
    return text if len(text) <= width else text[: width - 1] + "…"


def suggestion(name: str, names: Iterable[str]) -> str:
    """Suggest a similar name, as the end of a sentence about an unknown one.

    Parameters
    ----------
    name
        The unknown name.
    names
        The known names.

    Returns
    -------
    str
        ``; did you mean '…'?`` if a known name is similar, otherwise a full stop.

    Examples
    --------
    >>> suggestion("tre", ["tree", "cycle"])
    "; did you mean 'tree'?"
    """
    # Names are cut at 60 characters, since the time of difflib grows with the square of the length.
    known = {known[:60].lower(): known for known in names}
    near = difflib.get_close_matches(name[:60].lower(), known, n=1)
    return f"; did you mean {shown(known[near[0]])}?" if near else "."
