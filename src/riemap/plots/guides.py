"""Thin lines that show the shape of a view: parallels and meridians of a globe, rings of a disk or a cone."""

import numpy as np

from riemap.types import Array

CIRCLE_ANGLES = np.linspace(0.0, 2.0 * np.pi, 97)
"""Angles of the points of a ring: 96 pieces look round at the size of a picture."""

DISK_RING_DISTANCES = (1.0, 2.0, 4.0)
"""Hyperbolic distances from the mean at which the disk has rings."""


def guides(kind: str) -> list[Array]:
    """Return the guide lines of a kind of view, in its coordinates.

    Parameters
    ----------
    kind
        The kind of a :class:`riemap.views.View`.

    Returns
    -------
    list[Array]
        Points of each line, ``(k, 2)`` or ``(k, 3)``; no lines for a kind that needs none.
    """
    found = _GUIDES.get(kind)
    return [] if found is None else found()


def _ring(radius: float, height: float) -> Array:
    x, y = radius * np.cos(CIRCLE_ANGLES), radius * np.sin(CIRCLE_ANGLES)
    return np.stack([x, y, np.full(len(CIRCLE_ANGLES), height)], axis=1)


def _disk() -> list[Array]:
    return [_ring(np.tanh(0.5 * distance), 0.0)[:, :2] for distance in DISK_RING_DISTANCES]


def _globe() -> list[Array]:
    """Parallels and meridians of the hemisphere that faces the reader; the poles are at top and bottom."""
    turn = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 49)
    angles = np.deg2rad((-60, -30, 0, 30, 60))
    parallels = [
        np.stack([np.cos(t) * np.sin(turn), np.full(49, np.sin(t)), np.cos(t) * np.cos(turn)], axis=1)
        for t in angles
    ]
    meridians = [
        np.stack([np.cos(turn) * np.sin(t), np.sin(turn), np.cos(turn) * np.cos(t)], axis=1) for t in angles
    ]
    return parallels + meridians


def _ball() -> list[Array]:
    ring = _ring(1.0, 0.0)
    return [ring[:, (0, 2, 1)], ring[:, (2, 0, 1)]]


def _cone() -> list[Array]:
    """Rings of equal height, and straight lines on the boundary that start at the tip."""
    ends = _ring(1.0, 1.0)[:-1:12]
    return [_ring(h, h) for h in (0.25, 0.5, 0.75, 1.0)] + [np.stack([np.zeros(3), end]) for end in ends]


def _line() -> list[Array]:
    return [np.array([[-1.08, 0.0], [1.08, 0.0]])]


_GUIDES = {"disk": _disk, "globe": _globe, "ball": _ball, "cone": _cone, "line": _line}
