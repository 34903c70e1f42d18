"""One run: what decides its result, its folder on disk, and how it is done."""

from riemap.runs.budget import TimeBudget
from riemap.runs.embed_graph import embed
from riemap.runs.execute import execute
from riemap.runs.folder import RunFolder
from riemap.runs.opening import load_embedding
from riemap.runs.result import RunResult
from riemap.runs.source import GraphSource, TaskSource
from riemap.runs.spec import RunSpec, Setup, difference

__all__ = [
    "GraphSource",
    "RunFolder",
    "RunResult",
    "RunSpec",
    "Setup",
    "TaskSource",
    "TimeBudget",
    "difference",
    "embed",
    "execute",
    "load_embedding",
]
