# SPDX-License-Identifier: Apache-2.0
"""Random loops of Fortran: their variables and bounds, and the worksharing ones. Called by
fortran_regions.py and fortran_tasks.py."""

from __future__ import annotations

from dataclasses import dataclass

from fortran_copies import Copy, new_copy
from fortran_program import FortranProgram, FortranWhere
from fortran_reductions import ALL, OF_TASKS, REDUCTIONS, clause
from loop_text import schedule
from task_clauses import is_untied, task_clauses

MOST = 250  # that a loop's variable is away from 0


@dataclass(frozen=True)
class Loop:
    variable: str
    kind: int    # of the variable: its bytes
    trips: int
    head: str
    beyond: int  # what the variable is after it

    @property
    def declaration(self) -> str:
        return f"integer({self.kind}) :: {self.variable}"


def new_loop(p: FortranProgram, trips: int) -> Loop:
    step = p.dice.choice((1, 1, 1, 2, 3, 7)) * p.dice.choice((1, 1, -1))
    sign = 1 if step > 0 else -1
    first = p.dice.choice((0, 1, 1, -9, 10)) + (-step * trips if step < 0 else 0)
    beyond = first + trips * step
    end = beyond - sign if trips and p.dice.random() < 0.3 else beyond - step
    small = max(abs(first), abs(beyond)) < 100  # what is computed of the bounds fits into a byte
    kind = p.dice.choice((2, 4, 4, 8) + (1,) * small)
    variable = p.name("i")
    bounds = f"{first}, {end}{p.maybe(0.2, ' + never')}"
    if step != 1:
        bounds += f", {step}{p.maybe(0.2, ' + never')}"
    return Loop(variable, kind, trips, f"do {variable} = {bounds}", beyond)


def around(p: FortranProgram, where: FortranWhere, most: int = 33,
           **changes) -> tuple[Loop, FortranWhere]:
    """A loop for that place, and the place inside it."""
    loop = new_loop(p, p.trips(where, most))
    return loop, where.inside(loop.variable, max(loop.trips, 1), **changes)


def sums(p: FortranProgram, where: FortranWhere, share: float = 0.4,
         tasked: bool = False) -> tuple[str, tuple]:
    """A clause for a shared variable that the statements inside add to, tasks as well if so said,
    and that variable."""
    if where.region is None or p.dice.random() > share:
        return "", ()
    reduced = p.share_sum(where, OF_TASKS if tasked else ALL)
    return clause(*reduced, modifier="task, " if tasked else ""), (reduced,)


def shared_copy(p: FortranProgram, where: FortranWhere, value: str) -> Copy:
    """A variable in front of the innermost region, made of that number."""
    copy = new_copy(p)
    p.declare(where, copy.declaration, copy.first(value))
    return copy


def worksharing_loop(p: FortranProgram, where: FortranWhere, combined: str = "",
                     clauses: str = "") -> None:
    """`do`; `combined` is the directive with the region that it is one with."""
    reduces, variables = ("", ()) if combined else sums(p, where)
    nowait = "" if combined else p.maybe(0.3, "nowait")
    loop, inside = around(p, where, region=None, **({"sums": variables} if variables else {}))
    directive = combined or "do"
    if p.dice.random() < 0.2:
        return nest(p, where, inside, loop, nowait, directive, reduces, clauses)
    own = last = None
    follows = where.region is not None and loop.trips and not nowait
    if where.region and p.dice.random() < 0.3:
        own = shared_copy(p, where, "9_num")
        clauses += f" firstprivate({own.name})"
    if follows and p.dice.random() < 0.3:
        last = shared_copy(p, where, "7_num")
        where.region.after.append(p.adding(where, last.weight, 1))
        clauses += f" lastprivate({last.name})"
    in_front = combined or (where.region is not None and p.dice.random() < 0.3)
    if combined and loop.trips and p.dice.random() < 0.3:  # gfortran 12 does not compile all others
        where.region.after.append(f"if ({loop.variable} /= {loop.beyond}) call fail(__LINE__)")
        clauses += f" lastprivate({loop.variable})"
    may_leave = follows and not combined and p.dice.random() < 0.15
    with p.declared(where, in_front, loop.declaration):
        with p.loop(directive, schedule(p), reduces, clauses, head=loop.head, end=nowait):
            if own:
                p.check(own.differs("9_num"))
            if may_leave:
                p.pragma("cancel do if(never /= 0)")
            p.once(inside)
            if p.dice.random() < 0.2 and not last:
                p.put(f"if ({p.condition(inside)}) cycle")
                p.once(inside, 1)
            if may_leave:
                p.pragma("cancellation point do")
            if last:
                p.put(last.first(p.value(inside)))


