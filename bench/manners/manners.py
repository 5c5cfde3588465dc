#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How waiting threads get on with others, runtime beside runtime: scenes in which spinning costs.

Usage: bench/manners/manners.py
       [idle|alternate|crowd|beside|beside-more|beside-fixed|services|hgb|oversubscribed]...
       [--contender NAME=LIBPATH]... [--clang NAME]... [--runs 5] [--quick]

Contenders alternate in an order shuffled by the seed; tables show medians. Peers also run with
OMP_WAIT_POLICY active and passive where the scene says so. docs/waiting.md says what is expected.
"""
from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any, Callable, Sequence

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from harness import programs, session  # noqa: E402
from harness.contenders import Contender  # noqa: E402
from harness.report import bold  # noqa: E402

TIMEOUT = 300.0
PROCESSES = 10
TRAINER = HERE / "train.py"
REQUIREMENTS = HERE.parents[1] / "tests/robustness/real_programs/requirements.txt"
CONSTRUCTS = ("parallel", "barrier", "loop", "ordered", "doacross")

Values = dict[str, float]


class Failed(Exception):
    pass


@dataclass
class Stage:
    """What the scenes run on."""

    options: argparse.Namespace
    contenders: list[Contender]
    binaries: dict[str, Path]
    chance: random.Random
    python: str = sys.executable

    def start(self, contender: Contender, command: Sequence[str],
              **variables: str) -> subprocess.Popen[str]:
        environment = contender.environment() | variables
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def end(self, process: subprocess.Popen[str]) -> dict[str, Any]:
        try:
            output, said = process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failed(f"did not end within {TIMEOUT:g} s") from None
        if process.returncode != 0:
            raise Failed(f"status {process.returncode}: {said.strip()[-300:]}")
        result = json.loads(output)
        if result.get("check") != "ok":
            raise Failed("a wrong answer")
        return result

    def program(self, contender: Contender, *arguments: str, **variables: str) -> dict[str, Any]:
        command = [str(self.binaries[contender.build]), *arguments]
        result = self.end(self.start(contender, command, **variables))
        if not contender.served(result["runtime"]):
            raise Failed(f"was served by another runtime, {result['runtime']}")
        return result


def with_policies(contenders: Sequence[Contender]) -> list[Contender]:
    """The peers under each fixed policy too; Heddle as it is."""
    found = []
    for contender in contenders:
        found.append(contender)
        if "heddle" not in contender.name and contender.name != "old":
            found += [replace(contender, name=f"{contender.name}-{policy}",
                              variables=(*contender.variables, ("OMP_WAIT_POLICY", policy)))
                      for policy in ("active", "passive")]
    return found


def idle(stage: Stage, contender: Contender) -> Values:
    length = "0.3" if stage.options.quick else "2"
    result = stage.program(contender, "--scene", "idle", "--seconds", length)
    return {"idle CPU %": result["idle_cpu_percent"], "region us": result["median_us"]}


def alternate(stage: Stage, contender: Contender) -> Values:
    values = {}
    for label, size, work in (("small", "128", "50"), ("medium", "300", "200"),
                              ("large", "800", "1000")):
        rounds = "20" if stage.options.quick else {"small": "4000", "medium": "800",
                                                   "large": "100"}[label]
        result = stage.program(contender, "--scene", "alternate", "--size", size,
                               "--work-us", work, "--rounds", rounds)
        values[f"{label} us"] = result["round_us"]
    return values


def crowd(stage: Stage, contender: Contender) -> Values:
    """Ten processes at once, with default settings and with one thread each."""
    rounds = "30" if stage.options.quick else "1000"
    command = [str(stage.binaries[contender.build]), "--scene", "work", "--rounds", rounds,
               "--work-us", "500", "--serial-us", "100"]

    def all_at_once(**variables: str) -> float:
        start = time.monotonic()
        processes = [stage.start(contender, command, **variables) for _ in range(PROCESSES)]
        try:
            for process in processes:
                stage.end(process)
        finally:  # none may burn the CPUs of the next contender
            for process in processes:
                process.kill()
                process.wait()
        return time.monotonic() - start

    one, default = all_at_once(OMP_NUM_THREADS="1"), all_at_once()
    return {"one thread s": one, "default s": default, "ratio": default / one}


def beside(stage: Stage, contender: Contender, threads: int = 0, burners: int = 1,
           **variables: str) -> Values:
    """A team as large as the machine, while another process burns one of the CPUs."""
    length = "0.1" if stage.options.quick else "2"
    values = {}
    for construct in CONSTRUCTS:
        result = stage.program(contender, "--scene", "beside", "--construct", construct,
                               "--seconds", length, "--burners", str(burners),
                               OMP_NUM_THREADS=str(threads or session.cpus()), **variables)
        values |= {f"{construct} us": result["median_us"], f"{construct} p99": result["p99_us"],
                   f"{construct} most": result["most_us"]}
    return values


def beside_more(stage: Stage, contender: Contender) -> Values:
    """Four threads for each CPU, and a process beside them on each CPU."""
    return beside(stage, contender, threads=4 * session.cpus(), burners=session.cpus())


def beside_fixed(stage: Stage, contender: Contender) -> Values:
    """The same with each fixed policy, where no thread executes another's part."""
    values = {}
    for policy in ("active", "passive"):
        found = beside(stage, contender, threads=4 * session.cpus(), burners=session.cpus(),
                       OMP_WAIT_POLICY=policy, HEDDLE_STAND_IN="false")
        values |= {f"{policy} {name}": value for name, value in found.items()}
    return values


