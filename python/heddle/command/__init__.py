# SPDX-License-Identifier: Apache-2.0
"""The command `heddle`. Each subcommand is a module, which is imported when it is used.

A new subcommand is one more line in SUBCOMMANDS.
"""
from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any, Optional

NEEDED = ("the command needs Python's click, rich and pyelftools: pip install click rich "
          "pyelftools, or on Debian apt install python3-click python3-rich python3-pyelftools")
try:
    import click
except ImportError:
    sys.exit(f"heddle: {NEEDED}")

from heddle import __version__
from heddle.library import LibraryNotFound

# By name: the module, its click command, and the line for `heddle --help`, for which no subcommand
# is imported.
SUBCOMMANDS = {
    "run": ("heddle.command.run", "run", "Run a program on Heddle."),
    "info": ("heddle.command.info", "info",
             "Show the machine, the CPU budget, the variables, and who serves a program."),
    "doctor": ("heddle.command.doctor", "doctor",
               "Look for what makes OpenMP programs slow or wrong here."),
    "bench": ("heddle.command.bench", "bench", "Compare the OpenMP runtimes of this machine."),
    "trace": ("heddle.trace.command", "trace", "Show what a recorded run spent its time on."),
    "debug": ("heddle.command.debug", "debug",
              "Run a program in gdb, with commands for OpenMP's threads."),
    "stacks": ("heddle.command.debug", "stacks",
               "Show where each OpenMP thread of a process is."),
    "sim": ("heddle.command.sim", "sim", "Repeat the papers' figures on simulated machines."),
}

INTERRUPTED, PIPE_BROKEN = 130, 141  # as shells have it


class PipeBroken(OSError):
    """A BrokenPipeError that click does not see: it would end the command with status 1."""


class Subcommands(click.Group):
    """The registry above as a group of commands."""

    def make_context(self, *arguments: Any, **named: Any) -> click.Context:
        try:
            return super().make_context(*arguments, **named)
        except BrokenPipeError as error:  # of --help
            raise PipeBroken from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> Optional[click.Command]:
        if cmd_name not in SUBCOMMANDS:
            return None
        module, name, _ = SUBCOMMANDS[cmd_name]
        try:
            command = getattr(import_module(module), name)
        except ImportError as error:
            foreign = (error.name or "").partition(".")[0] in ("elftools", "rich")
            raise click.ClickException(NEEDED if foreign else f"{cmd_name} cannot be used here: "
                                       f"{error}") from error
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except LibraryNotFound as error:
            raise click.ClickException(str(error)) from error
        except BrokenPipeError as error:
            raise PipeBroken from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry[2]) for name, entry in SUBCOMMANDS.items()])


@click.group(cls=Subcommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="heddle %(version)s")
def heddle() -> None:
    """Run OpenMP programs on Heddle, and see what they do."""


def main() -> None:
    """The entry point. What goes wrong is one line and no traceback."""
    if sys.stdout is None and sys.argv[1:2] != ["run"]:  # the program may do without
        sys.exit("heddle: standard output is closed")
    try:
        try:
            status = heddle.main(prog_name="heddle", standalone_mode=False)
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except click.Abort:
        status = INTERRUPTED
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python writes what is left at its end
        status = PIPE_BROKEN if isinstance(error, (BrokenPipeError, PipeBroken)) else 1
        if status != PIPE_BROKEN:
            place = f"{error.filename}: " if error.filename else ""
            click.echo(f"heddle: {place}{error.strerror}", err=True)
    sys.exit(status)
