"""The spelling of a name with arguments round-trips, and an error in it is a message of one line."""

import string
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riemap.specs import Spec, first_difference, parse, resolve, split

names = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,10}", fullmatch=True)
keys = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
plain = st.text(string.ascii_letters + string.digits + ".+-*/>_", min_size=1, max_size=12)
values = plain | plain.map("({0},{0})".format) | plain.map("linear({0})->1".format)
specs = st.builds(Spec, names, st.dictionaries(keys, values, max_size=4))


@dataclass(frozen=True)
class Ramp:
    start: float
    end: float

    @classmethod
    def parse(cls, text: str) -> "Ramp":
        start, _, end = text.partition("->")
        return cls(float(start), float(end or start))

    def __str__(self) -> str:
        return f"{self.start}->{self.end}"


@dataclass(frozen=True)
class Rsne:
    T: Ramp
    exclusive: bool = False


def tree(r: int, h: int, scale: float = 1.0, name: str = "oak") -> tuple[object, ...]:
    if r < 1:
        raise ValueError(f"r={r} must be positive")
    return r, h, scale, name


REGISTRY = {"tree": tree, "rsne": Rsne}


def find(text: str) -> object:
    return resolve(text, REGISTRY, what="thing", example="tree(r=4,h=5)")


@given(specs)
def test_the_spelling_round_trips(spec: Spec) -> None:
    assert parse(str(spec)) == spec


@given(specs)
def test_white_space_is_tolerated(spec: Spec) -> None:
    """White space around names, values, signs and parentheses does not change a spec."""
    loose = str(spec)
    for sign in ("->", "(", ")", ",", "="):
        loose = loose.replace(sign, f" {sign}\t")
    assert parse(f"  {loose}\n") == spec


def message(text: str) -> str:
    """Return the message with which a text is refused, or an empty text."""
    try:
        parse(text)
    except ValueError as error:
        return str(error)
    return ""


@given(st.text(max_size=2000) | st.text(st.characters(categories=["Cc", "Cf", "Co", "Cs"]), max_size=2000))
def test_any_text_is_a_spec_or_one_clear_line(text: str) -> None:
    found = message(text)
    assert found.isprintable()
    assert len(found) < 240
    assert found.startswith("cannot read ") or parse(str(parse(text))) == parse(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it is empty"),
        ("tree(r=4", "not a name with arguments"),
        ("tree r=4", "not a name with arguments"),
        ("4(r=4)", "not a name with arguments"),
        ("tree(4)", "'4' is not an argument"),
        ("tree(r=)", "'r=' is not an argument"),
        ("tree(r=4,)", "'' is not an argument"),
        ("tree(r=1 0)", "'r=1 0' is not an argument"),
        ("tree(r=4,r=4)", "r is given twice"),
        ("tree(r=(4)", "parentheses do not match"),
        ("tree(r=4)(h=5)", "parentheses do not match"),
        ("tree" * 1000, "it has 4000 characters"),
    ],
)
def test_bad_specs_are_refused(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match="cannot read") as caught:
        parse(text)
    assert problem in str(caught.value)
    assert "e.g. 'tree(r=4,h=5)'" in str(caught.value)


def test_a_spec_is_text() -> None:
    with pytest.raises(TypeError, match="not int"):
        parse(3)  # type: ignore[arg-type]


def test_arguments_are_converted_and_ordered() -> None:
    call = find("tree( h=5, r=4 )")
    assert call() == (4, 5, 1.0, "oak")
    assert str(call) == "tree(r=4,h=5,scale=1,name=oak)"
    assert str(find(str(call))) == str(call)


def test_a_class_may_read_its_own_values() -> None:
    call = find("rsne(T=0.5 -> 0.01, exclusive=true)")
    assert call() == Rsne(Ramp(0.5, 0.01), exclusive=True)
    assert str(call) == "rsne(T=0.5->0.01,exclusive=true)"
    assert find("rsne(T=1,exclusive=false)")() == Rsne(Ramp(1.0, 1.0), exclusive=False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "tre(r=4)",
            "no thing is called 'tre'; did you mean 'tree'? There are tree, rsne, e.g. 'tree(r=4,h=5)'",
        ),
        ("xyz", "no thing is called 'xyz'. There are tree, rsne, e.g. 'tree(r=4,h=5)'"),
        ("tree", "thing 'tree': r and h must be given; it is spelled tree(r=...,h=...,scale=1,name=oak)"),
        ("tree(r=4,h=5,k=1)", "there is no argument 'k'; it is spelled tree("),
        ("tree(r=4.5,h=5)", "r=4.5 is not a whole number"),
        ("tree(r=1_0,h=5)", "r=1_0 has an underscore in a number; write e.g. 1000"),
        ("tree(r=4,h=5,scale=1_0.5)", "scale=1_0.5 has an underscore"),
        ("rsne(T=1_0->2)", "T=1_0->2 has an underscore"),
        ("tree(r=" + "9" * 900 + ",h=x)", "h=x is not a whole number"),
        ("tree(r=4,h=5,scale=1e400)", "scale=1e400 is not a finite number"),
        ("tree(r=4,h=5,scale=big)", "scale=big is not a number"),
        ("tree(r=4,h=5,scale=nan)", "scale=nan is not a finite number"),
        ("rsne(T=1,exclusive=yes)", "exclusive=yes is neither true nor false"),
        ("rsne(T=hot)", "T=hot is not a ramp: could not convert"),
    ],
)
def test_bad_arguments_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"thing") as caught:
        find(text)
    assert message in str(caught.value)


def test_errors_of_the_thing_itself_name_the_spec() -> None:
    with pytest.raises(ValueError, match=r"^tree\(r=0,h=5,scale=1,name=oak\): r=0 must be positive$"):
        find("tree(r=0,h=5)")()


def test_split_leaves_parentheses_alone() -> None:
    assert split("rsne(T=1e+3)+0.3*ad", "+") == ["rsne(T=1e+3)", "0.3*ad"]


# --- differences ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("theirs", "ours", "found"),
    [
        ({"a": 1, "b": [1, 2]}, {"b": [1, 2], "a": 1}, None),
        ({"a": None}, {}, None),
        ({"a": 1}, {"a": 2}, ("a", 1, 2)),
        ({"a": {"b": [{"c": "x" * 500}]}}, {"a": {"b": [{"c": "y"}]}}, ("a.b[0].c", "x" * 500, "y")),
        ({"a": [1, 2, 3]}, {"a": [1, 2]}, ("a[2]", 3, None)),
        ({"a": 1}, {"a": 1, "b": 0}, ("b", None, 0)),
        ({"a": 1, "b": 0}, {"a": 1}, ("b", 0, None)),
        ({"a": {"b": 1}}, {"a": [1]}, ("a", {"b": 1}, [1])),
    ],
)
def test_the_first_difference_has_its_path_and_both_values_in_full(
    theirs: object, ours: object, found: object
) -> None:
    assert first_difference(theirs, ours) == found
