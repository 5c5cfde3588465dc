# SPDX-License-Identifier: Apache-2.0
"""`heddle bench`: the project's benchmarks on every OpenMP runtime found here."""
from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, Optional

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from heddle import benchmark_page, benchmark_tables, benchmarks, library
from heddle.command.console import console, table
from heddle.command.run import team_sizes


class Bar:
    """The harness's progress as a bar on a terminal, and nothing elsewhere."""

    def __init__(self, total: int) -> None:
        self.begun = -1  # a step is reported before it is made
        self.bar: Optional[Progress] = None
        if sys.stderr.isatty():
            self.bar = Progress(BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
                                TextColumn("{task.description}"), transient=True,
                                console=Console(stderr=True))
            self.task = self.bar.add_task("", total=total)
            self.bar.start()

    def step(self, what: str) -> None:
        self.begun += 1
        if self.bar is not None:
            self.bar.update(self.task, completed=self.begun, description=what)

    def clear(self) -> None:
        if self.bar is not None:
            self.bar.stop()


@click.command("bench")
@click.argument("names", nargs=-1)
@click.option("--list", "listing", is_flag=True, help="List the benchmarks and the runtimes here.")
@click.option("--threads", callback=team_sizes, metavar="N[,N...]",
              help="Team sizes (1 and all CPUs).")
@click.option("--runs", type=click.IntRange(1), help="Rounds that count (5; with --quick 1).")
@click.option("--quick", is_flag=True, help="Small inputs: a check of answers, not of times.")
@click.option("--runtime", "chosen", multiple=True, metavar="NAME",
              help="Only libgomp and this one of those listed; may be repeated.")
@click.option("--clang", is_flag=True, help="Binaries of clang-19 too, on Heddle and libomp.")
@click.option("--timeout", type=click.FloatRange(0, min_open=True), metavar="SECONDS",
              help="The limit of one run (120).")
@click.option("--json", "json_file", type=click.Path(dir_okay=False, path_type=Path),
              help="Keep all runs in this file too.")
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path),
              help="Write a page with tables and bars.")
@click.option("--output", type=click.Path(file_okay=False, path_type=Path),
              help="Where programs and results are kept.")
def bench(names: tuple[str, ...], listing: bool, threads: Optional[str], runs: Optional[int],
          quick: bool, chosen: tuple[str, ...], clang: bool, timeout: Optional[float],
          json_file: Optional[Path], html: Optional[Path], output: Optional[Path]) -> None:
    """Run the benchmarks NAMES ("all": every one; those of the demonstration if none is named) on
    libgomp, Heddle and what else is found, and compare. Needs gcc, which compiles them."""
    for file in (json_file, html):
        _expect_writable(file)
    try:
        harness = benchmarks.Harness()
    except benchmarks.NoBenchmarks as error:
        raise click.ClickException(str(error)) from error
    if listing:
        _list(harness)
        return
    try:
        arguments = [*_names(harness, names), *_contenders(chosen, clang)]
        arguments += ["--output", str(output or benchmarks.output_folder())]
        for option, value in (("--threads", threads), ("--runs", runs), ("--timeout", timeout)):
            arguments += [option, str(value)] if value is not None else []
        options = harness.run.parse([*arguments, *(["--quick"] if quick else [])])
        plan = harness.run.make_plan(options)
        binaries = harness.session.build_programs(options, plan)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"cannot be prepared: {error}") from error
    except Exception as error:
        if type(error).__name__ != "BuildError":  # of the harness, known since it is loaded
            raise
        raise click.ClickException(str(error)) from error
    load = os.getloadavg()[0]
    done: list[Any] = []
    interrupted = False
    bar = Bar(plan.total())
    try:
        harness.measure.measure(plan, binaries, done, bar)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        bar.clear()
    origin = harness.session.origin(options, plan, load)
    results = origin | {"runs": [run.record() for run in done]}
    kept = harness.session.store(options, results)
    cases = benchmark_tables.tables(harness, plan, done)
    _show(harness, cases, quick)
    warning = harness.session.busy_warning(load)
    if warning is not None:
        click.echo(f"\n{warning}")
    click.echo(f"\nAll runs are kept in {kept}")
    _write(json_file, json.dumps(results, indent=1) + "\n")
    _write(html, benchmark_page.page(origin, cases, harness.report.seconds_text, warning))
    sys.exit(130 if interrupted else int(any(run.failure is not None for run in done)))


def _names(harness: benchmarks.Harness, names: tuple[str, ...]) -> list[str]:
    chosen = list(names or harness.cases.DEMO)
    return [] if chosen == ["all"] else chosen


def _contenders(chosen: tuple[str, ...], clang: bool) -> list[str]:
    found = {"heddle": library.find_library(), **benchmarks.find_runtimes()}
    unknown = [name for name in chosen if name not in found]
    if unknown:
        raise ValueError(f"there is no runtime '{unknown[0]}' here, but {' '.join(found)}")
    found = {name: path for name, path in found.items() if not chosen or name in chosen}
    arguments = [part for name, path in found.items()
                 for part in ("--contender", f"{name}={path}")]
    if clang:
        arguments += [part for name, path in found.items()
                      for part in ("--clang", f"{name}-clang={path}")]
    return arguments


def _list(harness: benchmarks.Harness) -> None:
    found = {"libgomp": "what the programs are linked with",
             "heddle": library.find_quietly() or "not found", **benchmarks.find_runtimes()}
    console().print(table(("benchmark", "what it is"),
                          [(case.name, case.title) for case in harness.cases.CASES]))
    console().print(table(("runtime", "library"),
                          [(name, str(path)) for name, path in found.items()]))


def _show(harness: benchmarks.Harness, cases: list[benchmark_tables.Case], quick: bool) -> None:
    text = harness.report.seconds_text
    if quick:
        click.echo("Quick inputs: these check answers; they are too short to compare runtimes.")
    for case in cases:
        serial = f", without OpenMP {text(case.serial)}" if case.serial else ""
        click.echo(f"\n{case.name}: {case.title}{serial}")
        rows: list[tuple[str, ...]] = [
            (str(row.threads), row.runtime, row.what,
             text(row.seconds) if row.seconds is not None else row.failure,
             text(row.least) if row.least is not None else "",
             f"{row.ratio:.2f}x" if row.ratio is not None else "") for row in case.rows]
        heads: tuple[str, ...] = ("threads", "runtime", "construct", "median", "least",
                                  "libgomp's over it")
        if not any(row[2] for row in rows):  # one column less
            rows = [(*row[:2], *row[3:]) for row in rows]
            heads = (*heads[:2], *heads[3:])
        console().print(table(heads, rows, right=[0, *range(len(heads) - 3, len(heads))]))


def _expect_writable(path: Optional[Path]) -> None:
    """Measuring takes long, and its results would be lost."""
    if path is None:
        return
    if not path.parent.is_dir():
        raise click.ClickException(f"'{path}' cannot be written: there is no such folder")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise click.ClickException(f"'{path}' cannot be written: no permission")


def _write(path: Optional[Path], text: str) -> None:
    if path is None:
        return
    try:
        path.write_text(text)
    except OSError as error:
        raise click.ClickException(f"'{path}' cannot be written: {error.strerror}") from error
    click.echo(f"Written: {path}")
