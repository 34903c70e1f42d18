"""Where the tasks of a run on a large graph are done: in this process, or on a cluster.

A task is a function of this package with its arguments, and depends on nothing else. The tasks of a run are
the same wherever they are done, and their results are used in the order of the tasks. So the embedding has
the same bytes with any number of workers.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable
from typing import Any, TypeAlias, TypeVar, final

Task: TypeAlias = tuple[Any, ...]
"""A function and its arguments, each of which may be what :meth:`Workers.share` returned."""

T = TypeVar("T")


class Workers(ABC):
    """Does tasks."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of tasks that are done at the same time."""

    @abstractmethod
    def share(self, value: T) -> T:
        """Bring a value to where the tasks are done.

        Parameters
        ----------
        value
            The value, which does not change afterwards.

        Returns
        -------
        object
            What a task takes in place of the value. It is typed as the value, but may be a reference to it.
        """

    @abstractmethod
    def results(
        self, tasks: Iterable[Task], first: int = 1, *, anywhere: bool = False
    ) -> Generator[Any, None, None]:
        """Do tasks.

        Parameters
        ----------
        tasks
            The tasks. Some may be begun at once; each is taken before its result is needed.
        first
            How many times as long the first task takes as each of the others, about.
        anywhere
            Whether a task may be done by any worker. Otherwise, tasks with the same number among those of a
            call are done by the same one, which has what was shared for them.

        Yields
        ------
        object
            The result of each task, in the order of the tasks.
        """


@final
class InProcess(Workers):
    """Does one task after the other in this process."""

    @property
    def size(self) -> int:
        """One task at a time."""
        return 1

    def share(self, value: T) -> T:
        """Return the value itself."""
        return value

    def results(
        self, tasks: Iterable[Task], first: int = 1, *, anywhere: bool = False
    ) -> Generator[Any, None, None]:
        """Call one function after the other."""
        function: Callable[..., Any]
        for function, *arguments in tasks:
            yield function(*arguments)
