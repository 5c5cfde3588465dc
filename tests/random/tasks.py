# SPDX-License-Identifier: Apache-2.0
"""Random tasks, and the other statements that one thread runs. Called by program.py through the
table at the end."""

from __future__ import annotations

from dataclasses import replace

from cancellation import who_cancels
from dependences import dependences
from loop_text import loop_head
from program import OPERATIONS, Program, Where, combine, declaration, outcome, reduction
from regions import region
from task_clauses import final_condition, is_untied, task_clauses, taskloop_clauses

TASKLOOP_SHARES = ("grainsize(1)", "grainsize(3)", "num_tasks(2)", "num_tasks(7)",
                   "num_tasks(strict : 5)", "grainsize(strict : 4)")


def task(p: Program, where: Where) -> None:
    clauses = task_clauses(p, where)
    p.pragma("task", clauses)
    with p.block():
        if condition := final_condition(clauses):
            p.put(f"in_final({condition}, __LINE__);")
        p.once(where.inside(sums=(), in_untied=is_untied(where, clauses)))


def task_with_result(p: Program, where: Where) -> None:
    """Tasks that write into a variable of the one that waits for them."""
    with p.block():
        names = [p.name("x") for _ in range(p.dice.randrange(1, 4))]
        for name in names:
            p.put(f"num {name} = 0;")
        for name in names:
            clauses = task_clauses(p, where)
            p.pragma("task", f"shared({name})", clauses)
            with p.block():
                p.once(where.inside(sums=(), in_untied=is_untied(where, clauses)), 2)
                p.put(f"{name} = {p.value(where)};")
        p.pragma("taskwait")
        p.put(p.adding(where, ' + '.join(names)))


def task_group(p: Program, where: Where) -> None:
    variable, operation = p.name("r"), p.dice.choice(OPERATIONS)
    reduces = p.dice.random() < 0.5
    with p.block():
        p.put(declaration(variable, operation))
        p.pragma("taskgroup", reduction(variable, operation, "task_reduction") if reduces else "")
        with p.block():
            for _ in range(p.dice.randrange(1, 4)):
                group_member(p, where, (variable, operation) if reduces else None)
        p.put(p.adding(where, outcome(variable, operation), 6))


def group_member(p: Program, where: Where, sum_of: tuple[str, str] | None,
                 cancel: str | None = None) -> None:
    """A task, a loop of them or a taskloop, which add to a sum of the group if it has one;
    `cancel` is the clause by which they cancel the group."""
    kind = p.dice.choice(("task", "loop of tasks", "taskloop"))
    clause = reduction(*sum_of, "in_reduction") if sum_of else ""
    inside, head = where.inside(sums=()), ""
    if kind != "task":
        times, iteration = p.trips(where, 12), p.name("i")
        head = loop_head(p, iteration, times)
        inside = where.inside(iteration, max(times, 1), sums=())
    if kind == "taskloop":
        clauses = taskloop_clauses(p, where)
        p.pragma("taskloop", clause, clauses)
        p.put(head)
    else:
        clauses = task_clauses(p, inside)
        p.put(head)
        p.pragma("task", clause, clauses)
    with p.block():
        if cancel is None and p.dice.random() < 0.2:
            p.pragma("cancel taskgroup if(never)")
        if sum_of:
            p.put(combine(*sum_of, p.value(inside)))
        inside = replace(inside, in_untied=is_untied(inside, clauses))
        p.once(inside, 2)
        if cancel is not None and p.dice.random() < 0.7:
            p.pragma("cancel taskgroup", cancel)
            p.once(inside, 1)
            p.pragma("cancellation point taskgroup")


def cancelled_group(p: Program, where: Where) -> None:
    """Tasks of a group that some of them cancel."""
    inside = where.inside(sums=(), lost=True)
    p.pragma("taskgroup")
    with p.block():
        for _ in range(p.dice.randrange(2, 5)):
            group_member(p, inside, None, who_cancels(p, inside))
        if p.dice.random() < 0.3:
            p.once(inside, 1)


