"""The output file of a figure: its option, its checks, and how it is written."""

from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from riemap.errors import InputError

FIGURE_SUFFIXES = (".png", ".svg", ".pdf")
"""Extensions of figure files, each of which selects a format."""

Out: TypeAlias = Annotated[
    Path,
    typer.Option("--out", "-o", help="File to write the figure to: .png, .svg or .pdf.", show_default=False),
]


def check_figure(out: Path, option: str = "--out") -> None:
    """Refuse a path that a figure cannot be written to. Commands call this before they compute anything."""
    if out.suffix.lower() not in FIGURE_SUFFIXES:
        suffixes = f"{', '.join(FIGURE_SUFFIXES[:-1])} or {FIGURE_SUFFIXES[-1]}"
        raise InputError(f"{out} is not a {suffixes} file, e.g. {option} {out.stem}.png")
    if out.is_dir():
        raise InputError(f"{out} is a folder; name a file, e.g. {option} {out / 'figure.png'}")


def write_figure(figure: Any, out: Path, *, cropped: bool = False) -> None:
    """Write a figure in the format of the file's extension, without its empty margins if ``cropped``."""
    from riemap.files import written_whole
    from riemap.plots.style import FIGURE_DPI, FIGURE_STYLE, pyplot

    box = "tight" if cropped else None
    with written_whole(out) as file, pyplot().rc_context(FIGURE_STYLE):  # the style says how text is stored
        figure.savefig(file, format=out.suffix[1:].lower(), dpi=FIGURE_DPI, bbox_inches=box)
    typer.echo(f"riemap: wrote {out}", err=True)
