"""Loops and functions that several families of manifolds use. They import no family."""
