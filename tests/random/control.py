# SPDX-License-Identifier: Apache-2.0
"""Random programs that carry along what all control variables of a task have to be. Called by
generate.py.

Each construct makes a `struct control` of the one around it (control_prelude.h), each routine that
sets a variable is tracked in it, and check() compares it with what the other routines answer.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from program import Program

PRELUDE = Path(__file__).with_name("control_prelude.h")
BINDS = {"master": 2, "close": 3, "spread": 4}
ALLOCATORS = ("default", "large_cap", "const", "high_bw", "low_lat", "cgroup", "pteam", "thread")


@dataclass(frozen=True)
class Task:
    """Where a statement stands: in a task with the variables that `variable` has."""

    variable: str
    depth: int = 0
    in_team: bool = False      # each thread of the team is here
    may_set: bool = True       # no other task has the same variables
    in_league: bool = False    # only what may stand right in a teams construct
    is_explicit: bool = False
    in_region: bool = False    # of whatever size
    in_target: bool = False

    def inside(self, **changes) -> Task:
        return replace(self, depth=self.depth + 1, **changes)


class ControlProgram(Program):
    most_lines = 500

    def __init__(self, seed: int):
        super().__init__(seed, [], [])
        self.serial = self.dice.random() < 0.15  # regions of one thread, and dyn-var as well

    def text(self) -> str:
        return "\n".join(["#ifndef _OPENMP", "#include <stdio.h>",
                          'int main(void) { puts("errors 0"); return 0; }', "#else",
                          PRELUDE.read_text(), *self.functions, "", "int main(void) {", *self.lines,
                          "}", "#endif", ""])

    def check(self, task: Task) -> None:
        self.put(f"check(&{task.variable}, __LINE__);")

    def begin(self, outer: Task, how: str, **changes) -> Task:
        """A task of its own, whose variables follow from the task around it."""
        name = self.name("x")
        self.put(f"struct control {name} = {how.replace('OUTER', '&' + outer.variable)};")
        return outer.inside(variable=name, in_team=False, in_league=False, may_set=True, **changes)

    def some(self, task: Task, most: int = 3) -> None:
        for _ in range(self.dice.randrange(1, most + 1)):
            full = len(self.lines) + len(self.functions) > self.most_lines or task.depth > 5
            if task.in_league:
                table = LEAF if full else LEAGUE
            else:
                table = LEAF if full else ANY + task.in_team * TEAM
            self.pick(table)(self, task)
        if self.dice.random() < 0.6:
            self.check(task)


Statement = Callable[[ControlProgram, Task], None]


# One routine each


def set_one(p: ControlProgram, task: Task) -> None:
    if not task.may_set or task.in_league:
        return p.check(task)
    x, choice = task.variable, p.dice.choice
    setters = [f"set_threads(&{x}, {choice((1, 2, 3, 4, 5))});"] * 3
    setters += [f"set_levels(&{x}, {choice(('0', '1', '2', '3', '-1', '100', 'INT_MAX'))});"] * 3
    setters += [f"set_device(&{x}, {choice(('0', '1', '5', 'host_device'))});"]
    kind = choice(("omp_sched_static", "omp_sched_dynamic", "omp_sched_guided", "omp_sched_auto",
                   "omp_sched_dynamic | omp_sched_monotonic", "99", "0"))
    chunk = choice(("0", "-1", "1", "3", "100", "INT_MAX", "INT_MIN"))
    setters += [f"set_schedule(&{x}, {kind}, {chunk});"] * 2
    if not task.is_explicit:  # of the implicit task, as OpenMP 5.0 has it
        setters += [f"set_allocator(&{x}, omp_{choice(ALLOCATORS)}_mem_alloc);",
                    f"set_allocator(&{x}, omp_null_allocator);"]
    if p.serial:
        setters += [f"set_dynamic(&{x}, {choice((0, 1, 7, -1))});"]
    return p.put(choice(setters))


def set_device_variable(p: ControlProgram, _: Task) -> None:
    """In the initial task alone, while there is no other."""
    p.put(p.dice.choice((f"set_teams({p.dice.choice((0, 1, 2, 3, -1))});",
                         f"set_teams_limit({p.dice.choice((0, 1, 2, 4, -3))});")))


def pause(p: ControlProgram, task: Task) -> None:
    if task.in_target:  # whose level may be 0
        return p.check(task)
    return p.put(f"pause_all(&{task.variable}, omp_pause_{p.dice.choice(('soft', 'hard'))}, "
                 "__LINE__);")


# Regions and leagues


def region(p: ControlProgram, task: Task) -> None:
    clauses, asked, condition, bind = [], 0, "1", ""
    if p.serial:
        condition = "0"
    elif p.dice.random() < 0.6:
        asked = p.dice.choice((1, 2, 2, 3, 4) if task.depth else (2, 3, 5, 8))
        clauses.append(f"num_threads({asked})")
    if p.serial or p.dice.random() < 0.2:
        condition = "0" if p.serial else p.dice.choice(("0", "one"))
        clauses.append(f"if(parallel : {condition})")
    if p.dice.random() < 0.3:
        bind = p.dice.choice(list(BINDS))
        clauses.append(f"proc_bind({bind})")
    p.pragma("parallel", *clauses)
    with p.block():
        inner = p.begin(task, f"in_region(OUTER, {asked}, {condition}, {BINDS.get(bind, 0)}, "
                              "__LINE__)", is_explicit=False, in_region=True)
        p.some(replace(inner, in_team=True), 4)
        p.check(inner)


def league(p: ControlProgram, task: Task, target: str = "") -> None:
    """Of the host in the initial task, or in a target region."""
    asked, limit = p.dice.choice((0, 1, 2, 3)), p.dice.choice((0, 0, 1, 2, 3, 8))
    p.pragma(target, "teams", f"num_teams({asked})" if asked else "",
             f"thread_limit({limit})" if limit else "")
    with p.block():
        if target:
            task = p.begin(task, f"in_target(OUTER, {limit}, 0)", in_target=True)
        inner = p.begin(task, f"in_league(OUTER, {asked}, {limit}, __LINE__)", is_explicit=False)
        p.some(replace(inner, in_league=True, may_set=False))


def distribute(p: ControlProgram, task: Task) -> None:
    p.pragma("distribute", p.maybe(0.5, "dist_schedule(static, 1)"))
    with p.block(f"for (int i = 0; i < {p.dice.randrange(1, 5)}; ++i)"):
        p.some(task.inside(in_league=False, may_set=False))


def target(p: ControlProgram, task: Task) -> None:
    if task.in_target:
        return p.check(task)
    # Inside regions, lists of clang's begin with their first item again.
    if not task.in_region and p.dice.random() < 0.3:
        return league(p, task, "target")
    limit = p.dice.choice((0, 0, 0, 1, 2, 8))
    waits, has_limit = p.maybe(0.4, "nowait", "depend(inout : one)"), f"thread_limit({limit})"
    p.pragma("target", p.maybe(0.5, "device(host_device)", "if(target : 0)"), waits,
             has_limit if limit else "", f"firstprivate({task.variable})")
    with p.block():
        inner = p.begin(task, f"in_target(OUTER, {limit}, {int(bool(waits or limit))})",
                        in_target=True)
        # Clang's is_explicit would be 1 where it makes a task of it; what it sets may be the
        # variables of the task around.
        p.some(replace(inner, may_set=False, is_explicit=True))
    return p.pragma("taskwait") if waits == "nowait" else None


# Tasks


def task_clauses(p: ControlProgram) -> tuple[str, bool, bool]:
    """The clauses, whether it is final, and whether another thread may run it."""
    clause = p.dice.choice(("", "if(0)", "final(1)", "final(one) mergeable", "mergeable",
                            "priority(3)"))
    return clause, "final" in clause, clause != "if(0)"


def explicit(p: ControlProgram, task: Task, is_final: bool = False, deferred: bool = True,
             may_set: bool = True) -> None:
    """What a task does."""
    inner = p.begin(task, f"in_task(OUTER, {int(is_final)}, {int(deferred)})", is_explicit=True)
    p.some(replace(inner, may_set=may_set), 2)


def plain_task(p: ControlProgram, task: Task) -> None:
    clauses, is_final, deferred = task_clauses(p)
    p.pragma("task", clauses, f"firstprivate({task.variable})")
    with p.block():
        explicit(p, task, is_final, deferred)
    if p.dice.random() < 0.4:
        p.pragma("taskwait")


def task_with_event(p: ControlProgram, task: Task) -> None:
    """Fulfilled by itself, by its creator, by another task, or by another thread of the user."""
    event, thread = p.name("event"), p.name("thread")
    how = p.dice.choice(("itself", "creator", "task", "thread"))
    with p.block():
        p.put(f"omp_event_handle_t {event};")
        p.pragma(f"task detach({event}) firstprivate({task.variable})")
        with p.block():
            explicit(p, task)
            p.put(f"omp_fulfill_event({event});" if how == "itself" else ";")
        if how == "task":
            p.pragma(f"task firstprivate({event})")
        if how in ("task", "creator"):
            p.put(f"omp_fulfill_event({event});")
        if how == "thread":
            p.put(f"pthread_t {thread};")
            p.put(f"pthread_create(&{thread}, NULL, fulfill, (void *){event});")
            p.put(f"pthread_join({thread}, NULL);")
        p.pragma("taskwait")


def task_loop(p: ControlProgram, task: Task) -> None:
    clause, share = p.dice.choice(("", "if(0)", "final(1)")), p.dice.choice((1, 2))
    p.pragma("taskloop", f"grainsize({share})", clause, f"firstprivate({task.variable})")
    with p.block(f"for (int i = 0; i < {p.dice.randrange(1, 6)}; ++i)"):
        # What one iteration sets stays for the others of its task.
        explicit(p, task, "final" in clause, clause != "if(0)", may_set=share == 1)


def tasks_in_order(p: ControlProgram, task: Task) -> None:
    """With dependences, and their creator's variables change between them."""
    with p.block():
        p.put("int order = 0;")
        for _ in range(p.dice.randrange(2, 5)):
            if p.dice.random() < 0.5:
                set_one(p, task)
            clauses, is_final, deferred = task_clauses(p)
            kind = p.dice.choice(("in", "out", "inout", "mutexinoutset"))
            p.pragma(f"task depend({kind} : order) firstprivate({task.variable})", clauses)
            with p.block():
                explicit(p, task, is_final, deferred)
        p.pragma("taskwait")