def nest(p: FortranProgram, where: FortranWhere, inside: FortranWhere, loop: Loop, nowait: str,
         *directive: str) -> None:
    """Two loops in one; without collapse, the inner one may run up to the outer one's variable.
    (With it gfortran 12 wants a rectangle.)"""
    if loop.kind > 1 and inside.runs < 300 and p.dice.random() < 0.3:
        inner, times, plan = p.name("i"), 40, ""
        declaration = f"integer({loop.kind}) :: {inner}"
        head = f"do {inner} = 1, {loop.variable}, 7"
    else:
        second = new_loop(p, p.trips(inside, 7))
        inner, times, plan = second.variable, max(second.trips, 1), p.maybe(0.8, "collapse(2)")
        declaration, head = second.declaration, second.head
    with p.declared(where, "parallel" in directive[0], loop.declaration, declaration):
        with p.loop(*directive, schedule(p), plan, p.maybe(0.3, f"private({inner})") if not plan
                    else "", head=loop.head, end=nowait), p.block(head):
            p.once(inside.inside(inner, times), 2)


def loop_with_tasks(p: FortranProgram, where: FortranWhere) -> None:
    """A loop with a reduction that its tasks add to as well."""
    if where.region is None or where.region.cancelled:
        return p.pragma("barrier")
    reduced = p.share_sum(where, OF_TASKS)
    loop, inside = around(p, where, 12, sums=(), region=None)
    with p.declared(where, False, loop.declaration):
        with p.loop("do", schedule(p), clause(*reduced, modifier="task, "), head=loop.head):
            p.combine(inside, *reduced)
            summing_task(p, inside, *reduced)


def summing_task(p: FortranProgram, where: FortranWhere, variable: str, operation: str) -> None:
    clauses = task_clauses(p, where)
    with p.construct("task", clause(variable, operation, "in_reduction"), clauses):
        p.combine(where, variable, operation)
        p.once(where.inside(in_untied=is_untied(where, clauses)), 1)


def ordered_loop(p: FortranProgram, where: FortranWhere) -> None:
    if where.region is None or where.region.cancelled:
        return p.pragma("barrier")
    loop, inside = around(p, where, sums=(), region=None)
    chain = p.name("o")
    p.declare(where, f"integer(num) :: {chain}", f"{chain} = 1")
    where.region.after.append(p.adding(where, chain, 4))
    with p.declared(where, p.dice.random() < 0.3, loop.declaration):
        with p.loop("do", "ordered", schedule(p, monotonic=True), head=loop.head):
            if p.dice.random() < 0.5:
                p.once(inside, 1)
            with p.block(p.maybe(0.3, f"if ({p.condition(inside)}) then") or "block"):
                with p.construct("ordered"):
                    p.put(f"{chain} = mix({chain} + {p.value(inside)})")
            if p.dice.random() < 0.3:
                p.once(inside, 1)


def doacross_loop(p: FortranProgram, where: FortranWhere) -> None:
    """Of one loop or of two; the outer one may go down."""
    if where.region is None or where.region.cancelled:
        return p.pragma("barrier")
    variable, second, chain = p.name("i"), p.name("i"), p.name("d")
    plane, rows = p.dice.random() < 0.4, min(p.trips(where, 20) + 2, 22)
    down = p.dice.random() < 0.3
    bounds, before = (f"{rows}, 1, -1", "+") if down else (f"1, {rows}", "-")
    p.declare(where, f"integer(num) :: {chain}(-1:24, 0:3)", f"{chain} = 0")
    where.region.after.append(p.adding(where, f"mix({chain}({1 if down else rows}, 3))", 3))
    inside = where.inside(variable, rows, sums=(), region=None)
    with p.declared(where, False, f"integer :: {variable}, {second}"):
        with p.loop("do", "ordered(2)" if plane else "ordered(1)", schedule(p, monotonic=True),
                    head=f"do {variable} = {bounds}"):
            if plane:
                with p.block(f"do {second} = 1, 3"):
                    p.pragma(f"ordered depend(sink : {variable} {before} 1, {second}) "
                             f"depend(sink : {variable}, {second} - 1)")
                    p.put(f"{chain}({variable}, {second}) = mix({chain}({variable} {before} 1, "
                          f"{second}) + 3 * {chain}({variable}, {second} - 1) + {p.value(inside)})")
                    p.pragma("ordered depend(source)")
                return
            if p.dice.random() < 0.5:
                p.once(inside, 1)
            distance = p.dice.choice((1, 1, 2))
            p.pragma(f"ordered depend(sink : {variable} {before} {distance})")
            p.put(f"{chain}({variable}, 3) = mix({chain}({variable} {before} {distance}, 3) + "
                  f"{p.value(inside)})")
            p.pragma("ordered depend(source)")


def simd_loop(p: FortranProgram, where: FortranWhere) -> None:
    """These may have nothing inside but plain statements. They stand in a procedure of their own,
    for gfortran 12 does not compile some that come after other statements; and not with `loop`
    what it does not compile with tasks."""
    if where.region is None or where.region.cancelled:
        return p.pragma("barrier")
    name, (variable, operation) = p.name("simd"), p.share_sum(where, OF_TASKS)
    directive, plan = p.dice.choice((("do simd", schedule(p)), ("loop", "bind(parallel)")))
    loop, inside = around(p, FortranWhere(("a",), where.runs))
    with p.function(f"{name}(a, {variable})"):
        p.put("integer(num), intent(in) :: a")
        p.put(REDUCTIONS[operation].declaration.format(x=variable))
        p.put(loop.declaration)
        with p.loop(directive, plan, clause(variable, operation), head=loop.head):
            p.combine(inside, variable, operation)
    p.put(f"call {name}({p.value(where)}, {variable})")
