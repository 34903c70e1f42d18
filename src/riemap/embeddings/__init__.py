"""Embeddings: a point of a space for every node, and the scale of each factor of the space."""

from riemap.embeddings.embedding import Embedding
from riemap.embeddings.nodes_by_label import NodesByLabel

__all__ = ["Embedding", "NodesByLabel"]
