"""The output file of a figure: its option, its checks, and how it is written."""

from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from riemap.errors import InputError

FIGURE_SUFFIXES = (".png", ".svg", ".pdf")
"""Extensions of figure files, each of which selects a format."""

Out: TypeAlias = Annotated[
    Path,
    typer.Option(
        "--out",
        "-o",
        help="File to write the figure to: .png, .svg or .pdf; /dev/stdout gets a PNG.",
        show_default=False,
    ),
]


def check_figure(out: Path, option: str = "--out") -> None:
    """Refuse a path that a figure cannot be written to. Commands call this before they compute anything."""
    from riemap.files import check_destination, is_stream

    if out.suffix.lower() not in FIGURE_SUFFIXES and not is_stream(out):
        suffixes = f"{', '.join(FIGURE_SUFFIXES[:-1])} or {FIGURE_SUFFIXES[-1]}"
        raise InputError(f"{out} is not a {suffixes} file, e.g. {option} {out.stem}.png")
    check_destination(out, "figure.png")


def write_figure(figure: Any, out: Path, *, cropped: bool = False) -> None:
    """Write a figure in the format of the file's extension, without its empty margins if ``cropped``.

    A stream such as /dev/stdout has no extension, and gets a PNG.
    """
    from riemap.files import written_whole
    from riemap.plots.style import FIGURE_DPI, FIGURE_STYLE, pyplot

    box = "tight" if cropped else None
    known = out.suffix.lower() in FIGURE_SUFFIXES
    form = out.suffix[1:].lower() if known else "png"
    with written_whole(out) as file, pyplot().rc_context(FIGURE_STYLE):  # the style says how text is stored
        figure.savefig(file, format=form, dpi=FIGURE_DPI, bbox_inches=box)
    typer.echo(f"riemap: wrote {out}" + ("" if known else ", as a PNG since it has no extension"), err=True)
