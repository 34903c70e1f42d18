"""How the threads of Numba's kernels wait for each other, decided before they start.

Every kernel ends at a barrier. By default GNU OpenMP lets a thread that arrives early spin there for some ten
milliseconds before it sleeps, which is fastest on an idle machine. Where another program occupies a core, two
of our threads may share the other core, and then each spins away the time that the other one needs: a kernel
of one millisecond takes thirty to eighty (``python benchmarks/kernels.py --busy``). Threads that sleep at
once must be woken for every kernel, which costs 10 to 40 % on an idle machine. So ours spin for about as long
as it takes to wake a thread.
"""

import os
from contextlib import suppress
from importlib import import_module

SPIN_COUNT = 400
"""How often a thread looks at the barrier before it sleeps: for 17 microseconds on the processor measured.

Measured on two cores: from 400 up an idle machine loses nothing, and a busy one loses more with every step
(1.9 times as slow as an idle one at 400, 2.1 at 600, 3 at 1,000).
"""

_USER_CHOICES = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")
"""Environment variables of GNU OpenMP by which users decide for themselves."""


def set_wait_policy() -> None:
    """Load OpenMP with :data:`SPIN_COUNT`, unless the user has chosen a policy.

    OpenMP reads its environment variables once, when it is loaded. So the variable is set for that moment
    only: neither the rest of the process nor its children see it. Nothing changes where Numba has no OpenMP.
    """
    if any(name in os.environ for name in _USER_CHOICES):
        return
    os.environ["GOMP_SPINCOUNT"] = str(SPIN_COUNT)
    try:
        with suppress(ImportError):
            import_module("numba.np.ufunc.omppool")
    finally:
        del os.environ["GOMP_SPINCOUNT"]
