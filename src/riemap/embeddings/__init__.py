"""Embeddings: a point of a space for every node, and the scale of each factor of the space."""

from riemap.embeddings.embedding import Embedding

__all__ = ["Embedding"]
