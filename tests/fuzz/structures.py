"""Damage to the structure of JSON, of NumPy's headers and of .npz archives, which stay well-formed."""

import io
import json
import math
import struct
import zipfile
from contextlib import suppress
from random import Random
from typing import Any

import numpy as np

VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 10**30, -(10**400), 1e308, -1e308, 1e-320, 0.5, math.nan, math.inf,
    "", "x", "nan", "../../x", "a\nb", "\ud800", "0" * 400, [], {}, [[]], {"": {}}, [1, 2, 3],
)  # fmt: skip
"""Values of every JSON type, among them what JSON itself does not have."""


UNSEALED_SHARE = 0.4
"""Share of damaged files whose checksum is removed: otherwise nothing behind the checksum is ever reached."""


def unsealed(data: bytes) -> bool:
    """Whether a file has an object without a checksum, whose values may be others without being noticed.

    An object is an archive, a JSON object, or a line of records. What is none of these has to be noticed.
    """
    with suppress(zipfile.BadZipFile, NotImplementedError), zipfile.ZipFile(io.BytesIO(data)) as file:
        return "checksum.npy" not in file.namelist()
    for text in (data, *data.splitlines()):
        with suppress(ValueError, RecursionError):
            value = json.loads(text)
            if isinstance(value, dict) and "checksum" not in value:
                return True
    return False


def damaged_json(rng: Random, text: bytes) -> bytes:
    """The text of a JSON value, of one value a line, with one to three entries that are wrong."""
    lines = text.splitlines() if text.count(b"\n{") else [text]
    at = rng.randrange(len(lines))
    value = json.loads(lines[at])
    if isinstance(value, dict) and rng.random() < UNSEALED_SHARE:
        value.pop("checksum", None)
    for _ in range(rng.randrange(1, 4)):
        value = _edited(rng, value)
    try:
        lines[at] = json.dumps(value).encode()
    except RecursionError:
        return text
    return b"\n".join(lines) + b"\n"


def _edited(rng: Random, value: Any) -> Any:
    """The value with one entry, at any depth, replaced, renamed, removed or added."""
    if not isinstance(value, dict | list) or not value or rng.random() < 0.04:
        return _other(rng, value)
    value = dict(value) if isinstance(value, dict) else list(value)
    key: Any = rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
    choice = rng.randrange(8)
    if choice < 4 and isinstance(value[key], dict | list):
        value[key] = _edited(rng, value[key])
    elif choice < 5:
        value[key] = _other(rng, value[key])
    elif choice == 5:
        del value[key]
    elif isinstance(value, dict):
        other = rng.choice([*value, "", "x", key + "x", key[1:], key.upper()])
        value[other] = value[key] if rng.random() < 0.5 else value.pop(key)
    else:
        value.insert(rng.randrange(len(value) + 1), rng.choice([value[key], rng.choice(VALUES)]))
    return value


def _other(rng: Random, value: Any) -> Any:
    """Another value: of the same type, slightly changed, or of any type."""
    if rng.random() < 0.5:
        if isinstance(value, bool):
            return not value
        if isinstance(value, int):
            return value + rng.choice((-1, 1, 10, 10**6))
        if isinstance(value, float):
            return value * rng.choice((1.0 + 1e-9, 1.5, -1.0, 1e200))
        if isinstance(value, str) and value:
            at = rng.randrange(len(value))
            return value[:at] + rng.choice("0aZ/ \n") + value[at + 1 :]
    return rng.choice(VALUES)


def npy(array: np.ndarray[Any, Any], header: dict[str, Any] | None = None, version: int = 1) -> bytes:
    """An .npy file, whose header may claim something else than what the array is."""
    claims = {"descr": array.dtype.str, "fortran_order": False, "shape": array.shape} | (header or {})
    text = repr(claims).encode("latin-1", "replace")
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    size = struct.pack("<H" if version == 1 else "<I", len(text) % 65536)
    return b"\x93NUMPY" + bytes([version, 0]) + size + text + array.tobytes()


def damaged_npy(rng: Random, array: np.ndarray[Any, Any]) -> bytes:
    """An .npy file with other values, another shape or type, or a header that is wrong."""
    choice = rng.randrange(6)
    if choice == 0 and array.size and array.dtype.kind == "f":
        array = array.copy()
        array.flat[rng.randrange(array.size)] = rng.choice((math.nan, math.inf, -1.0, 0.0, 1e300, 1e-300))
    elif choice == 1:
        views = (array.T, array.reshape(-1), array[None], array.reshape(*array.shape, 1))
        array = rng.choice((*views, array[:-1], array[:0], array[..., :-1]) if array.ndim else views)
    elif choice == 2:
        kinds = ("f4", "f2", "c16", "i8", "u1", "S3", ">f8", "M8[s]", "?")
        array = array.astype(rng.choice(kinds)) if array.dtype.kind in "fiu" else np.zeros(3)
    if choice < 3:
        stream = io.BytesIO()
        np.save(stream, array, allow_pickle=False)
        return stream.getvalue()
    shapes: tuple[Any, ...] = (
        (10**8, 0), (10**9,), (0, 10**18), (2**62, 4), (-1,), (), (1,) * 40, (3.0,), None, (True,), (10**30,),
        array.shape[::-1], (*array.shape, 1),
    )  # fmt: skip
    types: tuple[Any, ...] = (
        "|O", "<f8 ", "<f16", "<U100000000", "|V0", "<f4", ">f8", "<i8", [("a", "<f8")], "", None, 5, "<f0",
    )  # fmt: skip
    header: dict[str, Any] = {}
    if rng.random() < 0.7:
        header["shape"] = rng.choice(shapes)
    if rng.random() < 0.4:
        header["descr"] = rng.choice(types)
    if rng.random() < 0.2:
        header["fortran_order"] = rng.choice((True, 1, None))
    if rng.random() < 0.1:
        header["x"] = 1
    if rng.random() < 0.3:
        header.setdefault("shape", rng.choice(shapes))
        array = array.reshape(-1)[:0]  # nothing follows the header, which may claim that there is nothing
    return npy(array, header, rng.choice((1, 1, 1, 2, 3, 4)))


def damaged_npz(rng: Random, data: bytes, others: list[bytes]) -> bytes:
    """An .npz file some of whose arrays are wrong, missing, renamed, repeated or from another file."""
    members = _members(data)
    if rng.random() < UNSEALED_SHARE:
        members.pop("checksum.npy", None)
    names = list(members)
    for _ in range(rng.randrange(1, 3)):
        name = rng.choice(names)
        choice = rng.randrange(6)
        if choice < 2 and name in members:
            array = np.load(io.BytesIO(_members(data)[name]), allow_pickle=False)
            members[name] = damaged_npy(rng, array)
        elif choice == 2:
            members.pop(name, None)
        elif choice == 3 and name in members:
            members[rng.choice(("x.npy", "x", f"../{name}", name.upper()))] = members.pop(name)
        elif choice == 4:
            foreign = _members(rng.choice(others))
            members[name] = foreign.get(name, rng.choice(list(foreign.values())))
        else:
            members[name] = rng.choice((b"", b"\0" * 9, members.get(rng.choice(names), b"")))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as file:
        for name, content in members.items():
            file.writestr(zipfile.ZipInfo(name), content)
    return stream.getvalue()


def _members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return {name: file.read(name) for name in file.namelist()}
