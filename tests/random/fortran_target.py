# SPDX-License-Identifier: Apache-2.0
"""Random target regions of Fortran, on the host, and leagues of teams. Called by fortran_tasks.py,
and by program.py through the table there."""

from __future__ import annotations

from contextlib import nullcontext

from fortran_copies import BOXES, new_copy
from fortran_loops import around, new_loop
from fortran_program import FortranProgram, FortranWhere
from fortran_reductions import ATOMIC, clause
from fortran_regions import region


def target(p: FortranProgram, where: FortranWhere) -> None:
    """On the host: one task, a loop of a team, or a loop of the teams of a league."""
    if where.in_target:
        return p.add(where)
    kind = p.dice.choice(("", "", "parallel do", "teams distribute parallel do", "mapped"))
    if kind == "mapped":
        return mapped(p, where)
    if kind:
        return device_loop(p, where, f"target {kind}", "map(tofrom : cells)")
    with p.construct("target", p.maybe(0.3, f"if({p.condition(where)})"), "map(tofrom : cells)"):
        p.once(where.inside(sums=(), in_target=True))


def mapped(p: FortranProgram, where: FortranWhere) -> None:
    """A variable that several target regions use."""
    copy = new_copy(p, *BOXES)
    inside = where.inside(sums=(), in_target=True)
    with p.block():
        p.put(copy.declaration)
        p.put(copy.first("4_num"))
        is_data = p.dice.random() < 0.5
        if not is_data:
            p.pragma(f"target enter data map(to : {copy.name})")
        with p.construct("target data", f"map(tofrom : {copy.name})") if is_data else p.block():
            with p.construct("target", f"map(tofrom : {copy.name})"):
                p.check(copy.differs("4_num"))
                p.put(copy.first(p.value(where)))
            p.pragma(f"target update from({copy.name})")
            with p.construct("target", f"map(tofrom : {copy.name}, cells)"):
                p.put(p.adding(where, copy.weight))
                p.once(inside, 1)
        if not is_data:
            p.pragma(f"target exit data map(from : {copy.name})")
        p.put(p.adding(where, copy.weight))


def device_loop(p: FortranProgram, where: FortranWhere, directive: str, clauses: str = "") -> None:
    """One loop or two, with or without a sum."""
    reduced = p.new_sum(ATOMIC) if p.dice.random() < 0.4 else None
    loop, inside = around(p, where, 12, sums=(reduced,) if reduced else ())
    second = new_loop(p, p.trips(inside, 7)) if p.dice.random() < 0.3 else None
    clauses = " ".join((clauses, p.maybe(0.3, "schedule(dynamic)", "schedule(static, 2)"),
                        "collapse(2)" if second else "", clause(*reduced) if reduced else ""))
    if "teams" in directive:
        clauses += p.maybe(0.4, " num_teams(2)", " num_teams(3)")
        clauses += p.maybe(0.3, " dist_schedule(static, 2)", " thread_limit(2)")
    with p.block():
        p.put(loop.declaration)
        if second:
            p.put(second.declaration)
            inside = inside.inside(second.variable)
        if reduced:
            p.put_sum(*reduced)
        with p.loop(directive, clauses, head=loop.head):
            with p.block(second.head) if second else nullcontext():
                if reduced:
                    p.combine(inside, *reduced)
                p.put(p.adding(inside, p.value(inside)))
        if reduced:
            p.put(p.adding(where, p.outcome(*reduced)))


def league(p: FortranProgram, where: FortranWhere) -> None:
    """Of the host; not inside any other construct. Its teams may have regions in the loop."""
    if p.dice.random() < 0.5:
        return device_loop(p, where, "teams distribute parallel do")
    reduced = p.new_sum()
    loop, inside = around(p, where, 7)
    with p.block():
        p.put(loop.declaration)
        p.put_sum(*reduced)
        with p.construct("teams", p.maybe(0.6, "num_teams(2)", "num_teams(3)"),
                         p.maybe(0.2, "thread_limit(2)"), clause(*reduced)):
            with p.loop("distribute", p.maybe(0.4, "dist_schedule(static, 1)"), head=loop.head):
                p.combine(inside, *reduced)
                region(p, inside)
        p.put(p.adding(where, p.outcome(*reduced)))