def services(stage: Stage, contender: Contender) -> Values:
    """Short regions and serial parts in turn, while a process for each CPU wakes now and then."""
    rounds = "2000" if stage.options.quick else "60000"
    values = {}
    for label, count in (("alone", "0"), ("with services", str(session.cpus()))):
        result = stage.program(contender, "--scene", "work", "--rounds", rounds, "--work-us", "10",
                               "--serial-us", "40", "--services", count)
        values[f"{label} us"] = result["round_us"]
    return values


def hgb(stage: Stage, contender: Contender) -> Values:
    """scikit-learn's histogram boosting with 2 and 8 threads; its wheel has gcc's code."""
    if contender.build != "gcc":
        raise Failed("serves clang's programs")
    values = {}
    for rows, trees in (("1000", "50"), ("20000", "30")):
        trees = "3" if stage.options.quick else trees
        for threads in ("2", "8"):
            process = stage.start(contender, [stage.python, str(TRAINER), rows, trees],
                                  OMP_NUM_THREADS=threads)
            values[f"{rows} x{threads} s"] = stage.end(process)["seconds"]
        values[f"{rows} ratio"] = values[f"{rows} x8 s"] / values[f"{rows} x2 s"]
    return values


def oversubscribed(stage: Stage, contender: Contender) -> Values:
    """Every construct with four threads for each CPU, over the same with one for each."""
    binary = programs.build("overheads", HERE.parent, stage.options.output,
                            stage.options.cc if contender.build == "gcc"
                            else stage.options.clang_cc, contender.build)
    repetitions = "3" if stage.options.quick else "10"
    found: list[dict[str, float]] = []
    for threads in (session.cpus(), 4 * session.cpus()):
        command = [str(binary), "--construct", "sync", "--repetitions", repetitions,
                   "--threads", str(threads)]
        result = stage.end(stage.start(contender, command))
        found.append(result["overhead_us"])
    values = {}
    for name, few in found[0].items():
        values |= {f"{name} us": few, f"{name} x4": found[1][name],
                   f"{name} ratio": found[1][name] / max(few, 0.001)}
    return values


@dataclass(frozen=True)
class Scene:
    run: Callable[[Stage, Contender], Values]
    title: str
    policies: bool = False  # the peers also with each fixed policy


