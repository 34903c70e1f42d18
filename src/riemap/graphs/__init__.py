"""Graphs: the :class:`Graph` class, file readers, converters, datasets and generators."""

from riemap.graphs.convert import as_graph
from riemap.graphs.datasets import DATASETS, Dataset, dataset_path, find_dataset, load_dataset, local_path
from riemap.graphs.dissimilarities import AnyGraph, Dissimilarities, read_dissimilarities
from riemap.graphs.generators import GENERATORS, generate
from riemap.graphs.graph import Graph, GraphWarning, Labels
from riemap.graphs.open_graph import open_graph, take_graph
from riemap.graphs.options import Components, NodeLabels, ReadOptions, StrengthToLength, Weights
from riemap.graphs.raw_edges import RawEdges
from riemap.graphs.readers import READERS, read_graph
from riemap.graphs.text_file import TextFile

__all__ = [
    "DATASETS",
    "GENERATORS",
    "READERS",
    "AnyGraph",
    "Components",
    "Dataset",
    "Dissimilarities",
    "Graph",
    "GraphWarning",
    "Labels",
    "NodeLabels",
    "RawEdges",
    "ReadOptions",
    "StrengthToLength",
    "TextFile",
    "Weights",
    "as_graph",
    "dataset_path",
    "find_dataset",
    "generate",
    "load_dataset",
    "local_path",
    "open_graph",
    "read_dissimilarities",
    "read_graph",
    "take_graph",
]
