"""How the threads of Numba's kernels wait for each other, decided before they start.

Every kernel ends at a barrier. By default GNU OpenMP lets a thread that arrives early spin there for some ten
milliseconds before it sleeps, which is fastest on an idle machine. Where another program occupies a core, two
of our threads may share the other core, and then each spins away the time that the other one needs: a kernel
of one millisecond takes thirty to eighty (``python benchmarks/kernels.py --busy``). Threads that sleep at
once must be woken for every kernel, which costs an idle machine 10 to 40 %. So ours spin for about as long
as it takes to wake a thread.
"""

import os
from contextlib import suppress
from importlib import import_module

SPIN_COUNT = 600
"""How often a thread looks at the barrier before it sleeps: for 25 microseconds on the processor measured.

Measured on two cores of a virtual machine, where waking a thread is slow. Beside one busy process, kernels
take 1.8 times as long as on a quiet machine with a count of 400, 2.1 times with 600, 2.5 times with 800 and
2.8 times with 1,200 (``GOMP_SPINCOUNT=400 python benchmarks/kernels.py --busy``). On a quiet machine,
training is 15 to 20 % slower with 400 than without a limit, and 10 to 15 % slower with 600
(``benchmarks/step.py``).
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
