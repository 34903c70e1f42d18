"""The public API: every name is importable, has a docstring, and is on the page ``docs/api.md``."""

import inspect
import pkgutil
import re
import subprocess
import sys
from importlib import import_module
from types import ModuleType

import pytest
from conftest import ROOT

import riemap

MODULES = ["riemap", *(f"riemap.{name}" for name in riemap._SUBMODULES)]
NAMES = [(module, name) for module in MODULES for name in getattr(import_module(module), "__all__", ())]
FUNCTIONS = [
    (module, name) for module, name in NAMES if inspect.isfunction(getattr(import_module(module), name))
]
CLASSES = [(module, name) for module, name in NAMES if inspect.isclass(getattr(import_module(module), name))]

INTERNAL_CLASSES = {
    "AffineInvariant",
    "AngleEntries",
    "AnswerEntries",
    "Arcs",
    "BallGroup",
    "BallTarget",
    "Board",
    "BoundEdges",
    "BoundNeighbourhood",
    "Columns",
    "ConfigEntries",
    "Difference",
    "DrawnNodes",
    "Element",
    "EpochRunner",
    "Executor",
    "Factors",
    "FittedLogistic",
    "ForkedWorkers",
    "GivenEntries",
    "GraphPredictor",
    "InProcess",
    "InProcesses",
    "InTurn",
    "Known",
    "LabelIndex",
    "LabelModel",
    "Landmarked",
    "ListEntries",
    "LossEntries",
    "Moved",
    "NearGroup",
    "NodeState",
    "OnRay",
    "OutOfTime",
    "PlacedGraph",
    "Placement",
    "PlainLayout",
    "PlainLines",
    "PlanEntries",
    "Polar",
    "PredictionTask",
    "Predictor",
    "Prepared",
    "Problem",
    "Quadric",
    "Question",
    "QuestionEntries",
    "RayPool",
    "RayWorkers",
    "ResultEntries",
    "Roots",
    "Round",
    "RowTarget",
    "RunInputs",
    "RunQueue",
    "ScoreEntries",
    "Search",
    "Shard",
    "SpecEntries",
    "Split",
    "Square",
    "StageEntries",
    "Starts",
    "Stepper",
    "SymmetricPositive",
    "TaskTrial",
    "Todo",
    "Trial",
    "TrialJob",
    "TrialRecord",
    "Worker",
    "WorkerPool",
    "Workers",
}
"""Classes that only their own package uses."""


@pytest.mark.parametrize("module", MODULES)
def test_submodules_are_attributes_that_list_their_names(module: str) -> None:
    name = module.rpartition(".")[2]
    found = riemap if module == "riemap" else getattr(riemap, name)
    assert isinstance(found, ModuleType)
    assert found.__name__ == module
    assert found.__doc__
    assert module == "riemap" or name in dir(riemap)
    assert found.__all__, f"{module} has no __all__"
    assert len(set(found.__all__)) == len(found.__all__)


@pytest.mark.parametrize("module", MODULES)
def test_every_public_class_is_listed(module: str) -> None:
    """A class defined in a package, in a file and under a name without underscore, is in its ``__all__``."""
    listed = {name for home, name in NAMES if home.startswith("riemap.")}
    package = import_module(module)
    files = [package]
    if module != "riemap" and hasattr(package, "__path__"):
        found = pkgutil.walk_packages(package.__path__, f"{module}.")
        files += [import_module(m.name) for m in found if "._" not in m.name]
    defined = {
        name
        for file in files
        for name, value in vars(file).items()
        if inspect.isclass(value) and value.__module__ == file.__name__ and not name.startswith("_")
    }
    assert defined - listed - INTERNAL_CLASSES == set()


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_names_are_importable_and_on_the_page(module: str, name: str) -> None:
    value = getattr(import_module(module), name)
    if name == "__version__":
        return
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    whole = re.findall(r"^::: (riemap\.\w+)$", text, re.MULTILINE)
    if module == "riemap":
        assert f"`riemap.{name}`" in text
        assert any(getattr(import_module(page), name, None) is value for page in whole)
    else:
        assert module in whole


@pytest.mark.parametrize(("module", "name"), FUNCTIONS)
def test_functions_say_what_they_return(module: str, name: str) -> None:
    function = getattr(import_module(module), name)
    assert function.__doc__, "no docstring"
    if inspect.signature(function).return_annotation not in (None, "None"):
        assert re.search(r"^ *(Returns|Yields)\n *-{6,}$", function.__doc__, re.MULTILINE), (
            "no section Returns"
        )


@pytest.mark.parametrize(("module", "name"), CLASSES)
def test_classes_have_docstrings(module: str, name: str) -> None:
    cls = getattr(import_module(module), name)
    assert cls.__doc__
    assert not cls.__doc__.startswith(f"{name}("), (
        "only the signature that dataclasses and named tuples write"
    )


def test_a_missing_extra_is_named() -> None:
    """Without Matplotlib and scikit-learn the modules load, and their functions say what to install."""
    code = """
import sys
for name in ("matplotlib", "sklearn"):
    sys.modules[name] = None
import numpy as np, riemap
for call in (lambda: riemap.plots.history({"stage": [0], "loss": [1.0]}), riemap.sklearn.GraphEmbedding):
    try:
        call()
    except ImportError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "riemap[plot]" in done.stdout
    assert "riemap[sklearn]" in done.stdout
