# SPDX-License-Identifier: Apache-2.0
"""Random regions and worksharing constructs of Fortran. Called by program.py through the table
at the end."""

from __future__ import annotations

from dataclasses import replace

from cancellation import cancel_team
from fortran_cancellation import cancelled_loop, cancelled_sections
from fortran_copies import Copy, new_copy
from fortran_loops import (around, doacross_loop, loop_with_tasks, ordered_loop, shared_copy,
                           simd_loop, summing_task, sums, worksharing_loop)
from fortran_program import FortranProgram, FortranWhere
from fortran_reductions import ALL, OF_TASKS, clause
from program import Region


def broadcast(p: FortranProgram, where: FortranWhere) -> None:
    """A single construct that tells all threads two things."""
    copies, value = [new_copy(p), new_copy(p)], p.value(where)
    with p.block():
        for copy in copies:
            p.put(copy.declaration)
        for copy in copies:
            p.put(copy.first("1_num"))
        if not where.in_target and not where.in_untied and p.dice.random() < 0.3:
            copies.append(Copy("mine", "number"))
        names = ", ".join(copy.name for copy in copies)
        with p.construct("single", end=f"copyprivate({names})"):
            p.once(where.inside(sums=(), region=None), 2)
            for copy in copies:
                p.put(copy.first(value))
        for copy in copies:
            p.check(copy.differs(value))


def single(p: FortranProgram, where: FortranWhere) -> None:
    if p.dice.random() < 0.3:
        return broadcast(p, where)
    own = None
    if where.region and p.dice.random() < 0.2:
        own = shared_copy(p, where, "3_num")
    with p.construct("single", f"firstprivate({own.name})" if own else "",
                     end=p.maybe(0.4, "nowait")):
        if own:
            p.check(own.differs("3_num"))
        p.once(where.inside(sums=(), region=None))


def masked(p: FortranProgram, where: FortranWhere) -> None:
    directive = p.dice.choice(("master", "masked", "masked filter(0)"))
    with p.construct(*directive.split()):
        p.once(where.inside(sums=(), region=None), 2)


def sections(p: FortranProgram, where: FortranWhere, combined: str = "", clauses: str = "") -> None:
    """`combined` is the directive with the region that it is one with."""
    nowait = "" if combined else p.maybe(0.3, "nowait")
    tasked = not combined and not nowait and p.dice.random() < 0.3
    reduces, variables = ("", where.sums) if combined else sums(p, where, tasked=tasked)
    directive, last = combined or "sections", None
    if where.region and not nowait and p.dice.random() < 0.3:
        last = shared_copy(p, where, "7_num")
        where.region.after.append(p.adding(where, last.weight, 1))
        clauses += f" lastprivate({last.name})"
    p.pragma(directive, reduces, clauses)
    for _ in range(p.dice.randrange(1, 5)):
        p.pragma("section")
        p.once(where.inside(sums=variables, region=None), 2)
        if tasked and variables:
            summing_task(p, where.inside(sums=(), region=None), *variables[0])
        if last:
            p.put(last.first(p.value(where)))
    p.pragma("end", directive, nowait)


def scope(p: FortranProgram, where: FortranWhere) -> None:
    reduces, variables = sums(p, where, share=1)
    with p.construct("scope", reduces, end=p.maybe(0.4, "nowait")), p.block():
        p.put("integer :: thread")
        p.put("thread = 0")
        p.put("!$ thread = omp_get_thread_num()")
        with p.block("if (thread == 0) then"):
            for variable in variables:
                p.combine(where, *variable)


def summing_tasks(p: FortranProgram, where: FortranWhere) -> None:
    """Tasks that add to the reduction of the region."""
    if not where.tasked:
        return p.pragma("barrier")
    loop, inside = around(p, where, 7, sums=(), region=None)
    with p.construct("single", end=p.maybe(0.4, "nowait")), p.block():
        p.put(loop.declaration)
        with p.block(loop.head):
            summing_task(p, inside, *where.sums[0])


