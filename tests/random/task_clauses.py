# SPDX-License-Identifier: Apache-2.0
"""Random clauses of tasks and taskloops. Called by the files of tasks and dependences."""

from __future__ import annotations

import re

from program import Program, Where


def task_clauses(p: Program, where: Where) -> str:
    return " ".join(filter(None, (
        p.maybe(0.15, p.untied), p.maybe(0.15, "mergeable"),
        p.maybe(0.15, f"if({p.condition(where)})", f"if({p.false})",
                f"if(task : {p.condition(where)})"),
        p.maybe(0.1, f"final({p.condition(where)})"),
        p.maybe(0.15, "priority(3)", "priority(never)"))))


def final_condition(clauses: str) -> str:
    """The condition of their final clause, or nothing."""
    found = re.search(r"final\((.* [!/]= 0)\)", clauses)
    return found.group(1) if found else ""


def taskloop_clauses(p: Program, where: Where) -> str:
    return task_clauses(p, where).replace("task :", "taskloop :")


def is_untied(where: Where, clauses: str) -> bool:
    return where.in_untied or "untied" in clauses.lower()
