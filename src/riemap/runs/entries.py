"""The entries of the JSON files of a run, and their types, against which the files are checked."""

from typing import NotRequired, TypedDict

from riemap.metrics.results import ScoreEntries


class StageEntries(TypedDict):
    """A stage of a plan, as :meth:`riemap.training.Plan.as_json` gives it."""

    loss: str
    epochs: NotRequired[int]
    lr_factor: NotRequired[float]
    schedule: NotRequired[str]
    scales: NotRequired[bool]
    rescale: NotRequired[bool]
    batch: NotRequired[int | None]


class PlanEntries(TypedDict):
    """A plan of training."""

    optimizer: NotRequired[str]
    scale_lr: NotRequired[float]
    radius: NotRequired[float]
    sampler: NotRequired[str]
    stages: list[StageEntries]


class SpecEntries(TypedDict):
    """What decides the result of a run, as :meth:`RunSpec.as_json` gives it."""

    graph: str
    key: str
    space: str
    loss: str
    preset: str
    optimizer: str | None
    epochs: int | None
    seed: int
    plan: PlanEntries
    task: NotRequired[str]  # of a run that predicts something
    labels: NotRequired[str]  # checksum of the labels that it predicts


class GivenEntries(TypedDict, total=False):
    """How the graph was opened; nothing if it was made in memory."""

    graph: str
    undirected: bool
    components: str
    weights: str | None
    strength_to_length: str
    weight: str | None
    node_labels: str
    require_connected: bool  # as earlier versions wrote it


class ConfigEntries(SpecEntries):
    """``config.json``: what was asked for."""

    version: str
    given: GivenEntries


class ResultEntries(ScoreEntries):
    """``scores.json``: how faithful the embedding is, and how training ended."""

    stop: str
    seconds: float
    run: NotRequired[str]  # the id of the run; earlier versions wrote none, nor the checksums
    embedding_checksum: NotRequired[str]  # of embedding.npz
    history_checksum: NotRequired[str]  # of history.csv
