# SPDX-License-Identifier: Apache-2.0
"""The command `heddle`. Each subcommand is a module, which is imported when it is used.

A new subcommand is one more line in SUBCOMMANDS.
"""
from __future__ import annotations

import sys
from importlib import import_module
from typing import Optional

try:
    import click
except ImportError:
    sys.exit("heddle: the command needs Python's click and rich: pip install click rich, or on "
             "Debian apt install python3-click python3-rich python3-pyelftools")

from heddle import __version__

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
    "sim": ("heddle.command.sim", "sim", "Repeat the papers' figures on simulated machines."),
}


class Subcommands(click.Group):
    """The registry above as a group of commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> Optional[click.Command]:
        if cmd_name not in SUBCOMMANDS:
            return None
        module, name, _ = SUBCOMMANDS[cmd_name]
        try:
            command = getattr(import_module(module), name)
        except ImportError as error:
            raise click.ClickException(f"{cmd_name} cannot be used here: {error}") from error
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry[2]) for name, entry in SUBCOMMANDS.items()])


@click.group(cls=Subcommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="heddle %(version)s")
def heddle() -> None:
    """Run OpenMP programs on Heddle, and see what they do."""


def main() -> None:
    """The entry point."""
    heddle(prog_name="heddle")
