"""One HTML file from its parts: a body, a style, scripts, and the data that the scripts show.

The data are in a block that browsers do not execute, and every character that could end the block is escaped.
The content security policy of the page allows only the style and the script with the given hashes. The page
cannot send requests, and text in a label or a name cannot run as code.
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

JSON_ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}
"""JSON escapes of the characters that have a meaning to HTML or to scripts."""

SHARED_SCRIPTS = ("base.js", "colour.js", "axes.js", "charts.js")
"""Scripts of every page, in the order in which they run."""


def document(
    body: str, scripts: Sequence[str], sections: Mapping[str, str], title: str, data: Mapping[str, Any]
) -> str:
    """Build a page from its assets and its data.

    Parameters
    ----------
    body
        Name of the asset with the sections of the page, as HTML.
    scripts
        Names of the scripts to run after the shared ones.
    sections
        Texts of the links at the top of the page, by the id of the section that each leads to.
    title
        Title of the browser window, as plain text.
    data
        Data that the scripts see as ``data``. NumPy arrays are packed as base64 text.

    Returns
    -------
    str
        The page as HTML.
    """
    style = asset("page.css")
    code = "\n".join(["'use strict';", *(asset(name) for name in (*SHARED_SCRIPTS, *scripts))])
    script = f"(() => {{\n{code}\n}})();\n"
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return string.Template(asset("page.html")).substitute(
        title=html.escape(title).encode("utf-8", "replace").decode(),  # as in the data
        policy=policy,
        style=style,
        links="\n    ".join(f'<a href="#{id}">{html.escape(text)}</a>' for id, text in sections.items()),
        body=asset(body),
        data=as_json(data),
        script=script,
    )


def as_json(data: Mapping[str, Any]) -> str:
    r"""Write data as JSON that can stand in a page.

    Parameters
    ----------
    data
        Data without NaN or infinity; arrays may hold NaN.

    Returns
    -------
    str
        The data as JSON, without characters that have a meaning to HTML.

    Examples
    --------
    >>> as_json({"label": "</script>"})
    '{"label":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(data, default=_packed, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    # A label may hold a lone surrogate, which UTF-8 cannot encode: it becomes a question mark.
    return text.translate(JSON_ESCAPES).encode("utf-8", "replace").decode()


def asset(name: str) -> str:
    """Read a file of the folder ``assets``."""
    return resources.files("riemap.report").joinpath("assets", name).read_text(encoding="utf-8")


def _packed(value: object) -> Any:
    """Convert an array to base64 text: floats as four bytes, integers as the smallest type that holds them.

    NaN stays NaN, which the page shows as a dash.
    """
    if isinstance(value, np.generic):
        return value.item()
    if not isinstance(value, np.ndarray):
        raise TypeError(f"cannot write a {type(value).__name__} into a page")
    narrow = _narrowed(value)
    bytes_ = narrow.astype(narrow.dtype.newbyteorder("<")).tobytes()
    return {"type": narrow.dtype.str[1:], "shape": narrow.shape, "data": base64.b64encode(bytes_).decode()}


def _narrowed(values: NDArray[Any]) -> NDArray[Any]:
    if values.dtype.kind == "f":
        return values.astype(np.float32)
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
