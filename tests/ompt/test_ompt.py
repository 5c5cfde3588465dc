# SPDX-License-Identifier: Apache-2.0
"""The tool interface: what tool.c writes down of the programs of events.c, built by gcc and clang.

ctest runs this with HEDDLE_LIBRARY set. Nothing here depends on which thread runs what: the events are
checked for being complete, paired and about the right threads, regions and tasks.
"""

import os
import shutil
import subprocess
import tempfile
import unittest
from collections import Counter, defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
INCLUDE = HERE.parents[1] / "include"
LIBRARY = Path(os.environ.get("HEDDLE_LIBRARY", HERE.parents[1] / "build/release/lib/libheddle.so"))
COMPILERS = {name: shutil.which(name) for name in ("gcc", "clang-19")}
TIMEOUT = 60

INITIAL, IMPLICIT, EXPLICIT, TARGET = 1, 2, 4, 8
UNDEFERRED, UNTIED, FINAL = 0x08000000, 0x10000000, 0x20000000
COMPLETE, YIELD, CANCEL, DETACH, EARLY, LATE, SWITCH = range(1, 8)
TASKWAIT, TASKGROUP = 5, 6
LOOP_CHUNK = 3
# In the order in which tool.c sets them.
EVENTS = """thread_begin thread_end parallel_begin parallel_end implicit_task task_create
task_schedule dependences task_dependence sync_region sync_region_wait reduction work dispatch masked
mutex_acquire mutex_acquired mutex_released lock_init lock_destroy nest_lock flush cancel control_tool
error""".split()
SOMETIMES = {"dependences", "reduction", "work", "dispatch", "masked", "flush"}
LEAGUE = 4  # as tool.c writes it
SOURCE, SINK = 5, 6


class Event:
    """A line of the log: name, thread, and the other fields, numbers where they are some."""

    def __init__(self, line):
        self.name, *rest = line.split(" ")
        fields = [int(text) if text.lstrip("-").isdigit() else text for text in rest]
        self.thread, self.fields = fields[0] if fields else None, fields[1:]

    def __repr__(self):
        return " ".join(map(str, (self.name, self.thread, *self.fields)))


class Log:
    """What the tool wrote, from the first event of a thread on."""

    def __init__(self, path):
        lines = path.read_text().splitlines()
        self.head = [line for line in lines
                     if line.split(" ")[0] in ("start", "initialize", "set", "refused", "got")]
        self.last = lines[-1]
        self.events = [Event(line) for line in lines[len(self.head):-1]]

    def named(self, name):
        return [event for event in self.events if event.name == name]

    def by_thread(self):
        threads = defaultdict(list)
        for event in self.events:
            threads[event.thread].append(event)
        return threads


def clean_environment(**more):
    own = {name: value for name, value in os.environ.items()
           if not name.startswith(("OMP_", "KMP_", "GOMP_", "HEDDLE_", "LD_"))}
    return own | more


