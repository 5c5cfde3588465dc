# SPDX-License-Identifier: Apache-2.0
"""heddle.trace on files made by hand: times and counts are exact, damage is told, nothing crashes.

Run by ctest. Needs nothing but Python.
"""

import io
import json
import random
import re
import resource
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

import reader
from reader import WAIT, make_file

from heddle.trace import events, findings, page, perfetto, replay, sites, summary

MODULES = ((0x1000, 0x1000, 0x9000, "/nowhere/program"),)
FUZZED = 200
MEMORY = 2 << 30  # bytes of address space: far below what a hostile file may claim

# Two threads, times in ns. Thread 0: serial up to 100, a region with a task of 300 in which another
# runs at once for 100, a queued one that thread 1 steals, a barrier.
PRIMARY = [(0, "thread_begin", 1000, 0), (100, "region_begin", 0x2000, 2),
           (120, "task_deferred", 0xF00, 0),
           (200, "task_begin", 0x3000, 0), (300, "task_begin", 0x4000, 0), (400, "task_end", 0, 0),
           (600, "task_end", 0, 0), (700, "idle_begin", 0, WAIT["barrier"]),
           (800, "sleep_begin", 0, 0), (850, "sleep_end", 0, 0), (900, "idle_end", 0, 0),
           (900, "wait_end", 0, 0), (1000, "region_end", 0, 0), (1100, "thread_end", 0, 0)]
SECOND = [(110, "thread_begin", 1001, 1), (150, "implicit_begin", 0x2000, 1),
          (200, "idle_begin", 0, WAIT["region_end"]), (250, "steal", 1, 0), (260, "idle_end", 0, 0),
          (270, "task_origin", 0xF00, 0), (280, "task_begin", 0x3000, 2), (800, "task_end", 0, 0),
          (810, "idle_begin", 0, WAIT["region_end"]), (900, "idle_end", 0, 0),
          (900, "wait_end", 0, 0), (910, "implicit_end", 0, 0)]


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "a.trace"

    def read(self, data):
        self.path.write_bytes(data)
        return events.read(self.path)

    def everything(self, data):
        """All that `heddle trace` does with a file, but for looking names up."""
        trace = self.read(data)
        names = sites.name_addresses(trace, {0x2000, 0x3000})
        chrome = io.StringIO()
        writer = perfetto.ChromeWriter(chrome, trace)
        timeline = page.Timeline(0, 1100)
        result = replay.Replay(trace, (timeline, writer)).run()
        writer.close(result.workers)
        return (trace, result, json.loads(chrome.getvalue())["traceEvents"],
                page.as_html(trace, result, names, timeline),
                summary.as_text(trace, result, names))


