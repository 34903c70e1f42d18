"""A small valid file of every format that riemap reads, for the attacks to damage."""

import io
from typing import Any

import numpy as np
import scipy.sparse as sp

EDGES = b"# a comment\n0 1\n1 2\n2 3\n3 0\n3 4\n"
WEIGHTED = b"a b 1.5\nb c 2\nc d 0.25\nd a 1e1\n"
COMMAS = b'source,target,weight\n"Rome, Italy",Oslo,2000\nOslo,Bern,1500\nBern,"Rome, Italy",690.5\n'
ATTRIBUTES = b"1 2 {'weight': 1.5}\n2 3 {'weight': 2}\n3 1 {'weight': 0.5, 'a': 'b'}\n"
MTX = b"%%MatrixMarket matrix coordinate real symmetric\n% c\n4 4 4\n2 1 1.5\n3 2 1\n4 3 2.5\n4 1 1\n"
PATTERN = b"%%MatrixMarket matrix coordinate pattern general\n3 3 4\n1 2\n2 1\n2 3\n3 2\n"
GRAPHML = b"""<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="edge" attr.name="weight" attr.type="double"><default>1</default></key>
<graph edgedefault="undirected"><node id="a"/><node id="b"/><node id="c"/>
<edge source="a" target="b"><data key="d0">2.5</data></edge><edge source="b" target="c"/>
</graph></graphml>
"""
GML = b"""graph [ directed 0
 node [ id 1 label "A&amp;B" ] node [ id 2 label "C" ] node [ id 3 label "D" ]
 edge [ source 1 target 2 value 1.5 ] edge [ source 2 target 3 value 2 ]
]
"""
SQUARE = b",Rome,Oslo,Bern\nRome,0,2000,690\nOslo,2000,0,1500\nBern,690,1500,0\n"
TABLE = b"0 1 2\n1 0 1.5\n2 1.5 0\n"
GROUPS = b"node,label\n0,red\n1,blue\n2,red\n"
GRID = b"""graphs = ["path(n=5)", "cycle(n=6)"]
spaces = ["E2", "H2"]
losses = ["stress"]
seeds = [0, 1]
epochs = 5
"""
FIGURES = b"graph,dim,space,f1@1,auc,ad\npath(n=5),2,E2,90.1,80,0.2\npath(n=5),2,H2,-,,0.1\n"

OTHERS: dict[str, bytes] = {
    "gephi.csv": b'Source;Target;Type;Id;Label;Weight\na b;c;Undirected;0;;2.0\nc;"d;e";Undirected;1;;3,5\n',
    "small.json": b'{"directed": false, "nodes": [{"id": "a", "label": "x"}, {"id": "b"}], '
    b'"links": [{"source": "a", "target": "b", "value": 2.5}]}\n',
    "small.gexf": b'<gexf><graph defaultedgetype="undirected">\n<nodes><node id="0" label="a"/>'
    b'<node id="1" label="b"/></nodes>\n<edges><edge source="0" target="1" weight="2"/></edges>'
    b"</graph></gexf>\n",
    "small.net": b'*Vertices 3\n1 "a b" 0.1 0.2\n2 "c"\n3 "d"\n*Edges\n1 2 2.5\n2 3 1\n',
    "small.graph": b"% three\n3 2 001\n2 5\n1 5 3 2\n2 2\n",
    "small.adjlist": b"# a\na b c\nb c\n",
    "small.dot": b'strict graph "" {\nnode [shape=box]; a [label="x"]; a -- b -- "c d" [weight=2]; // e\n}\n',
}
"""Graphs in the formats of other programs, by the name of a file."""

TEXTS: dict[str, bytes] = {
    "plain.edges": EDGES,
    "weighted.txt": WEIGHTED,
    "commas.csv": COMMAS,
    "attributes.edgelist": ATTRIBUTES,
    "tabs.tsv": EDGES.replace(b" ", b"\t"),
    "real.mtx": MTX,
    "pattern.mtx": PATTERN,
    "small.graphml": GRAPHML,
    "small.gml": GML,
    **OTHERS,
}
"""Graphs, by the name of a file."""

TABLES: dict[str, bytes] = {"square.csv": SQUARE, "table.txt": TABLE, "triangle.txt": b"1\n2\n1.5\n"}
"""Dissimilarities, by the name of a file."""

MATRIX = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.5], [2.0, 1.5, 0.0]])
"""Dissimilarities between three points."""


def sparse_npz(kind: Any) -> bytes:
    """The file that SciPy writes for a small graph, in one of its formats: csr, csc, coo, bsr or dia."""
    matrix = sp.csr_array((np.array([1.0, 1.0, 2.0, 2.0]), ([0, 1, 1, 2], [1, 0, 2, 1])), shape=(3, 3))
    stream = io.BytesIO()
    sp.save_npz(stream, matrix.asformat(kind))
    return stream.getvalue()
