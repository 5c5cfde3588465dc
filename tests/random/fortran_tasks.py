# SPDX-License-Identifier: Apache-2.0
"""Random tasks of Fortran, and the other statements that one thread runs. Called by generate.py,
and by program.py through the table at the end."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

from cancellation import who_cancels
from fortran_copies import SCALAR_ALLOCATABLES, new_copy
from fortran_dependences import dependences
from fortran_loops import around, new_loop
from fortran_program import FortranProgram, FortranWhere
from fortran_procedures import host, passed, tree
from fortran_reductions import ATOMIC, OF_TASKS, clause
from fortran_regions import FORTRAN_TEAM, region
from fortran_target import league, target
from task_clauses import final_condition, is_untied, task_clauses, taskloop_clauses
from tasks import TASKLOOP_SHARES, wait


def fortran(seed: int) -> str:
    p = FortranProgram(seed, FORTRAN_ONCE, FORTRAN_TEAM)
    for _ in range(p.dice.randrange(1, 4)):
        region(p, FortranWhere())
        if p.dice.random() < 0.3:
            league(p, FortranWhere())
        with p.construct("taskgroup"):
            p.once(FortranWhere(), 2)
    return p.text()


def task(p: FortranProgram, where: FortranWhere) -> None:
    clauses = task_clauses(p, where)
    own = new_copy(p, *SCALAR_ALLOCATABLES) if p.dice.random() < 0.3 else None
    value = p.value(where)
    with p.block():
        if own:
            p.put(own.declaration)
            p.put(own.first(value))
        with p.construct("task", f"firstprivate({own.name})" if own else "", clauses):
            if condition := final_condition(clauses):
                p.put(f"call in_final({condition}, __LINE__)")
            if own:
                p.check(own.differs(value))
                p.put(f"call spoil({own.name})")
            p.once(where.inside(sums=(), in_untied=is_untied(where, clauses)))
        if own:
            p.put(f"call spoil({own.name})")


def task_with_result(p: FortranProgram, where: FortranWhere) -> None:
    """Tasks that write into a variable of the one that waits for them."""
    with p.block():
        results = [new_copy(p) for _ in range(p.dice.randrange(1, 4))]
        for result in results:
            p.put(result.declaration)
        for result in results:
            p.put(result.first("1_num"))
        for result in results:
            clauses = task_clauses(p, where)
            with p.construct("task", f"shared({result.name})", clauses):
                p.once(where.inside(sums=(), in_untied=is_untied(where, clauses)), 2)
                if result.kind == "number" and p.dice.random() < 0.5:
                    p.pragma("atomic write")
                p.put(result.first(p.value(where)))
        p.pragma("taskwait")
        p.put(p.adding(where, " + ".join(result.weight for result in results)))


def group(p: FortranProgram, where: FortranWhere) -> None:
    """Tasks that add to a sum, as reductions or by atomic statements."""
    kind = p.dice.choice(("task_reduction", "atomic", ""))
    reduced = p.new_sum(ATOMIC if kind == "atomic" else OF_TASKS)
    with p.block():
        p.put_sum(*reduced)
        with p.construct("taskgroup", clause(*reduced, kind) if kind == "task_reduction" else ""):
            for _ in range(p.dice.randrange(1, 4)):
                group_member(p, where, (*reduced, kind) if kind else None)
        p.put(p.adding(where, p.outcome(*reduced), 6))


def group_member(p: FortranProgram, where: FortranWhere, sum_of: tuple[str, str, str] | None,
                 cancel: str | None = None) -> None:
    """A task, a loop of them or a taskloop, which add to a sum of the group if it has one;
    `cancel` is the clause by which they cancel the group."""
    kind = p.dice.choice(("task", "loop of tasks", "taskloop"))
    if kind == "task":
        clauses = task_clauses(p, where)
        with p.construct("task", membership(sum_of), clauses):
            member(p, where.inside(sums=(), in_untied=is_untied(where, clauses)), sum_of, cancel)
        return
    loop, inside = around(p, where, 12, sums=())
    clauses = taskloop_clauses(p, where) if kind == "taskloop" else task_clauses(p, inside)
    inside = replace(inside, in_untied=is_untied(inside, clauses))
    with p.declared(where, False, loop.declaration):
        if kind == "taskloop":
            with p.loop("taskloop", membership(sum_of), clauses, head=loop.head):
                member(p, inside, sum_of, cancel)
        else:
            with p.block(loop.head), p.construct("task", membership(sum_of), clauses):
                member(p, inside, sum_of, cancel)


def membership(sum_of: tuple[str, str, str] | None) -> str:
    if not sum_of:
        return ""
    variable, operation, kind = sum_of
    return f"shared({variable})" if kind == "atomic" else clause(variable, operation,
                                                                 "in_reduction")


def member(p: FortranProgram, where: FortranWhere, sum_of: tuple[str, str, str] | None,
           cancel: str | None) -> None:
    """What such a task does."""
    if cancel is None and p.dice.random() < 0.2:
        p.pragma("cancel taskgroup if(never /= 0)")
    if sum_of:
        variable, operation, kind = sum_of
        if kind == "atomic":
            p.pragma("atomic")
        p.combine(where, variable, operation)
    p.once(where, 2)
    if cancel is not None and p.dice.random() < 0.7:
        p.pragma("cancel taskgroup", cancel)
        p.once(where, 1)
        p.pragma("cancellation point taskgroup")


def cancelled_group(p: FortranProgram, where: FortranWhere) -> None:
    """Tasks of a group that some of them cancel."""
    inside = where.inside(sums=(), lost=True)
    with p.construct("taskgroup"):
        for _ in range(p.dice.randrange(2, 5)):
            group_member(p, inside, None, who_cancels(p, inside))
        if p.dice.random() < 0.3:
            p.once(inside, 1)


def task_loop(p: FortranProgram, where: FortranWhere) -> None:
    """A taskloop of one loop or two, alone or together with a region of its own."""
    reduced, own = p.new_sum(OF_TASKS), new_copy(p, *SCALAR_ALLOCATABLES)
    last, clauses = new_copy(p, *SCALAR_ALLOCATABLES), taskloop_clauses(p, where)
    directive, waits = "taskloop", p.dice.random() < 0.7
    loop, inside = around(p, where, sums=(), in_untied=is_untied(where, clauses))
    if waits and where.may_fork and p.dice.random() < 0.15:
        directive = p.dice.choice(("parallel masked taskloop", "parallel master taskloop"))
        inside = replace(inside, level=where.level + 1)
    second = new_loop(p, p.trips(inside, 7)) if p.dice.random() < 0.2 else None
    reduces, copies = waits and p.dice.random() < 0.5, waits and p.dice.random() < 0.3
    is_last = waits and not second and not where.lost and loop.trips > 0 and p.dice.random() < 0.3
    trips = loop.trips * (second.trips if second else 1)
    with p.block():
        for declaration in (loop.declaration, own.declaration, last.declaration,
                            second.declaration if second else ""):
            p.put(declaration)
        p.put_sum(*reduced)
        p.put(own.first("8_num"))
        p.put(last.first("7_num"))
        with p.loop(directive, p.maybe(0.5, *TASKLOOP_SHARES), f"firstprivate({own.name})",
                    clause(*reduced) if reduces else "",
                    f"lastprivate({last.name})" if copies else "",
                    f"lastprivate({loop.variable})" if is_last else "",
                    "collapse(2)" if second else "", "" if waits else "nogroup", clauses,
                    head=loop.head):
            with p.block(second.head) if second else nullcontext():
                if second:
                    inside = inside.inside(second.variable, max(second.trips, 1))
                p.check(own.differs("8_num"))
                if reduces:
                    p.combine(inside, *reduced)
                p.once(inside, 2)
                if copies:
                    p.put(last.first(p.value(inside)))
        if is_last:
            p.check(f"{loop.variable} /= {loop.beyond}")
        p.put(p.adding(where, f"{p.outcome(*reduced)} + {last.weight if trips else 0}", 5))


def simd_tasks(p: FortranProgram, where: FortranWhere) -> None:
    """A taskloop that may have nothing inside but plain statements."""
    reduced = p.new_sum(OF_TASKS)
    loop, inside = around(p, where)
    with p.block():
        p.put(loop.declaration)
        p.put_sum(*reduced)
        with p.loop("taskloop simd", p.maybe(0.5, *TASKLOOP_SHARES), clause(*reduced),
                    taskloop_clauses(p, where), head=loop.head):
            p.combine(inside, *reduced)
        p.put(p.adding(where, p.outcome(*reduced), 5))


def chased(p: FortranProgram, where: FortranWhere) -> None:
    """A task for each element of a list with pointers."""
    first, at, total = p.name("p"), p.name("p"), p.name("x")
    clauses, elements = task_clauses(p, where), p.dice.randrange(0, 9)
    with p.block():
        p.put(f"type(node), pointer :: {first}, {at}")
        p.put(f"integer(num) :: {total}")
        p.put(f"{total} = 0")
        p.put(f"call make_nodes({first}, {elements}, {p.value(where)})")
        p.put(f"{at} => {first}")
        with p.construct("taskgroup"), p.block(f"do while (associated({at}))"):
            with p.construct("task", f"firstprivate({at}) shared({total})", clauses):
                p.pragma("atomic")
                p.put(f"{total} = {total} + {at}%value")
                p.once(where.inside(f"{at}%value", max(elements, 1), sums=(),
                                    in_untied=is_untied(where, clauses)), 2)
            p.put(f"{at} => {at}%next")
        p.put(p.adding(where, total))
        p.put(f"call free_nodes({first})")


def repeated(p: FortranProgram, where: FortranWhere) -> None:
    loop, inside = around(p, where, 12)
    with p.declared(where, False, loop.declaration), p.block(loop.head):
        p.once(inside)


def branch(p: FortranProgram, where: FortranWhere) -> None:
    if p.dice.random() < 0.3:
        head, first, other = f"select case (mod({p.value(where)}, 3_num))", "case (1:)", "case (0)"
    else:
        head, first, other = f"if ({p.condition(where)}) then", "continue", "else"
    with p.block(head):
        p.put(first)
        p.once(where.inside(), 2)
        p.put(other)
        p.once(where.inside(), 2)


def other_threads(p: FortranProgram, where: FortranWhere) -> None:
    """Another nthreads-var, of this task and of those that inherit it meanwhile."""
    before, number = p.name("t"), f"{p.dice.randrange(1, 6)}{p.maybe(0.3, '_8')}"
    with p.block():
        p.put(f"integer :: {before}")
        p.put(f"!$ {before} = omp_get_max_threads()")
        p.put(f"!$ call omp_set_num_threads({number})")
        p.once(where.inside())
        p.put(f"!$ call wants_threads(int({number}), __LINE__)")
        p.put(f"!$ call omp_set_num_threads({before})")


def associated(p: FortranProgram, where: FortranWhere) -> None:
    """Tasks inside have the name for what it stands for, not a copy, so they are waited for."""
    name = p.name("a")
    with p.block(f"associate ({name} => {p.value(where)})"), p.construct("taskgroup"):
        p.once(where.inside(name), 2)


FORTRAN_ONCE = [(10, FortranProgram.add), (6, task), (5, task_with_result), (4, group),
                (5, task_loop), (1, simd_tasks), (2, chased), (4, dependences),
                (2, cancelled_group), (3, tree), (3, host), (2, passed),
                (3, repeated), (2, branch), (1, associated), (2, target), (1, wait),
                (1, FortranProgram.look), (1, other_threads), (7, region)]