def task_group(p: ControlProgram, task: Task) -> None:
    p.pragma("taskgroup")
    with p.block():
        p.some(task.inside(in_team=False))


def cancelled_group(p: ControlProgram, task: Task) -> None:
    p.pragma("taskgroup")
    with p.block("for (int i = 0; i < 4; ++i)"):
        p.pragma("task firstprivate(i)")
        with p.block("if (i == 1)"):
            p.pragma("cancel taskgroup")
    p.check(task)


# What each thread of a team does


def loop(p: ControlProgram, task: Task) -> None:
    kind = p.dice.choice(("static", "static, 1", "dynamic", "guided, 2", "runtime", "auto",
                          "monotonic : dynamic"))
    ordered = p.maybe(0.2, "ordered")
    p.pragma(f"for schedule({kind})", ordered, "" if ordered else p.maybe(0.3, "nowait"))
    with p.block(f"for (int i = 0; i < {p.dice.randrange(1, 8)}; ++i)"):
        if ordered:
            p.pragma("ordered")
            p.check(task)
        else:
            p.some(task.inside(in_team=False), 2)


def cancelled_loop(p: ControlProgram, task: Task) -> None:
    p.pragma("for schedule(dynamic)")
    with p.block("for (int i = 0; i < 6; ++i)"):
        p.pragma("cancel for if(i == 2)")
        p.check(task)
        p.pragma("cancellation point for")
    p.check(task)


