# SPDX-License-Identifier: Apache-2.0
"""Random constructs of Fortran that are cancelled, as in cancellation.py. Called by the tables of
fortran_regions.py, and by fortran_tasks.py."""

from __future__ import annotations

from cancellation import who_cancels
from fortran_loops import MOST, around
from fortran_program import FortranProgram, FortranWhere
from loop_text import schedule


def cancelled_loop(p: FortranProgram, where: FortranWhere, combined: str = "",
                   clauses: str = "") -> None:
    """`combined` is the directive with the region that it is one with."""
    if where.region is None:
        return p.pragma("barrier")
    loop, inside = around(p, where, sums=(), region=None, lost=True)
    seen, times = p.name("s"), max(where.runs // where.region.runs, 1)
    p.declare(where, f"integer :: {seen}({-MOST}:{MOST})", f"{seen} = 0")
    with p.declared(where, bool(combined) or p.dice.random() < 0.3, loop.declaration):
        with p.loop(combined or "do", schedule(p), clauses, head=loop.head):
            p.put(f"call see({seen}({loop.variable}), {times}, __LINE__)")
            if p.dice.random() < 0.5:
                p.once(inside, 2)
            p.pragma("cancel do", who_cancels(p, inside))
            if p.dice.random() < 0.5:
                p.once(inside, 2)
            if p.dice.random() < 0.5:
                p.pragma("cancellation point do")


def cancelled_sections(p: FortranProgram, where: FortranWhere) -> None:
    inside = where.inside(sums=(), region=None, lost=True)
    p.pragma("sections")
    for _ in range(p.dice.randrange(2, 6)):
        p.pragma("section")
        p.once(inside, 2)
        p.pragma("cancel sections", who_cancels(p, inside))
    p.pragma("end sections")
