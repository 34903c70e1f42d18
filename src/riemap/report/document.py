"""One HTML file: a skeleton, a style, a script, and the data that the script shows.

The data stand in a block that a browser does not execute, with every character escaped that could end it.
The policy in the page's head allows the style and the script of these hashes and nothing else, so that no
request can leave the page, and nothing that came in with a label or a name can run.
"""

import base64
import hashlib
import html
import json
import string
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}
"""What has a meaning to the browser inside a block of data, as JSON spells it."""

SHARED = ("base.js", "colour.js", "axes.js", "charts.js")
"""Scripts of every page, in order."""


def document(skeleton: str, scripts: Sequence[str], title: str, data: Mapping[str, Any]) -> str:
    """The page of a skeleton, with its scripts and data inside.

    Parameters
    ----------
    skeleton
        Name of the asset with the page's body.
    scripts
        Names of the assets to run after the shared ones.
    title
        Of the window; text, not HTML.
    data
        What the scripts find under the name ``data``; arrays are packed.
    """
    style = asset("page.css")
    code = "\n".join(["'use strict';", *(asset(name) for name in (*SHARED, *scripts))])
    script = f"(() => {{\n{code}\n}})();\n"
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return string.Template(asset("page.html")).substitute(
        title=html.escape(title),
        policy=policy,
        style=style,
        body=asset(skeleton),
        data=as_json(data),
        script=script,
    )


def as_json(data: Mapping[str, Any]) -> str:
    r"""JSON that may stand in a page.

    >>> as_json({"label": "</script>"})
    '{"label":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(data, default=_packed, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    # A lone surrogate, which a label may hold, has no place in UTF-8.
    return text.translate(ESCAPES).encode("utf-8", "replace").decode()


def asset(name: str) -> str:
    """A file of the package."""
    return resources.files("riemap.report").joinpath("assets", name).read_text(encoding="utf-8")


def _packed(value: object) -> Any:
    """An array as the base64 text of its numbers: floats in four bytes, whole numbers in as few as hold them.

    A number that is none stays one: the page shows a dash.
    """
    if isinstance(value, np.generic):
        return value.item()
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{type(value).__name__} is not for a page")
    narrow = _narrowed(value)
    bytes_ = narrow.astype(narrow.dtype.newbyteorder("<")).tobytes()
    return {"type": narrow.dtype.str[1:], "shape": narrow.shape, "data": base64.b64encode(bytes_).decode()}


def _narrowed(values: NDArray[Any]) -> NDArray[Any]:
    if values.dtype.kind == "f":
        return values.astype(np.float32)
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
