# SPDX-License-Identifier: Apache-2.0
"""`heddle run`: the program takes this process's place, so its exit status and signals are its own.
"""
from __future__ import annotations

import errno
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import NoReturn, Optional, Sequence, Union

import click

from heddle import preload
from heddle.library import find_library
from heddle.segments import interpreter

NOT_FOUND, NOT_EXECUTABLE = 127, 126  # as shells have it
BINDINGS = ("true", "false", "primary", "close", "spread")


class OptionalFile(click.Command):
    """`--stats` alone and `--stats=FILE`: never `--stats FILE`, where FILE may be the program."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        count = self._own(args)
        plain = [part for arg in args[:count] for part in (
            ["--stats-file", arg[len("--stats="):]] if arg.startswith("--stats=") else [arg])]
        return super().parse_args(ctx, plain + args[count:])

    def _own(self, args: list[str]) -> int:
        """How many of the arguments come before the program."""
        with_value = {name for option in self.params if isinstance(option, click.Option)
                      and not option.is_flag for name in option.opts}
        count = 0
        while count < len(args) and args[count].startswith("-") and args[count] != "--":
            count += 2 if args[count] in with_value else 1
        return count


def team_sizes(ctx: click.Context, parameter: click.Parameter,
               value: Optional[str]) -> Optional[str]:
    """One number, or one for each level of nesting."""
    if value is not None and not all(part.isascii() and part.isdigit() and int(part) > 0
                                     for part in value.split(",")):
        raise click.BadParameter(f"'{value}' is not a positive number, nor a list such as 4,2")
    return value


def file_name(ctx: click.Context, parameter: click.Parameter,
              value: Optional[str]) -> Optional[str]:
    """The name in full, for the program may go to another folder before the file is made; the
    library takes a percent sign for the beginning of %p."""
    if value == "":
        hint = parameter.opts[0].replace("--stats-file", "--stats=")
        raise click.BadParameter("the name of the file is missing", param_hint=f"'{hint}'")
    return value if value is None else os.path.join(os.getcwd().replace("%", "%%"), value)


def prepare_exec() -> None:
    """Before another program takes this process's place."""
    if sys.stdout is not None:
        sys.stdout.flush()
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # by Python, for itself; inherited otherwise
        signal.signal(ignored, signal.SIG_DFL)


def become(program: Union[str, Path], arguments: Sequence[str]) -> NoReturn:
    """The program, by its path, takes this process's place."""
    prepare_exec()
    os.execv(program, [str(program), *arguments])


@click.command("run", cls=OptionalFile, options_metavar="[OPTIONS] [--]",
               context_settings={"ignore_unknown_options": False,
                                 "allow_interspersed_args": False})
@click.option("--threads", callback=team_sizes, metavar="N[,N...]",
              help="Threads of a team, one number for each level (OMP_NUM_THREADS).")
@click.option("--bind", type=click.Choice(BINDINGS), help="Bind threads (OMP_PROC_BIND).")
@click.option("--policy", metavar="NAME[:OPTION...]",
              help="A task policy of the papers (HEDDLE_TASK_POLICY).")
@click.option("--stats", is_flag=True, help="Counters to stderr at the end (HEDDLE_STATS); "
              "--stats=FILE: as JSON lines into a file.")
@click.option("--stats-file", hidden=True, callback=file_name)
@click.option("--trace", metavar="FILE", callback=file_name,
              help="Record the run, for `heddle trace` (HEDDLE_TRACE).")
@click.argument("program")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def run(threads: Optional[str], bind: Optional[str], policy: Optional[str], stats: bool,
        stats_file: Optional[str], trace: Optional[str], program: str,
        arguments: tuple[str, ...]) -> None:
    """Run PROGRAM, which any compiler has compiled for OpenMP, on Heddle.

    Its exit status and the signals that end it are kept. Options set variables; those of the
    environment that no option names are passed on.
    """
    library = find_library()
    problem = preload.problem_of(library)
    if problem:
        raise click.ClickException(problem)
    settings = {"OMP_NUM_THREADS": threads, "OMP_PROC_BIND": bind, "HEDDLE_TASK_POLICY": policy,
                "HEDDLE_STATS": stats_file or ("1" if stats else None), "HEDDLE_TRACE": trace}
    environment = dict(os.environ, **preload.variables(library, os.environ))
    environment.update({name: value for name, value in settings.items() if value is not None})
    prepare_exec()
    if not program:
        _refuse("the name of the program is missing", NOT_FOUND)
    found = program if "/" in program else shutil.which(program)
    try:
        os.execvpe(program, [program, *arguments], environment)
    except FileNotFoundError:
        if found and os.path.exists(found):
            _refuse(f"'{program}' cannot be run: there is no interpreter '{interpreter(found)}'",
                    NOT_EXECUTABLE)
        _refuse(f"there is no program '{program}'", NOT_FOUND)
    except OSError as error:
        if found and error.errno == errno.ENOEXEC and not _is_binary(found):
            os.execve("/bin/sh", ["sh", found, *arguments], environment)
        _refuse(f"'{program}' cannot be run: {error.strerror}", NOT_EXECUTABLE)


def _is_binary(path: str) -> bool:
    """Whether a file is no script that lacks its first line, which shells run all the same."""
    with open(path, "rb") as file:
        return b"\0" in file.read(128)


def _refuse(message: str, status: int) -> None:
    click.echo(f"heddle run: {message}", err=True)
    sys.exit(status)
