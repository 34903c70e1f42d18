"""Decorators for compiled loops.

* Compile a loop over the rows of a matrix of pairs with :func:`pair_loop`, a loop over single points with
  :func:`point_loop`, and a loop over few long tasks with :func:`task_loop`. Threads divide the rows among
  themselves, and sums over the inner loop may be reassociated, without which no reduction vectorises. One
  thread sums a row, so the bytes do not depend on the number of threads. :func:`exact_loop` keeps the order
  of sums.
* Compile helpers with :func:`inline`. Their own arithmetic keeps its order inside a loop that may
  reassociate, so put there whatever relies on the order (a difference of nearly equal numbers, an error
  term).
"""

from collections.abc import Callable
from typing import Any, final

from riemap import threads
from riemap.compiling import for_loops_only, for_python
from riemap.kernel_cache import keep_on_disk


@final
class RowLoop:
    """A compiled loop over rows, ``kernel(part, *args)``, that is called with the number of rows instead.

    Parameters
    ----------
    kernel
        The compiled function. It does the rows that :func:`riemap.threads.begin` returns.
    least
        With fewer rows than this, one thread does them all.
    grain
        Each thread does a multiple of so many rows, but for the last one.
    """

    def __init__(self, kernel: Any, least: int, grain: int) -> None:
        self.kernel = kernel
        self.least = least
        self.grain = grain

    def __call__(self, rows: int, *args: Any) -> None:
        """Do so many rows."""
        threads.run(self.kernel, rows, args, self.least, self.grain)


inline = for_loops_only(error_model="numpy", fastmath={"contract"}, forceinline=True)
"""Decorator for a small helper, compiled into the loops that call it. Python cannot call it."""

inline_point = for_loops_only(simplified=False, error_model="numpy", fastmath={"contract"}, forceinline=True)
"""Decorator for a helper with loops of its own over the entries of one point; loops over single points call
it. It compiles faster, but a loop over pairs around it would not vectorise."""

inline_sum = for_loops_only(error_model="numpy", fastmath={"contract", "reassoc"}, forceinline=True)
"""Decorator for a helper that adds to the sums of a loop; they may be reassociated as in the loop."""


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function on first use; kept on disk. Its sums keep their order."""
    return keep_on_disk(for_python(error_model="numpy")(function))


def _row_loop(kernel: Any, least: int, grain: int = 1) -> RowLoop:
    """Tell the compiler that no two arguments of a kernel overlap, and make a loop of it.

    Otherwise it would compile most loops twice, with and without vectors, and decide by addresses. Numba does
    the same for its parallel loops, and has no option for it. The one overlap that loops may have is that of
    the same element of the same matrix, as in ``out[i, j] = f(w[i, j])``.
    """

    def without_overlap(flags: Any) -> Any:
        flags.noalias = True
        return flags

    kernel._compiler._customize_flags = without_overlap
    return RowLoop(keep_on_disk(kernel), least, grain)


_loop = for_python(nogil=True, error_model="numpy", fastmath={"contract", "reassoc"})


def pair_loop(kernel: Callable[..., None]) -> RowLoop:
    """Compile a loop over rows of pairs, ``kernel(part, *args)``, on first use; kept on disk.

    Call it with the number of rows instead of the part. The kernel begins with ``start, stop =
    begin(part)`` and does these rows.

    The compiler may take sums in another order, which is what lets them vectorise. It compiles a loop that
    sums and also stores twice, and the addresses of the arrays decide which of the two versions runs. So a
    sum whose bytes must be the same in every run has a loop of its own, unless the loop reads and writes the
    same row of different matrices.
    """
    return _row_loop(_loop(kernel), PAIR_ROWS)


def point_loop(kernel: Callable[..., None]) -> RowLoop:
    """Compile a loop over single points, with the same options as :func:`pair_loop`.

    The compiler may vectorise such a loop over the points, and round the points of a whole vector otherwise
    than those that are left over. So the points are divided among threads in whole multiples of
    :data:`POINT_GRAIN`.
    """
    return _row_loop(_loop(kernel), POINTS, POINT_GRAIN)


def exact_loop(kernel: Callable[..., None]) -> RowLoop:
    """Compile a loop over rows whose sums keep their order; a second thread takes part from two rows on."""
    return _row_loop(for_python(nogil=True, error_model="numpy")(kernel), 2)


def task_loop(kernel: Callable[..., None]) -> RowLoop:
    """Compile a loop over tasks that take long each, with the same options as :func:`pair_loop`."""
    return _row_loop(_loop(kernel), 2)


PAIR_ROWS, POINTS = 96, 1024
"""Fewest rows of pairs, and fewest points, for which a second thread gains anything."""

POINT_GRAIN = 64
"""Number of points that stay together, a multiple of what the compiler puts into vectors side by side."""
