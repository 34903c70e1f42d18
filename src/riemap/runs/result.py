"""What a run gives."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

from riemap.distances import DistanceMatrix
from riemap.graphs import AnyGraph
from riemap.metrics import Scores, evaluate
from riemap.runs.spec import RunSpec
from riemap.training.fit import Fit


@final
@dataclass(frozen=True, eq=False, repr=False)
class RunResult:
    """A run that was done: what training gave, and how faithful the embedding is.

    Parameters
    ----------
    spec
        What decided the result.
    fit
        What training gave.
    graph
        What was embedded.
    distances
        Distances between all nodes of the graph; ``None`` if they were not needed, since the run was
        finished before, or the graph is large.
    known_scores
        Scores that are known already.
    """

    spec: RunSpec
    fit: Fit
    graph: AnyGraph
    distances: DistanceMatrix | None = None
    known_scores: Scores | None = None

    def __repr__(self) -> str:
        return f"<RunResult of {self.spec}>"

    @cached_property
    def scores(self) -> Scores:
        """How faithful the embedding is; computed when it is first asked for, and then kept."""
        if self.known_scores is not None:
            return self.known_scores
        return evaluate(self.fit.embedding, self.graph, distances=self.distances)

    def as_json(self) -> dict[str, Any]:
        """Give the facts that are printed, and written into the folder of the run.

        Returns
        -------
        dict
            Values of types that JSON has.
        """
        return {
            "graph": self.spec.graph,
            "space": self.spec.space,
            "dim": self.fit.embedding.space.dim,
            "loss": self.spec.loss,
            "preset": self.spec.preset,
            "seed": self.spec.seed,
            "epochs": len(self.fit.history),
            "stop": self.fit.stop.value,
            "seconds": round(self.fit.seconds, 3),
            **self.scores.as_json(),
        }
