"""Time our batched routines for small matrices beside NumPy's LAPACK.

Run: python benchmarks/linalg.py

Our `cholesky` also returns the inverse of the factor, and works in doubled precision. NumPy's Cholesky works
in double precision, and its time includes the inverse.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from timing import best_in_turns, header

from riemap import linalg
from riemap.types import Array


def numpy_cholesky(a: Array) -> Array:
    return np.linalg.inv(np.linalg.cholesky(a))


if __name__ == "__main__":
    print(header())
    print("microseconds a matrix, and NumPy's time over ours\n")
    columns = " ".join(f"{name:>8} {'ratio':>7}" for name in ("eigh", "svd", "cholesky"))
    print(f"{'size':>4} {'count':>6} {columns}")
    for n in (2, 3, 4, 6, 10):
        for count in (512, 20_000):
            a = np.random.default_rng(0).standard_normal((count, n, n))
            h, s = a + a.transpose(0, 2, 1), a @ a.transpose(0, 2, 1) + np.eye(n)
            runs: dict[str, Callable[[], object]] = {
                "eigh": partial(linalg.eigh, h),
                "numpy eigh": partial(np.linalg.eigh, h),
                "svd": partial(linalg.left_svd, a),
                "numpy svd": partial(np.linalg.svd, a),
                "cholesky": partial(linalg.cholesky, s),
                "numpy cholesky": partial(numpy_cholesky, s),
            }
            best = best_in_turns(runs, 0.3)
            cells = " ".join(
                f"{best[k] / count * 1e6:8.3f} {best['numpy ' + k] / best[k]:6.1f}x"
                for k in ("eigh", "svd", "cholesky")
            )
            print(f"{n:4} {count:6} {cells}", flush=True)