def task_loop(p: Program, where: Where) -> None:
    with p.block():
        variable, operation = p.name("r"), p.dice.choice(OPERATIONS)
        p.put(declaration(variable, operation))
        times, iteration, last = p.trips(where), p.name("i"), p.name("l")
        p.put(f"num {last} = 1;")
        waits = p.dice.random() < 0.7
        reduces, copies = waits and p.dice.random() < 0.5, waits and p.dice.random() < 0.3
        clauses = taskloop_clauses(p, where)
        p.pragma("taskloop", p.maybe(0.5, *TASKLOOP_SHARES),
                 reduction(variable, operation) if reduces else "",
                 f"lastprivate({last})" if copies else "", "" if waits else "nogroup", clauses)
        inside = where.inside(iteration, max(times, 1), sums=(),
                              in_untied=is_untied(where, clauses))
        with p.block(loop_head(p, iteration, times)):
            if reduces:
                p.put(combine(variable, operation, p.value(inside)))
            p.once(inside, 2)
            if copies:
                p.put(f"{last} = {p.value(inside)};")
        p.put(p.adding(where, f"{outcome(variable, operation)} + {last if times else 0}", 5))


def tree(p: Program, where: Where) -> None:
    """A function that calls itself in tasks."""
    if p.inner > 2:
        return p.add(where)
    name, children = p.name("tree"), p.dice.randrange(1, 4)
    height = p.dice.choice([h for h in (1, 2, 3, 5) if where.runs * children**h <= 600] or [1])
    waits = p.dice.random() < 0.6
    with p.function(f"{name}(int left, num path)"):
        inside = Where(("left", "path"), where.runs * children**height, where.level,
                       where.depth + 2, in_target=where.in_target, lost=where.lost)
        p.put("if (left == 0) {")
        p.once(inside, 2)
        p.put("return; }")
        for child in range(children):
            if p.dice.random() < 0.85:
                p.pragma("task", task_clauses(p, inside))
            p.put(f"{name}(left - 1, mix(path + {child}));")
        if waits:
            p.pragma("taskwait")
        p.add(inside)
    p.put(f"{name}({height}, {p.value(where)});")


def repeated(p: Program, where: Where) -> None:
    variable, times = p.name("k"), min(p.trips(where, 12), 12)
    with p.block(f"for (int {variable} = 0; {variable} < {times}; ++{variable})"):
        p.once(where.inside(variable, max(times, 1)))


def other_threads(p: Program, where: Where) -> None:
    """Another nthreads-var, of this task and of those that inherit it meanwhile."""
    before, number = p.name("t"), p.dice.randrange(1, 6)
    with p.block():
        p.put(f"int {before} = omp_get_max_threads();")
        p.put(f"omp_set_num_threads({number});")
        p.once(where.inside())
        p.put(f"wants_threads({number}, __LINE__);")
        p.put(f"omp_set_num_threads({before});")


def branch(p: Program, where: Where) -> None:
    with p.block(f"if ({p.condition(where)})"):
        p.once(where.inside(), 2)
    with p.block("else"):
        p.once(where.inside(), 2)


def target(p: Program, where: Where) -> None:
    """On the host: one task, a loop of a team, or a loop of the teams of a league."""
    if where.in_target:
        return p.add(where)
    kind = p.dice.choice(("", "", "parallel for", "teams distribute parallel for"))
    if kind:
        return device_loop(p, where, f"target {kind}", "map(tofrom : cells)")
    p.pragma("target", p.maybe(0.3, f"if({p.condition(where)})"), "map(tofrom : cells)")
    with p.block():
        # Tasks of clang 19 inside have pointers to what the target region has copies of.
        p.pragma("taskgroup")
        with p.block():
            p.once(where.inside(sums=(), in_target=True))


def device_loop(p: Program, where: Where, directive: str, clauses: str = "") -> None:
    variable, times = p.name("i"), p.trips(where, 12)
    p.pragma(directive, clauses, p.maybe(0.3, "schedule(dynamic)", "schedule(static, 2)"),
             p.maybe(0.4, "num_teams(2)", "num_teams(3)") if "teams" in directive else "")
    with p.block(loop_head(p, variable, times)):
        inside = where.inside(variable, max(times, 1), sums=())
        p.put(p.adding(inside, p.value(inside)))


def league(p: Program, where: Where) -> None:
    """Of the host; not inside any other construct."""
    device_loop(p, where, "teams distribute parallel for")


def wait(p: Program, where: Where) -> None:
    p.pragma(p.dice.choice(("taskwait", "taskyield")))


ONCE = [(10, Program.add), (6, task), (5, task_with_result), (4, task_group), (5, task_loop),
        (4, dependences), (2, cancelled_group), (3, tree), (3, repeated), (2, branch), (2, target),
        (1, wait), (1, Program.look), (1, other_threads), (7, region)]
