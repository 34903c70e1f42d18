"""Classify nodes by their coordinates: predict the side of each member of the karate club from the graph.

Needs scikit-learn, which the extra sklearn installs: pip install "riemap[sklearn]"
"""

import networkx as nx
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

import riemap

graph = riemap.load_dataset("karate")
clubs = nx.get_node_attributes(nx.karate_club_graph(), "club")
side = np.array([clubs[label] == "Officer" for label in graph.labels])

for space in ("E2", "H2", "S2"):
    features = riemap.embed(graph, space, epochs=600, seed=0).embedding.features()  # one vector per node
    score = cross_val_score(LogisticRegression(), features, side, cv=5).mean()
    print(f"{space}  {score:.0%} of the members are classified correctly")
