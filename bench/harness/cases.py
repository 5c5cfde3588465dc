# SPDX-License-Identifier: Apache-2.0
"""What there is to run: each case is one program with its inputs, usual and quick.

An argument may say {threads}, which becomes the size of the team.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

from . import programs


@dataclass(frozen=True)
class Metric:
    """A number that a case reports besides its seconds."""

    key: str
    unit: str
    scale: float = 1.0


@dataclass(frozen=True)
class Case:
    name: str
    program: str  # the folder below bench/
    title: str
    arguments: tuple[str, ...]
    quick: tuple[str, ...]
    metric: Metric | None = None
    least_threads: int = 1
    environment: tuple[tuple[str, str], ...] = ()  # of every contender, beside its own

    @property
    def runtime(self) -> str:
        """What its program needs (programs.Recipe)."""
        return programs.recipe(self.program).runtime

    def command_line(self, threads: int, quick: bool) -> list[str]:
        chosen = self.quick if quick else self.arguments
        return [a.format(threads=threads) for a in chosen] + ["--threads", str(threads)]


TILES = (16, 32, 64, 128, 256)

PER_NODE = Metric("ns_per_node", "ns/node")
PER_TASK = Metric("ns_per_task", "ns/task")
PER_TASK_IN_ALL = Metric("ns_per_task_effective", "us/task", 1e-3)
RATE = Metric("million_tasks_per_second", "Mtasks/s")
PER_PLAN = Metric("ns_per_plan", "ns/plan")
PER_POINT = Metric("ns_per_point", "ns/point")
FLOPS = Metric("gflops", "Gflop/s")
PER_OPERATION = Metric("ns_per_operation", "ns/operation")
PER_STEP = Metric("ns_per_step", "ns/step")
PER_ACQUIRE = Metric("overhead_ns", "ns/lock over the delay")
HOST_REGIONS = Metric("regions_per_second", "regions/s")
REGION = Metric("median_us", "us/region")
SMALL_REGION = Metric("us_per_region", "us/region")
BANDWIDTH = Metric("gb_per_second", "GB/s")
DEVIATION = Metric("deviation_seconds", "ms deviation", 1e3)
PER_ITERATION = Metric("ns_per_iteration", "ns/iteration")
PER_DATUM = Metric("ns_per_point", "ns/point")
PER_PARTICLE = Metric("ns_per_particle", "ns/particle")
MEMORY = Metric("peak_rss_kib", "MiB peak", 1 / 1024)


# By form: its program and variant there, and what the title says.
UTS_FORMS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "taskwait": ("uts", ("taskwait",), "results by taskwait"),
    "untied": ("uts", ("taskwait", "--untied"), "untied tasks"),
    "threadprivate": ("uts", ("threadprivate",), "threadprivate counters"),
    "stealing": ("uts", ("stealing",), "no tasks, chunks stolen by hand"),
    "tbb": ("uts_tbb", ("taskgroup",), "oneTBB, a task group per node"),
    "tbb-counters": ("uts_tbb", ("counters",), "oneTBB, counters per thread"),
    "spawn": ("uts_spawn", ("spawn",), "spawn, results by sync"),
    "reducer": ("uts_spawn", ("reducer",), "spawn and a reducer"),
}
# Also by tree: a quick one of its kind, and the title.
UTS_TREES = {
    "T3": ("tiny3", "Unbalanced tree search (T3)"),
    "T1": ("tiny", "Geometric tree search (T1)"),
}


def _uts(tree: str, form: str) -> Case:
    program, variant, what = UTS_FORMS[form]
    tiny, title = UTS_TREES[tree]
    quick = ("--chunk", "4") if form == "stealing" else ()
    return Case(
        f"uts-{tree.lower()}-{form}",
        program,
        f"{title}, {what}",
        ("--tree", tree, "--variant", *variant),
        ("--tree", tiny, "--variant", *variant, *quick),
        PER_NODE,
    )


# The first six are compiled in, so every runtime runs them alike.
LOCKS = {
    "tas": "test-and-set", "tas_backoff": "test-and-set with backoff", "ticket": "ticket",
    "mcs": "MCS", "mcs_sleep": "MCS with sleep", "futex": "Heddle's futex lock, compiled in",
    "omp": "omp_set_lock", "nest": "omp_set_nest_lock", "critical": "critical",
}
LOCK_MODES = {"null": "Lock and unlock", "delay": "Lock, delay and unlock",
              "share": "Lock again at once"}


def _lock(mode: str, lock: str) -> Case:
    how = ("--mode", mode, "--lock", lock)
    return Case(f"locks-{mode}-{lock}", "locks", f"{LOCK_MODES[mode]}, {LOCKS[lock]}",
                how, (*how, "--acquires", "300"), PER_ACQUIRE)


STRUCTURES = {"fifo": "FIFO", "lifo": "LIFO", "hash": "hash table"}
WAYS = {"lock": "with locks", "lock_free": "lock-free", "backoff": "lock-free with backoff"}


def _structure(structure: str, way: str) -> Case:
    how = ("--structure", structure, "--way", way)
    return Case(f"structures-{structure}-{way}", "structures",
                f"A shared {STRUCTURES[structure]}, {WAYS[way]}",
                how, (*how, "--operations", "300"), PER_OPERATION)


STEPS = {"hand_over": "a word from thread to thread", "exchange": "locked instructions",
         "pair": "pairs of locked instructions"}


def _floor(step: str) -> Case:
    how = ("--step", step)
    return Case(f"floor-{step}", "floor", f"The machine by itself, {STEPS[step]}", how,
                (*how, "--rounds", "1000"), PER_STEP)


FORMS: dict[str, tuple[str, tuple[str, ...]]] = {
    "": ("no cut-off", ()),
    "untied": ("no cut-off, untied", ("--variant", "untied")),
    "if": ("cut off by if clauses", ("--cutoff", "if")),
    "final": ("cut off by final clauses", ("--cutoff", "final")),
    "manual": ("cut off by hand", ("--cutoff", "manual")),
}


def _recursive(program: str, title: str, usual: tuple[str, ...], quick: tuple[str, ...],
               metric: Metric | None = None) -> tuple[Case, ...]:
    """A recursive kernel without cut-off, tied and untied, and tied with each cut-off."""
    return tuple(
        Case(f"{program}-{form}" if form else program, program, f"{title}, {what}",
             (*usual, *how), (*quick, *how), metric)
        for form, (what, how) in FORMS.items()
    )


FIB_PROGRAMS = {"fib_spawn": "by spawn and sync", "fib_tbb": "oneTBB"}


def _fib(program: str, what: str, variant: str) -> Case:
    how = ("--variant", variant)
    return Case(f"{program}-{variant}", program, f"Fibonacci, {what}, {variant} per call",
                ("--n", "30", *how), ("--n", "22", *how), PER_TASK)


def _sparselu(name: str, title: str, *how: str) -> Case:
    return Case(name, "sparselu", f"Sparse LU factorization, {title}", how,
                (*how, "--blocks", "20", "--size", "20", "--density", "0.1"))


def _alignment(name: str, title: str, *how: str) -> Case:
    return Case(name, "alignment", f"Alignment of all pairs of proteins, {title}", how,
                (*how, "--sequences", "20", "--length", "60"))


def _cholesky(tile: int) -> Case:
    how = ("--tile", str(tile))
    return Case(f"cholesky-{tile}", "cholesky", f"Cholesky factorization, tiles of {tile}",
                how, (*how, "--size", "512"), FLOPS)


def _gauss_seidel(block: int) -> Case:
    how = ("--block", str(block))
    return Case(f"gauss_seidel-{block}", "gauss_seidel", f"Gauss-Seidel sweeps, blocks of {block}",
                how, (*how, "--size", "512"), PER_POINT)


def _hosts(name: str, title: str, *arguments: str) -> Case:
    return Case(f"hosts-{name}", "hosts", title,
                ("--hosts", "8", "--regions", "3000", "--microseconds", "10", *arguments),
                ("--hosts", "3", "--regions", "5", "--microseconds", "10", *arguments),
                HOST_REGIONS)


def _dependences(name: str, title: str, *arguments: str, metric: Metric = PER_TASK,
                 least_threads: int = 1) -> Case:
    return Case(f"dependences-{name}", "dependences", title, arguments,
                (*arguments, "--tasks", "40000"), metric, least_threads)


def schedule(text: str) -> tuple[tuple[str, str], ...]:
    """The environment in which loops with schedule(runtime) have that schedule."""
    return (("OMP_SCHEDULE", text),)


def _overheads(group: str, environment: tuple[tuple[str, str], ...] = ()) -> Case:
    """One case per group of rows: a construct that a runtime lacks hides only its own group."""
    chosen = ("--construct", group)
    return Case(f"overheads-{group}", "overheads", f"Construct overheads (EPCC method), {group}",
                chosen, (*chosen, "--repetitions", "5", "--test-us", "200"),
                environment=environment)


# By the end of the name: with what in the environment.
PATTERNS = {"": (), "-bound": (("OMP_PROC_BIND", "close"), ("OMP_PLACES", "cores")),
            "-passive": (("OMP_WAIT_POLICY", "passive"),),
            "-cancellable": (("OMP_CANCELLATION", "true"),)}


def _patterns(group: str, how: str) -> Case:
    chosen = ("--pattern", group)
    told = "".join(f", {name}={value}" for name, value in PATTERNS[how])
    return Case(f"patterns-{group}{how}", "patterns", f"Patterns of programs, {group}{told}",
                chosen, (*chosen, "--repetitions", "3", "--test-us", "50"),
                environment=PATTERNS[how])


def _stream(name: str, title: str, *how: str,
            environment: tuple[tuple[str, str], ...] = ()) -> Case:
    return Case(f"stream-{name}", "stream", f"STREAM, {title}", how,
                (*how, "--n", "20000", "--repetitions", "2"), BANDWIDTH, environment=environment)


# In the order of the program: a task for each block, and a taskloop of as many tasks.
STREAM_TASKS = {"none": "no hints", "clause": "OpenMP's affinity clause",
                "thread": "hints of threads", "data": "hints of data"}
STREAM_TASKLOOPS = {"none": "no hints", "spread": "spread over the team"}


def _named(name: str, hint: str) -> str:
    return name if hint == "none" else f"{name}-{hint}"


# By name: the three programs of the paper on task affinity, figure 2, and the same by data.
MERGESORTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "primary": ("touched by one thread", ("--touch", "primary")),
    "touched": ("touched by all threads", ("--touch", "same")),
    "spread": ("touched by all, tasks spread", ("--touch", "same", "--affinity", "spread")),
    "data": ("touched by all, hints of data", ("--touch", "same", "--affinity", "data")),
}


def _mergesort(name: str) -> Case:
    title, how = MERGESORTS[name]
    return Case(f"mergesort-{name}", "mergesort", f"Mergesort, {title}", how,
                (*how, "--n", "50000", "--repetitions", "2"), DEVIATION)


LOOPS = {"regular": "equal iterations", "triangular": "iterations that grow",
         "decreasing": "iterations that shrink", "random": "random iterations",
         "power": "a power law", "sorted": "a power law, greatest first",
         "bursts": "a tenth with nearly all work", "huge": "one huge iteration"}
LOOP_SCHEDULES = ("static", "dynamic", "guided", "adaptive")


def _scheduled(program: str, title: str, which: str, metric: Metric, usual: tuple[str, ...],
               quick: tuple[str, ...]) -> Case:
    return Case(f"{program}-{which}", program, f"{title}, schedule({which})", usual, quick, metric,
                environment=schedule(which))


def _empty(which: str, name: str) -> Case:
    how = ("--loop", "regular", "--turns", "0")
    return Case(f"irregular-empty-{name}", "irregular", "A loop with an empty body, "
                f"schedule({which})", (*how, "--n", "1000000"), (*how, "--n", "3000"),
                PER_ITERATION, environment=schedule(which))


def _irregular(loop: str, which: str) -> Case:
    how = ("--loop", loop)
    return Case(f"irregular-{loop}-{which}", "irregular", f"A loop with {LOOPS[loop]}, "
                f"schedule({which})", how, (*how, "--n", "3000", "--turns", "20",
                                            "--repetitions", "2"),
                PER_ITERATION, environment=schedule(which))


CASES: tuple[Case, ...] = (
    *(_uts(tree, form) for tree in UTS_TREES for form in UTS_FORMS),
    *_recursive("fib", "Fibonacci, two tasks per call", ("--n", "30"), ("--n", "22"), PER_TASK),
    *(_fib(program, what, variant) for program, what in FIB_PROGRAMS.items()
      for variant in ("two", "one")),
    *_recursive("nqueens", "N queens, all solutions", ("--n", "11"), ("--n", "8")),
    *_recursive("floorplan", "Floorplan search, branch and bound",
                ("--cells", "12"), ("--cells", "9"), PER_PLAN),
    *_recursive("knapsack", "Knapsack, branch and bound",
                ("--items", "24"), ("--items", "16"), PER_NODE),
    *_recursive("strassen", "Strassen's matrix multiplication",
                ("--size", "1024"), ("--size", "256"), PER_TASK_IN_ALL),
    *_recursive("sort", "Mergesort", (), ("--n", "200000")),
    *_recursive("fft", "Fourier transform", (), ("--n", "65536")),
    *_recursive("health", "Hospitals in a tree of villages",
                (), ("--days", "20", "--branching", "8")),
    _alignment("alignment", "one generator"),
    _alignment("alignment-untied", "one generator, untied", "--variant", "untied"),
    _alignment("alignment-for", "all generate", "--generator", "for"),
    _alignment("alignment-for-untied", "all generate, untied",
               "--generator", "for", "--variant", "untied"),
    _sparselu("sparselu", "one generator"),
    _sparselu("sparselu-untied", "one generator, untied", "--variant", "untied"),
    _sparselu("sparselu-for", "all generate", "--generator", "for"),
    _sparselu("sparselu-for-untied", "all generate, untied",
              "--generator", "for", "--variant", "untied"),
    _sparselu("sparselu-small", "one generator, blocks of 20", "--blocks", "100", "--size", "20"),
    Case("prodcons-one", "prodcons", "One producer, all others consume",
         ("--producers", "1"), ("--producers", "1", "--tasks", "100000"), RATE),
    Case("prodcons-all", "prodcons", "Every thread produces and consumes",
         ("--producers", "{threads}"), ("--producers", "{threads}", "--tasks", "100000"), RATE),
    Case("flood", "prodcons", "Flood: one producer, 16 million tiny tasks",
         ("--mode", "flood"), ("--mode", "flood", "--tasks", "500000"), MEMORY, least_threads=2),
    *(_overheads(group) for group in ("sync", "loops", "tasks", "tasks45")),
    _overheads("adaptive", schedule("adaptive")),
    *(_patterns(group, how) for how in PATTERNS
      for group in ("regions", "loops", "sync", "tasks", "doacross")),
    *(_floor(step) for step in STEPS),
    *(_lock(mode, lock) for mode in LOCK_MODES for lock in LOCKS),
    *(_structure(structure, way) for structure in STRUCTURES for way in WAYS),
    *(_cholesky(tile) for tile in TILES),
    *(_gauss_seidel(block) for block in TILES),
    _stream("static", "the compiler's schedule(static)", "--variant", "static"),
    *(_stream(f"loop-{which}", f"schedule({which})", "--variant", "loop",
              environment=schedule(which)) for which in ("static", "adaptive")),
    _stream("loop-adaptive-block", "schedule(adaptive), arrays in a block for each domain",
            "--variant", "loop", "--memory", "block", environment=schedule("adaptive")),
    *(_stream(_named("taskloop", hint), f"a taskloop, {title}", "--variant", "taskloop",
              "--affinity", hint) for hint, title in STREAM_TASKLOOPS.items()),
    *(_stream(_named("task", hint), f"a task for each block, {title}", "--variant", "task",
              "--affinity", hint) for hint, title in STREAM_TASKS.items()),
    *(_mergesort(name) for name in MERGESORTS),
    *(_scheduled("kmeans", "K-Means", which, PER_DATUM, (),
                 ("--n", "3000", "--repetitions", "1")) for which in LOOP_SCHEDULES),
    *(_scheduled("pma", "Particles in a Packed Memory Array", which, PER_PARTICLE, (),
                 ("--particles", "5000", "--steps", "3")) for which in LOOP_SCHEDULES),
    _empty("static", "static"),
    _empty("dynamic,1", "dynamic"),
    _empty("adaptive", "adaptive"),
    *(_irregular(loop, which) for loop in LOOPS for which in ("dynamic", "adaptive")),
    Case("manners-beside", "manners", "Regions while another process burns a CPU",
         ("--scene", "beside", "--seconds", "2"), ("--scene", "beside", "--seconds", "0.1"),
         REGION),
    Case("regions", "regions", "Parallel loops over 1000 elements, one after another",
         (), ("--regions", "500"), SMALL_REGION),
    Case("regions-empty", "regions", "Empty parallel regions, one after another",
         ("--elements", "0"), ("--elements", "0", "--regions", "500"), SMALL_REGION),
    Case("regions-inside", "regions", "Empty parallel regions inside one of one thread",
         ("--elements", "0", "--inside"),
         ("--elements", "0", "--inside", "--regions", "500"), SMALL_REGION),
    Case("hosts", "hosts", "100 threads of a program open regions of 1 ms at once",
         (), ("--hosts", "6", "--regions", "3", "--microseconds", "50"), HOST_REGIONS),
    *(_hosts(*case) for case in (("short", "8 threads of a program open regions of 10 us at once"),
                                 ("dynamic", "The same with dynamic loops", "--what", "dynamic"),
                                 ("tasks", "The same with 8 tasks each", "--what", "tasks"),
                                 ("barriers", "The same with 8 barriers each", "--what", "barriers"),
                                 ("serial", "The same, and 20 us of their own between regions",
                                  "--serial", "20"))),
    Case("hosts-in-turn", "hosts", "2 threads of a program open regions of 10 us in turn",
         ("--hosts", "2", "--regions", "3000", "--microseconds", "10", "--in-turn"),
         ("--hosts", "2", "--regions", "5", "--microseconds", "10", "--in-turn"), HOST_REGIONS),
    Case("hosts-new-threads", "hosts", "a new thread of the program opens each region, and ends",
         ("--hosts", "1", "--regions", "3000", "--microseconds", "10", "--new-threads"),
         ("--hosts", "1", "--regions", "5", "--microseconds", "10", "--new-threads"), HOST_REGIONS),
    _dependences("chains", "Tiny tasks in 64 chains of dependences", "--mode", "chains"),
    _dependences("wavefront", "Tiny tasks, each after those above and to the left",
                 "--mode", "wavefront"),
    _dependences("taskloop", "Taskloops of 64 iterations, a task each", "--mode", "taskloop"),
    _dependences("taskloop-long", "A taskloop of a million iterations, a task each",
                 "--mode", "taskloop", "--length", "1000000"),
    _dependences("flat", "Tiny independent tasks from one thread", "--mode", "flat"),
    _dependences("flood", "Flood: 10 million dependent tasks in 1000 chains",
                 "--mode", "flood", metric=MEMORY, least_threads=2),
    _dependences("distinct", "Flood: 10 million dependent tasks, a location for each",
                 "--mode", "distinct", metric=MEMORY, least_threads=2),
)

DEMO: tuple[str, ...] = ("uts-t3-taskwait", "uts-t3-threadprivate", "fib", "nqueens")


def choose(names: Sequence[str]) -> list[Case]:
    """The cases meant by these names: a case, else a program, else a beginning of names."""
    if not names:
        return list(CASES)
    chosen: list[Case] = []
    for name in names:
        found = (
            [c for c in CASES if c.name == name]
            or [c for c in CASES if c.program == name]
            or [c for c in CASES if c.name.startswith(name)]
        )
        if not found:
            known = " ".join(c.name for c in CASES)
            raise ValueError(f"no benchmark is called '{name}'; there are {known}")
        chosen += [c for c in found if c not in chosen]
    return chosen
