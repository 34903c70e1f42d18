"""What to embed for prediction: the ROC AUC of validation links, without a look at the test links.

    python benchmarks/prediction_targets.py pubmed [--space H16] [--seed 0] [--batch 512 4096] [--landmarks]

Embeds the training graph of a data set of benchmarks/tasks.py by walks, with all pairs of so many nodes at a
time (0 for all nodes), or with landmarks. Prints the ROC AUC by distance alone, and that of each model in
cross-validation on the validation pairs, in percent.
"""

import argparse
import time

from tasks import opened
from timing import header

from riemap.distances import walks
from riemap.tasks import LinkPredictor, embed_for_prediction, split_edges
from riemap.tasks.link_predictor import MODELS, _held_out_auc
from riemap.tasks.scores import roc_auc
from riemap.training import presets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("graph", help="the name of a file, such as cora, airport, disease-links, pubmed")
    parser.add_argument("--space", default="H16")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--batch", type=int, nargs="*", default=[presets.WALK_BATCH_NODES])
    parser.add_argument("--landmarks", action="store_true", help="landmarks too, which take longer")
    given = parser.parse_args()
    print(header("scipy"))
    split = split_edges(opened(given.graph)[0], seed=given.seed)
    for batch in [*given.batch, *([None] if given.landmarks else [])]:
        walks.EXACT_NODES = 0 if batch else split.train.n
        presets.WALK_BATCH_NODES = batch or split.train.n
        walks._kept.clear()
        began, target = time.perf_counter(), "landmarks" if batch is None else "walks"
        options = {"target": target, "epochs": given.epochs, "seed": given.seed}
        placed = embed_for_prediction(split.train, given.space, **options)
        seconds = time.perf_counter() - began
        pairs, exists = split.validation
        model = LinkPredictor(split.train, embedding=placed, model=next(iter(MODELS))).fit(pairs, exists)
        found = {"distance": roc_auc(exists == 1, -model.distances(pairs))}
        found |= {
            name: _held_out_auc(MODELS[name], model._numbers(pairs), exists, given.seed) for name in MODELS
        }
        told = ", ".join(f"{name} {100 * score:.1f}" for name, score in found.items())
        print(f"{given.graph} {target} {batch}: {told}; {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
