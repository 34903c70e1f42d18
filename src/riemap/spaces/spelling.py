"""How a space is written: ``"H3^2 x Gr(2,4)"``."""

import math
import re
from dataclasses import fields

from riemap.errors import InputError
from riemap.manifolds import MANIFOLDS, Manifold

MAX_NUMBERS = 4096
"""How many numbers one point may have. A larger space is taken for a typing error."""

MAX_SPACE_LENGTH = 20_480
"""Largest number of characters of a space: 4096 factors ``E1``, with ``" x "`` between them, have fewer."""

_SYMBOLS = {m.symbol: m for m in MANIFOLDS}
_FACTOR = re.compile(r"([A-Za-z]*)(\(.*\)|[^(]*)", re.DOTALL)


def accepted() -> str:
    """What a factor may look like, for messages."""
    one = ", ".join(s for s, m in _SYMBOLS.items() if len(fields(m)) == 1)  # type: ignore[arg-type]
    return f"a factor is one of {one} followed by its size, or Gr(k,n), e.g. 'H3 x S2^2' or 'SPD3 x Gr(2,4)'"


def parse_factors(text: str) -> list[Manifold]:
    """Read the factors of a space, refusing what cannot be one."""
    if not isinstance(text, str):
        raise TypeError(f"a space is given as text such as 'H3', not {type(text).__name__}")
    shown = repr(text if len(text) <= 60 else text[:57] + "...")
    if not text.strip():
        raise InputError(f"cannot read space {shown}: it is empty; {accepted()}")
    factors: list[Manifold] = []
    if len(text) > MAX_SPACE_LENGTH:
        raise InputError(
            f"cannot read space {shown}: it has {len(text):,} characters, and at most "
            f"{MAX_SPACE_LENGTH:,} are accepted; {accepted()}"
        )
    for part in re.split(r"[x×]", text):
        try:
            m, power = _parse_factor(part.strip())
        except InputError as error:
            name = repr(part.strip()[:30])
            raise InputError(f"cannot read factor {name} of space {shown}: {error}; {accepted()}") from None
        numbers = sum(math.prod(f.shape) for f in factors) + power * math.prod(m.shape)
        if numbers > MAX_NUMBERS:
            raise InputError(
                f"cannot use factor {part.strip()[:30]!r} of space {shown}: a point would have {numbers} "
                f"numbers, and at most {MAX_NUMBERS} are accepted; {accepted()}"
            )
        factors += [m] * power
    return factors


def _parse_factor(text: str) -> tuple[Manifold, int]:
    if not text:
        raise InputError("nothing stands on one side of an 'x'")
    base, caret, power = text.partition("^")
    match = _FACTOR.fullmatch(base.strip())
    symbol, sizes = match.groups() if match else ("", base)
    if symbol not in _SYMBOLS:
        hint = next((s for s in _SYMBOLS if s.lower() == symbol.lower()), None)
        raise InputError(f"no manifold is called {symbol!r}" + (f", did you mean {hint!r}?" if hint else ""))
    cls = _SYMBOLS[symbol]
    names = [f.name for f in fields(cls)]  # type: ignore[arg-type]
    if not sizes:
        raise InputError("its size is missing")
    numbers = sizes[1:-1].split(",") if sizes.startswith("(") else [sizes]
    if len(numbers) != len(names):
        spelled = symbol + (f"({','.join(names)})" if len(names) > 1 else names[0])
        raise InputError(f"its sizes are written {spelled}")
    m = cls(*(_integer(number.strip(), "size") for number in numbers))
    count = _integer(power.strip(), "power") if caret else 1
    if count < 1:
        raise InputError("the power must be at least 1")
    return m, count


def _integer(text: str, what: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise InputError(f"{text[:20]!r} is not a {what}, which is a whole number of at most nine digits")
    return int(text)