class Numbers(Files):
    def setUp(self):
        super().setUp()
        (self.trace, self.result, self.chrome, self.html,
         self.text) = self.everything(make_file([PRIMARY, SECOND], MODULES))

    def test_states(self):
        by_name = [dict(zip(findings.STATES, self.result.workers[i].time_ns)) for i in (0, 1)]
        self.assertEqual(by_name[0], {"running": 700, "scheduling": 0, "waiting": 150, "parked": 50,
                                      "outside": 200})
        # From its begin at 110 to the last event, at 1100.
        self.assertEqual(by_name[1], {"running": 50 + 520 + 10, "scheduling": 20 + 10,
                                      "waiting": 60 + 90, "parked": 0, "outside": 40 + 190})
        self.assertEqual(summary.accounted(self.result), {0: 1.0, 1: 1.0})

    def test_tasks(self):
        outer, inner = (self.result.sites["task", code] for code in (0x3000, 0x4000))
        self.assertEqual((outer.count, outer.self_ns, outer.longest_ns), (2, 300 + 520, 520))
        self.assertEqual(outer.starts, {"at once": 1, "stolen": 1})
        self.assertEqual((inner.count, inner.self_ns), (1, 100))
        self.assertEqual(sum(self.result.histogram), 3)
        region = self.result.sites["region", 0x2000]
        self.assertEqual((region.count, region.wall_ns), (1, 900))
        self.assertEqual(region.waits_ns, {"barrier": 200, "region_end": 150})

    def test_counts(self):
        totals = summary.totals(self.result)
        self.assertEqual({name: totals[name] for name in
                          ("at_once", "deferred", "stolen", "steals", "moved", "regions", "sleeps",
                           "barrier_waits")},
                         {"at_once": 2, "deferred": 1, "stolen": 1, "steals": 1, "moved": 1,
                          "regions": 2, "sleeps": 1, "barrier_waits": 3})

    def test_work_and_span(self):
        self.assertEqual(self.result.serial_ns, 200)
        self.assertEqual(self.result.work_ns, 200 + 700 + 580)
        # Serial 200; 20 of the region, then the stolen task, then 100 after the barrier.
        self.assertEqual(self.result.span_ns, 200 + 20 + 520 + 100)

    def test_chrome(self):
        slices = [event for event in self.chrome if event["ph"] == "X"]
        tasks = [event for event in slices if event["cat"] == "task"]
        self.assertEqual(sorted((event["ts"], event["dur"]) for event in tasks),
                         [(0.2, 0.4), (0.28, 0.52), (0.3, 0.1)])
        self.assertEqual({event["args"]["start"] for event in tasks}, {"at once", "stolen"})
        self.assertEqual(sum(event["ph"] == "i" for event in self.chrome), 1)

    def test_text(self):
        self.assertIn("program+0x2000", self.text)
        self.assertIn("at_once 2, deferred 1", self.text)


class Sites(Files):
    def test_waits_for_a_lock_are_counted(self):
        """Two that ended and one that did not."""
        lock = WAIT["lock"]
        listed = [(0, "region_begin", 0x2000, 1), (100, "idle_begin", 0x5000, lock),
                  (150, "idle_end", 0, 0), (160, "wait_end", 0, 0),
                  (200, "idle_begin", 0x5000, lock), (290, "idle_end", 0, 0),
                  (300, "wait_end", 0, 0), (400, "idle_begin", 0x5000, lock),
                  (430, "steal", 1, 0)]
        _, result, *_, text = self.everything(make_file([listed], MODULES))
        site = result.sites["lock", 0x5000]
        self.assertEqual((site.count, site.longest_ns, site.mean_ns()), (3, 100, 190 / 3))
        self.assertRegex(text, r"lock +0x5000\n +3 times, 0.000 ms waiting")

    def test_means_are_of_what_is_longest(self):
        _, result, *_, html, _ = self.everything(make_file([PRIMARY, SECOND], MODULES))
        region, task = result.sites["region", 0x2000], result.sites["task", 0x3000]
        self.assertEqual((region.mean_ns(), region.longest_ns), (900, 900))
        self.assertEqual((task.mean_ns(), task.longest_ns), ((300 + 520) / 2, 520))
        self.assertIn('"mean":900.0,"longest":900', html)

    def advice(self, schedule, work_us, wait_us, times):
        """For a region that shares a loop out, on two threads of which one waits."""
        listed = []
        for begin in range(0, times * 1_000_000, 1_000_000):
            listed += [(begin, "region_begin", 0x2000, 2), (begin, "loop_begin", 20, schedule),
                       (begin + 1000 * work_us, "loop_end", 0, 0),
                       (begin + 1000 * work_us, "idle_begin", 0, WAIT["barrier"]),
                       (begin + 1000 * (work_us + wait_us), "wait_end", 0, 0),
                       (begin + 1000 * (work_us + wait_us), "region_end", 0, 0)]
        *_, text = self.everything(make_file([listed], MODULES))
        return text

    def test_advice_knows_the_schedule(self):
        static, dynamic = (findings.SCHEDULES.index(name) for name in ("static", "dynamic"))
        self.assertIn("schedule(dynamic) or", self.advice(static, 200, 300, 20))
        self.assertIn("smaller chunks or", self.advice(dynamic, 200, 300, 20))
        self.assertIn("15.0 us of work each, 20 times", self.advice(dynamic, 15, 300, 20))
        self.assertIn("15.0 us each, 20 times", self.advice(dynamic, 12, 3, 20))


