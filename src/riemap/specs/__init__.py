"""Specs: the text form of everything with a name and arguments, e.g. ``tree(r=4,h=5)``.

The same text is used on the command line, in grid files and in results. :func:`parse` splits it into name and
arguments. :func:`resolve` looks the name up in a registry, and converts the arguments to the annotated types
of the function or class that it finds.
"""

from riemap.specs.call import Call, resolve
from riemap.specs.differences import first_difference
from riemap.specs.messages import shortened, shown, suggestion
from riemap.specs.numbers import checked_seed, duration, expect, finite_number, whole_number
from riemap.specs.spec import Spec, parse, spell, split, value_text

__all__ = [
    "Call",
    "Spec",
    "checked_seed",
    "duration",
    "expect",
    "finite_number",
    "first_difference",
    "parse",
    "resolve",
    "shortened",
    "shown",
    "spell",
    "split",
    "suggestion",
    "value_text",
    "whole_number",
]
