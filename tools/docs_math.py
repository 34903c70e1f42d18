"""An extension of griffe for the documentation: converts docstrings from reStructuredText to Markdown.

Formulas become MathML; roles and examples become code.
"""

import re
from typing import Any

import griffe
from latex2mathml.converter import convert

INLINE = re.compile(r":math:`([^`]+)`")
BLOCK = re.compile(r"^\.\. math::[ \t]*(.*(?:\n(?:[ \t]+\S.*|[ \t]*(?=\n[ \t]+\S)))*)", re.MULTILINE)
EXAMPLE = re.compile(r"(?:(?<=\n\n)|^)>>> .*(?:\n(?!\n).+)*")
ROLE = re.compile(r":(?:func|class|meth|mod|data|attr|exc):`~?\.?([^`]+)`")


def readable(text: str) -> str:
    """Convert a docstring from reStructuredText to Markdown."""
    if "Examples\n---" not in text:
        text = EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", text)
    text = BLOCK.sub(lambda found: f"\n{_formula(found[1], 'block')}\n", text)
    text = INLINE.sub(lambda found: f"<span>{_formula(found[1], 'inline')}</span>", text)
    return ROLE.sub(r"`\1`", text)


def _formula(tex: str, display: str) -> str:
    return convert(" ".join(tex.split()), display=display).replace("*", "&#42;").replace("_", "&#95;")


class Formulas(griffe.Extension):
    """Converts every docstring while griffe collects it."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Convert the docstring of a module, a class, a function or a constant."""
        if obj.docstring is not None:
            obj.docstring.value = readable(obj.docstring.value)