def sections(p: ControlProgram, task: Task) -> None:
    p.pragma("sections")
    with p.block():
        for _ in range(p.dice.randrange(1, 4)):
            p.pragma("section")
            with p.block():
                p.some(task.inside(in_team=False), 2)


def one_thread(p: ControlProgram, task: Task) -> None:
    p.pragma(p.dice.choice(("single", "single nowait", "master", "masked filter(1)",
                            "critical(one)")))
    with p.block():
        p.some(task.inside(in_team=False))


def barrier(p: ControlProgram, task: Task) -> None:
    set_one(p, task)
    p.pragma("barrier")
    p.check(task)


# Threads and processes


def called(p: ControlProgram, task: Task) -> None:
    """A function, whose caller has what it sets."""
    name = p.name("f")
    with p.function(f"{name}(struct control *outer)"):
        p.put("struct control x = *outer;")
        p.some(task.inside(variable="x"))
        p.put("*outer = x;")
    p.put(f"{name}(&{task.variable});")


def other_host(p: ControlProgram, task: Task) -> None:
    """Another thread of the user, beside this one or what this one does meanwhile."""
    name, thread = p.name("host"), p.name("thread")
    with p.function(f"*{name}(void *nothing)"):
        p.put("struct control x = initial;")
        p.some(Task("x", task.depth + 2))
        p.put("return nothing;")
    with p.block():
        p.put(f"pthread_t {thread};")
        p.put(f"pthread_create(&{thread}, NULL, {name}, NULL);")
        p.some(task.inside(in_team=False), 2)
        p.put(f"pthread_join({thread}, NULL);")


