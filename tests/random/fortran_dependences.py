# SPDX-License-Identifier: Apache-2.0
"""Random tasks of Fortran with dependences, as in dependences.py. Called by program.py through the
table of fortran_tasks.py."""

from __future__ import annotations

from dependences import SLOTS, Change
from fortran_program import FortranProgram, FortranWhere
from task_clauses import is_untied, task_clauses


def dependences(p: FortranProgram, where: FortranWhere) -> None:
    data = p.name("d")
    with p.block():
        p.put(p.dice.choice((f"integer(num) :: {data}({SLOTS})",
                             f"integer(num), allocatable :: {data}(:)")))
        p.put(f"{data} = [1, 2, 3]")
        if p.dice.random() < 0.5:
            with p.construct("taskgroup"):
                dependent_tasks(p, where, data)
        else:
            dependent_tasks(p, where, data)
            p.pragma("taskwait")
        p.put(p.adding(where, f"weight({data})", 7))


def dependent_tasks(p: FortranProgram, where: FortranWhere, data: str) -> None:
    for _ in range(p.dice.randrange(2, 9)):
        one, other = p.dice.sample(range(1, SLOTS + 1), 2)
        element, source = f"{data}({one})", f"{data}({other})"
        is_read = p.dice.random() < 0.6
        text = f"{element} = mix({element}{f' + {source}' if is_read else ''} + {p.value(where)})"
        change = Change(element, f"depend(in : {source})" if is_read else "", text)
        kind = p.pick(KINDS)
        if (kind is device_task and where.in_target) or (kind is with_event and where.lost):
            kind = plain  # the task that fulfils the event may be cancelled
        kind(p, where, data, change)


def plain(p: FortranProgram, where: FortranWhere, data: str, change: Change) -> None:
    kind = p.dice.choice(("inout", "inout", "out", "mutexinoutset"))
    clauses = task_clauses(p, where)
    with p.construct("task", f"depend({kind} : {change.element})", change.reads, f"shared({data})",
                     clauses):
        if p.dice.random() < 0.5:
            p.once(where.inside(sums=(), in_untied=is_untied(where, clauses)), 1)
        if kind == "mutexinoutset":
            p.put(f"{change.element} = {change.element} + {p.value(where)}")
        else:
            p.put(change.text)


def all_elements(p: FortranProgram, where: FortranWhere, data: str, _: Change) -> None:
    """gfortran 12 leaves out the last value of an iterator."""
    kind = p.dice.choice(("in", "inout"))
    with p.construct("task", f"depend(iterator(integer :: k = 1:{SLOTS}), {kind} : {data}(k))",
                     f"depend({kind} : {data}({SLOTS}))", f"shared({data})",
                     task_clauses(p, where)):
        p.put(p.adding(where, f"weight({data})", 9))


def with_object(p: FortranProgram, where: FortranWhere, data: str, change: Change) -> None:
    handle = p.name("o")
    with p.block():
        p.put(f"integer(depend_kind) :: {handle}")
        p.pragma(f"depobj({handle}) depend(inout : {change.element})")
        with p.construct("task", f"depend(depobj : {handle})", change.reads, f"shared({data})",
                         task_clauses(p, where)):
            p.put(change.text)
        p.pragma(f"depobj({handle}) destroy")


def with_event(p: FortranProgram, where: FortranWhere, data: str, change: Change) -> None:
    """Its successors begin when another task, which anybody may run, has fulfilled the event."""
    event = p.name("e")
    with p.block():
        p.put(f"integer(event_kind) :: {event}")
        with p.construct("task", f"detach({event})", f"depend(inout : {change.element})",
                         change.reads, f"shared({data})"):
            p.put(change.text)
        with p.construct("task", f"firstprivate({event})", p.maybe(0.3, f"if({p.false})")):
            p.once(where.inside(sums=()), 1)
            p.put(f"!$ call omp_fulfill_event({event})")


def device_task(p: FortranProgram, _: FortranWhere, data: str, change: Change) -> None:
    with p.construct("target", f"depend(inout : {change.element})", change.reads,
                     f"map(tofrom : {data})", "nowait"):
        p.put(change.text)


def wait_for_one(p: FortranProgram, where: FortranWhere, _: str, change: Change) -> None:
    p.pragma(f"taskwait depend(in : {change.element})")
    p.put(p.adding(where, change.element, 8))


KINDS = [(4, plain), (1, all_elements), (1, with_object), (1, with_event), (1, wait_for_one),
         (1, device_task)]
