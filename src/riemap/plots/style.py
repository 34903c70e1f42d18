"""How every figure looks."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from riemap.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

P = ParamSpec("P")
T = TypeVar("T")

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Distinct to colour-blind eyes too [Okabe, Ito 2002]."""

INK, FAINT = "#333333", "#d9d9d9"

DPI = 200
"""Of figures that are written as pixels."""

STYLE: dict[str, Any] = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.labelsize": 9,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.5,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}


def figure(rows: int, columns: int, width: float, height: float, **given: Any) -> "tuple[Figure, Any]":
    """A new figure with ``rows`` by ``columns`` axes, of that size in inches."""
    made: tuple[Figure, Any] = pyplot().subplots(
        rows, columns, figsize=(width, height), layout="constrained", squeeze=False, **given
    )
    return made


def styled(draw: Callable[P, T]) -> Callable[P, T]:
    """Decorator of a function that draws, which then draws like all others and changes no setting."""

    @wraps(draw)
    def drawing(*args: P.args, **kwargs: P.kwargs) -> T:
        with pyplot().rc_context(STYLE):
            return draw(*args, **kwargs)

    return drawing


def new_axes(ax: "Axes | None", width: float = 5.0, height: float = 3.5) -> "Axes":
    """The axes that were given, or new ones."""
    if ax is not None:
        return ax
    made: Axes = figure(1, 1, width, height)[1][0, 0]
    return made


def titled(ax: "Axes", text: str) -> "Axes":
    """The axes, with a title."""
    with pyplot().rc_context(STYLE):
        ax.set_title(plain(text))
    return ax


def plain(text: str) -> str:
    """A name from a file, in which a dollar sign begins no formula."""
    return text.replace("$", r"\$")


def pyplot() -> Any:
    """Matplotlib, or how to install it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingExtraError(
            "figures need Matplotlib; install it with: pip install 'riemap[plot]'"
        ) from None
    return plt
