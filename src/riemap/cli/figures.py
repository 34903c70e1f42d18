"""What every figure on the command line has in common: its file."""

from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from riemap.errors import InputError

FORMATS = (".png", ".svg", ".pdf")

Out: TypeAlias = Annotated[
    Path, typer.Option("--out", "-o", help="The file to write, a .png, .svg or .pdf.", show_default=False)
]


def check_figure(out: Path, option: str = "--out") -> None:
    """Refuse a name that is not a figure's, before anything is computed."""
    if out.suffix.lower() not in FORMATS:
        raise InputError(
            f"{out} is no {', '.join(FORMATS[:-1])} or {FORMATS[-1]} file, e.g. {option} {out.stem}.png"
        )
    if out.is_dir():
        raise InputError(f"{out} is a folder; name a file, e.g. {option} {out / 'figure.png'}")


def write_figure(figure: Any, out: Path, *, cropped: bool = False) -> None:
    """As pixels or lines, by the extension; if wanted, without an empty margin."""
    from riemap.files import written_whole
    from riemap.plots.style import FIGURE_DPI, FIGURE_STYLE, pyplot

    with written_whole(out) as file, pyplot().rc_context(FIGURE_STYLE):  # which tells how text is written
        figure.savefig(file, format=out.suffix[1:].lower(), dpi=FIGURE_DPI, bbox_inches="tight" if cropped else None)
    typer.echo(f"riemap: wrote {out}", err=True)
