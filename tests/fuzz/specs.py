"""Attack on specs: random texts by the grammar of spaces, losses and generators, and damaged ones."""

import inspect
import math
import warnings
from pathlib import Path
from random import Random
from typing import Any, final

from fuzz.attack import Attack, Case
from fuzz.mutations import damaged
from fuzz.verdict import SilentChangeError, Verdict, judge
from riemap import Space, open_graph
from riemap.graphs.generators import GENERATORS
from riemap.losses import LOSSES, Schedule, as_loss
from riemap.manifolds import MANIFOLDS
from riemap.optim import OPTIMIZERS, as_optimizer
from riemap.specs import parse

_WHOLE = "0 1 2 3 4 5 7 12 30 -1 1.5 1e3 2e0 1_0 ９ +3 999999999 10000000000 nan true x"
_REAL = "0.5 0.1 1 0 -0.0 1e-5 1e-300 5e-324 1e300 1e308 1e309 -1 inf nan .5 5. 1e 0x1p3 1_0.0 0,5 true"
_PAIRS = "0.5->0.01 1e-300->1e300 1-> -> 1->2->3 (0.9,0.999) (1,1) (0.9) (("

WHOLE = (
    *_WHOLE.split(),
    *("", " 4 ", "1" + "0" * 30, "1" + "0" * 400),
)
"""Texts of whole numbers, most of them small, so that what is accepted is small, too."""

REAL = (
    *_REAL.split(),
    *_PAIRS.split(),
    *("", "9" * 400),
)
"""Texts of real numbers, schedules and pairs."""


@final
class Specs(Attack):
    """Texts that name a space, a loss, an optimizer, a graph, or a temperature."""

    name = "specs"
    seconds = 30.0
    short = 800

    def draw(self, rng: Random, number: int) -> Case:
        kind = rng.choice(("space", "loss", "optimizer", "graph", "schedule"))
        text = {"space": _space, "loss": _loss, "optimizer": _optimizer, "graph": _graph, "schedule": _real}[
            kind
        ](rng)
        if rng.random() < 0.3:
            text = damaged(rng, text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogateescape")
        if kind == "graph" and not _small(text):
            text = "tree(r=2,h=3)"
        return {"kind": kind, "text": text}

    def check(self, case: Case, folder: Path) -> Verdict:
        def action() -> None:
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)
                warnings.simplefilter("ignore", UserWarning)
                _check(case["kind"], case["text"])

        return judge(action)


def _check(kind: str, text: str) -> None:
    """Parse the text; what is accepted is spelled as something that means the same."""
    if kind == "graph":
        graph = open_graph(text) if "/" not in text else None
        if graph is not None and graph.name == text and open_graph(graph.name).key != graph.key:
            raise SilentChangeError(f"{text} gives another graph the second time")
        return
    parser: Any = {
        "space": Space.parse,
        "loss": as_loss,
        "optimizer": as_optimizer,
        "schedule": Schedule.parse,
    }[kind]
    found = parser(text)
    again = parser(str(found))
    if str(again) != str(found) or again != found:
        raise SilentChangeError(f"{text!r} is spelled {str(found)!r}, which is spelled {str(again)!r}")


def _whole(rng: Random) -> str:
    return rng.choice(WHOLE[1:9]) if rng.random() < 0.75 else rng.choice(WHOLE)


def _real(rng: Random) -> str:
    if rng.random() < 0.3:
        return f"{math.exp(rng.uniform(-740, 709) if rng.random() < 0.3 else rng.uniform(-5, 1)):.6g}"
    return rng.choice(REAL[:4]) if rng.random() < 0.5 else rng.choice(REAL)


def _space(rng: Random) -> str:
    factors = []
    for _ in range(1 + int(rng.expovariate(1.0))):
        symbol = rng.choice(MANIFOLDS).symbol
        sizes = _whole(rng) if rng.random() < 0.7 else f"({_whole(rng)},{_whole(rng)})"
        power = f"^{_whole(rng)}" if rng.random() < 0.2 else ""
        factors.append(f"{symbol}{sizes}{power}")
    return rng.choice((" x ", "x", " × ", "*", " X ")).join(factors)


def _call(rng: Random, name: str, parameters: dict[str, Any]) -> str:
    """A spec with most of its arguments, in any order, and now and then one that it does not take."""
    keys = [key for key in parameters if rng.random() < 0.9]
    rng.shuffle(keys)
    if rng.random() < 0.05:
        keys.append(rng.choice(["x", "seed", "T", "n", *keys]))
    parts = [f"{key}={_value(rng, key, parameters.get(key))}" for key in keys]
    return f"{name}({','.join(parts)})" if parts or rng.random() < 0.5 else name


def _value(rng: Random, key: str, parameter: Any) -> str:
    kind = getattr(parameter, "annotation", int)
    if rng.random() < 0.03 or kind is bool:
        return rng.choice(("true", "false", "1", "None", "True"))
    return _whole(rng) if kind is int else _real(rng)


def _parameters(function: Any) -> dict[str, Any]:
    return dict(inspect.signature(function).parameters)


def _loss(rng: Random) -> str:
    terms = []
    for _ in range(1 + int(rng.expovariate(1.2))):
        loss = rng.choice(LOSSES)
        term = _call(rng, loss.symbol, _parameters(loss))
        terms.append(f"{_real(rng)}*{term}" if rng.random() < 0.4 else term)
    return rng.choice((" + ", "+", " - ")).join(terms)


def _optimizer(rng: Random) -> str:
    optimizer = rng.choice(OPTIMIZERS)
    return _call(rng, optimizer.symbol, _parameters(optimizer))


def _graph(rng: Random) -> str:
    name = rng.choice(list(GENERATORS))
    return _call(rng, name, _parameters(GENERATORS[name]))


def _small(text: str) -> bool:
    """Whether the numbers of a generator are small, or so large that it must refuse them."""
    try:
        sizes = [float(value) for value in parse(text).arguments.values()]
    except ValueError:
        return True
    return all(size <= 30 or size >= 1e9 for size in sizes)
