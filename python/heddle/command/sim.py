# SPDX-License-Identifier: Apache-2.0
"""`heddle sim`: the experiments of sim/run.py, and heddle-sim itself, where both were built.

What the arguments say decides which of the two takes this process's place.
"""
from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Optional, Sequence

import click

from heddle.command.run import become
from heddle.library import TREE, find_quietly

NAME = "heddle-sim"
EXPERIMENTS = TREE / "sim" / "run.py"
# First words that are for heddle-sim, and what they are there.
OF_THE_SIMULATOR = {"run": "run", "machines": "list"}

HELP = """Usage: heddle sim list                          experiments, and their machines
       heddle sim EXPERIMENT... [OPTION...]     run some: tables, verdicts, a page
       heddle sim all [OPTION...]               run every one: about an hour of a CPU
       heddle sim report                        the page of what earlier runs have left
       heddle sim machines                      machines and workloads of heddle-sim
       heddle sim run WORKLOAD [OPTION...]      one run of heddle-sim

  Repeat the papers' figures on simulated machines, on Heddle's own sources.

Options of experiments:
  --quick       small sizes: a check of the experiment, and no result
  --jobs N      runs side by side (as many as CPUs)
  --seed N      the order of simultaneous events (1)
  --output DIR  where results and the page are (build/sim of the source tree)
  -h, --help    Show this message and exit
"""


def find_simulator() -> Optional[Path]:
    """heddle-sim in the build that the library is from, in the tree's, or on the PATH."""
    library = find_quietly()
    builds = [TREE / "build" / "release"]
    if library is not None:
        builds.insert(0, library.parents[1])
    folders = [str(build / "sim") for build in builds]
    found = shutil.which(NAME, path=os.pathsep.join(folders)) or shutil.which(NAME)
    return Path(found) if found else None


def needed_simulator() -> Path:
    simulator = find_simulator()
    if simulator is None:
        raise click.ClickException(f"there is no {NAME} here: build the sources with "
                                   "-DHEDDLE_SIM=ON")
    return simulator


def experiments(arguments: Sequence[str]) -> None:
    """sim/run.py of the source tree takes this process's place."""
    if not EXPERIMENTS.is_file():
        raise click.ClickException(f"the experiments are in the source tree, and there is no "
                                   f"{EXPERIMENTS}")
    simulator = find_simulator()
    named = ["--simulator", str(simulator)] if simulator is not None else []
    become(Path(sys.executable), ["-B", str(EXPERIMENTS), *arguments, *named])


@click.command("sim", context_settings={"ignore_unknown_options": True,
                                        "allow_interspersed_args": False,
                                        "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def sim(arguments: tuple[str, ...]) -> None:
    """Run the experiments on simulated machines."""
    if not arguments or arguments[0] in ("-h", "--help"):
        click.echo(HELP, nl=False)
    elif arguments[0] in OF_THE_SIMULATOR:
        become(needed_simulator(), [OF_THE_SIMULATOR[arguments[0]], *arguments[1:]])
    else:
        experiments(arguments)
