"""What surrounds the nodes of a picture: the net of a globe, rings of a disk, of a ball and of a cone."""

import numpy as np

from riemap.types import Array

TURN = np.linspace(0.0, 2.0 * np.pi, 97)

LENGTHS = (1.0, 2.0, 4.0)
"""Distances from the mean at which a disk has rings."""


def guides(kind: str) -> list[Array]:
    """Lines in the coordinates of a view, ``(k, 2)`` or ``(k, 3)`` each."""
    found = _GUIDES.get(kind)
    return [] if found is None else found()


def _ring(radius: float, height: float) -> Array:
    return np.stack([radius * np.cos(TURN), radius * np.sin(TURN), np.full(len(TURN), height)], axis=1)


def _disk() -> list[Array]:
    return [_ring(np.tanh(0.5 * length), 0.0)[:, :2] for length in LENGTHS]


def _globe() -> list[Array]:
    """Parallels and meridians of the side that faces the reader; the poles are above and below."""
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
    """Rings of equal height, and lines on the boundary from the tip."""
    ends = _ring(1.0, 1.0)[:-1:12]
    return [_ring(h, h) for h in (0.25, 0.5, 0.75, 1.0)] + [np.stack([np.zeros(3), end]) for end in ends]


def _line() -> list[Array]:
    return [np.array([[-1.08, 0.0], [1.08, 0.0]])]


_GUIDES = {"disk": _disk, "globe": _globe, "ball": _ball, "cone": _cone, "line": _line}
