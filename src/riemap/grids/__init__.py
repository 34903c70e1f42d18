"""Runs of many parts: what the paper's tables and figures are made of."""
