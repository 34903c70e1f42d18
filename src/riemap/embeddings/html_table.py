"""Small HTML tables that notebooks show for results."""

from html import escape


def html_table(caption: str, **rows: object) -> str:
    """A table with one row for each name and value, all escaped.

    >>> html_table("Pair", nodes="<2>")
    '<table><caption>Pair</caption><tr><th>nodes</th><td>&lt;2&gt;</td></tr></table>'
    """
    cells = (f"<tr><th>{escape(name)}</th><td>{escape(str(value))}</td></tr>" for name, value in rows.items())
    return f"<table><caption>{escape(caption)}</caption>{''.join(cells)}</table>"
