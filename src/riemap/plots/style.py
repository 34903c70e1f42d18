"""The style of every figure, and helpers that create figures, axes and colour bars in that style."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from riemap.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

P = ParamSpec("P")
T = TypeVar("T")

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Line and group colours, which colour-blind readers can tell apart too [Okabe, Ito 2002]."""

INK, FAINT = "#333333", "#d9d9d9"
"""Colours of text and outlines, and of grid lines and backgrounds."""

FIGURE_DPI = 200
"""Pixels per inch of figures that are saved as images: enough for print at the size they are drawn."""

FIGURE_STYLE: dict[str, Any] = {
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
"""Matplotlib settings of every figure."""


def new_figure(rows: int, columns: int, width: float, height: float, **options: Any) -> "tuple[Figure, Any]":
    """Create a figure with a grid of axes.

    Parameters
    ----------
    rows, columns
        Number of rows and columns of axes.
    width, height
        Size of the figure, in inches.
    **options
        Further options of :func:`matplotlib.pyplot.subplots`.

    Returns
    -------
    tuple[Figure, Any]
        The figure, and its axes as an array ``(rows, columns)``.
    """
    made: tuple[Figure, Any] = pyplot().subplots(
        rows, columns, figsize=(width, height), layout="constrained", squeeze=False, **options
    )
    return made


def styled(draw: Callable[P, T]) -> Callable[P, T]:
    """Make a drawing function use :data:`FIGURE_STYLE`, without changing Matplotlib's global settings.

    Parameters
    ----------
    draw
        The function to decorate.

    Returns
    -------
    Callable
        The function with the same signature.
    """

    @wraps(draw)
    def drawing(*args: P.args, **kwargs: P.kwargs) -> T:
        with pyplot().rc_context(FIGURE_STYLE):
            return draw(*args, **kwargs)

    return drawing


def axes_or_new(ax: "Axes | None", width: float = 5.0, height: float = 3.5) -> "Axes":
    """Return ``ax``, or the axes of a new figure of that size in inches if ``ax`` is ``None``."""
    if ax is not None:
        return ax
    made: Axes = new_figure(1, 1, width, height)[1][0, 0]
    return made


def set_title(ax: "Axes", text: str) -> "Axes":
    """Set the title of the axes to a text that is not read as a formula, and return the axes."""
    with pyplot().rc_context(FIGURE_STYLE):
        ax.set_title(escape_dollars(text))
    return ax


def add_colour_bar(scale: Any, axes: "Axes | list[Axes]", label: str, **options: Any) -> None:
    """Add a colour bar without outline beside the axes."""
    first = axes[0] if isinstance(axes, list) else axes
    bar = first.figure.colorbar(scale, ax=axes, aspect=25, **options)
    bar.set_label(label)
    bar.outline.set_visible(False)


def right_axis(ax: "Axes", label: str, colour: str) -> "Axes":
    """Add a second vertical axis on the right, whose contents are drawn behind those of ``ax``."""
    right = ax.twinx()
    right.set_ylabel(label, color=colour)
    right.tick_params(axis="y", colors=colour)
    right.grid(visible=False)
    ax.set_zorder(right.get_zorder() + 1)
    ax.patch.set_visible(False)
    return right


def escape_dollars(text: str) -> str:
    r"""Escape dollar signs, so that Matplotlib does not read a name from a file as a formula.

    Lone surrogates, which Matplotlib refuses, are escaped too.

    >>> escape_dollars("a$b$")
    'a\\$b\\$'
    """
    return text.replace("$", r"\$").encode("utf-8", "backslashreplace").decode()


def pyplot() -> Any:
    """Import and return :mod:`matplotlib.pyplot`.

    Raises
    ------
    ImportError
        If Matplotlib is not installed. The message says how to install it.
    """
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingExtraError(
            "figures need Matplotlib; install it with: pip install 'riemap[plot]'"
        ) from None
    return plt
