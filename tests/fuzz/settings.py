"""Attack by absurd settings: learning rates, lengths, scales and points over hundreds of decades."""

import warnings
from pathlib import Path
from random import Random
from typing import Any, final

import numpy as np

import riemap
from fuzz.attack import Attack, Case
from fuzz.verdict import SilentChangeError, Verdict, judge
from riemap import Embedding, Graph, Space
from riemap.losses import LOSSES
from riemap.manifolds import MANIFOLDS
from riemap.random_graphs import sample
from riemap.spaces import Points

LARGEST_POINT_NUMBERS = 40
"""Numbers in the largest point that is drawn: larger spaces take long to compile, and fail no differently."""


@final
class Settings(Attack):
    """Trainings, samples and scores with settings that nobody should choose."""

    name = "settings"
    seconds = 120.0
    share = 1.5
    short = 8

    def draw(self, rng: Random, number: int) -> Case:
        kind = rng.choice(("train",) * 4 + ("sample", "score"))
        case: Case = {
            "kind": kind,
            "space": any_space(rng),
            "seed": rng.randrange(10**6),
            "n": rng.randrange(3, 15),
        }
        if kind == "train":
            case |= {
                "loss": any_loss(rng),
                "optimizer": f"{rng.choice(('radam', 'rsgd'))}(lr={_decades(rng, -300, 300)})",
                "preset": rng.choice(("default", "steady", "paper")),
                "epochs": rng.choice((1, 2, 3, 5, 12)),
                "decades": rng.choice((0, 0, 1, 5, 11, 40, 140, 300)),
                "edges": rng.choice(("path", "star", "random")),
            }
            if rng.random() < 0.4:
                case["optimizer"] = None
        elif kind == "sample":
            case |= {"radius": float(_decades(rng, -320, 308)), "how": rng.choice(("uniform", "exp"))}
        else:
            case |= {"size": float(_decades(rng, -300, 300)), "log_scale": rng.uniform(-700, 700)}
        return case

    def check(self, case: Case, folder: Path) -> Verdict:
        def action() -> None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                with np.errstate(all="ignore"):
                    {"train": _train, "sample": _sample, "score": _score}[case["kind"]](case)

        return judge(action)


def any_space(rng: Random) -> str:
    """A space of one to three factors, all of them small."""
    factors: list[str] = []
    for _ in range(1 + int(rng.expovariate(1.5))):
        m = rng.choice(MANIFOLDS)
        sizes = [s for s in m.examples if np.prod(m(*s).shape) <= LARGEST_POINT_NUMBERS]
        factors.append(str(m(*rng.choice(sizes))))
    return " x ".join(factors[:3])


def any_loss(rng: Random) -> str:
    """One or two terms; temperatures and factors are mostly reasonable."""
    terms = []
    for _ in range(rng.choice((1, 1, 2))):
        name = rng.choice(LOSSES).symbol
        if name == "rsne" and rng.random() < 0.8:
            name += f"(T={_decades(rng, -8, 4)})" if rng.random() < 0.7 else f"(T={_decades(rng, -300, 300)})"
        terms.append(f"{_decades(rng, -20, 20)}*{name}" if rng.random() < 0.2 else name)
    return " + ".join(terms)


def _decades(rng: Random, low: float, high: float) -> str:
    """A number whose logarithm is uniform; now and then an end of the range."""
    exponent = rng.choice((low, high)) if rng.random() < 0.1 else rng.uniform(low, high)
    return f"{10.0 ** min(exponent, 308.0):.6g}"


def _graph(case: Case) -> Graph:
    """A connected graph whose lengths span so many decades."""
    rng, n = np.random.default_rng(case["seed"]), case["n"]
    parents = {"path": np.arange(n - 1), "star": np.zeros(n - 1, int)}
    first = parents.get(case["edges"], rng.integers(0, np.arange(1, n)))
    weights = (
        10.0 ** rng.uniform(-case["decades"] / 2, case["decades"] / 2, n - 1) if case["decades"] else None
    )
    return Graph.from_edges(np.column_stack([first, np.arange(1, n)]), weights)


def _train(case: Case) -> None:
    names = ("loss", "preset", "optimizer", "epochs", "seed")
    choice: Any = {name: case[name] for name in names}
    graph = _graph(case)
    fit = riemap.embed(graph, case["space"], **choice)
    _require_finite("the embedding", *fit.embedding.points, fit.embedding.log_scales)
    _require_finite("the losses", np.array([record.loss for record in fit.history]))
    _scored(fit.embedding, graph)


def _sample(case: Case) -> None:
    drawn = sample(case["space"], case["n"], case["radius"], case["how"], case["seed"])
    _require_finite("the sample", *drawn.points)


def _score(case: Case) -> None:
    """Scores of points whose tangents at one point have an absurd size."""
    space, rng = Space.parse(case["space"]), np.random.default_rng(case["seed"])
    points: list[Any] = []
    for m in space.factors:
        base = m.random(rng, 1, 0.5)[0]
        tangents = m.to_tangent(base, rng.standard_normal((case["n"], *m.shape)))
        try:
            points.append(m.project(m.exp(base, case["size"] * tangents)))
        except np.linalg.LinAlgError:
            return  # there are no such points
    given: Points = tuple(points)
    if not all(np.isfinite(x).all() for x in given):
        return
    scales = np.full(len(space.factors), case["log_scale"])
    embedding = Embedding(space, given, scales, tuple(range(case["n"])))
    _scored(embedding, riemap.generate(f"path(n={case['n']})"))


def _scored(embedding: Embedding, graph: Graph) -> None:
    found = riemap.evaluate(embedding, graph)
    for name, value in found.as_json()["scores"].items():
        if value is not None and np.isnan(value):
            raise SilentChangeError(f"the score {name} is NaN")


def _require_finite(what: str, *arrays: Any) -> None:
    if not all(np.isfinite(array).all() for array in arrays):
        raise SilentChangeError(f"{what} is not finite")
