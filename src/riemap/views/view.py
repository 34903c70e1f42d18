"""What a picture of one factor consists of."""

from dataclasses import dataclass
from typing import Any, final

from riemap.types import Array


@final
@dataclass(frozen=True, eq=False)
class View:
    """A picture of all nodes in one factor of a space.

    Parameters
    ----------
    kind
        How to draw it: one of ``disk ball globe cone ellipses plane space circle line``.
    title
        Name of the picture.
    caption
        One or more sentences on how to read it.
    points
        ``(n, 2)`` or ``(n, 3)``, coordinates in the unit ball.
    knots
        ``(m, k, 3)``, intermediate points of each edge; ``None`` if ``kind`` determines how edges run.
    matrices
        ``(n, 3)``, the entries a, b, c of the matrices that ellipses show.
    opposite
        Whether opposite points of a globe are the same.
    note
        A few words for the title of a figure about what the picture distorts.
    """

    kind: str
    title: str
    caption: str
    points: Array
    knots: Array | None = None
    matrices: Array | None = None
    opposite: bool = False
    note: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return all fields that are set, for the page of the report.

        Returns
        -------
        dict
            Values by the name of the field; fields that are ``None`` are missing.
        """
        return {key: value for key, value in vars(self).items() if value is not None}
