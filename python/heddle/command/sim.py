# SPDX-License-Identifier: Apache-2.0
"""`heddle sim ARGS`: the simulator takes this process's place, where it was built."""
from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Optional

import click

from heddle.library import TREE, find_quietly

NAME = "heddle-sim"


def find_simulator() -> Optional[Path]:
    """heddle-sim in the build that the library is from, in the tree's, or on the PATH."""
    library = find_quietly()
    builds = [TREE / "build" / "release"]
    if library is not None:
        builds.insert(0, library.parents[1])
    folders = [str(build / "sim") for build in builds]
    found = shutil.which(NAME, path=os.pathsep.join(folders)) or shutil.which(NAME)
    return Path(found) if found else None


@click.command("sim", context_settings={"ignore_unknown_options": True,
                                        "allow_interspersed_args": False,
                                        "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def sim(arguments: tuple[str, ...]) -> None:
    """Run heddle-sim with these ARGUMENTS."""
    simulator = find_simulator()
    if simulator is None:
        raise click.ClickException(f"there is no {NAME} here: build the sources with "
                                   "-DHEDDLE_SIM=ON")
    os.execv(simulator, [str(simulator), *arguments])