class Tool(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.tool = cls.folder / "tool.so"
        cls.programs = {}
        subprocess.run([COMPILERS["gcc"], "-O1", "-fPIC", "-shared", f"-I{INCLUDE}", HERE / "tool.c",
                        "-o", cls.tool], check=True, timeout=TIMEOUT)
        for name, compiler in COMPILERS.items():
            if compiler:
                cls.programs[name] = cls.folder / name
                subprocess.run([compiler, "-O1", "-fopenmp", HERE / "events.c", "-o",
                                cls.programs[name], "-ldl"], check=True, timeout=TIMEOUT)

    def environment(self, compiler, **more):
        """Of a program of that compiler with the tool, and Heddle."""
        path = {"LD_PRELOAD": str(LIBRARY)} if compiler == "gcc" else {
            "LD_LIBRARY_PATH": str(LIBRARY.parent / "drop-in")}
        return clean_environment(**{"OMP_TOOL_LIBRARIES": str(self.tool)} | path | more)

    def run_program(self, compiler, which, check=True, **environment):
        """Run it with the tool of OMP_TOOL_LIBRARIES; returns the finished process."""
        done = subprocess.run([self.programs[compiler], which], capture_output=True, text=True,
                              timeout=TIMEOUT, env=self.environment(compiler, **environment))
        if check:
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done

    def logs(self, which, **environment):
        """(compiler, log) of a run of each compiler's program, each a subtest."""
        for compiler in self.programs:
            for policy in ("", "false"):
                with self.subTest(program=which, compiler=compiler, throttling=policy):
                    path = self.folder / "log"
                    more = {"KMP_ENABLE_TASK_THROTTLING": policy} if policy else {}
                    self.run_program(compiler, which, OMPT_TEST_LOG=str(path), **more, **environment)
                    log = Log(path)
                    self.check_threads(log)
                    self.check_regions(log)
                    self.check_tasks(log)
                    self.check_waits(log)
                    self.check_work(log)
                    yield compiler, log

    def check_threads(self, log):
        """Each thread begins first and ends last, and the tool ends after all of them."""
        for thread, events in log.by_thread().items():
            self.assertNotEqual(thread, 0, events[:3])
            self.assertEqual(events[0].name, "thread_begin", events[:3])
            self.assertEqual(events[-1].name, "thread_end", events[-3:])
            self.assertEqual(sum(event.name in ("thread_begin", "thread_end") for event in events), 2)
        self.assertEqual(Counter(event.fields[0] for event in log.named("thread_begin"))[1], 1)
        self.assertEqual(log.last, "finalize 5")

    def check_regions(self, log):
        """Each region begins and ends once, and has as many implicit tasks as threads."""
        begun = {event.fields[0]: event for event in log.named("parallel_begin")}
        ended = {event.fields[0]: event for event in log.named("parallel_end")}
        self.assertEqual(set(begun), set(ended))
        for number, begin in begun.items():
            _, task, requested, invoker, in_runtime, has_code = begin.fields
            self.assertEqual(ended[number].fields, [number, task, invoker, 1])
            self.assertEqual((in_runtime, has_code, begin.thread), (1, 1, ended[number].thread))
            tasks = [event for event in log.named("implicit_task")
                     if event.fields[0] == "begin" and event.fields[1] == number]
            self.assertEqual(sorted(event.fields[4] for event in tasks), list(range(requested)))
            self.assertEqual({event.fields[3] for event in tasks}, {requested})
        begun_tasks = Counter(event.fields[2] for event in log.named("implicit_task")
                              if event.fields[0] == "begin")
        ended_tasks = Counter(event.fields[2] for event in log.named("implicit_task")
                              if event.fields[0] == "end")
        self.assertEqual(begun_tasks, ended_tasks)

    def check_tasks(self, log):
        """A task is created once, begins once, ends once where it began, and is seen meanwhile."""
        created = {event.fields[0]: event for event in log.named("task_create")}
        self.assertEqual(len(created), len(log.named("task_create")))
        parents = {event.fields[2] for event in log.named("implicit_task")} | set(created)
        for event in created.values():
            self.assertIn(event.fields[1], parents)
            self.assertTrue(event.fields[2] & (EXPLICIT | TARGET | 16), event)
            self.assertEqual(event.fields[4:], [1, 1], event)
        discarded = {event.fields[0] for event in log.named("cancel") if event.fields[1] & 0x40}
        begun, ended, cancelled = Counter(), Counter(), Counter()
        for thread, events in log.by_thread().items():
            running = []
            for event, after in zip(events, events[1:]):
                if event.name != "task_schedule":
                    continue
                prior, status, following = event.fields
                if status in (SWITCH, YIELD):
                    self.assertIn(following, created)
                    begun[following] += 1
                    running.append((prior, following))
                    self.assertEqual(after.name, "info")
                    self.assertEqual((after.fields[0], after.fields[1]), (2, following))
                    self.assertEqual(after.fields[2], after.fields[5])  # the region, both ways
                elif prior in discarded:
                    self.assertEqual(status, CANCEL)
                    self.assertIn(following, parents)
                    cancelled[prior] += 1
                elif status in (COMPLETE, CANCEL, DETACH):
                    self.assertEqual(running.pop(), (following, prior))
                    ended[prior] += 1
            self.assertEqual(running, [], thread)
        self.assertEqual(begun, ended)
        self.assertLessEqual(max(begun.values(), default=0), 1)
        self.assertEqual(cancelled, Counter(discarded))
        deferred = {number for number, event in created.items()
                    if event.fields[2] & (EXPLICIT | TARGET)}
        self.assertEqual(deferred, set(begun) | discarded)

    def check_waits(self, log):
        """Waiting regions nest on each thread, and end as what they began as."""
        for events in log.by_thread().values():
            open_regions = []
            for event in events:
                if event.name not in ("sync_region", "sync_wait"):
                    continue
                endpoint, kind, region, task = event.fields
                if endpoint == "begin":
                    open_regions.append((event.name, kind, task))
                else:
                    self.assertEqual(open_regions.pop(), (event.name, kind, task))
            self.assertEqual(open_regions, [])

    def test_what_a_tool_is_given(self):
        for _, log in self.logs("regions"):
            self.assertRegex(log.head[0], r"^start 2\d{5} Heddle \d")
            self.assertEqual(log.head[1], "initialize 0 3 0")
            self.assertEqual(log.head[2:-2],
                             [f"set {name} {3 if name in SOMETIMES else 5}" for name in EVENTS])
            self.assertEqual(log.head[-2:], ["refused 1 1 0 0", "got 0 0"])

    def check_work(self, log):
        """Work and synchronizing regions nest on each thread, and end as what they began as, also
        where threads leave for what is cancelled; a loop's chunks are told inside."""
        for events in log.by_thread().values():
            open_regions = []
            for event in events:
                if event.name == "dispatch" and event.fields[0] == LOOP_CHUNK:
                    self.assertTrue(open_regions, event)
                if event.name not in ("work", "sync_region"):
                    continue
                endpoint, kind, _, task = event.fields[:4]
                if event.name == "work":
                    self.assertEqual(event.fields[5], 1, event)  # the code
                if endpoint == "begin":
                    open_regions.append((event.name, kind, task))
                else:
                    self.assertEqual(open_regions.pop(), (event.name, kind, task))
            self.assertEqual(open_regions, [])

    def test_regions(self):
        for compiler, log in self.logs("regions"):
            self.assertEqual(sorted(event.fields[2] for event in log.named("parallel_begin")),
                             [1, 1, 2, 3])
            kinds = Counter(event.fields[1] for event in log.named("sync_region")
                            if event.fields[0] == "begin")
            self.assertEqual((kinds[3], kinds[9]), (3, 3 + 2 + 2), compiler)

    def check_league(self, which):
        """Each team has an initial task, in it a region of one thread, and in that the program's."""
        for _, log in self.logs(which):
            (league,) = [event.fields[0] for event in log.named("parallel_begin")
                         if event.fields[3] & LEAGUE]
            initial = [event.fields[2] for event in log.named("implicit_task")
                       if event.fields[0] == "begin" and event.fields[1] == league]
            self.assertEqual(len(set(initial)), 3)
            teams = {event.fields[0]: event.fields[1] for event in log.named("parallel_begin")
                     if event.fields[1] in initial}
            self.assertEqual(sorted(teams.values()), sorted(initial))
            implicit = [event.fields[2] for event in log.named("implicit_task")
                        if event.fields[0] == "begin" and event.fields[1] in teams]
            self.assertEqual(len(set(implicit)), 3)
            inside = [event.fields[1] for event in log.named("parallel_begin")
                      if event.fields[0] != league and event.fields[0] not in teams]
            self.assertEqual(sorted(inside), sorted(implicit))

    def test_leagues(self):
        self.check_league("leagues")

    def test_leagues_in_target_regions(self):
        self.check_league("target_leagues")

    def test_doacross(self):
        for _, log in self.logs("doacross"):
            told = defaultdict(list)
            for events in log.by_thread().values():
                ends = [event for event in events if event.name == "dependence"]
                for outer, inner in zip(ends[::2], ends[1::2]):
                    self.assertEqual(outer.fields[:2], inner.fields[:2])
                    told[outer.fields[1]].append((outer.fields[2], inner.fields[2]))
            everywhere = [(i, j) for i in range(7) for j in range(3)]
            self.assertEqual(sorted(told[SOURCE]), everywhere)
            self.assertEqual(sorted(told[SINK]), everywhere[:-3])

    def test_tasks(self):
        for _, log in self.logs("tasks"):
            created = log.named("task_create")
            self.assertEqual(len(created), 176 + 10 + 1 + 2)  # fib(10) makes 176
            flags = Counter(event.fields[2] & ~UNDEFERRED for event in created)
            self.assertEqual(flags[EXPLICIT | UNTIED], 10)
            self.assertEqual(flags[EXPLICIT | FINAL], 2)
            self.assertGreaterEqual(
                sum(event.fields[2] & UNDEFERRED != 0 for event in created), 2)
            kinds = Counter(event.fields[1] for event in log.named("sync_region")
                            if event.fields[0] == "begin")
            self.assertEqual(kinds[TASKWAIT], 88)  # of fib(10): one a call with children
            self.assertEqual(kinds[TASKGROUP], 1)

    def test_target_task(self):
        for _, log in self.logs("target_task"):
            (task,) = log.named("task_create")
            self.assertEqual(task.fields[2] & ~UNDEFERRED, TARGET | UNTIED)

    def test_dependences(self):
        for _, log in self.logs("dependences"):
            created = [event for event in log.named("task_create") if event.fields[3]]
            self.assertEqual(len(created), 20)
            listed = log.named("dependence")
            self.assertEqual([event.fields[1:] for event in listed], [[3, 1]] * 20)
            self.assertEqual({event.fields[0] for event in listed},
                             {event.fields[0] for event in created})
            order = [event.fields[0] for event in created]
            for pair in log.named("task_dependence"):
                self.assertEqual(order.index(pair.fields[0]) + 1, order.index(pair.fields[1]))

    def test_loops(self):
        for _, log in self.logs("loops"):
            for kind in (11, 12):  # dynamic, guided
                ends = [event for event in log.named("work") if event.fields[1] == kind]
                self.assertEqual(Counter((event.thread, event.fields[0]) for event in ends),
                                 Counter({(event.thread, end): 1 for event in ends
                                          for end in ("begin", "end")}))
                self.assertEqual({event.fields[4] for event in ends if event.fields[0] == "begin"},
                                 {40})
            chunks = [event for event in log.named("dispatch") if event.fields[0] == LOOP_CHUNK]
            self.assertEqual(sum(event.fields[4] for event in chunks), 80)
            of_tasks = [event for event in log.named("dispatch") if event.fields[0] == 4]
            self.assertEqual(sum(event.fields[4] for event in of_tasks), 20)
            singles = Counter(event.fields[1] for event in log.named("work")
                              if event.fields[0] == "begin")
            self.assertEqual((singles[3], singles[4], singles[7]), (1, 1, 1))

    def test_combined_constructs(self):
        for _, log in self.logs("combined", OMP_MAX_ACTIVE_LEVELS="2"):
            kinds = Counter(event.fields[1] for event in log.named("work")
                            if event.fields[0] == "begin")
            self.assertEqual((kinds[11], kinds[12], kinds[2]), (2, 8 * 2, 2 + 2))
            self.assertEqual((kinds[3], kinds[4]), (1, 1))
            chunks = [event for event in log.named("dispatch") if event.fields[0] == LOOP_CHUNK]
            self.assertEqual(sum(event.fields[4] for event in chunks), 8 + 8 * 5)

    def test_loops_that_are_left(self):
        for _, log in self.logs("left", OMP_CANCELLATION="true"):
            kinds = Counter(event.fields[1] for event in log.named("work")
                            if event.fields[0] == "begin")
            self.assertEqual(kinds[11], 2)
            self.assertGreaterEqual(kinds[12], 1)

    def test_task_reductions(self):
        for _, log in self.logs("task_reductions"):
            kinds = Counter(event.fields[1] for event in log.named("sync_region")
                            if event.fields[0] == "begin")
            self.assertEqual(kinds[TASKGROUP], 2)
            self.assertEqual(len(log.named("task_create")), 8)

    def test_mutexes(self):
        for _, log in self.logs("mutexes"):
            acquired, released = Counter(), Counter()
            for events in log.by_thread().values():
                held, wanted = [], None
                for event in events:
                    if event.name == "mutex_acquire":
                        wanted = event.fields[:2]
                    elif event.name == "mutex_acquired":
                        self.assertEqual(event.fields, wanted)
                        held.append(event.fields[1])
                        acquired[event.fields[0]] += 1
                    elif event.name == "mutex_released":
                        self.assertEqual(held.pop(), event.fields[1])
                        released[event.fields[0]] += 1
                self.assertEqual(held, [])
            self.assertEqual((acquired[1], acquired[2], acquired[3], acquired[5]), (3, 1, 3, 6))
            self.assertEqual((released[1], released[3], released[5]), (4, 3, 6))
            self.assertEqual((acquired[7], released[7]), (6, 6))
            self.assertEqual(Counter(event.fields[0] for event in log.named("nest_lock")),
                             {"begin": 3, "end": 3})
            self.assertEqual([event.fields[0] for event in log.named("lock_init")], [1, 3])
            self.assertEqual([event.fields[0] for event in log.named("lock_destroy")], [1, 3])

    def test_cancellation(self):
        for _, log in self.logs("cancelled", OMP_CANCELLATION="true"):
            flags = Counter(event.fields[1] for event in log.named("cancel"))
            self.assertLessEqual(flags[0x18], 1)  # activated; discarded if it was late
            self.assertGreaterEqual(flags[0x18] + flags[0x48], 1)

    def test_discarded_tasks_destroy_their_copies(self):
        for compiler in self.programs:
            with self.subTest(compiler=compiler):
                program = self.folder / f"{compiler}-objects"
                subprocess.run([COMPILERS[compiler], "-O1", "-fopenmp", HERE / "discarded.cpp",
                                "-lstdc++", "-o", program], check=True, timeout=TIMEOUT)
                done = subprocess.run([program], capture_output=True, text=True, timeout=TIMEOUT,
                                      env=self.environment(compiler, OMP_CANCELLATION="true",
                                                           OMPT_TEST_LOG=str(self.folder / "log")))
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "0\n", ""))

    def test_detached_task(self):
        for _, log in self.logs("detached"):
            of_task = defaultdict(list)
            for event in log.named("task_schedule"):
                if event.fields[1] not in (SWITCH, YIELD):
                    of_task[event.fields[0]].append(event.fields[1])
            self.assertEqual(len(of_task), 200)
            for statuses in of_task.values():
                self.assertIn(statuses, ([EARLY, COMPLETE], [DETACH, LATE]))

    def test_detached_undeferred_task(self):
        for _, log in self.logs("detached_undeferred"):
            statuses = [event.fields[1] for event in log.named("task_schedule")]
            self.assertEqual([status for status in statuses if status in (EARLY, DETACH, LATE)],
                             [DETACH, LATE])

    def test_control_tool(self):
        for compiler in self.programs:
            path = self.folder / "log"
            done = self.run_program(compiler, "control", OMPT_TEST_LOG=str(path))
            self.assertEqual(done.stdout, "17\n")
            self.assertEqual([event.fields for event in Log(path).named("control_tool")],
                             [[3, 4, 0, 1]])
            for off in ({"OMP_TOOL": " Disabled "}, {"OMP_TOOL_LIBRARIES": ""}, {}):
                self.assertEqual(self.run_program(compiler, "control", **off).stdout, "-2\n")

    def test_tool_that_the_program_stops(self):
        for _, log in self.logs("stopped"):
            self.assertEqual(len(log.named("parallel_end")), 2)
            self.assertEqual(len(log.named("implicit_task")), 2 * (2 * 2 + 1))
        for compiler in self.programs:
            self.run_program(compiler, "stopped", OMP_TOOL="disabled")

    def test_tools_that_refuse(self):
        """One that is not there, one without the function, one that wants not to be active."""
        empty = self.folder / "empty.so"
        subprocess.run([COMPILERS["gcc"], "-shared", "-x", "c", "/dev/null", "-o", empty], check=True)
        log = self.folder / "log"
        libraries = f"/nowhere/at/all.so:{empty}:{self.tool}"
        done = self.run_program("gcc", "control", OMP_TOOL_LIBRARIES=libraries,
                                OMPT_TEST_LOG=str(log), OMP_TOOL_VERBOSE_INIT="stdout")
        self.assertIn("Opening /nowhere/at/all.so... Failed: /nowhere/at/all.so: cannot open",
                      done.stdout)
        self.assertIn("undefined symbol: ompt_start_tool", done.stdout)
        self.assertIn("Tool was started and is using the OMPT interface.", done.stdout)
        self.assertTrue(done.stdout.endswith("17\n"))
        done = self.run_program("gcc", "control", OMPT_TEST_LOG=str(log), OMPT_TEST_REFUSES="1")
        self.assertEqual(done.stdout, "-2\n")

    def test_bad_value(self):
        done = self.run_program("gcc", "control", check=False, OMP_TOOL="perhaps")
        self.assertEqual(done.stdout, "-2\n")
        self.assertEqual(done.stderr, "heddle: OMP_TOOL: bad value 'perhaps': expected enabled or "
                                      "disabled; using enabled\n")

    def test_tool_beside_the_program(self):
        """Found without a variable, in a library that was loaded before or after Heddle."""
        log = self.folder / "log"
        for order in ([LIBRARY, self.tool], [self.tool, LIBRARY]):
            done = self.run_program("gcc", "control", OMP_TOOL_LIBRARIES="", OMPT_TEST_LOG=str(log),
                                    LD_PRELOAD=" ".join(map(str, order)))
            self.assertEqual(done.stdout, "17\n")
            self.check_threads(Log(log))
            done = self.run_program("gcc", "forked", OMP_TOOL_LIBRARIES="", OMPT_TEST_LOG=str(log),
                                    LD_PRELOAD=" ".join(map(str, order)))
            self.assertEqual(done.stdout, "17\n")


if __name__ == "__main__":
    unittest.main()
