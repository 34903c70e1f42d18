"""Compare training with landmarks with training on all pairs, in the same time.

Run: python benchmarks/sampler.py [--graphs power facebook grqc condmat] [--spaces E3 H3 Stein2] [--seeds 1]

Each graph is embedded with landmarks by the default plan. A short run with all pairs tells the time of an
epoch, and a second one has as many epochs as take the time of the run with landmarks, distances included.
Seconds do not count compiling. The last columns are the ratio of AD and the differences of AUC and F1@1 in
points; the aim is at most 1.05, and at least -1 and -3.
"""

import argparse

import numpy as np
from timing import header

from riemap import Fit, Graph, embed, evaluate, load_dataset

TRIAL_EPOCHS = 40
"""Number of epochs of the run that tells the time of an epoch."""


def equal_time(graph: Graph, space: str, seed: int, seconds: float) -> Fit:
    """Embed with all pairs in about so many seconds."""
    embed(graph, space, sampler="all", epochs=4)  # compiles, and stores the distances
    trial = embed(graph, space, sampler="all", epochs=TRIAL_EPOCHS, seed=seed)
    each = (trial.history[-1].seconds - trial.history[0].seconds) / (TRIAL_EPOCHS - 1)
    return embed(graph, space, sampler="all", epochs=max(int(seconds / each), 8), seed=seed)


def scores(fit: Fit, graph: Graph) -> list[float]:
    """Return AD, and AUC and F1@1 in percent."""
    found = evaluate(fit, graph)
    return [
        float(found[name] or 0.0) * factor for name, factor in (("ad", 1.0), ("auc", 100.0), ("f1@1", 100.0))
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", nargs="+", default=["power", "facebook", "grqc", "condmat"])
    parser.add_argument("--spaces", nargs="+", default=["E3", "H3", "Stein2"])
    parser.add_argument("--seeds", type=int, default=1)
    given = parser.parse_args()
    print(header())
    print(f"\n{'graph':10}{'space':8}{'s':>6}{'AD, AUC, F1@1: landmarks':>30}{'s':>8}{'all pairs':>26}")
    for name in given.graphs:
        graph = load_dataset(name)
        assert isinstance(graph, Graph)
        for space in given.spaces:
            embed(graph, space, sampler="landmarks", epochs=2)  # compiles
            rows = []
            for seed in range(given.seeds):
                ours = embed(graph, space, sampler="landmarks", seed=seed)
                theirs = equal_time(graph, space, seed, ours.seconds)
                rows.append([ours.seconds, *scores(ours, graph), theirs.seconds, *scores(theirs, graph)])
            a, ad, auc, f1, b, ad2, auc2, f2 = np.mean(rows, axis=0)
            verdict = f"{ad / ad2:8.2f}{auc - auc2:+7.2f}{f1 - f2:+7.2f}"
            print(
                f"{name:10}{space:8}{a:6.0f}{ad:14.4f}{auc:8.2f}{f1:8.2f}{b:8.0f}{ad2:10.4f}{auc2:8.2f}{f2:8.2f}{verdict}",
                flush=True,
            )


if __name__ == "__main__":
    main()
