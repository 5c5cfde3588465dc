# SPDX-License-Identifier: Apache-2.0
"""Random constructs of C++: objects that are copied and destroyed, iterators, exceptions. Called by
program.py through the tables at the end, which generate.py adds to those of C."""

from __future__ import annotations

from loop_text import loop_head, schedule
from program import Program, Region, Where
from regions import broadcast
from task_clauses import is_untied, task_clauses, taskloop_clauses


def checked(p: Program, name: str, value: str) -> None:
    p.put(f"if ({name}.look() != {value}) fail(__LINE__);")


def object_task(p: Program, where: Where) -> None:
    """A task with a copy of its own. One that is cancelled may keep its copy for ever."""
    if where.lost:
        return p.add(where)
    name, value, clauses = p.name("b"), p.value(where), task_clauses(p, where)
    with p.block():
        p.put(f"object {name}({value});")
        p.pragma("task", f"firstprivate({name})", clauses)
        with p.block():
            checked(p, name, value)
            p.put(f"{name}.value++;")
            p.once(where.inside(sums=(), in_untied=is_untied(where, clauses)), 2)


def object_taskloop(p: Program, where: Where) -> None:
    if where.lost:
        return p.add(where)
    own, last, result, iteration = p.name("b"), p.name("l"), p.name("r"), p.name("i")
    value, times, clauses = p.value(where), p.trips(where), taskloop_clauses(p, where)
    with p.block():
        p.put(f"object {own}({value}), {last}(1), {result}(2);")
        p.pragma("taskloop", f"firstprivate({own}) lastprivate({last}) reduction(join : {result})",
                 p.maybe(0.4, "grainsize(2)", "num_tasks(3)"), clauses)
        with p.block(loop_head(p, iteration, times)):
            inside = where.inside(iteration, max(times, 1), sums=(),
                                  in_untied=is_untied(where, clauses))
            checked(p, own, value)
            p.put(f"{result}.value += {p.value(inside)};")
            p.once(inside, 2)
            p.put(f"{last} = object({p.value(inside)});")
        p.put(p.adding(where, f"{result}.look() + {f'{last}.look()' if times else 0}"))


def caught(p: Program, where: Where) -> None:
    """An exception that is thrown and caught inside all constructs around."""
    with p.block("try"):
        p.once(where.inside(), 2)
        p.put(f"if ({p.condition(where)}) throw object({p.value(where)});")
        p.once(where.inside(), 1)
    with p.block("catch (const object &thrown)"):
        p.put(p.adding(where, "thrown.look()"))


def object_region(p: Program, where: Where) -> None:
    if not where.may_fork or where.lost:
        return p.add(where)
    own, fresh, result, value = p.name("b"), p.name("q"), p.name("r"), p.value(where)
    with p.block():
        p.put(f"object {own}({value}), {fresh}, {result}(4);")
        new = Region(len(p.lines), where.runs)
        inside = where.inside(level=where.level + 1, sums=(), region=new)
        p.pragma("parallel", p.maybe(0.6, "num_threads(2)", "num_threads(3)", "num_threads(5)"),
                 f"firstprivate({own}) private({fresh}) reduction(join : {result})")
        with p.block():
            checked(p, own, value)
            checked(p, fresh, "0")
            p.put(f"{own}.value++;")
            p.team(inside)
            p.pragma("single", p.maybe(0.3, "nowait"))
            p.put(f"{result}.value += {p.value(where)};")
        for line in new.after:
            p.put(line)
        p.put(p.adding(where, f"{result}.look()"))


def object_loop(p: Program, where: Where) -> None:
    if where.region is None or where.lost:
        return p.pragma("barrier")
    own, last, result, iteration = p.name("b"), p.name("l"), p.name("r"), p.name("i")
    trips = p.trips(where)
    p.share(where, f"object {own}(5), {last}(6), {result}(7);",
            p.adding(where, f"{result}.look() + {f'{last}.look()' if trips else 0}"))
    p.pragma("for", schedule(p),
             f"firstprivate({own}) lastprivate({last}) reduction(join : {result})")
    with p.block(loop_head(p, iteration, trips)):
        inside = where.inside(iteration, max(trips, 1), sums=(), region=None)
        checked(p, own, "5")
        p.put(f"{result}.value += {p.value(inside)};")
        p.once(inside, 2)
        p.put(f"{last} = object({p.value(inside)});")


def object_single(p: Program, where: Where) -> None:
    broadcast(p, where, "object", ".look()")


def iterator_loop(p: Program, where: Where) -> None:
    """Over the elements of a vector, each of which knows its number."""
    if where.region is None:
        return p.pragma("barrier")
    trips, vector, iterator = p.trips(where), p.name("v"), p.name("i")
    p.share(where, f"std::vector<num> {vector}({trips}); "
                   f"for (num k = 0; k < {trips}; ++k) {vector}[k] = k;", f"(void){vector};")
    p.pragma("for", schedule(p), p.maybe(0.3, "nowait"))
    if p.dice.random() < 0.5:
        head, value = f"for (num {iterator} : {vector})", iterator
    else:
        first, second = p.dice.choice((("begin", "end"), ("rbegin", "rend")))
        head = (f"for (auto {iterator} = {vector}.{first}(); {iterator} < {vector}.{second}(); "
                f"{p.dice.choice((f'++{iterator}', f'{iterator} += 2'))})")
        value = f"*{iterator}"
    with p.block(head):
        p.once(where.inside(value, max(trips, 1), region=None), 2)


OBJECT_ONCE = [(3, object_task), (3, object_taskloop), (3, caught), (3, object_region)]
OBJECT_TEAM = [(4, object_loop), (2, object_single), (4, iterator_loop)]
