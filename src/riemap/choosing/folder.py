"""The folder of a choice: the question, every trial, the embeddings to look at, and the answer so far.

``question.json`` says what is compared, ``trials.jsonl`` has a line for each trial that is done, and
``choice.json`` has the answer, which says whether it is final. ``embeddings/SPACE.npz`` holds the embedding
of the whole plan with the first seed. Each file is written beside its place and renamed onto it, so that a
process that is killed leaves the old file or the new one.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypedDict, cast, final

from riemap.checked_json import check_entries, parse_checked, read_checked, with_checksum, write_checked
from riemap.choosing.trial_record import Trial, TrialRecord
from riemap.embeddings import Embedding
from riemap.errors import InputError
from riemap.files import written_whole
from riemap.locks import try_lock
from riemap.runs.folder import is_new
from riemap.runs.spec import file_name
from riemap.specs import first_difference


class QuestionEntries(TypedDict):
    """``question.json``: everything on which trials depend; the budget and the number of seeds may change."""

    version: str
    graph: str
    key: str
    dim: int
    metric: str
    spaces: list[str]
    plan: dict[str, Any]
    given: dict[str, Any]


class AnswerEntries(TypedDict):
    """The entries of ``choice.json`` that are read back."""

    best: list[str]
    baseline: str
    ranking: list[dict[str, Any]]
    stop: str
    seconds: float


@final
class ChoiceFolder:
    """A choice on disk.

    Parameters
    ----------
    path
        The folder, which need not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def begun(self, question: Mapping[str, Any]) -> Iterator[None]:
        """Take the folder for a question: a new folder, or one with the same question.

        Raises
        ------
        InputError
            If the folder holds something else, or another process uses it.
        """
        known = self.question()
        if known is None and not is_new(self.path):
            raise InputError(f"{self.path} holds something else than a choice; name a new folder")
        if known is not None and (other := _difference(known, question)):
            name, theirs, ours = other
            raise InputError(
                f"{self.path} holds another choice: its {name} is {theirs}, not {ours}; name another folder"
            )
        with try_lock(self.path / ".lock") as ours_alone:
            if not ours_alone:
                raise InputError(f"another process works in {self.path}; wait for it, or name another folder")
            if known is None:
                write_checked(self._question, question)
            yield

    def question(self) -> dict[str, Any] | None:
        """What ``question.json`` says; ``None`` if it is not there."""
        return read_checked(self._question, QuestionEntries)

    def answer(self) -> dict[str, Any] | None:
        """What ``choice.json`` says; ``None`` if it is not there."""
        return read_checked(self.path / "choice.json", AnswerEntries)

    def trials(self) -> list[TrialRecord]:
        """Read all trials.

        Raises
        ------
        InputError
            If a line is damaged.
        """
        try:
            lines = self._trials.read_bytes().splitlines()
        except FileNotFoundError:
            return []
        found = []
        for number, line in enumerate(lines, 1):
            try:
                record = parse_checked(line)
                check_entries(record, TrialRecord)
            except InputError as error:
                raise InputError(
                    f"{self._trials}, line {number} is not the record of a trial ({error}); "
                    "remove the line to have the trial done again"
                ) from None
            found.append(cast(TrialRecord, record))
        return found

    def save(self, records: list[TrialRecord], trial: Trial, keep_embedding: bool) -> None:
        """Write all records again, and the embedding of the last trial if it is wanted."""
        if not self._question.exists():
            raise InputError(f"{self._question} was removed meanwhile, so that results are not kept")
        if keep_embedding and trial.embedding is not None:
            trial.embedding.save(self.embedding_path(trial.record["space"]))
        with written_whole(self._trials) as file:
            for record in records:
                line = json.dumps(with_checksum(record), allow_nan=False, ensure_ascii=False)
                file.write(f"{line}\n".encode())

    def embedding_path(self, space: str) -> Path:
        """Where the embedding of a space is, or will be."""
        return self.path / "embeddings" / f"{file_name(space)}.npz"

    def embedding(self, space: str) -> Embedding | None:
        """Read the embedding of a space; ``None`` if there is none."""
        path = self.embedding_path(space)
        return Embedding.load(path) if path.exists() else None

    def write_answer(self, answer: Mapping[str, Any]) -> None:
        """Write ``choice.json``."""
        write_checked(self.path / "choice.json", answer)

    @property
    def _question(self) -> Path:
        return self.path / "question.json"

    @property
    def _trials(self) -> Path:
        return self.path / "trials.jsonl"


def _difference(known: Mapping[str, Any], question: Mapping[str, Any]) -> tuple[str, Any, Any] | None:
    """The first entry that differs; where the graph lies does not matter."""
    wanted = json.loads(json.dumps(question))
    return first_difference({**known, "given": None}, {**wanted, "given": None})
