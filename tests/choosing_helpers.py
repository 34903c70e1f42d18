"""What the test modules about choosing a space share."""

from typing import Any

import pytest

from riemap.runs.spec import planned
from riemap.training import Plan

SHORT_PLAN_EPOCHS = 240
"""Epochs of the whole plan in tests: enough to unfold a tree of 31 nodes in H2."""


def shorten_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the whole plan of a trial have few epochs."""
    from riemap.choosing import question, trials

    def short(loss: Any, preset: str, optimizer: Any, epochs: int | None, n: int) -> Plan:
        return planned(loss, preset, optimizer, SHORT_PLAN_EPOCHS if epochs is None else epochs, n)

    for module in (question, trials):
        monkeypatch.setattr(module, "planned", short)
