"""How losses are spelled; schedules, sums and functions of a user."""

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from loss_helpers import (
    drawn,
    every_loss,
    hops,
    lopsided,
)

from riemap.errors import InputError
from riemap.losses import (
    RSNE,
    AverageDistortion,
    Custom,
    Loss,
    Neighbourhood,
    Schedule,
    Stress,
    Sum,
    as_loss,
)
from riemap.types import Array

SPELLED = [
    "rsne(T=0.02)",
    "rsne(T=0.5->0.01)",
    "rsne(T=0.0123456789)",
    "rsne(T=1e-05,exclusive=true)",
    "stress",
    "distortion",
    "ad",
    "neighbourhood",
    "rsne(T=0.02) + 0.3*ad",
    "0.1234567*stress + 1e20*ad",
    "2*ad",
]


@pytest.mark.parametrize("text", SPELLED)
def test_spelling_round_trips(text: str) -> None:
    """Every digit of a number comes back; a run is known by this text."""
    loss = as_loss(text)
    assert str(loss) == text
    assert as_loss(str(loss)) == loss
    assert hash(as_loss(text)) == hash(loss)
    assert as_loss(loss) is loss


@every_loss
def test_subjects_round_trip(loss: Loss) -> None:
    if not isinstance(loss, Custom):
        assert as_loss(str(loss)) == loss
        assert as_loss(f"  {loss} ") == loss


@given(start=st.floats(1e-9, 1e9), end=st.floats(1e-9, 1e9), factor=st.floats(1e-9, 1e30))
def test_any_number_round_trips(start: float, end: float, factor: float) -> None:
    loss = Sum(((factor, RSNE(Schedule(start, end))), (1.0, AverageDistortion())))
    assert as_loss(str(loss)) == loss


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("RSNE(T=0.1)", "did you mean 'rsne'?"),
        ("stres", "did you mean 'stress'?"),
        ("quantum", "no loss is called 'quantum'. There are rsne, stress, distortion, ad, neighbourhood"),
        ("rsne(T=0)", "T=0 is not a schedule: 0 is not a positive number"),
        ("rsne(T=-1)", "-1 is not a positive number"),
        ("rsne(T=nan)", "nan is not a positive number"),
        ("rsne(T=inf)", "inf is not a positive number"),
        ("rsne(T=1->0)", "0 is not a positive number"),
        ("rsne(T=0.1->)", "is not one or two numbers, as in 0.02 or 0.5->0.01"),
        ("rsne(T=0.1->0.2->0.3)", "more than two numbers"),
        ("rsne(T=warm)", "is not one or two numbers"),
        (
            "rsne(t=0.1)",
            "there is no argument 't'; it is spelled rsne(T=0.02,exclusive=false,same_temperature=false)",
        ),
        ("rsne(exclusive=yes)", "exclusive=yes is neither true nor false"),
        ("ad(T=1)", "there is no argument 'T'"),
        ("neighbourhood(edge=1)", "there is no argument 'edge'"),
        ("0*ad", "the factor of ad is 0; it must be positive, e.g. 0.3*ad"),
        ("-1*ad", "cannot read '-1*ad'"),
        ("1e999*ad", "factor=inf is not a finite number, e.g. factor=0.3"),
        ("1.2.3*ad", "cannot read the factor '1.2.3' in loss '1.2.3*ad'"),
        ("0.3*", "it is empty"),
        ("ad +", "it is empty"),
        ("+ ad", "it is empty"),
        ("", "it is empty"),
        ("rsne(T=0.1", "cannot read the loss 'rsne(T=0.1': its parentheses do not match"),
        ("ad)", "its parentheses do not match"),
        (
            "ad + rsne(T=0.1,matched=true)",
            "the option 'matched' of rsne is now called 'same_temperature': "
            "write 'rsne(T=0.1,same_temperature=true)'",
        ),
    ],
)
def test_bad_spellings_are_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        as_loss(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_loss_is_refused() -> None:
    with pytest.raises(TypeError, match=r"a loss is a text such as 'rsne\(T=0.02\)' or a function, not int"):
        as_loss(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["0." + "[" * 3000, "->".join(["0.5"] * 1000)], ids=["word", "numbers"])
def test_a_long_schedule_is_refused_shortly(text: str) -> None:
    with pytest.raises(InputError) as caught:
        Schedule.parse(text)
    assert len(str(caught.value)) < 150


def test_a_schedule_goes_by_equal_ratios() -> None:
    schedule = Schedule.parse("0.5->0.005")
    assert [schedule.value_at(p) for p in (0.0, 0.5, 1.0)] == pytest.approx([0.5, 0.05, 0.005])
    assert {Schedule.parse("0.1").value_at(p) for p in (0.0, 0.3, 1.0)} == {0.1}


def test_losses_take_the_temperature_of_the_moment() -> None:
    loss = as_loss("rsne(T=0.5->0.005,exclusive=true) + 0.3*ad")
    assert loss.at_progress(0.0) == as_loss("rsne(T=0.5,exclusive=true) + 0.3*ad")
    half = loss.at_progress(0.5).terms[0][1].T
    assert half.start == half.end == pytest.approx(0.05)
    target, sqdist = drawn(1)
    assert loss.at_progress(1.0)(target, sqdist)[0] == pytest.approx(
        naive.rsne(target, sqdist, 0.005, exclusive=True) + 0.3 * naive.distortion(target, sqdist, 0.5)
    )
    assert as_loss("ad").at_progress(0.5) == as_loss("ad")
    fixed = as_loss("rsne(T=0.1)")
    assert fixed.at_progress(0.7) is fixed


def test_a_sum_knows_what_its_terms_need() -> None:
    """One that has a user's function in it cannot come in blocks."""
    assert not Sum(((1.0, Custom(lopsided)), (1.0, Stress()))).blockwise
    assert not as_loss("ad + stress").compares_rows
    assert as_loss("ad + rsne(T=0.1)").compares_rows
    assert as_loss("2*neighbourhood").for_target(0.3).terms[0][1] == Neighbourhood().for_target(0.3)


def test_a_sum_within_a_sum_is_one_sum() -> None:
    inner = as_loss("rsne(T=0.1) + 0.3*ad")
    assert str(Sum(((2.0, inner), (1.0, Stress())))) == "2*rsne(T=0.1) + 0.6*ad + stress"


def test_a_temperature_may_be_a_plain_number() -> None:
    assert RSNE(0.05) == as_loss("rsne(T=0.05)")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="-1 is not a positive number"):
        RSNE(-1)  # type: ignore[arg-type]


def test_any_function_is_a_loss() -> None:
    loss = as_loss(lopsided)
    assert str(loss) == "lopsided"
    assert not loss.blockwise
    target, sqdist = drawn(2)
    assert loss(target, sqdist)[0] == lopsided(target, sqdist)[0]


@pytest.mark.parametrize(
    ("value", "weights"),
    [(1.0, np.zeros((3, 4))), (1.0, 0.0), (1.0, None), (np.zeros(4), np.zeros((4, 4)))],
)
def test_a_function_of_wrong_shapes_is_refused(value: object, weights: object) -> None:
    def mine(target: Array, sqdist: Array) -> tuple[object, object]:
        return value, weights

    with pytest.raises(
        ValueError,
        match=r"the loss mine returned a value of shape .* expected a number and weights of shape \(4, 4\)",
    ):
        as_loss(mine)(hops(4), hops(4))
