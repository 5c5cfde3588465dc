# SPDX-License-Identifier: Apache-2.0
"""`heddle trace FILE`: what a run that was recorded with HEDDLE_TRACE spent its time on."""
from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Optional

import click

from heddle.trace.events import KINDS, Trace, TraceError, read
from heddle.trace.page import Timeline, as_html
from heddle.trace.perfetto import ChromeWriter
from heddle.trace.replay import Listener, Replay
from heddle.trace.sites import name_addresses
from heddle.trace.summary import as_text

_WITH_ADDRESS = {KINDS.index(name) for name in
                 ("region_begin", "implicit_begin", "task_begin", "idle_begin")}


def addresses(trace: Trace) -> tuple[set[int], int, int]:
    """All addresses that events tell, and the times of the first and the last event."""
    found: set[int] = set()
    begins, ends = [], []
    for worker in trace.workers:
        times = [0, 0]
        for number, (time, kind, value, _) in enumerate(trace.events(worker)):
            times[number > 0] = time
            if kind in _WITH_ADDRESS:
                found.add(value)
        begins.append(times[0])
        ends.append(max(times))
    found.discard(0)
    return found, min(begins), max(ends)


def _file(ctx: click.Context, parameter: click.Parameter, value: Optional[str]) -> Optional[Path]:
    if value == "":
        raise click.BadParameter("the name of the file is missing")
    return Path(value) if value is not None else None


def _refuse_same(first: Optional[Path], second: Optional[Path]) -> None:
    """One would be written over the other."""
    if first is None or second is None:
        return
    try:
        same = os.path.samefile(first, second)
    except OSError:  # one is not there yet
        same = first.resolve() == second.resolve()
    if same:
        raise click.UsageError(f"'{first}' and '{second}' are the same file")


@contextmanager
def _concerning(file: Path) -> Iterator[None]:
    """What goes wrong with a file is one line that names it."""
    try:
        yield
    except TraceError as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"{error.filename or file}: {error.strerror}") from error


@click.command("trace")
@click.argument("file", callback=_file)
@click.option("--html", metavar="OUT", callback=_file, help="A page that any browser shows.")
@click.option("--json", "chrome", metavar="OUT", callback=_file,
              help="Chrome's trace events, for ui.perfetto.dev.")
@click.option("--summary", is_flag=True, help="A text; what comes without another option.")
def trace(file: Path, html: Optional[Path], chrome: Optional[Path], summary: bool) -> None:
    """Show what the run recorded in FILE (HEDDLE_TRACE, heddle run --trace) spent its time on."""
    for first, second in ((file, html), (file, chrome), (html, chrome)):
        _refuse_same(first, second)
    with _concerning(file):
        recorded = read(file)
        found, begin, end = addresses(recorded)
    names = name_addresses(recorded, found)
    timeline = Timeline(begin, end)
    listeners: list[Listener] = [timeline] if html else []
    if chrome is None:
        with _concerning(file):
            result = Replay(recorded, tuple(listeners)).run()
    else:
        with _concerning(chrome), chrome.open("w", encoding="utf-8") as out:
            writer = ChromeWriter(out, recorded)
            writer.name_all(names)
            result = Replay(recorded, (*listeners, writer)).run()
            writer.close(result.workers)
    if html:
        with _concerning(html):
            html.write_text(as_html(recorded, result, names, timeline), encoding="utf-8")
    if summary or not (html or chrome):
        click.echo(as_text(recorded, result, names), nl=False)