class Page(Files):
    def test_needs_nothing_and_believes_no_name(self):
        evil = "</script><script>alert(1)</script><img src=x>&\u2028"
        *_, html, _ = self.everything(make_file([PRIMARY, SECOND],
                                                ((0x1000, 0x1000, 0x9000, "/" + evil),), evil))
        found = []

        class Tags(HTMLParser):
            def handle_starttag(self, tag, attributes):
                found.append((tag, dict(attributes)))
        Tags().feed(html)
        self.assertEqual([tag for tag, _ in found].count("script"), 1)
        self.assertNotIn("img", [tag for tag, _ in found])
        for _, attributes in found:
            self.assertIn(attributes.get("href", "data:,"), ("data:,",))
            self.assertNotIn("src", attributes)
        self.assertEqual(set(re.findall(r"https?://[^\"' ]*", html)), {"http://www.w3.org/2000/svg"})
        data = json.loads(re.search(r"const data = (.*);", html)[1])
        self.assertEqual(data["program"], evil.replace("\u2028", "?"))
        self.assertEqual(len(data["workers"]), 2)
        for worker in data["workers"]:
            whole = sum(sum(state) for state in worker["parts"])
            self.assertGreater(whole, 0)


class Damage(Files):
    def test_what_is_no_trace(self):
        whole = make_file([PRIMARY], MODULES)
        for data, words in ((b"", "no trace"), (b"\x7fELF" * 50000, "no trace"),
                            (whole[:5000], "cut off in its header"),
                            (whole[:events.CHUNK_BYTES], "nothing was recorded"),
                            (whole[:8] + b"\7" + whole[9:], "version 7"),
                            (whole[:16] + b"\1" + whole[17:], "damaged header")):
            with self.subTest(words), self.assertRaisesRegex(events.TraceError, words):
                self.read(data)
        with self.assertRaises(events.TraceError):
            events.read(Path("/dev/null"))

    def test_what_is_cut_off(self):
        """At any length the beginning is read."""
        whole = make_file([PRIMARY, SECOND], MODULES, whole=False)
        second = 2 * events.CHUNK_BYTES + events.CHUNK_HEADER_BYTES
        for there in range(len(SECOND)):
            trace, *_ = self.everything(whole[:second + 16 * there + 7])
            self.assertEqual(len(list(trace.events(0))), len(PRIMARY))
            self.assertEqual(sum(chunk.events for chunk in trace.workers.get(1, [])), there)
            self.assertEqual(len(trace.damages), 1)

    def test_a_lost_beginning(self):
        """As where the oldest events gave way: ends without beginnings are left out."""
        for first in range(1, len(PRIMARY)):
            _, result, *_ = self.everything(make_file([PRIMARY[first:]], MODULES))
            self.assertEqual(result.workers[0].total_ns(), PRIMARY[-1][0] - PRIMARY[first][0])

    def test_what_began_before_the_oldest_event(self):
        """A thread may be in a region of which nothing is left: that is not known, and not outside.
        From the region's end on it is."""
        primary = PRIMARY[4:]  # from 300 on, inside a task of the region
        _, result, *_, text = self.everything(make_file([primary, SECOND], MODULES, first=[1, 0]))
        times = dict(zip(findings.STATES, result.workers[0].time_ns))
        self.assertEqual(times, {"running": 100, "scheduling": 0, "waiting": 150, "parked": 50,
                                 "outside": 100})
        # Up to the first event; between the tasks' ends, the wait, and the end of the region.
        self.assertEqual(result.workers[0].lost_ns, 300 + 200 + 100 + 100)
        self.assertEqual(result.serial_ns, 100)
        self.assertIn("span unknown", text)
        self.assertFalse(result.workers[0].is_pool)

    def test_a_member_of_a_region_whose_begin_is_lost(self):
        """It is the pool's: what it does afterwards is no serial part of the program."""
        _, result, *_ = self.everything(make_file([PRIMARY, SECOND[7:]], MODULES, first=[0, 1]))
        self.assertEqual((result.workers[1].lost_ns, result.serial_ns), (800 + 10 + 10, 200))
        self.assertEqual(result.workers[1].time_ns[findings.OUTSIDE], 190)
        self.assertFalse(result.span_known)

    def test_a_killed_process_that_never_left_its_region(self):
        listed = [(time, "task_begin" if time % 20 else "task_end", 0x3000, 0)
                  for time in range(10, 100, 10)]
        *_, html, text = self.everything(make_file([listed], MODULES, first=[1]))
        self.assertIn("span unknown", text)
        self.assertIn('"span":null,"parallelism":null', html)

    def test_damaged_files(self):
        """With a fixed seed: bytes of the parts that mean something are changed."""
        limit = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, limit[1]))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_AS, limit)
        choose = random.Random(20261122)
        whole = make_file([PRIMARY, SECOND], MODULES, whole=False)
        chunk = events.CHUNK_BYTES
        places = [*range(8, 112), *range(512, 560)]
        for start, count in ((chunk, len(PRIMARY)), (2 * chunk, len(SECOND))):
            places += range(start, start + events.CHUNK_HEADER_BYTES + 16 * count)
        refused = 0
        for _ in range(FUZZED):
            data = bytearray(whole)
            for _ in range(choose.choice((1, 1, 2, 8, 64))):
                data[choose.choice(places)] = choose.choice((0, 1, 0x7F, 0x80, 0xFF,
                                                             choose.randrange(256)))
            if choose.random() < 0.2:
                del data[choose.randrange(len(data)):]
            try:
                _, result, *_ = self.everything(bytes(data))
            except events.TraceError as error:
                refused += 1
                self.assertNotIn("\n", str(error))
            else:
                for worker in result.workers.values():
                    self.assertGreaterEqual(min(worker.time_ns), 0)
        self.assertGreater(refused, FUZZED // 50)
        self.assertLess(refused, FUZZED * 9 // 10)


class Growth(Files):
    def test_ends_without_beginnings_take_no_longer(self):
        """A file whose events never match is gone through once: with steps that grow as its square
        this would take minutes."""
        many = 20000
        listed = [(i, "region_begin", 0x2000, 1) for i in range(many)]
        listed += [(many + i, "task_end", 0, 0) for i in range(many)]
        trace = self.read(make_file([listed], MODULES))
        result = replay.Replay(trace).run()
        self.assertEqual(result.ignored_ends, many)
        self.assertEqual(result.sites["region", 0x2000].count, many)


class Definition(unittest.TestCase):
    """events.py says what src/tool/events.hpp says."""

    def setUp(self):
        self.header = (reader.ROOT / "src/tool/events.hpp").read_text(encoding="utf-8")

    def number(self, name):
        found = re.search(rf"{name} = (?:size_t\{{1\}} << )?(0x[0-9a-f]+|\d+)", self.header)
        return int(found[1], 0)

    def test_kinds(self):
        for macro, names in (("EVENT", events.KINDS), ("WAIT", events.WAITS)):
            listed = re.findall(rf"^ +{macro}\((\w+),", self.header, re.M)
            self.assertEqual(tuple(listed), names[1:])

    def test_sizes(self):
        self.assertEqual(self.number("trace_version"), events.VERSION)
        self.assertEqual(1 << self.number("trace_chunk_bytes"), events.CHUNK_BYTES)
        self.assertEqual(self.number("value_bits"), events.VALUE_BITS)
        self.assertEqual(self.number("time_bits"), events.TIME_BITS)
        self.assertEqual(self.number("chunk_magic"), events.CHUNK_MAGIC)
        self.assertEqual(self.number("most_modules"), events.MOST_MODULES)
        self.assertEqual(512 * (events.MOST_MODULES + 1), events.HEADER_BYTES)


if __name__ == "__main__":
    unittest.main()