def workshare(p: FortranProgram, where: FortranWhere) -> None:
    """All threads compute with arrays, one of them adds what comes out."""
    if where.region is None:
        return p.pragma("barrier")
    arrays = declared_arrays(p, where)
    p.pragma("workshare")
    array_statements(p, where, *arrays)
    p.pragma("end workshare")
    if where.region.cancelled:
        return
    with p.construct("single"):
        p.put(p.adding(where, weighed(*arrays)))


def declared_arrays(p: FortranProgram, where: FortranWhere) -> tuple[str, str, str]:
    """Two arrays and a number in front of the innermost region."""
    one, other, number = p.name("w"), p.name("w"), p.name("n")
    size = p.dice.choice((1, 3, 10, 40))
    p.declare(where, f"integer(num) :: {one}({size}), {number}", f"{one} = 0; {number} = 5")
    if p.dice.random() < 0.5:
        p.declare(where, f"integer(num) :: {other}({size})", f"{other} = 1")
    else:
        p.declare(where, f"integer(num), allocatable :: {other}(:)",
                  f"allocate({other}({size}), source=1_num)")
    return one, other, number


def weighed(one: str, other: str, number: str) -> str:
    return f"mix(weight({one}) + weight({other}) + mix({number}))"


def array_statements(p: FortranProgram, where: FortranWhere, one: str, other: str,
                     number: str) -> None:
    """What may stand in a workshare construct: each statement uses what those before it made."""
    for _ in range(p.dice.randrange(1, 6)):
        kind = p.dice.choice(("assign", "assign", "forall", "where", "sum", "maximum", "section",
                              "atomic", "critical"))
        if kind == "assign":
            p.put(f"{one} = mix({other} + {p.value(where)})")
        elif kind == "forall":
            p.put(f"forall (forall_k = 1:size({one})) {one}(forall_k) = mix({other}(forall_k) + "
                  f"forall_k)")
        elif kind == "where":
            with p.block(f"where (mod({one}, {p.dice.choice((2, 3))}_num) /= 0)"):
                p.put(f"{other} = mix({one} + {number})")
                p.put("elsewhere")
                p.put(f"{other} = {p.value(where)}")
        elif kind == "sum":
            p.put(f"{number} = mix(sum({one}) + {number})")
        elif kind == "maximum":
            p.put(f"{number} = mix(maxval({other}) + count({one} == {other}))")
        elif kind == "section":
            p.put(f"{one}(size({one}):1:-1) = {other}")
        elif kind == "atomic":
            p.pragma("atomic")
            p.put(f"{number} = {number} + {p.value(where)}")
        else:
            p.pragma("critical (arrays)")
            p.put(f"{number} = mix({number} + {p.value(where)})")
            p.pragma("end critical (arrays)")


def barrier(p: FortranProgram, _: FortranWhere) -> None:
    p.pragma(p.dice.choice(("barrier", "barrier", "taskwait", "taskyield", "flush")))


def team_loop(p: FortranProgram, where: FortranWhere) -> None:
    """All threads of the team go through it."""
    variable, times = p.name("k"), p.dice.randrange(2, 4)
    with p.declared(where, False, f"integer :: {variable}"):
        with p.block(f"do {variable} = 1, {times}"):
            p.team(where.inside(variable, times), 3)


def team_function(p: FortranProgram, where: FortranWhere) -> None:
    """Orphaned constructs."""
    if p.inner > 2 or (where.region and where.region.cancelled):
        return p.pragma("barrier")
    name = p.name("team")
    with p.function(f"{name}(a, b)"):
        p.put(f"integer(num), {p.dice.choice(('value', 'intent(in)'))} :: a, b")
        p.team(FortranWhere(("a", "b"), where.runs, where.level, where.depth + 1,
                            in_target=where.in_target, lost=where.lost, anywhere=where.anywhere))
    p.put(f"call {name}({p.value(where)}, {p.value(where)})")


