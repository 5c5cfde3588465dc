#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Repeats the papers' figures on simulated machines and judges their claims.

Usage: sim/run.py list                         what there is
       sim/run.py NAME... | all [--quick]      run, print tables and verdicts, keep them as JSON,
                                               and make the page of all that was kept
       sim/run.py report [NAME...]             the page, report.html, of what was kept
       sim/run.py table [NAME...]              all verdicts, as the documentation has them
       docs/simulator-results.md has the results and how to read them.
"""
from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Sequence

from experiments import claims as claims_of
from experiments import registry, report, text
from experiments.outcome import Outcome
from experiments.simulator import ROOT, Simulator, SimulatorError, find_program

OUTPUT = ROOT / "build" / "sim"
PIPE_BROKEN = 141  # as shells have it


def positive(word: str) -> int:
    if not (word.isascii() and word.isdigit() and int(word) > 0):
        raise argparse.ArgumentTypeError(f"'{word}' is not a positive number")
    return int(word)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="sim/run.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("names", nargs="+", metavar="list|report|table|all|NAME", help="what to do, or experiments")
    add("--quick", action="store_true", help="small sizes: a check of the experiment, no result")
    add("--output", type=Path, default=OUTPUT, metavar="DIR", help="where results are (build/sim)")
    add("--simulator", type=Path, metavar="PROGRAM", help="heddle-sim (that of the build folder)")
    add("--seed", type=int, default=1, help="seed of the order of simultaneous events (1)")
    add("--jobs", type=positive, default=len(os.sched_getaffinity(0)), metavar="N",
        help="runs side by side (as many as CPUs)")
    return parser.parse_args(arguments)


def show_list(claims: claims_of.Claims) -> int:
    for experiment in registry.EXPERIMENTS:
        count = len(claims.of(experiment.name))
        print(f"{experiment.name:<26} {', '.join(experiment.machines):<28} {count:>2} claims  "
              f"{experiment.title}")
    return 0


def run(names: Sequence[str], options: argparse.Namespace, claims: claims_of.Claims) -> int:
    chosen = registry.EXPERIMENTS if names == ["all"] else [registry.find(n) for n in names]
    simulator = Simulator(find_program(options.simulator), options.jobs)
    options.output.mkdir(parents=True, exist_ok=True)
    failures = 0
    for number, experiment in enumerate(chosen, 1):
        place = f"{number}/{len(chosen)} " if len(chosen) > 1 else ""
        try:
            outcome = experiment.run(simulator, claims, options.quick, options.seed, place)
        except SimulatorError as error:
            print(f"{experiment.name}: {error}", file=sys.stderr)
            failures += 1
            continue
        file = options.output / f"{experiment.name}.json"
        file.write_text(json.dumps(outcome.record(), indent=1) + "\n", encoding="utf-8")
        print("\n".join(text.lines(outcome, claims)), end="\n\n", flush=True)
    print(f"results: {options.output}")
    if failures < len(chosen):
        write_report([], options, claims)
    return 1 if failures else 0


def restored(file: Path) -> Outcome:
    """Raises ValueError, with the file's name, where it is not what an experiment leaves."""
    try:
        return Outcome.restored(json.loads(file.read_text(encoding="utf-8")))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{file}: no result of an experiment: {error}") from error


def kept(names: Sequence[str], options: argparse.Namespace) -> list[Outcome]:
    """What earlier runs have left. Raises ValueError where there is nothing."""
    wanted = list(names) or [e.name for e in registry.EXPERIMENTS]
    files = [options.output / f"{name}.json" for name in wanted]
    outcomes = [restored(file) for file in files if file.is_file()]
    if not outcomes:
        raise ValueError(f"no results in {options.output}: run experiments first")
    return outcomes


def write_report(names: Sequence[str], options: argparse.Namespace,
                 claims: claims_of.Claims) -> int:
    outcomes = kept(names, options)
    known = {claim.id for claim in claims.claims}
    for outcome in outcomes:  # results of an earlier version may judge what is no claim any more
        outcome.verdicts = [v for v in outcome.verdicts if v.claim in known]
    page = options.output / "report.html"
    page.write_text(report.page(outcomes, claims), encoding="utf-8")
    print(f"page: {page}, of {len(outcomes)} experiments")
    return 0


def act(options: argparse.Namespace) -> int:
    claims = claims_of.load()
    if options.names == ["list"]:
        return show_list(claims)
    if options.names[0] == "report":
        return write_report(options.names[1:], options, claims)
    if options.names[0] == "table":
        print("\n".join(text.markdown(kept(options.names[1:], options), claims)))
        return 0
    return run(options.names, options, claims)


def main(arguments: Sequence[str] | None = None) -> int:
    if sys.stdout is None:
        sys.exit("sim/run.py: standard output is closed")
    try:
        try:
            return act(parse(arguments))
        finally:
            sys.stdout.flush()
    except (SimulatorError, ValueError) as error:
        print(f"sim/run.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python writes what is left at its end
        if isinstance(error, BrokenPipeError):
            return PIPE_BROKEN
        place = f"{error.filename}: " if error.filename else ""
        print(f"sim/run.py: {place}{error.strerror}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
