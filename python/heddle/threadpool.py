# SPDX-License-Identifier: Apache-2.0
"""Makes Heddle known to threadpoolctl, so that threadpool_limits() and threadpool_info() reach it.

threadpoolctl asks each library for its functions by the handle of that library, which no other
library can answer in its place; what a controller is called for is told by file names.
"""
from __future__ import annotations

from typing import Any


def controller(base: Any) -> Any:
    """The controller of libheddle.so, derived from threadpoolctl's LibController."""

    class HeddleController(base):  # type: ignore[misc]
        """What threadpoolctl does with libheddle.so."""

        user_api = "openmp"
        internal_api = "heddle"
        filename_prefixes = ("libheddle",)
        check_symbols = ("omp_get_max_threads", "omp_set_num_threads")

        def get_num_threads(self) -> int:
            return int(self.dynlib.omp_get_max_threads())

        def set_num_threads(self, num_threads: int) -> None:
            self.dynlib.omp_set_num_threads(int(num_threads))

        def get_version(self) -> None:
            return None

    return HeddleController


def register() -> bool:
    """Register it, once, where threadpoolctl 3.2 or newer can be imported; whether it could."""
    try:
        import threadpoolctl
        threadpoolctl.register(controller(threadpoolctl.LibController))
    except (ImportError, AttributeError):  # not installed, or older: it has no register()
        return False
    return True