def privates(p: FortranProgram, where: FortranWhere, inside: FortranWhere) -> tuple[str, list[str]]:
    """Clauses of a region for what its threads have copies of, and statements that look there."""
    clauses, looks = [], []
    if p.dice.random() < 0.3:
        value = p.value(where)
        own = shared_copy(p, inside, value)
        clauses.append(own.clause(p, where, "firstprivate"))
        looks += [f"if ({own.differs(value)}) call fail(__LINE__)", f"call spoil({own.name})"]
    if p.dice.random() < 0.2:
        own, value = shared_copy(p, inside, "2_num"), p.value(where)
        clauses.append(own.clause(p, where, "private"))
        looks += [own.first(value), f"if ({own.differs(value)}) call fail(__LINE__)"]
    if not where.in_target and not where.in_untied and p.dice.random() < 0.2:
        value = p.value(where)
        for name, maker in (("mine", value), ("my_text", f"text_of({value})"),
                            ("my_list", f"list_of({value})")):
            p.put(f"{name} = {maker}")
            looks.append(f"if (weight({name}) /= weight({maker})) call fail(__LINE__)")
        clauses.append("copyin(mine, my_text, my_list)")
    return " ".join(clauses), looks


def region(p: FortranProgram, where: FortranWhere) -> None:
    """A parallel region, alone or together with a worksharing construct."""
    if not where.may_fork:
        return p.add(where)
    kinds = {"team": 6, "do": 3, "sections": 1, "workshare": 1, "cancelled": 1, "cancelled do": 1}
    kind = p.dice.choices(list(kinds), list(kinds.values()))[0]
    cancelled = kind.startswith("cancelled")
    if cancelled:  # by some of its threads
        where = replace(where, lost=True)
    with p.block():
        new = Region(len(p.lines), where.runs, cancelled)
        inside = where.inside(level=where.level + 1, sums=(), tasked=False, region=new)
        clauses = " ".join(filter(None, (
            p.maybe(0.6, *(f"num_threads({n})" for n in (1, 2, 3, 4, 5))),
            p.maybe(0.2, f"if({p.condition(where)})", f"if(parallel : {p.condition(where)})"),
            p.maybe(0.1, "proc_bind(close)", "proc_bind(spread)", "proc_bind(primary)"))))
        if kind == "workshare":
            arrays = declared_arrays(p, inside)
            p.pragma("parallel workshare", clauses)
            array_statements(p, where, *arrays)
            p.pragma("end parallel workshare")
            p.put(p.adding(where, weighed(*arrays)))
            return
        if p.dice.random() < 0.3:
            tasked = kind == "team" and p.dice.random() < 0.5
            reduced = p.share_sum(inside, OF_TASKS if tasked else ALL)
            clauses += " " + clause(*reduced, modifier="task, " if tasked else "")
            inside = replace(inside, sums=(reduced,), tasked=tasked)
        if kind == "do":
            worksharing_loop(p, inside, "parallel do", clauses)
        elif kind == "cancelled do":
            cancelled_loop(p, inside, "parallel do", clauses)
        elif kind == "sections":
            sections(p, inside, "parallel sections", clauses)
        else:
            copies, looks = privates(p, where, inside)
            with p.construct("parallel", clauses, copies):
                for look in looks:
                    p.put(look)
                p.team(inside)
                if cancelled:
                    cancel_team(p, inside)
                    p.team(inside)
        for line in new.after:
            p.put(line)


FORTRAN_TEAM = [(8, worksharing_loop), (3, ordered_loop), (2, doacross_loop), (5, single),
                (2, masked), (3, sections), (1, scope), (1, simd_loop), (2, loop_with_tasks),
                (2, summing_tasks), (2, workshare), (3, barrier), (2, team_loop),
                (2, team_function), (2, cancelled_loop), (1, cancelled_sections),
                (1, cancel_team), (1, FortranProgram.look)]
