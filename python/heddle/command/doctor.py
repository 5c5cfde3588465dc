# SPDX-License-Identifier: Apache-2.0
"""`heddle doctor`: what is wrong here, or with a program or process, each with its fix."""
from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import Optional

import click

from heddle import budget, diagnosis, library, preload, subject, variables


@click.command("doctor")
@click.argument("target", required=False, metavar="[PROGRAM|PID|PACKAGE]")
def doctor(target: Optional[str]) -> None:
    """Look for several runtimes in one process, more threads than CPUs, quotas that are not
    noticed, and binding that conflicts. The exit status is 1 if there is anything to repair."""
    try:
        chosen = subject.find(target) if target is not None else None
        findings = diagnosis.examine(_situation(chosen))
    except subject.NoSuchSubject as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        raise click.UsageError(f"'{target}' cannot be read: {error.strerror}") from error
    for number, finding in enumerate(findings):
        click.echo(("\n" if number else "") + f"problem: {finding.problem}\n    fix: {finding.fix}")
    if not findings:
        click.echo("nothing to repair")
    sys.exit(1 if findings else 0)


def _situation(chosen: Optional[subject.Subject]) -> diagnosis.Situation:
    environment = chosen.environment if chosen is not None else os.environ
    granted = budget.budget(chosen.pid if chosen is not None else "self")
    path = library.find_quietly()
    refusals = variables.in_effect(path, environment, granted.mask)[1] if path is not None else []
    here = diagnosis.Situation(environment, granted, refusals=refusals,
                               hindrance=preload.problem_of(path) if path is not None else "")
    if chosen is None:
        return here
    count, threads = diagnosis.siblings_of(chosen) if chosen.kind == "process" else (1, 0)
    return replace(here, subject=chosen, serving=subject.serving(chosen), siblings=count,
                   threads=threads)
