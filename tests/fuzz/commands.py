"""Attack by commands: random words and options on small graphs, runs and grids."""

from pathlib import Path
from random import Random
from typing import Any, final

import typer

from fuzz import artefacts
from fuzz.attack import Attack, Case
from fuzz.command import not_finite, run
from fuzz.verdict import Outcome, Verdict
from riemap.cli import app
from riemap.losses import LOSSES
from riemap.manifolds import MANIFOLDS

GRAPHS = (
    "tree(r=2,h=2)", "path(n=3)", "cycle(n=5)", "star(n=9)", "complete(n=4)", "tree(r=2,h=3)", "ring.edges",
       "karate",
    "random-tree(n=12,seed=3)", "geometric(n=20,radius=0.4)", "complete(n=3)", "weighted.edges", "points.npy",
    "path(n=2)", "none", "path(n=-1)", "grid.toml", "run", "",
)  # fmt: skip
SPACES = (
    "E2", "H2", "S2", *(f"{m.symbol}({','.join(map(str, m.examples[0]))})" for m in MANIFOLDS),
    "E1", "H1", "S1", "E2 x S1", "H2^2", "E1 x H1 x S1", "SPD2 x E1", "E0", "H99", "Q2", "",
)  # fmt: skip
WEIRD = ("", "0", "-1", "1e400", "nan", "x", "٣", "a b", "../x", "\udcff", "--", "%s", "999999999999")

POOLS: dict[str, tuple[str, ...]] = {
    "graph": GRAPHS,
    "graphs": GRAPHS,
    "space": SPACES,
    "loss": (*(a.symbol for a in LOSSES), "rsne(T=0.5->0.01) + 0.3*ad", "0.5*stress", "rsne(T=1e-9)", "no"),
    "preset": ("default", "steady", "paper", "no"),
    "optimizer": ("radam(lr=0.05)", "rsgd(lr=0.1)", "radam(lr=1e5)", "rsgd(lr=1e-9)", "radam(lr=0)"),
    "epochs": ("1", "2", "5", "9", "0", "-3"),
    "seed": ("0", "1", "12345678901234567890123", "-1"),
    "out": ("new", "a/b/new", "run", "grid", "ring.edges", "new.html", "/dev/null/x", "new/\n", "new.png"),
    "figure": ("new.png", "new.svg", "new"),
    "checkpoint_every": ("1", "3", "0"),
    "run": ("run", "other", "run/embedding.npz", "grid", "half-run", "none", "ring.edges", "points.npy"),
    "runs": ("run", "other", "run/embedding.npz", "half-run", "grid"),
    "sources": ("1", "3", "100", "0", "-1"),
    "alpha": ("0", "0.5", "1", "0.999", "-1", "2", "nan"),
    "node": ("0", "3", "6", "7", "-1", "x"),
    "k": ("1", "3", "0", "-1", "100000000000"),
    "n": ("3", "5", "40", "2", "0", "-1"),
    "points": ("3", "20", "50", "1", "0"),
    "radius": ("1", "0.1", "5", "1e-9", "1e9", "0", "-1", "nan"),
    "thresholds": ("1", "4", "0", "-2"),
    "triples": ("1", "50", "0"),
    "how": ("uniform", "exp", "no"),
    "format": ("csv", "tsv", "word2vec", "graphml", "text", "markdown", "latex", "no"),
    "form": ("text", "markdown", "csv", "latex", "no"),
    "by": ("best", "mean", "no"),
    "metric": ("f1@1", "auc,ad", "map", "stress", "no", ""),
    "labels": ("groups.csv", "ring.edges", "none.csv"),
    "grid": ("grid", "run", "none"),
    "file": ("grid.toml", "ring.edges", "none.toml"),
    "folder": ("grid", "run", "none"),
    "against": ("groups.csv", "figures.csv", "none.csv"),
    "colour": ("degree", "distortion", "ricci", "none", "no"),
    "origin": ("0", "6", "x"),
    "names": ("0", "2", "100"),
    "kind": ("compact", "noncompact", "bias", "no"),
    "action": ("list", "show", "no"),
    "name": ("karate", "power", "no"),
    "workers": ("1", "0"),
    "budget": ("0",),
}  # fmt: skip
"""Values of arguments and options by their names, good ones first; these are drawn more often."""

OUTPUTS = {"plot": "new.png", "report": "new.html", "export": "new.csv"}
"""A good value of ``--out`` for commands that write a file."""

NEVER = {"ray", "help", "install_completion", "show_completion"}
"""Options that are left out: they need a cluster, or change the user's shell."""

ALWAYS = {"epochs", "n", "points", "budget", "thresholds"}
"""Options that are always given, since their defaults make large work."""


@final
class Commands(Attack):
    """Command lines: every command, with random options and values."""

    name = "commands"
    seconds = 120.0
    short = 12

    def prepare(self, shared: Path) -> int:
        artefacts.make(shared)
        self.shared = shared
        return 0

    def draw(self, rng: Random, number: int) -> Case:
        words, command = _command(rng)
        for parameter in command.params:
            words += _words(rng, parameter, OUTPUTS.get(words[0], "new"))
        if words[0] == "paper" and words[1] not in ("fig3",):
            words.append("--show")
        if rng.random() < 0.05:
            words.insert(rng.randrange(1, len(words) + 1), rng.choice((*WEIRD, "--json", "--no", "-s")))
        return {"words": words}

    def check(self, case: Case, folder: Path) -> Verdict:
        names = ("run", "other", "half-run", "grid", "grid.toml", "ring.edges", "groups.csv", "points.npy")
        artefacts.copied(self.shared, folder, *names, "weighted.edges", "figures.csv")
        finished = run(case["words"], folder, RIEMAP_CACHE=str(folder / "cache"))
        verdict = finished.verdict
        for path in folder.rglob("*.npz"):
            problem = not_finite(path) if path.name in ("embedding.npz", "points.npz") else None
            if problem is not None:
                return Verdict(Outcome.CHANGED, problem, f"NaN from {case['words'][0]}")
        return verdict


def _command(rng: Random) -> tuple[list[str], Any]:
    """The words of a command, and what the command line knows of it."""
    words: list[str] = []
    command: Any = typer.main.get_command(app)
    while hasattr(command, "commands"):
        names = [name for name in command.commands if name != "paper" or rng.random() < 0.3]
        words.append(rng.choice(names))
        command = command.commands[words[-1]]
    return words, command


def _words(rng: Random, parameter: Any, out: str) -> list[str]:
    """The words of an option or argument; none if it is left out."""
    name, option = parameter.name, parameter.param_type_name == "option"
    given = parameter.required or name in ALWAYS or rng.random() < (0.15 if option else 0.7)
    if name in NEVER or not given or (parameter.required and rng.random() < 0.01):
        return []
    if option and parameter.is_flag:
        return [parameter.opts[0]]
    many = getattr(parameter, "multiple", False) or parameter.nargs == -1
    words: list[str] = []
    for _ in range(1 + int(rng.expovariate(1.5)) if many else 1):
        pool = POOLS.get(name, WEIRD)
        value = rng.choice(WEIRD) if rng.random() < 0.02 else pool[int(len(pool) * rng.random() ** 3)]
        if name == "out" and rng.random() < 0.8:
            value = out
        words += [rng.choice(parameter.opts), value] if option else [value]
    return words
