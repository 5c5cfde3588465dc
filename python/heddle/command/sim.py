# SPDX-License-Identifier: Apache-2.0
"""`heddle sim ARGS`: the simulator takes this process's place, where it was built."""
from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Optional

import click

from heddle.library import PACKAGE, TREE, find_quietly

NAME = "heddle-sim"


def find_simulator() -> Optional[Path]:
    """heddle-sim beside the package, in the build that the library is from, or on the PATH."""
    library = find_quietly()
    builds = [library.parents[1]] if library is not None else []
    for folder in (PACKAGE / "bin", *builds, *(build / part for build in builds
                                               for part in ("bin", "sim")),
                   TREE / "build" / "release", TREE / "build" / "release" / "sim"):
        if os.access(folder / NAME, os.X_OK) and (folder / NAME).is_file():
            return folder / NAME
    found = shutil.which(NAME)
    return Path(found) if found else None


@click.command("sim", context_settings={"ignore_unknown_options": True,
                                        "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def sim(arguments: tuple[str, ...]) -> None:
    """Run heddle-sim with these ARGUMENTS."""
    simulator = find_simulator()
    if simulator is None:
        raise click.ClickException(f"there is no {NAME} here: build the sources with "
                                   "-DHEDDLE_SIM=ON")
    os.execv(simulator, [str(simulator), *arguments])
