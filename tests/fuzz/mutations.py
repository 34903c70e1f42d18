"""Damage to bytes and text: what disks, editors, other programs and attackers do to a file."""

import re
from collections.abc import Sequence
from random import Random

_WORDS = rb"""
0 -1 1 2 3 -0 +1 1e400 1e-400 1e308 1e-320 nan NaN inf -inf 1_2 0x10 1j 007 1e5 .5 5. 2147483648
-9223372036854775809 99999999999999999999999 , ; " "" # % ## { } [ ] ( ) < > & / \ -> = : * x ^ null true {}
UTF-7 UTF-16 latin-1 big5 <!DOCTYPE <!-- ]]> &#0; &lt; [[[] $ ~ @ ! | `
"""

_CHARACTERS = "\n", "\r", "\r\n", "\0", "\t", "\ufeff", "\u0663", "\u2028", "\x85", "ﬁ"

TOKENS = (
    *_WORDS.split(),
    *(c.encode() for c in _CHARACTERS),
    *(b"\xff", b"\xff\xfe", b"\xed\xa0\x80"),
    *(b" " * 70, b"a" * 300, b"9" * 5000, b"[" * 3000),
)
"""Pieces of text that parsers stumble on."""

_PIECES = re.compile(rb"[0-9A-Za-z_.+-]+|\s+|.", re.DOTALL)


def damaged(rng: Random, data: bytes, others: Sequence[bytes] = (b"",)) -> bytes:
    """Bytes with one to eight random defects; now and then, something else altogether."""
    if rng.random() < 0.03:
        return rng.choice([b"", b"\0" * rng.randrange(1, 300), rng.randbytes(rng.randrange(300)), data * 2])
    for _ in range(min(8, 1 + int(rng.expovariate(1.0)))):
        data = rng.choice((_bytes, _bytes, _tokens, _lines))(rng, data, rng.choice(others))
    return data


def cut_or_flipped(rng: Random, data: bytes) -> bytes:
    """What a bad disk does: a flipped bit, a zeroed or repeated block, or an end that is missing."""
    at, size = rng.randrange(len(data) + 1), rng.choice((1, 2, 4, 16, 64, 512))
    choice = rng.randrange(6)
    if choice < 2 and data:
        at = min(at, len(data) - 1)
        return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
    if choice == 2:
        return data[:at] + b"\0" * len(data[at : at + size]) + data[at + size :]
    if choice == 3:
        return data[: at + size] + data[at:]
    if choice == 4:
        return data[:at] + data[at + size :]
    return data[:at]


def _bytes(rng: Random, data: bytes, other: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    choice = rng.randrange(4)
    if choice == 0:
        return data[:at] + rng.choice(TOKENS) + data[at:]
    if choice == 1:
        start = rng.randrange(len(other) + 1)
        return data[:at] + other[start : start + rng.randrange(1, 60)] + data[at + rng.randrange(20) :]
    if choice == 2:
        return data[:at] + rng.randbytes(1) + data[at + 1 :]
    return cut_or_flipped(rng, data)


def _tokens(rng: Random, data: bytes, other: bytes) -> bytes:
    """Replace, drop, repeat or swap pieces; often the same piece everywhere."""
    pieces = _PIECES.findall(data)
    if not pieces or len(pieces) > 5000:
        return _bytes(rng, data, other)
    at, to = rng.randrange(len(pieces)), rng.randrange(len(pieces))
    choice = rng.randrange(5)
    if choice == 0:
        pieces[at] = rng.choice(TOKENS)
    elif choice == 1:
        old, new = pieces[at], rng.choice((*TOKENS, pieces[to]))
        pieces = [new if piece == old else piece for piece in pieces][: 10**5 // max(1, len(new))]
    elif choice == 2:
        pieces[at], pieces[to] = pieces[to], pieces[at]
    elif choice == 3:
        pieces.insert(to, pieces[at])
    else:
        del pieces[at]
    return b"".join(pieces)


def _lines(rng: Random, data: bytes, other: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    if not lines:
        return _bytes(rng, data, other)
    at, to = rng.randrange(len(lines)), rng.randrange(len(lines))
    choice = rng.randrange(5)
    if choice == 0:
        del lines[at]
    elif choice == 1:
        lines.insert(to, lines[at])
    elif choice == 2:
        lines.insert(to, rng.choice(other.splitlines(keepends=True) or [b"\n"]))
    elif choice == 3:
        rng.shuffle(lines)
    else:
        return data.replace(b"\n", rng.choice((b"\r\n", b"\r", b"\n\n", b" \n", b"\n ")))
    return b"".join(lines)
