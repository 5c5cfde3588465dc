# SPDX-License-Identifier: Apache-2.0
"""How many threads the parallel regions of the calling Python thread get."""
from __future__ import annotations

import operator
from contextlib import contextmanager
from typing import Iterator

from . import activation

MOST = 2147483647  # what OMP_NUM_THREADS may be at most


def max_threads() -> int:
    """As many threads as the next region of the calling thread may have (omp_get_max_threads,
    OpenMP 5.2 section 18.2.4). Raises RuntimeError while Heddle is not active."""
    return int(activation.functions().omp_get_max_threads())


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Inside, regions that the calling thread opens have at most `count` threads, 1 to 2147483647
    (omp_set_num_threads, OpenMP 5.2 section 18.2.1); afterwards as many as before. Other Python
    threads are left alone. Raises TypeError or ValueError for a count that is none, RuntimeError
    while Heddle is not active."""
    wanted = operator.index(count)
    if not 1 <= wanted <= MOST:
        raise ValueError(f"threads: {count} is not between 1 and {MOST}")
    before = max_threads()
    functions = activation.functions()
    functions.omp_set_num_threads(wanted)
    try:
        yield
    finally:
        functions.omp_set_num_threads(before)
