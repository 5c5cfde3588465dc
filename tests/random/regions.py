# SPDX-License-Identifier: Apache-2.0
"""Random regions and worksharing constructs. Called by program.py through the table
at the end."""

from __future__ import annotations

from dataclasses import replace

from cancellation import cancel_team, cancelled_loop, cancelled_sections
from loop_text import loop_head, schedule
from program import (OPERATIONS, Program, Region, Where, combine, declaration, outcome, reduction)


def sums(p: Program, where: Where, share: float = 0.4) -> tuple[str, tuple]:
    """A clause for a shared variable that the statements inside add to, and that variable."""
    if where.region is None or p.dice.random() > share:
        return "", ()
    variable, operation = p.name("r"), p.dice.choice(OPERATIONS)
    p.share(where, declaration(variable, operation),
            p.adding(where, outcome(variable, operation)))
    return reduction(variable, operation), ((variable, operation),)


def worksharing_loop(p: Program, where: Where, combined: str = "", clauses: str = "") -> None:
    """`for`; `combined` is the directive with the region that it is one with."""
    trips, variable = p.trips(where), p.name("i")
    head = loop_head(p, variable, trips)
    clause, variables = ("", ()) if combined else sums(p, where)
    nowait = "" if combined else p.maybe(0.3, "nowait")
    inside = where.inside(variable, max(trips, 1), sums=variables or where.sums, region=None)
    if p.dice.random() < 0.2:
        return nest(p, inside, head, " ".join((combined or "for", clause, clauses, nowait)))
    before = after = ""
    if not nowait and not combined and where.region and trips and p.dice.random() < 0.3:
        last = p.name("l")
        p.share(where, f"num {last} = 7;", p.adding(where, last, 1))
        clause += f" lastprivate({last})"
        after = f"{last} = mix({variable} + 1);"
    if not nowait and not combined and p.dice.random() < 0.15:
        before = "cancel for if(never)"
    p.pragma(combined or "for", schedule(p), clause, clauses, nowait)
    with p.block(head):
        if before:
            p.pragma(before)
        p.once(inside)
        if before:
            p.pragma("cancellation point for")
        if after:
            p.put(after)


def nest(p: Program, inside: Where, head: str, directive: str) -> None:
    """Two loops in one; the inner one may have as many iterations as the outer one has had."""
    variable, kind, outer = p.name("i"), head.split("(")[1].split()[0], inside.values[-1]
    if kind != "num" and inside.runs < 300 and p.dice.random() < 0.5:
        inner, times, plan = loop_head(p, variable, 0, f"{kind} {outer}"), 40, ""
    else:
        times, plan = p.trips(inside, 7), schedule(p)
        inner = loop_head(p, variable, times)
    p.pragma(directive, plan, p.maybe(0.8, "collapse(2)"))
    with p.block(head), p.block(inner):
        p.once(inside.inside(variable, max(times, 1)), 2)


def ordered_loop(p: Program, where: Where) -> None:
    if where.region is None or where.region.cancelled:
        return p.pragma("barrier")
    trips, variable, chain = p.trips(where), p.name("i"), p.name("o")
    head = loop_head(p, variable, trips)
    p.share(where, f"num {chain} = 1;", p.adding(where, chain, 4))
    p.pragma("for ordered", schedule(p, monotonic=True))
    inside = where.inside(variable, max(trips, 1), sums=(), region=None)
    with p.block(head):
        if p.dice.random() < 0.5:
            p.once(inside, 1)
        condition = p.maybe(0.3, f"if ({p.condition(inside)})")
        with p.block(condition):
            p.pragma("ordered")
            p.put(f"{chain} = mix({chain} + {p.value(inside)});")
        if p.dice.random() < 0.3:
            p.once(inside, 1)


def doacross_loop(p: Program, where: Where) -> None:
    if where.region is None or where.region.cancelled:
        return p.pragma("barrier")
    variable, second, chain = p.name("i"), p.name("i"), p.name("d")
    plane = p.dice.random() < 0.4
    rows = min(p.trips(where, 20) + 2, 22)
    p.share(where, f"num {chain}[24][8] = {{{{0}}}};",
            p.adding(where, f"mix({chain}[{rows - 1}][3])", 3))
    p.pragma("for", "ordered(2)" if plane else "ordered(1)", schedule(p, monotonic=True))
    with p.block(f"for (int {variable} = 1; {variable} < {rows}; ++{variable})"):
        inside = where.inside(variable, rows, sums=(), region=None)
        if not plane:
            if p.dice.random() < 0.5:
                p.once(inside, 1)
            distance = p.dice.choice((1, 1, 2))
            p.pragma(f"ordered depend(sink : {variable} - {distance})")
            before = f"({variable} > {distance} ? {chain}[{variable} - {distance}][3] : 1)"
            p.put(f"{chain}[{variable}][3] = mix({before} + {p.value(inside)});")
            p.pragma("ordered depend(source)")
            return
        with p.block(f"for (int {second} = 1; {second} < 4; ++{second})"):
            p.pragma(f"ordered depend(sink : {variable} - 1, {second}) "
                     f"depend(sink : {variable}, {second} - 1)")
            p.put(f"{chain}[{variable}][{second}] = mix({chain}[{variable} - 1][{second}] + 3 * "
                  f"{chain}[{variable}][{second} - 1] + {p.value(inside)});")
            p.pragma("ordered depend(source)")


def broadcast(p: Program, where: Where, kind: str = "num", look: str = "") -> None:
    """A single construct that tells all threads a number, in a variable of that kind."""
    copy, value = p.name("c"), p.value(where)
    with p.block():
        p.put(f"{kind} {copy} = 0;")
        p.pragma(f"single copyprivate({copy})")
        with p.block():
            p.once(where.inside(sums=(), region=None), 2)
            p.put(f"{copy} = {value};")
        p.put(f"if ({copy}{look} != {value}) fail(__LINE__);")


