# SPDX-License-Identifier: Apache-2.0
"""A progress bar on standard error, only where somebody looks at a terminal."""
from __future__ import annotations

import sys
import time
from types import TracebackType

WIDTH = 30


class Progress:
    def __init__(self, label: str, total: int) -> None:
        self.label, self.total, self.done = label, total, 0
        self.start = time.monotonic()
        self.shown = sys.stderr.isatty()

    def __enter__(self) -> "Progress":
        self._draw()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if self.shown:
            print(file=sys.stderr)

    def step(self) -> None:
        self.done += 1
        self._draw()

    def _draw(self) -> None:
        if not self.shown:
            return
        full = WIDTH * self.done // max(self.total, 1)
        print(f"\r{self.label:<32} [{'#' * full}{'.' * (WIDTH - full)}] {self.done}/{self.total} "
              f"runs, {time.monotonic() - self.start:.0f} s", end="", file=sys.stderr, flush=True)
