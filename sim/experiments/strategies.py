# SPDX-License-Identifier: Apache-2.0
"""The systems that the papers compare, as task policies of the simulated runtime.

docs/policies/README.md says what each policy is and how near it comes to its system.
"""
from __future__ import annotations

from typing import Sequence

OURS = "heddle"
OMPI = "OMPi"
GCC = "gcc-like"
INTEL = "Intel-like"
NANOS = ("bff", "bfl", "wfff", "wffl", "wlff", "wlll", "cilk")


def policy(system: str, threads: int) -> str:
    """HEDDLE_TASK_POLICY for a system with a team of that size; empty for our default."""
    if system == OURS:
        return ""
    if system == OMPI:
        return "ompi"
    if system == GCC:  # one queue for the team, tasks run at once beyond 64 for each thread
        return f"bff:maxtasks={64 * threads}"
    if system == INTEL:  # a queue for each thread, newest first, oldest stolen, 256 entries each
        return f"wlff:maxtasks={256 * threads}"
    return system


OTHERS: Sequence[str] = (OMPI, GCC, INTEL)
ALL: Sequence[str] = (OURS, *OTHERS)
