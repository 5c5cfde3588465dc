# SPDX-License-Identifier: Apache-2.0
"""How many processes a launcher has started beside each other on this machine.

The library knows the same variables (src/config/launcher.cpp).
"""
from __future__ import annotations

import re
from typing import Mapping

SIZES = {"OMPI_COMM_WORLD_LOCAL_SIZE": "Open MPI", "MPI_LOCALNRANKS": "Intel MPI or MPICH",
         "MV2_COMM_WORLD_LOCAL_SIZE": "MVAPICH2", "PMI_LOCAL_SIZE": "a PMI launcher",
         "PALS_LOCAL_SIZE": "Cray PALS", "JSM_NAMESPACE_LOCAL_SIZE": "jsrun",
         "LOCAL_WORLD_SIZE": "torchrun"}
NUMBER = re.compile("[0-9]{1,9}")
SLURM_PART = re.compile(r"([0-9]{1,9})(?:\(x([0-9]{1,9})\))?")


def local_processes(environment: Mapping[str, str]) -> tuple[int, str]:
    """Their number and the launcher's name; 1 and "" where there is none."""
    sizes = [(_number(environment.get(variable, "")), name) for variable, name in SIZES.items()]
    if "SLURM_STEP_ID" in environment:  # a batch job's script has no siblings
        sizes.append((_of_slurm(environment), "srun"))
    return next(((size, name) for size, name in sizes if size > 1), (1, ""))


def _number(text: str) -> int:
    """0 for what is none."""
    return int(text) if NUMBER.fullmatch(text) else 0


def _of_slurm(environment: Mapping[str, str]) -> int:
    """The tasks of this machine, from Slurm's list of all, as `4(x2),3` for 4, 4 and 3."""
    left = _number(environment.get("SLURM_NODEID", ""))
    for part in environment.get("SLURM_STEP_TASKS_PER_NODE", "").split(","):
        found = SLURM_PART.fullmatch(part)
        if found is None:
            break
        left -= int(found[2] or 1)
        if left < 0:
            return int(found[1])
    return _number(environment.get("SLURM_NTASKS_PER_NODE", ""))
