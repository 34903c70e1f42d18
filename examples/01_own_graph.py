"""Embed an edge list with text labels, and find the nodes nearest to one node. Needs riemap alone."""

import tempfile
from pathlib import Path

import riemap

EDGES = """\
Bilbo Frodo
Bilbo Gandalf
Frodo Sam
Frodo Gandalf
Frodo Merry
Merry Pippin
Frodo Pippin
Gandalf Aragorn
Aragorn Arwen
Aragorn Legolas
Legolas Gimli
Gandalf Saruman
Saruman Wormtongue
Wormtongue Theoden
Theoden Eowyn
"""

# %% Read a file with one edge per line. Nodes keep their labels.
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "friends.edges")
    path.write_text(EDGES)
    graph = riemap.read_graph(path)

# %% Embed the graph in the hyperbolic plane.
fit = riemap.embed(graph, "H2", seed=0)
print(f"{graph.n} nodes, average distortion {riemap.evaluate(fit.embedding, graph)['ad']:.3f}")

# %% Print the four nodes nearest to Frodo.
for name, distance in fit.embedding.nearest("Frodo", k=4):
    print(f"{name:10} {distance:.3f}")
