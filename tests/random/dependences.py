# SPDX-License-Identifier: Apache-2.0
"""Random tasks with dependences: they compute on the elements of an array, and what comes out tells
in which order. Called by program.py through the table of tasks.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from program import Program, Where
from task_clauses import is_untied, task_clauses

SLOTS = 3  # of the array; so short that clang 19 does not take it for aligned to 16 bytes


@dataclass(frozen=True)
class Change:
    """What a task does: the element that it changes, the one that it may read, and the text."""

    element: str
    reads: str
    text: str


def dependences(p: Program, where: Where) -> None:
    data = p.name("d")
    with p.block():
        p.put(f"unsigned {data}[{SLOTS}] = {{1, 2, 3}};")
        wait = p.dice.choice(("taskgroup", "taskwait"))
        if wait == "taskgroup":
            p.pragma("taskgroup")
        with p.block():
            for _ in range(p.dice.randrange(2, 9)):
                dependent_task(p, where, data)
        if wait == "taskwait":
            p.pragma("taskwait")
        p.put(p.adding(where, total(data), 7))


def total(data: str) -> str:
    return f"mix({data}[0] + 3 * {data}[1] + 5 * {data}[2])"


def dependent_task(p: Program, where: Where, data: str) -> None:
    one, other = p.dice.sample(range(SLOTS), 2)
    element, source = f"{data}[{one}]", f"{data}[{other}]"
    is_read = p.dice.random() < 0.6
    text = f"{element} = mix({element}{f' + {source}' if is_read else ''} + {p.value(where)});"
    change = Change(element, f"depend(in : {source})" if is_read else "", text)
    kind = p.pick(KINDS)
    if (kind is device_task and where.in_target) or (kind is with_event and where.lost):
        kind = plain  # the task that fulfils the event may be cancelled
    kind(p, where, data, change)


def plain(p: Program, where: Where, data: str, change: Change) -> None:
    kind = p.dice.choice(("inout", "inout", "out", "mutexinoutset"))
    clauses = task_clauses(p, where)
    p.pragma("task", f"depend({kind} : {change.element})", change.reads, f"shared({data})", clauses)
    with p.block():
        if p.dice.random() < 0.5:
            p.once(replace(where.inside(sums=()), in_untied=is_untied(where, clauses)), 1)
        if kind == "mutexinoutset":
            p.put(f"{change.element} += {p.value(where)};")
        else:
            p.put(change.text)


def all_elements(p: Program, where: Where, data: str, _: Change) -> None:
    kind = p.dice.choice(("in", "inout"))
    p.pragma("task", f"depend(iterator(k = 0:{SLOTS}), {kind} : {data}[k])", f"shared({data})",
             task_clauses(p, where))
    p.put(p.adding(where, total(data), 9))


def with_object(p: Program, where: Where, data: str, change: Change) -> None:
    handle = p.name("o")
    with p.block():
        p.put(f"omp_depend_t {handle};")
        p.pragma(f"depobj({handle}) depend(inout : {change.element})")
        p.pragma("task", f"depend(depobj : {handle})", change.reads, f"shared({data})",
                 task_clauses(p, where))
        p.put(f"{{ {change.text} }}")
        p.pragma(f"depobj({handle}) destroy")
        p.put(f"(void){handle};")


def with_event(p: Program, where: Where, data: str, change: Change) -> None:
    """Its successors begin when another task, which anybody may run, has fulfilled the event."""
    event = p.name("e")
    with p.block():
        p.put(f"omp_event_handle_t {event};")
        p.pragma("task", f"detach({event})", f"depend(inout : {change.element})", change.reads,
                 f"shared({data})")
        p.put(f"{{ {change.text} }}")
        p.pragma("task", f"firstprivate({event})", p.maybe(0.3, "if(0)"))
        with p.block():
            p.once(where.inside(sums=()), 1)
            p.put(f"omp_fulfill_event({event});")


def device_task(p: Program, _: Where, data: str, change: Change) -> None:
    p.pragma("target nowait", f"depend(inout : {change.element})", change.reads,
             f"map(tofrom : {data})")
    p.put(f"{{ {change.text} }}")


def wait_for_one(p: Program, where: Where, _: str, change: Change) -> None:
    p.pragma(f"taskwait depend(in : {change.element})")
    p.put(p.adding(where, change.element, 8))


Kind = Callable[[Program, Where, str, Change], None]
KINDS: list[tuple[int, Kind]] = [(4, plain), (1, all_elements), (1, with_object), (1, with_event),
                                 (1, wait_for_one), (1, device_task)]
