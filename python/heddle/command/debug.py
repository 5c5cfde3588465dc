# SPDX-License-Identifier: Apache-2.0
"""`heddle debug` and `heddle stacks`: gdb, with commands that know OpenMP's threads.

gdb's own commands show the system's threads; heddle/debugger is what it is given.
"""
from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Optional

import click

from heddle import preload
from heddle.command.run import become
from heddle.library import find_library

COMMANDS = Path(__file__).resolve().parents[1] / "debugger" / "heddle_commands.py"
BEGIN, END = "heddle: stacks", "heddle: no more"  # what gdb says before and after is not asked for


def find_gdb() -> str:
    gdb = shutil.which("gdb")
    if gdb is None:
        raise click.ClickException("there is no gdb on the PATH: install it, on Debian with "
                                   "apt install gdb")
    return gdb


@click.command("debug", options_metavar="[OPTIONS] [--]",
               context_settings={"allow_interspersed_args": False})
@click.option("--pid", type=click.IntRange(1), metavar="PID", help="Attach to a process.")
@click.option("--core", type=click.Path(exists=True, dir_okay=False), metavar="FILE",
              help="Look at what is left of a process; PROGRAM is what it was.")
@click.argument("program", required=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def debug(pid: Optional[int], core: Optional[str], program: Optional[str],
          arguments: tuple[str, ...]) -> None:
    """Run PROGRAM on Heddle in gdb, or look at a process or a core file.

    gdb then has `heddle teams`, `heddle backtrace` and `heddle thread`, about OpenMP's threads, also
    those that wait on a stack which no thread of the system stands on; `help heddle` tells more.
    """
    options = ["-q", "-x", str(COMMANDS)]
    gdb = find_gdb()
    if pid is not None and core is not None:
        raise click.UsageError("--pid or --core, not both")
    if (pid is not None or core is not None) and arguments:
        raise click.UsageError(f"what was '{arguments[0]}' to be? The process has its arguments")
    if pid is not None:
        become(gdb, [*options, "-p", str(pid), *([program] if program else [])])
    if not program:
        raise click.UsageError("a program is missing, or --pid")
    if core is not None:
        become(gdb, [*options, program, core])
    library = find_library()
    problem = preload.problem_of(library)
    if problem:
        raise click.ClickException(problem)
    variable, value = next(iter(preload.variables(library, os.environ).items()))
    become(gdb, [*options, "-iex", f"set exec-wrapper env '{variable}={value}'", "--args", program,
                 *arguments])


@click.command("stacks", options_metavar="[OPTIONS]")
@click.option("--core", type=click.Path(exists=True, dir_okay=False), metavar="FILE",
              help="Of what is left of a process; PROGRAM is what it was.")
@click.option("--all-frames", "-a", is_flag=True, help="Frames of the runtime, too.")
@click.argument("target", metavar="PID|PROGRAM")
def stacks(core: Optional[str], all_frames: bool, target: str) -> None:
    """Show where each OpenMP thread of the process PID is, and its stack.

    The process stops for a moment, and goes on.
    """
    if core is not None:
        subject = [target, core]
    elif target.isascii() and target.isdigit():
        subject = ["-p", target]
    else:
        raise click.BadParameter(f"'{target}' is no process number", param_hint="'PID'")
    command = [find_gdb(), "-q", "-nx", "-batch", "-iex", "set debuginfod enabled off",
               "-iex", "set pagination off", "-x", str(COMMANDS), *subject,
               "-ex", f"echo {BEGIN}\\n", "-ex", "heddle teams", "-ex", "echo \\n",
               "-ex", f"heddle backtrace {'-a ' if all_frames else ''}all", "-ex", f"echo {END}\\n"]
    environment = {name: value for name, value in os.environ.items() if name != preload.VARIABLE}
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False,
                          stdin=subprocess.DEVNULL, env=environment)
    text = done.stdout.partition(BEGIN + "\n")[2].partition(END)[0].strip("\n")
    if not text:
        raise click.ClickException(_why(done.stdout + done.stderr, core or f"process {target}"))
    click.echo(text)


def _why(said: str, subject: str) -> str:
    """The line in which gdb says what is wrong."""
    if "ptrace: Operation not permitted" in said:
        return (f"gdb may not attach to {subject}: it is another user's, or "
                "/proc/sys/kernel/yama/ptrace_scope says so")
    if "ptrace: No such process" in said:
        return f"there is no {subject}"
    lines = [line for line in said.splitlines() if line.strip() and not line.startswith("[")]
    told = [line for line in lines if re.search("libheddle|cannot|not |No ", line)] or lines
    return f"{subject}: {told[-1].strip() if told else 'gdb says nothing'}"
