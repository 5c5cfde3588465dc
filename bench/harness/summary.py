# SPDX-License-Identifier: Apache-2.0
"""Condenses raw runs: per case, contender and team size the median and least of each number."""
from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Any, Callable, Iterable, Sequence

from .cases import Case
from .measure import Run


@dataclass(frozen=True)
class Cell:
    """What one contender did in one case with one team size."""

    results: Sequence[dict[str, Any]]
    failure: str | None  # or what its runtime lacks

    @property
    def good(self) -> bool:
        return self.failure is None and bool(self.results)

    def typical(self, key: str) -> float:
        return median(float(r[key]) for r in self.results)

    @property
    def seconds(self) -> float:
        return self.typical("seconds")

    @property
    def least_seconds(self) -> float:
        return min(float(r["seconds"]) for r in self.results)

    def answers(self) -> set[int]:
        return {int(r["answer"]) for r in self.results}


class Summary:
    def __init__(self, runs: Iterable[Run]) -> None:
        self.runs = list(runs)

    def _where(self, wanted: Callable[[Run], bool]) -> list[Run]:
        found = [r for r in self.runs if wanted(r)]
        return [r for r in found if r.round > 0 or r.result is None] or found

    def cell(self, case: Case, contender: str, threads: int) -> Cell:
        runs = self._where(lambda r: (r.case, r.contender, r.threads)
                           == (case.name, contender, threads))
        failures = [told for r in runs if (told := r.failure or r.lacks) is not None]
        results = [r.result for r in runs if r.result is not None]
        return Cell(results, failures[0] if failures else None)

    def serial_seconds(self, case: Case, build: str = "gcc") -> float | None:
        """The serial program's time: the median over every process of a build that timed it."""
        runs = self._where(lambda r: (r.case, r.build) == (case.name, build))
        times = [r.result["serial_seconds"] for r in runs
                 if r.result is not None and "serial_seconds" in r.result]
        return median(times) if times else None

    def failures(self) -> list[Run]:
        return [r for r in self.runs if r.failure is not None]
