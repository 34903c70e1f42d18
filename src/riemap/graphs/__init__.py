"""Graphs: what one is, and where it comes from."""

from riemap.graphs.convert import as_graph
from riemap.graphs.datasets import DATASETS, Dataset, dataset_path, load_dataset
from riemap.graphs.dissimilarities import AnyGraph, Dissimilarities, read_dissimilarities
from riemap.graphs.generators import GENERATORS, generate
from riemap.graphs.graph import Component, Graph, GraphWarning
from riemap.graphs.open_graph import open_graph
from riemap.graphs.readers import read_graph

__all__ = [
    "DATASETS",
    "GENERATORS",
    "AnyGraph",
    "Component",
    "Dataset",
    "Dissimilarities",
    "Graph",
    "GraphWarning",
    "as_graph",
    "dataset_path",
    "generate",
    "load_dataset",
    "open_graph",
    "read_dissimilarities",
    "read_graph",
]
