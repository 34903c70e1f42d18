"""Predict labels: which club each member of Zachary's karate club joined, from some who are known."""

import riemap
from riemap.tasks import LabelPredictor

graph = riemap.load_dataset("karate")
assert isinstance(graph, riemap.Graph)
clubs = graph.attributes["club"]

# All in one call: split, embed, choose a model, score on the test nodes; means over three seeds.
found = riemap.predict_labels(graph, clubs, "H2", seeds=3)
facts = found.as_json()
print(f"accuracy {facts['accuracy']['mean']:.2f} ± {facts['accuracy']['se']:.2f}")
print(f"majority {facts['baselines']['majority']['accuracy']['mean']:.2f}")

# By hand: the two leaders are known, and two members of each club.
known = [0, 1, 2, 31, 32, 33]
model = LabelPredictor(graph, "H2", model="spreading(share=0.9)").fit(known, [clubs[i] for i in known])
right = sum(club == guess for club, guess in zip(clubs, model.predict(list(range(graph.n))), strict=True))
print(f"{right} of {graph.n} members are predicted from {len(known)}")
