# SPDX-License-Identifier: Apache-2.0
"""All experiments, in the order of the papers."""
from __future__ import annotations

from . import adaptive, affinity, cyclops, locks, ompi, uts
from .lab import Experiment

EXPERIMENTS: tuple[Experiment, ...] = (
    *ompi.EXPERIMENTS, *uts.EXPERIMENTS, *affinity.EXPERIMENTS, *locks.EXPERIMENTS,
    *cyclops.EXPERIMENTS, *adaptive.EXPERIMENTS)


def find(name: str) -> Experiment:
    """Raises ValueError, with what there is, for a name that is none."""
    for experiment in EXPERIMENTS:
        if experiment.name == name:
            return experiment
    known = " ".join(e.name for e in EXPERIMENTS)
    raise ValueError(f"there is no experiment '{name}'; there are: {known}")
