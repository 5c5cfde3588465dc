# SPDX-License-Identifier: Apache-2.0
"""What an experiment gives: tables, charts, and a verdict on each claim; kept as JSON."""
from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Sequence


@dataclass(frozen=True)
class Table:
    """Values by row and column; None where there is none. `unit` says what all of them are."""

    title: str
    unit: str
    row_name: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float | None]]
    chart: bool = True  # a row is a place on the x axis, a column a line
    log_y: bool = False


@dataclass(frozen=True)
class Verdict:
    """A claim of claims.json, what we found in words, and whether the claim's shape holds."""

    claim: str
    ours: str
    passed: bool


@dataclass
class Outcome:
    experiment: str
    title: str
    machines: Sequence[str]
    quick: bool
    seed: int
    tables: list[Table] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    runs: list[dict[str, Any]] = field(default_factory=list)  # each with its point
    host_seconds: float = 0.0

    def record(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def restored(record: dict[str, Any]) -> "Outcome":
        known = dict(record)
        known["tables"] = [Table(**t) for t in record["tables"]]
        known["verdicts"] = [Verdict(**v) for v in record["verdicts"]]
        return Outcome(**known)


def number(value: float | None) -> str:
    """Three significant digits, as a person would write them."""
    if value is None:
        return "-"
    if value == 0 or 0.01 <= abs(value) < 1e6:
        digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3
        return f"{value:,.{digits}f}"
    return f"{value:.2e}"
