#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The experiments of a paper on the runtimes of today: Olivier & Prins, "Comparison of OpenMP 3.0
and Other Task Parallel Frameworks on Unbalanced Task Graphs" (2010).

Usage: bench/studies/uts_study.py [forms|overheads|balance|aggregation|if-clause]...
       [--contender NAME=LIBPATH]... [--clang NAME]... [--threads 1,2] [--runs N] [--quick]
"""
from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import programs, session  # noqa: E402
from harness.cases import UTS_FORMS, Case  # noqa: E402
from harness.measure import Plan, Run, measure  # noqa: E402
from harness.report import bold  # noqa: E402
from harness.summary import Summary  # noqa: E402
from tables import Quantity, print_bars, print_failures, print_table, tabulate  # noqa: E402


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


SPEED_UP = Quantity("speed-up over the serial program", lambda r: r["speedup_over_serial"])
OVERHEAD = Quantity("share of the threads' time that the serial program does not need",
                    lambda r: r["overhead_share"], percent)
UNHASHED = Quantity("share of the threads' time not spent on hashes",
                    lambda r: r["unhashed_share"], percent)
MOVED = Quantity("tasks started elsewhere, or nodes taken", lambda r: r["started_elsewhere"],
                 "{:,.0f}".format)
LOST = Quantity("efficiency lost to imbalance (1 - mean / most)", lambda r: r["lost_efficiency"],
                percent)
FEWEST = Quantity("fewest nodes of a thread", lambda r: r["fewest_nodes"], "{:,.0f}".format)
MOST = Quantity("most nodes of a thread", lambda r: r["most_nodes"], "{:,.0f}".format)


@dataclass(frozen=True)
class Study:
    name: str
    title: str
    points: Sequence[tuple[str, Case]]  # label and what is run
    quantities: Sequence[Quantity]
    sweep: bool = False  # the points are in an order that means something


def _point(study: str, label: str, program: str, arguments: Sequence[str]) -> tuple[str, Case]:
    """The same arguments whether quick or not: the study has made them so."""
    return label, Case(f"{study} {label}", program, label, tuple(arguments), tuple(arguments))


def _of_forms(study: str, forms: Sequence[str], *arguments: str) -> list[tuple[str, Case]]:
    points = []
    for form in forms:
        program, variant, _ = UTS_FORMS[form]
        points.append(_point(study, form, program, ("--variant", *variant, *arguments)))
    return points


def studies(quick: bool) -> list[Study]:
    """Quick ones have other trees and fewer points: they check that all of it works."""
    tree = ("--tree", "tiny3" if quick else "T3")
    hashes = ("--tree", "tiny3" if quick else "small3", "--hashes", "5" if quick else "100")
    aggregates = (1, 100, 10000) if quick else (1, 2, 5, 10, 20, 50, 100, 1000, 10000, 100000,
                                                1000000)
    in_place = ("1", "50") if quick else ("0", "0.01", "0.1", "1", "10", "25", "50", "75", "90",
                                          "99", "100")
    forms = list(UTS_FORMS)
    return [
        Study("forms", "All forms (figures 1 and 2)", _of_forms("forms", forms, *tree),
              (SPEED_UP, OVERHEAD)),
        Study("overheads", f"{hashes[-1]} hashes per node (4.2.1, figure 3)",
              _of_forms("overheads", forms, *hashes, "--report", "--no-reference"), (UNHASHED,)),
        Study("balance", "Load balancing (4.2.2, figures 4 to 6)",
              _of_forms("balance", forms, *tree, "--report", "--no-reference"),
              (MOVED, FEWEST, MOST, LOST)),
        Study("aggregation", "Independent hashes, so many per task (4.3, figure 7)",
              [_point("aggregation", f"{k:,} per task", "uts",
                      ("--variant", "flat", *tree, "--aggregate", str(k))) for k in aggregates],
              (SPEED_UP,), sweep=True),
        Study("if-clause", "So many nodes explored in place by an if clause (4.5, figure 11)",
              [_point("if-clause", f"{share} %", "uts",
                      ("--variant", "taskwait", *tree, "--if-percent", share))
               for share in in_place],
              (SPEED_UP,), sweep=True),
    ]


def parse(arguments: Sequence[str] | None, known: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/studies/uts_study.py",
        description=f"The UTS paper's experiments: {' '.join(known)}")
    parser.add_argument("names", nargs="*", metavar="study", help="what to run (all)")
    session.add_options(parser)
    parser.add_argument("--quick", action="store_true",
                        help="small trees, few points: for checking rather than timing")
    parser.add_argument("--timeout", type=float, metavar="S", default=300.0,
                        help="limit of one run (300)")
    return parser.parse_args(arguments)


def make_plan(options: argparse.Namespace, study: Study) -> Plan:
    chosen = [case for _, case in study.points]
    line_up = session.line_up(options, chosen)
    return Plan(
        cases=session.runnable(chosen, line_up), contenders=line_up,
        teams=options.threads or sorted({1, session.cpus()}),
        runs=options.runs or (1 if options.quick else 5), warm_up=not options.quick,
        quick=options.quick, timeout=options.timeout, seed=session.seed(options))


def show(study: Study, plan: Plan, runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Prints the tables; returns them for the file of results."""
    summary = Summary(runs)
    points = [(label, case) for label, case in study.points if case in plan.cases]
    records = []
    for quantity in study.quantities:
        table = tabulate(quantity, points, plan, summary)
        if table.columns:
            print_table(table, quantity.text)
            if study.sweep:
                print_bars(table)
        records.append(table.record())
    print_failures(points, summary)
    return records


def choose(names: Sequence[str], known: Sequence[Study]) -> list[Study]:
    unknown = [n for n in names if n not in {s.name for s in known}]
    if unknown:
        raise ValueError(f"no study is called '{unknown[0]}'; there are "
                         f"{' '.join(s.name for s in known)}")
    return [s for s in known if not names or s.name in names]


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments, [s.name for s in studies(quick=True)])
    load = os.getloadavg()[0]
    kept: dict[str, Any] = {}
    failed = False
    try:
        # All is built and checked before anything is measured.
        plans = []
        for study in choose(options.names, studies(options.quick)):
            plan = make_plan(options, study)
            plans.append((study, plan, session.build_programs(options, plan)))
        for study, plan, binaries in plans:
            print(f"\n{bold(study.name)}: {study.title}", flush=True)
            runs: list[Run] = []
            measure(plan, binaries, runs)
            kept[study.name] = {"tables": show(study, plan, runs),
                                "runs": [run.record() for run in runs]}
            failed = failed or any(run.failure is not None for run in runs)
    except (ValueError, OSError, programs.BuildError) as error:
        print(f"bench/studies/uts_study.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        if not kept:
            return 130
        print("\ninterrupted: what is complete is kept")
    session.keep_studies(options, plans[0][1], load, kept)
    return 130 if len(kept) < len(plans) else 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
