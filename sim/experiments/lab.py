# SPDX-License-Identifier: Apache-2.0
"""What an experiment works with: the simulator, its size, the claims it must answer."""
from __future__ import annotations

import statistics
import time
from dataclasses import asdict, dataclass, replace
from typing import Callable, Iterable, Mapping, Sequence, TypeVar

from .claims import Claims
from .outcome import Outcome, Table, Verdict
from .progress import Progress
from .simulator import Point, Result, Simulator

T = TypeVar("T")
SEEDS = 5  # of a verdict that one seed would leave to chance


class Lab:
    """One experiment's run; gathers its outcome."""

    def __init__(self, simulator: Simulator, claims: Claims, outcome: Outcome,
                 place: str = "") -> None:
        self.place = place  # of the experiment among several, before its name on the progress bar
        self.simulator = simulator
        self.claims = claims
        self.outcome = outcome

    @property
    def seed(self) -> int:
        return self.outcome.seed

    def size(self, usual: T, quick: T) -> T:
        """What depends on --quick."""
        return quick if self.outcome.quick else usual

    @property
    def seeds(self) -> Sequence[int]:
        """The seed that was asked for, and others."""
        return [self.seed + 1000 * i for i in range(self.size(SEEDS, 1))]

    def over_seeds(self, points: Iterable[Point]) -> Iterable[Point]:
        return [replace(at, seed=seed) for at in points for seed in self.seeds]

    def median(self, results: Mapping[Point, Result], at: Point,
               value: Callable[[Result], float]) -> float:
        """Of a point that was run with all seeds."""
        return statistics.median(value(results[replace(at, seed=seed)]) for seed in self.seeds)

    def run(self, points: Iterable[Point]) -> Mapping[Point, Result]:
        """Runs all points, with a progress bar, and keeps what they gave."""
        wanted = list(dict.fromkeys(points))
        with Progress(self.place + self.outcome.experiment, len(wanted)) as progress:
            results = self.simulator.run_all(wanted, lambda at, _: progress.step())
        self.outcome.runs += [{"point": asdict(at), **results[at]} for at in wanted]
        return results

    def seconds(self, results: Mapping[Point, Result], at: Point) -> float:
        return float(results[at]["virtual_seconds"])

    def table(self, title: str, unit: str, row_name: str, rows: Sequence[object],
              columns: Sequence[str], value: Callable[[int, int], float | None],
              chart: bool = True, log_y: bool = False) -> Table:
        """Adds a table; value(i, j) is that of row i and column j."""
        made = Table(title, unit, row_name, [str(r) for r in rows], list(columns),
                     [[value(i, j) for j in range(len(columns))] for i in range(len(rows))],
                     chart, log_y)
        self.outcome.tables.append(made)
        return made

    def expect(self, claim: str) -> Mapping[str, float]:
        return self.claims.find(claim).expect

    def judge(self, claim: str, passed: bool, ours: str) -> None:
        self.claims.find(claim)  # must be there
        self.outcome.verdicts.append(Verdict(claim, ours, bool(passed)))

    def note(self, text: str) -> None:
        self.outcome.notes.append(text)


@dataclass(frozen=True)
class Experiment:
    name: str
    title: str
    machines: tuple[str, ...]
    carry_out: Callable[[Lab], None]

    def run(self, simulator: Simulator, claims: Claims, quick: bool, seed: int,
            place: str = "") -> Outcome:
        """Carries it out. Raises SimulatorError if a run fails."""
        start = time.monotonic()
        outcome = Outcome(self.name, self.title, self.machines, quick, seed)
        self.carry_out(Lab(simulator, claims, outcome, place))
        outcome.host_seconds = time.monotonic() - start
        asked = {c.id for c in claims.of(self.name) if not c.pending}
        unanswered = asked - {v.claim for v in outcome.verdicts}
        if unanswered:
            raise AssertionError(f"{self.name} does not judge {', '.join(sorted(unanswered))}")
        return outcome
