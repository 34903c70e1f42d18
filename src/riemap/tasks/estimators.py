"""The base class of the predictors. It follows scikit-learn's conventions without importing scikit-learn."""

import inspect
from typing import Any, Self

from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.spaces import Space
from riemap.specs import shown, suggestion


class GraphPredictor:
    """The arguments of a predictor that embeds a graph; each predictor says what they are.

    Importing scikit-learn takes a second, so that this class does not derive from its ``BaseEstimator``. It
    has what pipelines, searches and cross-validation ask for: parameters that can be read and replaced, and
    tags, which scikit-learn itself makes when it asks for them.
    """

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

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the arguments of the constructor, as :func:`sklearn.base.clone` and searches need them.

        Parameters
        ----------
        deep
            Not used: no argument is an estimator.

        Returns
        -------
        dict
            Names and values.
        """
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **given: Any) -> Self:
        """Replace arguments of the constructor.

        Parameters
        ----------
        given
            Names and new values.

        Returns
        -------
        GraphPredictor
            This predictor.

        Raises
        ------
        InputError
            If there is no such argument.
        """
        known = list(inspect.signature(type(self)).parameters)
        for name, value in given.items():
            if name not in known:
                raise InputError(
                    f"{type(self).__name__} has no parameter {shown(name)}{suggestion(name, known)} It has "
                    f"{', '.join(known)}"
                )
            setattr(self, name, value)
        return self

    def check_fitted(self) -> None:
        """Refuse a predictor that :meth:`fit` was not called on.

        Raises
        ------
        InputError
            If it is not fitted.
        """
        if not hasattr(self, "classes_"):
            raise InputError(f"this {type(self).__name__} is not fitted; call its method fit first")

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self)).parameters
        changed = {k: v for k, v in self.get_params().items() if v is not defaults[k].default}
        inside = ", ".join(f"{name}={value!r}" for name, value in changed.items())
        return f"{type(self).__name__}({inside})"

    def __sklearn_tags__(self) -> Any:
        """Say that this is a classifier, whose data are numbers of nodes."""
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            transformer_tags=None,
            classifier_tags=ClassifierTags(),
            regressor_tags=None,
            input_tags=InputTags(one_d_array=True, two_d_array=True),
        )