def single(p: Program, where: Where) -> None:
    if p.dice.random() < 0.3:
        return broadcast(p, where)
    p.pragma("single", p.maybe(0.4, "nowait"))
    with p.block():
        p.once(where.inside(sums=(), region=None))


def masked(p: Program, where: Where) -> None:
    p.pragma(p.dice.choice(("master", "masked", "masked filter(0)")))
    with p.block():
        p.once(where.inside(sums=(), region=None), 2)


def sections(p: Program, where: Where, directive: str = "sections", clauses: str = "") -> None:
    clause, variables = ("", where.sums) if clauses or directive != "sections" else sums(p, where)
    p.pragma(directive, clause, clauses, p.maybe(0.3, "nowait") if directive == "sections" else "")
    with p.block():
        for number in range(p.dice.randrange(1, 5)):
            if number or p.dice.random() < 0.5:
                p.pragma("section")
            with p.block():
                p.once(where.inside(sums=variables, region=None), 2)


def scope(p: Program, where: Where) -> None:
    clause, variables = sums(p, where, share=1)
    p.put("#ifndef __clang__")  # 19 has it not yet
    p.pragma("scope", clause, p.maybe(0.4, "nowait"))
    p.put("#endif")
    with p.block():
        p.put("if (omp_get_thread_num() == 0)")
        with p.block():
            for variable, operation in variables:
                p.put(combine(variable, operation, p.value(where)))


def bound_loop(p: Program, where: Where) -> None:
    """`loop` may have nothing inside but plain statements."""
    clause, variables = sums(p, where, share=1)
    if not variables:
        return p.pragma("barrier")
    variable = p.name("i")
    head = loop_head(p, variable, p.trips(where))
    p.pragma("loop bind(parallel)", clause)
    with p.block(head):
        inside = where.inside(variable)
        p.put(combine(*variables[0], p.value(inside)))


def barrier(p: Program, where: Where) -> None:
    p.pragma(p.dice.choice(("barrier", "barrier", "taskwait", "taskyield", "flush")))


def team_loop(p: Program, where: Where) -> None:
    """All threads of the team go through it."""
    variable, times = p.name("k"), p.dice.randrange(2, 4)
    with p.block(f"for (int {variable} = 0; {variable} < {times}; ++{variable})"):
        p.team(where.inside(variable, times), 3)


def team_function(p: Program, where: Where) -> None:
    """Orphaned constructs."""
    if p.inner > 2 or (where.region and where.region.cancelled):
        return p.pragma("barrier")
    name = p.name("team")
    with p.function(f"{name}(num a, num b)"):
        p.team(Where(("a", "b"), where.runs, where.level, where.depth + 1,
                     in_target=where.in_target, lost=where.lost))
    p.put(f"{name}({p.value(where)}, {p.value(where)});")


def region(p: Program, where: Where) -> None:
    """A parallel region, alone or together with a worksharing construct."""
    if not where.may_fork:
        return p.add(where)
    kind = p.dice.choices(("team", "for", "sections", "cancelled"), (6, 3, 1, 1))[0]
    cancelled = kind == "cancelled"
    if cancelled:  # by some of its threads
        where = replace(where, lost=True)
    with p.block():
        clauses = [p.maybe(0.6, *(f"num_threads({n})" for n in (1, 2, 3, 4, 5))),
                   p.maybe(0.2, f"if({p.condition(where)})",
                           f"if(parallel : {p.condition(where)})"),
                   p.maybe(0.1, "proc_bind(close)", "proc_bind(spread)", "proc_bind(primary)")]
        checks, variables, after = [], (), []
        if p.dice.random() < 0.2:
            own, value = p.name("f"), p.value(where)
            p.put(f"num {own} = {value};")
            clauses.append(f"firstprivate({own})")
            checks.append(f"if ({own}++ != {value}) fail(__LINE__);")
        if not where.in_target and not where.in_untied and p.dice.random() < 0.2:
            value = p.value(where)
            p.put(f"mine = {value};")
            clauses.append("copyin(mine)")
            checks.append(f"if (mine != {value}) fail(__LINE__);")
        if p.dice.random() < 0.3:
            variable, operation = p.name("r"), p.dice.choice(OPERATIONS)
            p.put(declaration(variable, operation))
            clauses.append(reduction(variable, operation))
            variables = ((variable, operation),)
            after.append(p.adding(where, outcome(variable, operation), 2))
        new = Region(len(p.lines), where.runs, cancelled, after)
        inside = where.inside(level=where.level + 1, sums=variables, region=new)
        text = " ".join(filter(None, clauses))
        if kind in ("team", "cancelled"):
            p.pragma("parallel", text)
            with p.block():
                for check in checks:
                    p.put(check)
                p.team(inside)
                if cancelled:
                    cancel_team(p, inside)
                    p.team(inside)
                elif p.dice.random() < 0.15:
                    p.pragma("cancel parallel if(never)")
        elif kind == "for":
            worksharing_loop(p, inside, "parallel for", text)
        else:
            sections(p, inside, "parallel sections", text)
        for line in new.after:
            p.put(line)


TEAM = [(8, worksharing_loop), (3, ordered_loop), (2, doacross_loop), (5, single), (2, masked),
        (3, sections), (1, scope), (1, bound_loop), (3, barrier), (2, team_loop),
        (2, team_function), (2, cancelled_loop), (1, cancelled_sections), (1, cancel_team),
        (1, Program.look)]
