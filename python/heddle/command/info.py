# SPDX-License-Identifier: Apache-2.0
"""`heddle info`: the machine, the CPUs granted, the control variables, and who serves a program."""
from __future__ import annotations

import os
from pathlib import Path
from typing import Mapping, Optional

import click

from heddle import budget, library, machine, preload, runtimes, subject, variables
from heddle.command.console import console, table


@click.command("info")
@click.argument("target", required=False, metavar="[PROGRAM|PID|PACKAGE]")
def info(target: Optional[str]) -> None:
    """Show the machine, the CPU budget and the control variables here; or those of a process, and
    which OpenMP runtimes a process, a program or a package of Python has."""
    path = library.find_quietly()
    try:
        chosen = subject.find(target) if target is not None else None
        pid = chosen.pid if chosen is not None else "self"
        granted = budget.budget(pid)
        served = subject.serving(chosen) if chosen is not None else None
    except subject.NoSuchSubject as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"'{target}' cannot be read: {error.strerror}") from error
    environment = chosen.environment if chosen is not None else os.environ
    here = machine.machine()
    click.echo("\n".join([here.heading(), *here.draw(granted.mask), "",
                          f"CPU budget: {granted.cpus}",
                          *(f"  {line}" for line in granted.explain()), ""]))
    _show_variables(path, environment, granted)
    if chosen is not None and served is not None:
        _show_serving(chosen, served)


def _show_variables(path: Optional[Path], environment: Mapping[str, str],
                    granted: budget.Budget) -> None:
    if path is None:
        rows = sorted(variables.ours(environment).items())
        click.echo("Control variables (there is no libheddle.so to tell more):")
        click.echo("\n".join(f"  {name}={value}" for name, value in rows) or "  none is set")
        return
    known, said = variables.in_effect(path, environment, granted.mask)
    click.echo(f"Control variables, as {path} reads them:")
    console().print(table(("variable", "value", "from"),
                          [(one.name, one.value, one.source) for one in known]))
    for line in [*said, preload.problem_of(path)]:
        if line:
            click.echo(f"  {line}")


def _show_serving(chosen: subject.Subject, served: subject.Serving) -> None:
    click.echo(f"\nOpenMP runtimes of the {chosen.kind} {chosen.name}"
               + (f" ({chosen.path})" if str(chosen.path) != chosen.name else "") + ":")
    if not served.runtimes:
        click.echo("  none is linked or loaded")
    for path in served.runtimes:
        real = os.path.realpath(path)
        link = f" -> {real}" if real != path else ""
        click.echo(f"  {runtimes.FULL_NAMES[runtimes.kind(path)]}: {path}{link}")
    for interface, path in served.winners.items():
        click.echo(f"  {interface} {'is' if interface == 'all' else 'are'} served by "
                   f"{path or 'nobody: an undefined symbol'}")
    for note in served.notes:
        click.echo(f"  {note}")
