# SPDX-License-Identifier: Apache-2.0
"""Heddle, an OpenMP runtime. Importing this package before other libraries activates it.

    import heddle                # first: what is imported later runs on Heddle's threads
    import sklearn, xgboost

    with heddle.threads(2):      # teams of this thread have two threads in here
        model.fit(features, classes)

What happens, what it reaches and what it cannot reach: docs/python.md. The command `heddle`, which
is in this package too, runs programs on Heddle, and explains machines and processes:
docs/command.md.
"""
from .activation import Status, activate, is_the_command, status
from .library import find_library
from .teams import max_threads, threads

__all__ = ["Status", "activate", "find_library", "max_threads", "status", "threads"]
__version__ = "0.1.0"

if not is_the_command():
    activate()
