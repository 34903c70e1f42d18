"""Predict links: hide a tenth of the edges of a network, and find them by an embedding of the others."""

import riemap
from riemap.tasks import LinkPredictor, split_edges

graph = riemap.generate("watts-strogatz(n=200,k=8,p=0.1)")

# All in one call: split, embed, choose a model on the validation pairs, score on the test pairs.
found = riemap.predict_links(graph, "H3", predict=3)
(trial,) = found.trials
print(f"ROC AUC {trial.scores['auc']:.2f}, Adamic-Adar {trial.baselines['Adamic-Adar']['auc']:.2f}")
for link in found.predicted:
    print(f"{link.source} - {link.target}: {link.probability:.2f}")

# The same pieces by hand. The predictor never sees the test pairs.
split = split_edges(graph, test=0.1, validation=0.05, seed=0)
model = LinkPredictor(split.train, "H3").fit(*split.validation)
print(f"by hand {model.score(*split.test):.2f}, with the model {model.model_}")
