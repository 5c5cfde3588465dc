# SPDX-License-Identifier: Apache-2.0
"""How many processes a launcher has started beside each other on this machine.

The library knows the same variables (src/config/launcher.cpp), and Slurm's lists as well.
"""
from __future__ import annotations

from typing import Mapping

SIZES = {"OMPI_COMM_WORLD_LOCAL_SIZE": "Open MPI", "MPI_LOCALNRANKS": "Intel MPI or MPICH",
         "MV2_COMM_WORLD_LOCAL_SIZE": "MVAPICH2", "PMI_LOCAL_SIZE": "a PMI launcher",
         "PALS_LOCAL_SIZE": "Cray PALS", "JSM_NAMESPACE_LOCAL_SIZE": "jsrun",
         "LOCAL_WORLD_SIZE": "torchrun", "SLURM_NTASKS_PER_NODE": "srun"}


def local_processes(environment: Mapping[str, str]) -> tuple[int, str]:
    """Their number and the launcher's name; 1 and "" where there is none."""
    for variable, name in SIZES.items():
        text = environment.get(variable, "")
        if text.isascii() and text.isdigit() and int(text) > 1:
            if variable != "SLURM_NTASKS_PER_NODE" or "SLURM_STEP_ID" in environment:
                return int(text), name
    return 1, ""
