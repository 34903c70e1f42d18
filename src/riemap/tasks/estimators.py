"""The base class of the predictors: scikit-learn's where it is installed, and a small one otherwise."""

import inspect
from typing import Any, Self

from riemap.embeddings import Embedding
from riemap.spaces import Space

__all__ = ["GraphPredictor"]

try:
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Predictor(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
        """A classifier of scikit-learn."""

except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "sklearn":
        raise

    class Predictor:  # type: ignore[no-redef]
        """A class whose parameters are the arguments of its constructor, as scikit-learn has them."""

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """Return the arguments of the constructor."""
            return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

        def set_params(self, **given: Any) -> Self:
            """Replace arguments of the constructor."""
            for name, value in given.items():
                setattr(self, name, value)
            return self


class GraphPredictor(Predictor):
    """The arguments of a predictor that embeds a graph; each predictor says what they are."""

    def __init__(
        self,
        graph: Any,
        space: str | Space = "H10",
        *,
        embedding: Embedding | None = None,
        model: str = "auto",
        epochs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.graph = graph
        self.space = space
        self.embedding = embedding
        self.model = model
        self.epochs = epochs
        self.random_state = random_state
