"""Curvature of graphs and of embeddings."""
