"""Points for new nodes: where their distances to fixed points say, each row by itself."""

import numpy as np
import pytest
from subjects import every_manifold
from thread_helpers import exactly

from riemap import InputError, Space
from riemap.manifolds import Manifold
from riemap.spaces import Points
from riemap.training import place, placement
from riemap.types import Array

PRODUCT, SCALES = Space.parse("H2 x S2 x E1"), np.log([0.5, 2.0, 3.0])


def problem(
    space: Space, scales: Array, new: int = 9, k: int = 40, noise: float = 0.0
) -> tuple[Points, Array]:
    """Anchors, and squared distances to them from points that are hidden."""
    rng = np.random.default_rng(3)
    anchors, hidden = space.random(rng, k, 0.7), space.random(rng, new, 0.7)
    distances = np.sqrt(space.pairwise(hidden, anchors, scales))
    return anchors, (distances * (1.0 + noise * rng.uniform(-1.0, 1.0, distances.shape))) ** 2


def distortion(space: Space, x: Points, anchors: Points, scales: Array, sqtarget: Array) -> Array:
    return np.abs(np.sqrt(space.pairwise(x, anchors, scales) / sqtarget) - 1.0).mean(axis=1)


@every_manifold
def test_distances_that_fit_are_found(m: Manifold) -> None:
    space, scales = Space((m,)), np.log([2.0])
    anchors, sqtarget = problem(space, scales, k=max(40, 8 * m.dim))
    found = distortion(space, place(space, anchors, scales, sqtarget), anchors, scales, sqtarget)
    assert np.median(found) < 0.02
    assert found.max() < 0.1


def test_products_and_scales() -> None:
    anchors, sqtarget = problem(PRODUCT, SCALES)
    x = place(PRODUCT, anchors, SCALES, sqtarget)
    assert distortion(PRODUCT, x, anchors, SCALES, sqtarget).max() < 0.02


@pytest.mark.parametrize("text", ["E3", "H3", "Stein2", "H2 x S2"])
def test_no_place_nearby_is_better(text: str) -> None:
    space = Space.parse(text)
    scales = np.zeros(len(space.factors))
    anchors, sqtarget = problem(space, scales, noise=0.3)
    x = place(space, anchors, scales, sqtarget)
    here = distortion(space, x, anchors, scales, sqtarget)
    rng = np.random.default_rng(0)
    for radius in (0.3, 0.1, 0.03):
        for _ in range(20):
            y = tuple(
                m.exp(a, radius * m.to_tangent(a, rng.standard_normal(a.shape)))
                for m, a in zip(space.factors, x, strict=True)
            )
            assert (distortion(space, y, anchors, scales, sqtarget) > here - 0.003).all()


@every_manifold
def test_the_bytes_of_a_point_depend_on_its_row_only(m: Manifold, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not on other rows, on their order, on the size of blocks, or on the number of threads."""
    space, scales = Space((m,)), np.zeros(1)
    anchors, sqtarget = problem(space, scales, new=150, k=20, noise=0.2)
    (x,) = place(space, anchors, scales, sqtarget)
    some = np.array([7, 149, 0, 64, 63])
    assert place(space, anchors, scales, sqtarget[some])[0].tobytes() == x[some].tobytes()
    assert place(space, anchors, scales, sqtarget[7:8])[0].tobytes() == x[7:8].tobytes()
    monkeypatch.setattr(placement, "BLOCK_PAIRS", 1)
    for count in (1, 2, 3):
        with exactly(count):
            assert place(space, anchors, scales, sqtarget)[0].tobytes() == x.tobytes()


def test_a_distance_of_zero_gives_the_point_of_the_anchor() -> None:
    anchors, sqtarget = problem(PRODUCT, SCALES)
    sqtarget[2, 31] = 0.0
    for y, a in zip(place(PRODUCT, anchors, SCALES, sqtarget), anchors, strict=True):
        assert y[2].tobytes() == a[31].tobytes()


@pytest.mark.parametrize("k", [1, 2])
def test_few_anchors_are_enough_for_a_place(k: int) -> None:
    anchors, sqtarget = problem(PRODUCT, SCALES, k=k)
    x = place(PRODUCT, anchors, SCALES, sqtarget)
    assert all(np.isfinite(a).all() for a in x)


def test_no_new_nodes_are_no_points() -> None:
    anchors, sqtarget = problem(PRODUCT, SCALES)
    assert [len(a) for a in place(PRODUCT, anchors, SCALES, sqtarget[:0])] == [0, 0, 0]


def test_anchors_all_at_one_place_and_scales_near_zero_give_finite_points() -> None:
    space, scales = Space.parse("H2 x E2"), np.array([0.0, -300.0])
    anchors, sqtarget = problem(space, scales)
    same = tuple(np.repeat(a[:1], len(a), axis=0) for a in anchors)
    for y in (anchors, same):
        assert all(np.isfinite(a).all() for a in place(space, y, scales, sqtarget))


@pytest.mark.parametrize(
    ("sqtarget", "words"),
    [
        (np.ones((2, 3)), "shape"),
        (np.ones(40), "shape"),
        (np.full((2, 40), np.nan), "finite"),
        (-np.ones((2, 40)), "negative"),
        ("near", "numbers"),
    ],
)
def test_wrong_targets_are_refused(sqtarget: Array, words: str) -> None:
    anchors, _ = problem(PRODUCT, SCALES)
    with pytest.raises(InputError, match=words):
        place(PRODUCT, anchors, SCALES, sqtarget)


def test_wrong_anchors_are_refused() -> None:
    with pytest.raises(InputError, match="tuple of 3 arrays"):
        place(PRODUCT, (np.zeros((2, 3)),), SCALES, np.ones((1, 2)))