SCENES = {
    "idle": Scene(idle, "A process that sleeps after its last region, from 50 ms on"),
    "alternate": Scene(alternate, "Regions that alternate with OpenBLAS's own threads", True),
    "crowd": Scene(crowd, f"{PROCESSES} processes at once"),
    "beside": Scene(beside, "Regions while another process burns a CPU", True),
    "beside-more": Scene(beside_more, "Four threads for each CPU, while others burn all CPUs"),
    "beside-fixed": Scene(beside_fixed, "The same with each fixed policy"),
    "services": Scene(services, "Short regions while services of the system wake now and then"),
    "hgb": Scene(hgb, "scikit-learn's HistGradientBoostingClassifier"),
    "oversubscribed": Scene(oversubscribed, "Constructs with four threads for each CPU"),
}


@dataclass
class Column:
    values: list[Values] = field(default_factory=list)
    failure: str | None = None

    def median(self, key: str) -> float | None:
        found = [v[key] for v in self.values if key in v]
        return median(found) if found and self.failure is None else None


def play(name: str, stage: Stage) -> dict[str, Column]:
    scene = SCENES[name]
    line_up = with_policies(stage.contenders) if scene.policies else stage.contenders
    columns = {c.name: Column() for c in line_up}
    for _ in range(stage.options.runs or (1 if stage.options.quick else 5)):
        for contender in stage.chance.sample(line_up, len(line_up)):
            column = columns[contender.name]
            if column.failure is not None:
                continue
            try:
                column.values.append(scene.run(stage, contender))
            except (Failed, programs.BuildError, json.JSONDecodeError, KeyError) as error:
                column.failure = str(error)
    return columns


def show(name: str, columns: dict[str, Column]) -> None:
    print(f"\n{bold(name)}: {SCENES[name].title}")
    keys = list(dict.fromkeys(k for c in columns.values() for v in c.values for k in v))
    left = max([len(k) for k in keys], default=0) + 2
    widths = [max(len(n), 9) + 2 for n in columns]
    print(" " * (left + 2) + "".join(f"{n:>{w}}" for n, w in zip(columns, widths)))
    for key in keys:
        cells = [c.median(key) for c in columns.values()]
        shown = ["-" if v is None else f"{v:.3f}" if v < 10 else f"{v:.0f}" for v in cells]
        print(f"  {key:<{left}}" + "".join(f"{s:>{w}}" for s, w in zip(shown, widths)))
    for contender, column in columns.items():
        if column.failure is not None:
            print(f"  {contender}: {column.failure}")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/manners/manners.py",
                                     description="Waiting threads in bad company, by runtime.")
    parser.add_argument("names", nargs="*", metavar="scene", help=f"{' '.join(SCENES)} (all)")
    session.add_options(parser)
    parser.add_argument("--quick", action="store_true", help="short runs: a check, not a timing")
    parser.add_argument("--python", default=sys.executable,
                        help="hgb: an interpreter that has scikit-learn")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse(arguments)
    load = os.getloadavg()[0]
    try:
        unknown = [n for n in options.names if n not in SCENES]
        if unknown:
            raise ValueError(f"no scene is called '{unknown[0]}'; there are {' '.join(SCENES)}")
        contenders = session.line_up(options, [])
        binaries = {c.build: programs.build("manners", HERE.parent, options.output,
                                            options.cc if c.build == "gcc" else options.clang_cc,
                                            c.build) for c in contenders}
    except (ValueError, OSError, programs.BuildError) as error:
        print(f"bench/manners/manners.py: {error}", file=sys.stderr)
        return 2
    stage = Stage(options, contenders, binaries, random.Random(session.seed(options)),
                  options.python)
    kept: dict[str, Any] = {}
    failed = False
    for name in options.names or SCENES:
        columns = play(name, stage)
        show(name, columns)
        kept[name] = {n: {"values": c.values, "failure": c.failure} for n, c in columns.items()}
        failed = failed or any(c.failure is not None for c in columns.values())
    path = session.store(options, {"machine": session.describe_machine(), "load_before": load,
                                   "arguments": sys.argv[1:], "manners": kept})
    warning = session.busy_warning(load)
    if warning is not None:
        print(f"\n  {warning}")
    print(f"\n  All runs are kept in {os.path.relpath(path)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
