"""Graphs in curved spaces: embed, measure, explain, show.

Names are imported when they are first used, so that ``import riemap`` and ``riemap --help`` do not wait
for the compiler behind the kernels.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riemap.spaces import Space

__version__ = "0.1.0"
__all__ = ["Space", "__version__"]

_HOMES = {"Space": "riemap.spaces"}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'riemap' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
