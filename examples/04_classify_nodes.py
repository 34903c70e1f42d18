"""Classify nodes by their coordinates: predict the branch of a tree that each node is in. H2 has room for it.

Needs scikit-learn, which the extra sklearn installs: pip install "riemap[sklearn]"
"""

import sys

import numpy as np

import riemap

try:
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score
except ImportError:
    sys.exit("This example needs scikit-learn: pip install 'riemap[sklearn]'")

graph = riemap.generate("tree(r=4,h=3)")
hops = riemap.shortest_paths(graph)
tops = np.flatnonzero(hops[0] == 2)  # sixteen branches begin two steps below the root
below = hops[0] >= 2
branch = hops[below][:, tops].argmin(axis=1)

for space in ("E2", "H2", "S2"):
    features = riemap.embed(graph, space, epochs=600, seed=0).embedding.features()  # one vector per node
    scaled = (features / features.std())[below]
    score = cross_val_score(LogisticRegression(C=1000.0, max_iter=5000), scaled, branch, cv=3).mean()
    print(f"{space}  {score:.0%} of the nodes are in the branch that is predicted")
