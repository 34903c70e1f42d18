"""What a trial gives."""

from typing import NamedTuple, TypedDict

from riemap.embeddings import Embedding


class TrialRecord(TypedDict):
    """What a trial gave, as it is written into the folder."""

    space: str
    seed: int
    epochs: int
    seconds: float
    scores: dict[str, float | None]  # of what is held out; empty if training diverged
    curve: list[
        float | None
    ]  # F1@k of held-out pairs; null where no pair is on that layer, empty for predictions
    distortion: list[float]  # of the near, middle and far third of held-out pairs; empty for predictions


class Trial(NamedTuple):
    """A record, and the embedding of all nodes; ``None`` if training diverged."""

    record: TrialRecord
    embedding: Embedding | None


class OutOfTime(Exception):  # noqa: N818 -- it ends a trial, and is no error
    """The time for a trial is over."""