def forked(p: ControlProgram, task: Task) -> None:
    """A child that goes on, of the initial task."""
    child, status = p.name("child"), p.name("status")
    with p.block():
        p.put(f"int {status} = 0;")
        p.put(f"const pid_t {child} = fork();")
        with p.block(f"if ({child} == 0)"):
            p.some(task.inside())
            p.put("_exit(errors != 0);")
        p.put(f"waitpid({child}, &{status}, 0);")
        p.put(f'compare("child", 0, {status}, __LINE__);')


LEAF: list[tuple[int, Statement]] = [(1, ControlProgram.check)]
ANY: list[tuple[int, Statement]] = [
    (6, ControlProgram.check), (8, set_one), (1, pause), (8, region), (5, plain_task), (2, target),
    (2, task_with_event), (2, task_loop), (2, tasks_in_order), (2, task_group), (1, other_host),
    (1, cancelled_group), (2, called)]
TEAM: list[tuple[int, Statement]] = [
    (3, loop), (1, cancelled_loop), (1, sections), (4, one_thread), (3, barrier)]
LEAGUE: list[tuple[int, Statement]] = [(3, ControlProgram.check), (6, region), (2, distribute)]
MAIN: list[tuple[int, Statement]] = [(3, set_one), (2, set_device_variable), (6, region),
                                     (3, league), (2, other_host), (2, forked), (2, called)]

# What a run is given, beside what every random program may have.
VARIABLES = {
    "OMP_NUM_THREADS": ("4", "3,2", "4,3,2", "2,2,2,2", "1,2,3", " 3 , 2 "),
    "OMP_MAX_ACTIVE_LEVELS": ("0", "1", "2", "3", "300"),
    "OMP_SCHEDULE": ("static", "dynamic,3", "guided", "auto", "monotonic:dynamic,2",
                     "nonmonotonic:guided,2", " Static , 2 "),
    "OMP_PROC_BIND": ("true", "false", "close", "primary", "spread,close", "close,master,spread"),
    "OMP_PLACES": ("threads", "cores", "sockets", "{0},{0}", "{0}:1", "threads(1)"),
    "OMP_NUM_TEAMS": ("1", "2", "3"),
    "OMP_TEAMS_THREAD_LIMIT": ("1", "2", "16"),
    "OMP_DEFAULT_DEVICE": ("0", "1", "3"),
    "OMP_ALLOCATOR": ("omp_large_cap_mem_alloc", "omp_thread_mem_alloc"),
    "OMP_THREAD_LIMIT": ("1", "3", "6", "2147483647"),
    "OMP_CANCELLATION": ("true",),
    "OMP_MAX_TASK_PRIORITY": ("5",),
    "HEDDLE_TASK_POLICY": ("ompi", "bff", "wlll:maxtasks=4", "cilk"),
    "KMP_ENABLE_TASK_THROTTLING": ("0",),
}
FOR_HOST = ("OMP_PLACES", "OMP_ALLOCATOR")  # have no name for all devices


def control(seed: int) -> str:
    p = ControlProgram(seed)
    p.put("begin();")
    task = p.begin(Task(""), "initial")
    for _ in range(p.dice.randrange(3, 7)):
        p.pick(MAIN)(p, task)
        p.check(task)
    p.put('printf("errors %d\\n", errors);')
    return p.text()


def control_environment(dice: random.Random) -> dict[str, str]:
    chosen = {}
    for name, values in VARIABLES.items():
        if dice.random() < 0.3:
            has_all = name.startswith("OMP_") and name not in FOR_HOST
            chosen[name + (dice.choice(("", "", "_ALL")) if has_all else "")] = dice.choice(values)
    return chosen
