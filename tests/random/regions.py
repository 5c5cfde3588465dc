# SPDX-License-Identifier: Apache-2.0
"""Random regions and worksharing constructs. Called by program.py through the table
at the end."""

from __future__ import annotations

from program import (OPERATIONS, Program, Region, Where, combine, declaration, outcome, reduction)


def schedule(p: Program, monotonic: bool = False) -> str:
    kind = p.dice.choice(("", "static", "dynamic", "guided", "auto", "runtime"))
    if not kind:
        return ""
    chunk = "" if kind in ("auto", "runtime") else p.maybe(0.5, ", 1", ", 2", ", 5", ", 3 + never")
    modifier = p.maybe(0.3, *(("monotonic: ",) if monotonic or kind == "static" else
                              ("monotonic: ", "nonmonotonic: ", "simd: ")))
    return f"schedule({modifier}{kind}{chunk})"


def loop_head(p: Program, variable: str, trips: int, around: str = "") -> str:
    """A canonical loop of `trips` iterations, or of as many as the loop around it has had."""
    if around:
        kind, outer = around.split()
        return f"for ({kind} {variable} = 0; {variable} < {outer}; {variable}++)"
    kind = p.dice.choice(("long", "int", "num", "short") + ("unsigned",) * (trips > 0))
    step = p.dice.choice((1, 1, 1, 2, 3, 7))
    first = p.dice.choice((0, 0, 1, 10)) if trips else 1  # gcc refuses that less than 0 is tested
    end = first + trips * step
    # gcc 12 makes no iterations where `unsigned` counts down, unless the schedule is static; of a
    # taskloop over `unsigned` that has none clang 19 makes 2^32.
    if kind != "unsigned" and p.dice.random() < 0.4:
        return f"for ({kind} {variable} = {end}; {variable} > {first}; {variable} -= {step})"
    test = f"<= {end - step}" if trips and p.dice.random() < 0.3 else f"< {end}"
    move = p.dice.choice((f"++{variable}", f"{variable}++", f"{variable} = {variable} + 1")
                         if step == 1 else (f"{variable} += {step}",))
    return f"for ({kind} {variable} = {first}; {variable} {test}; {move})"


def sums(p: Program, where: Where, share: float = 0.4) -> tuple[str, tuple]:
    """A clause for a shared variable that the statements inside add to, and that variable."""
    if where.region is None or p.dice.random() > share:
        return "", ()
    variable, operation = p.name("r"), p.dice.choice(OPERATIONS)
    p.share(where, declaration(variable, operation),
            f"add({p.dice.randrange(10)}, {outcome(variable, operation)});")
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
        p.share(where, f"num {last} = 7;", f"add(1, {last});")
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
    if where.region is None:
        return p.pragma("barrier")
    trips, variable, chain = p.trips(where), p.name("i"), p.name("o")
    head = loop_head(p, variable, trips)
    p.share(where, f"num {chain} = 1;", f"add(4, {chain});")
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
    if where.region is None:
        return p.pragma("barrier")
    variable, second, chain = p.name("i"), p.name("i"), p.name("d")
    plane = p.dice.random() < 0.4
    rows = min(p.trips(where, 20) + 2, 22)
    p.share(where, f"num {chain}[24][8] = {{{{0}}}};", f"add(3, mix({chain}[{rows - 1}][3]));")
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


def single(p: Program, where: Where) -> None:
    if p.dice.random() < 0.3:
        copy, value = p.name("c"), p.value(where)
        with p.block():
            p.put(f"num {copy} = 0;")
            p.pragma(f"single copyprivate({copy})")
            with p.block():
                p.once(where.inside(sums=(), region=None), 2)
                p.put(f"{copy} = {value};")
            p.put(f"if ({copy} != {value}) fail(__LINE__);")
        return
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
    if p.inner > 2:
        return p.pragma("barrier")
    name = p.name("team")
    with p.function(f"{name}(num a, num b)"):
        p.team(Where(("a", "b"), where.runs, where.level, where.depth + 1,
                     in_target=where.in_target))
    p.put(f"{name}({p.value(where)}, {p.value(where)});")


def region(p: Program, where: Where) -> None:
    """A parallel region, alone or together with a worksharing construct."""
    if where.level > 2 or where.runs > 120:
        return p.add(where)
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
            after.append(f"add(2, {outcome(variable, operation)});")
        kind = p.dice.choices(("team", "for", "sections"), (6, 3, 1))[0]
        new = Region(len(p.lines), after)
        inside = where.inside(level=where.level + 1, sums=variables, region=new)
        text = " ".join(filter(None, clauses))
        if kind == "team":
            p.pragma("parallel", text)
            with p.block():
                for check in checks:
                    p.put(check)
                p.team(inside)
                if p.dice.random() < 0.15:
                    p.pragma("cancel parallel if(never)")
        elif kind == "for":
            worksharing_loop(p, inside, "parallel for", text)
        else:
            sections(p, inside, "parallel sections", text)
        for line in new.after:
            p.put(line)


TEAM = [(8, worksharing_loop), (3, ordered_loop), (2, doacross_loop), (5, single), (2, masked),
        (3, sections), (1, scope), (1, bound_loop), (3, barrier), (2, team_loop),
        (2, team_function)]
