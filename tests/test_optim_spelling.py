"""How optimizers are spelled."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riemap.errors import InputError
from riemap.optim import OPTIMIZERS, Optimizer, RAdam, as_optimizer
from riemap.optim.radam import Betas

every_optimizer = pytest.mark.parametrize("kind", OPTIMIZERS, ids=lambda kind: kind.symbol)


@pytest.mark.parametrize(
    "text",
    [
        "radam(lr=0.01)",
        "radam(lr=0.05,betas=(0.9,0.99))",
        "radam(lr=0.1,clip=5,retraction=true)",
        "radam(lr=0.0123456789,betas=(0.123456789,0.9999999))",
        "rsgd(lr=0.01)",
        "rsgd(lr=1e-05,momentum=0.9,clip=3)",
    ],
)
def test_spelling_round_trips(text: str) -> None:
    optimizer = as_optimizer(text)
    assert str(optimizer) == text
    assert as_optimizer(str(optimizer)) == optimizer
    assert as_optimizer(optimizer) is optimizer


@every_optimizer
def test_defaults_round_trip(kind: type[Optimizer]) -> None:
    assert as_optimizer(kind.symbol) == kind() == as_optimizer(str(kind()))


@given(lr=st.floats(1e-9, 1e9), first=st.floats(0, 0.999), second=st.floats(0, 0.999))
def test_any_number_round_trips(lr: float, first: float, second: float) -> None:
    optimizer = RAdam(lr, Betas(first, second))
    assert as_optimizer(str(optimizer)) == optimizer


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("radm", "no optimizer is called 'radm'; did you mean 'radam'?"),
        ("newton", "There are radam, rsgd, e.g. 'radam(lr=0.01)'"),
        ("radam(lr=0)", "lr=0 is not positive"),
        ("radam(lr=-1)", "lr=-1 is not positive"),
        ("rsgd(lr=nan)", "lr=nan is not a finite number"),
        ("rsgd(clip=0)", "clip=0 is not positive"),
        ("rsgd(lr=fast)", "lr=fast is not a number"),
        ("radam(betas=(1,2))", "beta1=1 is not in [0, 1)"),
        ("radam(betas=(0.9,1))", "beta2=1 is not in [0, 1)"),
        ("radam(betas=(-0.1,0.5))", "beta1=-0.1 is not in [0, 1)"),
        ("radam(betas=0.9)", "is not a pair of numbers such as (0.9,0.999)"),
        ("radam(betas=(a,b))", "is not a pair of numbers such as (0.9,0.999)"),
        ("rsgd(momentum=1)", "momentum=1 is not in [0, 1)"),
        ("rsgd(momentum=-0.5)", "momentum=-0.5 is not in [0, 1)"),
        ("rsgd(betas=(0.9,0.99))", "there is no argument 'betas'"),
        ("radam(retraction=1)", "retraction=1 is neither true nor false"),
        ("", "it is empty"),
        ("radam(lr=0.1", "it is not a name with arguments in parentheses"),
    ],
)
def test_bad_spellings_are_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        as_optimizer(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
