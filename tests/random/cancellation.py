# SPDX-License-Identifier: Apache-2.0
"""Random constructs that are cancelled, if the environment allows it. What they count is lost: the
answer cannot depend on it, but no iteration may be done twice, and what follows has to be right.
Called by program.py through the table of regions.py, and by tasks.py."""

from __future__ import annotations

from loop_text import loop_head, schedule
from program import Program, Where

SEEN = 256  # what a loop's variable stays below


def who_cancels(p: Program, where: Where) -> str:
    """Some of the iterations or tasks, all of them, or those of one thread."""
    return p.dice.choice((f"if({p.condition(where)})", f"if({p.condition(where)})",
                          "if(omp_get_thread_num() == 1)", ""))


def cancel_team(p: Program, where: Where) -> None:
    """Where the innermost region is one that may be cancelled."""
    if where.region is None or not where.region.cancelled:
        return p.pragma("barrier")
    if p.dice.random() < 0.3:
        return p.pragma("cancellation point parallel")
    p.pragma("cancel parallel", who_cancels(p, where))


def cancelled_loop(p: Program, where: Where) -> None:
    if where.region is None:
        return p.pragma("barrier")
    trips, variable, seen = p.trips(where), p.name("i"), p.name("s")
    times = max(where.runs // where.region.runs, 1)
    p.share(where, f"int {seen}[{SEEN}] = {{0}};", f"(void){seen};")
    inside = where.inside(variable, max(trips, 1), sums=(), region=None, lost=True)
    p.pragma("for", schedule(p))
    with p.block(loop_head(p, variable, trips)):
        p.put(f"see(&{seen}[{variable}], {times}, __LINE__);")
        if p.dice.random() < 0.5:
            p.once(inside, 2)
        p.pragma("cancel for", who_cancels(p, inside))
        if p.dice.random() < 0.5:
            p.once(inside, 2)
        if p.dice.random() < 0.5:
            p.pragma("cancellation point for")


def cancelled_sections(p: Program, where: Where) -> None:
    inside = where.inside(sums=(), region=None, lost=True)
    p.pragma("sections")
    with p.block():
        for _ in range(p.dice.randrange(2, 6)):
            p.pragma("section")
            with p.block():
                p.once(inside, 2)
                p.pragma("cancel sections", who_cancels(p, inside))
