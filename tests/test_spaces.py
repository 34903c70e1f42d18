"""Products and scales: spelling, distances, and the one place where w and its transpose meet."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tolerances import KERNEL_GRADIENT, KERNEL_SQDIST

from riemap import Space
from riemap.manifolds import MANIFOLDS
from riemap.spaces import Points
from riemap.spaces.spelling import MAX_NUMBERS
from riemap.types import Array

SUBJECTS = [cls(*sizes) for cls in MANIFOLDS for sizes in cls.examples]
SPACES = [str(m) for m in SUBJECTS] + [
    "H2 x E1",
    "H3^2 x Gr(2,4)",
    "S2 x SPD2 x Stein2",
    "SO3 x BW2 x LogSPD2",
]

seeds = st.integers(0, 2**32 - 1)
factors = st.lists(st.sampled_from(SUBJECTS), min_size=1, max_size=6)


@given(factors)
def test_spelling_round_trips(chosen: list) -> None:
    """parse(str(space)) == space, for every product."""
    space = Space(tuple(chosen))
    assert Space.parse(str(space)) == space
    assert space.dim == sum(m.dim for m in chosen)


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("H3^2 x Gr(2,4)", "H3^2 x Gr(2,4)"),
        ("H3 x H3 x Gr( 2 , 4 )", "H3^2 x Gr(2,4)"),
        ("E1xH2 × S3", "E1 x H2 x S3"),
        ("  SO5 ", "SO5"),
        ("E2 x H2 x E2", "E2 x H2 x E2"),
    ],
)
def test_spaces_are_read_leniently_and_spelled_one_way(text: str, spelled: str) -> None:
    assert str(Space.parse(text)) == spelled


@pytest.mark.parametrize(
    ("text", "part", "reason"),
    [
        ("", "''", "empty"),
        ("   ", "'   '", "empty"),
        ("Q3", "'Q3'", "no manifold is called 'Q'"),
        ("h3", "'h3'", "did you mean 'H'"),
        ("S2 x Q3", "'Q3'", "no manifold is called 'Q'"),
        ("3", "'3'", "no manifold is called ''"),
        ("H", "'H'", "size is missing"),
        ("H0", "'H0'", "at least 1"),
        ("SO1", "'SO1'", "at least 2"),
        ("H-1", "'H-1'", "'-1' is not a size"),
        ("H2.5", "'H2.5'", "'2.5' is not a size"),
        ("H３", "'H３'", "is not a size"),
        ("H3 S2", "'H3 S2'", "is not a size"),
        ("H(2,3)", "'H(2,3)'", "written Hn"),
        ("Gr4", "'Gr4'", "written Gr(k,n)"),
        ("Gr(2)", "'Gr(2)'", "written Gr(k,n)"),
        ("Gr(4,4)", "'Gr(4,4)'", "1 <= k < n"),
        ("Gr(5,4)", "'Gr(5,4)'", "1 <= k < n"),
        ("Gr(0,4)", "'Gr(0,4)'", "1 <= k < n"),
        ("H3 x", "''", "one side of an 'x'"),
        ("x H3", "''", "one side of an 'x'"),
        ("H3 x x S2", "''", "one side of an 'x'"),
        ("H3^0", "'H3^0'", "power must be at least 1"),
        ("H3^", "'H3^'", "'' is not a power"),
        ("H3^-2", "'H3^-2'", "'-2' is not a power"),
        ("SPD1000000", "'SPD1000000'", "at most 4096"),
        ("E1 x H3^99999999", "'H3^99999999'", "at most 4096"),
        ("H" + "9" * 5000, "'H99", "is not a size"),
        ("H" + " " * 20_000 + "2 3", "'H     ", "is not a size"),
        ("E1 x " * 5000 + "E1", "'E1 x E1", "it has 25,002 characters, and at most 20,480 are accepted"),
    ],
)
def test_bad_spaces_are_refused_with_reason_and_example(text: str, part: str, reason: str) -> None:
    """The message names the part, what is wrong with it, what is accepted, and one example."""
    with pytest.raises(ValueError, match=r"cannot (read|use)") as caught:
        Space.parse(text)
    message = str(caught.value)
    for wanted in (part, reason, "E, H, S, SPD, Stein, LogSPD, BW, SO", "Gr(k,n)", "'H3 x S2^2'"):
        assert wanted in message
    assert len(message) < 400


def outcome(text: str) -> Space | str:
    """The space, or the message that refuses it."""
    try:
        return Space.parse(text)
    except ValueError as error:
        return str(error)


@given(st.text(alphabet="EHSPDteinLogBWGrO0123456789(), x^×-", max_size=20))
def test_any_text_is_a_space_or_a_clear_error(text: str) -> None:
    """And what is read is small enough to be used."""
    space = outcome(text)
    if isinstance(space, str):
        assert "e.g." in space
    else:
        assert Space.parse(str(space)) == space
        assert sum(int(np.prod(m.shape)) for m in space.factors) <= MAX_NUMBERS


def test_things_that_are_not_text_are_refused() -> None:
    with pytest.raises(TypeError, match="text such as 'H3', not int"):
        Space.parse(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least one factor"):
        Space(())


@pytest.mark.parametrize("name", SPACES)
@given(seed=seeds)
def test_distance_is_the_scaled_sum_over_factors(name: str, seed: int) -> None:
    """d² = Σ s d², one pair at a time or all of them."""
    space, rng = Space.parse(name), np.random.default_rng(seed)
    x, y = space.random(rng, 5), space.random(rng, 4)
    scales = rng.normal(size=len(space.factors))
    parts = [m.pairwise(a, b) for m, a, b in zip(space.factors, x, y, strict=True)]
    expected = sum(np.exp(s) * part for s, part in zip(scales, parts, strict=True))
    np.testing.assert_allclose(space.pairwise(x, y, scales), expected)
    one = space.sqdist(tuple(a[1] for a in x), tuple(b[2] for b in y), scales)
    assert one == pytest.approx(expected[1, 2])
    np.testing.assert_allclose(space.pairwise(x, y), sum(parts))
    np.testing.assert_allclose(
        space.pairs(x, scales).sqdist, space.pairwise(x, x, scales), rtol=1e-9, atol=1e-12
    )


def objective(space: Space, x: Points, w: Array, scales: Array) -> float:
    return float(np.sum(w * space.pairwise(x, x, scales)))


@pytest.mark.parametrize("name", SPACES)
@given(seed=seeds)
def test_gradient_is_the_slope_in_points_and_scales(name: str, seed: int) -> None:
    """Against central differences along geodesics, with weights that are not symmetric."""
    space, rng, h = Space.parse(name), np.random.default_rng(seed), 1e-5
    x, w = space.random(rng, 6, 0.5), rng.normal(size=(6, 6))
    scales = 0.3 * rng.normal(size=len(space.factors))
    points, in_scales = space.gradient(x, w, scales)
    for k, m in enumerate(space.factors):
        u = m.to_tangent(x[k], rng.normal(size=x[k].shape))
        u /= np.sqrt(np.sum(m.inner(x[k], u, u)))
        ends = [(*x[:k], m.exp(x[k], s * u), *x[k + 1 :]) for s in (h, -h)]
        slope = (objective(space, ends[0], w, scales) - objective(space, ends[1], w, scales)) / (2 * h)
        assert np.sum(m.inner(x[k], points[k], u)) == pytest.approx(slope, rel=1e-5, abs=1e-5)
        step = h * np.eye(len(scales))[k]
        slope = (objective(space, x, w, scales + step) - objective(space, x, w, scales - step)) / (2 * h)
        assert in_scales[k] == pytest.approx(slope, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("name", ["H2 x E1", "SPD2 x S2^2"])
def test_rectangular_blocks_add_up_to_the_symmetric_one(name: str) -> None:
    """Rows of w + wᵀ against all points give every point's gradient, and every pair of a scale's twice."""
    space, rng = Space.parse(name), np.random.default_rng(5)
    x, w = space.random(rng, 9), rng.normal(size=(9, 9))
    scales = 0.3 * rng.normal(size=len(space.factors))
    whole = space.symmetric_block(x, scales)
    points, in_scales = whole.gradient(w)
    np.testing.assert_array_equal(whole.gradient_lower(np.tril(w + w.T))[1], in_scales)
    total = np.zeros(len(scales))
    for rows in (slice(0, 4), slice(4, 9)):
        block = space.rectangular_block(tuple(a[rows] for a in x), x, scales)
        np.testing.assert_allclose(block.sqdist, whole.sqdist[rows], **KERNEL_SQDIST)
        slopes, share = block.gradient((w + w.T)[rows])
        for a, slope in zip(points, slopes, strict=True):
            np.testing.assert_allclose(slope, a[rows], **KERNEL_GRADIENT)
        total += 0.5 * share
    np.testing.assert_allclose(total, in_scales)


def test_wrong_scales_are_refused() -> None:
    space = Space.parse("H2 x E1")
    x = space.random(np.random.default_rng(0), 3)
    for wrong in (np.zeros(1), np.zeros(3), np.zeros((2, 1))):
        with pytest.raises(ValueError, match="log-scales of shape"):
            space.pairwise(x, x, wrong)


def test_random_is_the_same_for_the_same_seed() -> None:
    space = Space.parse("H2 x S2")
    draws = [space.random(np.random.default_rng(7), 4) for _ in range(2)]
    for a, b in itertools.zip_longest(*draws):
        assert a.tobytes() == b.tobytes()
