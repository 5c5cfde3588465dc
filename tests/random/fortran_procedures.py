# SPDX-License-Identifier: Apache-2.0
"""Random procedures of Fortran that one thread calls: with tasks of their own, with procedures
inside, and with arguments of all sorts. Called by program.py through the table of
fortran_tasks.py."""

from __future__ import annotations

from fortran_program import FortranProgram, FortranWhere
from task_clauses import is_untied, task_clauses


def tree(p: FortranProgram, where: FortranWhere) -> None:
    """A procedure that calls itself in tasks."""
    if p.inner > 2:
        return p.add(where)
    name, children = p.name("tree"), p.dice.randrange(1, 4)
    height = p.dice.choice([h for h in (1, 2, 3, 5) if where.runs * children**h <= 600] or [1])
    waits, passing = p.dice.random() < 0.6, p.dice.choice(("value", "intent(in)"))
    with p.function(f"{name}(left, path)"):
        inside = FortranWhere(("left", "path"), where.runs * children**height, where.level,
                              where.depth + 2, in_target=where.in_target, lost=where.lost,
                              anywhere=where.anywhere)
        p.put(f"integer, {passing} :: left")
        p.put(f"integer(num), {passing} :: path")
        with p.block("if (left == 0) then"):
            p.once(inside, 2)
            p.put("return")
        for child in range(children):
            call = f"call {name}(left - 1, mix(path + {child}))"
            if p.dice.random() < 0.85:
                with p.construct("task", task_clauses(p, inside)):
                    p.put(call)
            else:
                p.put(call)
        if waits:
            p.pragma("taskwait")
        p.add(inside)
    p.put(f"call {name}({height}, {p.value(where)})")


def host(p: FortranProgram, where: FortranWhere) -> None:
    """A procedure with another one inside, which adds to variables of the one around wherever that
    calls it."""
    if p.inner > 2 or where.lost or where.in_target:
        return p.add(where)
    name, inner, total = p.name("host"), p.name("inner"), p.name("h")
    element = f"{total}(mod({{value}}, 3_num))"
    with p.function(f"{name}(a, b)"):
        p.put(f"integer(num), {p.dice.choice(('value', 'intent(in)'))} :: a, b")
        p.put(f"integer(num) :: {total}(0:2)")
        p.put(f"{total} = 1")
        inside = FortranWhere(("a", "b"), where.runs, where.level, where.depth + 1,
                              anywhere=where.anywhere, also=(f"call {inner}({{value}})",))
        with p.construct("taskgroup"):
            p.put(f"call {inner}(a)")
            p.once(inside, 4)
        p.put(p.adding(where, f"weight({total})"))
        p.put("contains")
        p.put(f"recursive subroutine {inner}(c)")
        p.put(f"integer(num), {p.dice.choice(('value', 'intent(in)'))} :: c")
        p.once(FortranWhere(("c", "a"), where.runs * 20, where.level + 1, where.depth + 3,
                            anywhere=True, also=(f"!$omp atomic\n{element} = {element} + a",)), 3)
        p.put("end subroutine")
    p.put(f"call {name}({p.value(where)}, {p.value(where)})")


def passed(p: FortranProgram, where: FortranWhere) -> None:
    """A procedure whose tasks get copies of its arguments: an array of a shape that it is told, and
    a text of such a length. (One that is optional and absent is no matter for `firstprivate`.)"""
    if p.inner > 2:
        return p.add(where)
    name, numbers, value = p.name("pass"), p.name("v"), p.value(where)
    with p.function(f"{name}(a, list, text)"):
        p.put("integer(num), value :: a")
        p.put("integer(num), intent(in) :: " + p.dice.choice(("list(:)", "list(3)", "list(a:)")))
        p.put("character(*), intent(in) :: text")
        inside = FortranWhere(("a",), where.runs, where.level, where.depth + 1,
                              in_target=where.in_target, lost=where.lost, anywhere=where.anywhere)
        for _ in range(p.dice.randrange(1, 3)):
            clauses = task_clauses(p, inside)
            with p.construct("task", "firstprivate(list, text)", clauses):
                p.check("weight(list) /= weight(list_of(a))")
                p.check("text /= text_of(a)")
                p.once(inside.inside(in_untied=is_untied(inside, clauses)), 2)
        p.once(inside, 1)
    with p.block():
        p.put(f"integer(num) :: {numbers}(6)")
        p.put(f"{numbers}(1:6:2) = list_of({value})")
        p.put(f"call {name}({value}, {numbers}(1:6:2), text_of({value}))")
        p.put(f"{numbers} = 0")
