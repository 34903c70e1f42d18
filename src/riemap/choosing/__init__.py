"""Which space fits a graph, and how sure that is: spaces are compared on pairs that were held out."""

from riemap.choosing.candidates import candidate_spaces, duplicates
from riemap.choosing.choice import Choice, Standing
from riemap.choosing.choose_space import choose
from riemap.choosing.folder import ChoiceFolder
from riemap.choosing.search import SearchEnd

__all__ = [
    "Choice",
    "ChoiceFolder",
    "SearchEnd",
    "Standing",
    "candidate_spaces",
    "choose",
    "duplicates",
]
