# SPDX-License-Identifier: Apache-2.0
"""gdb's commands for OpenMP programs on Heddle: `heddle teams`, `heddle backtrace`, `heddle thread`.

Loaded by gdb 10 or newer (`source` this file, or `heddle debug`). With more threads than CPUs a
thread of the operating system executes several OpenMP threads one after another, each on a stack of
its own: those that it has left in the middle wait somewhere for others, and gdb, which knows the
system's threads alone, shows no stack of theirs. Where they were left is in the runtime's memory, at
places that libheddle.so itself tells in heddle_debug_table.
"""
import os
import re
import sys

import gdb
import gdb.unwinder

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from heddle_frames import UNWINDER  # noqa: E402
from heddle_teams import Process  # noqa: E402


class Restored:
    """Afterwards the thread that was selected is so again. What cannot be read there is one line."""

    def __enter__(self):
        self.shown = UNWINDER.context
        self.thread = gdb.selected_thread()
        if self.thread is None:
            raise gdb.GdbError("there is no process")
        UNWINDER.show(None)

    def __exit__(self, kind, error, _):
        UNWINDER.show(None)
        self.thread.switch()
        UNWINDER.context = self.shown
        gdb.invalidate_cached_frames()
        if kind is not None and issubclass(kind, gdb.MemoryError):
            raise gdb.GdbError(f"{error}: the runtime was just changing what tells its teams, or its "
                               "memory is damaged")


def chosen(process, text):
    """The team and thread that `TEAM.THREAD` or `THREAD` names."""
    match = re.fullmatch(r"(?:(\d+)\.)?(\d+)", text)
    if not match:
        raise gdb.GdbError(f"'{text}' is no thread: THREAD or TEAM.THREAD, as `heddle teams` shows")
    which = int(match.group(1) or 1)
    if not 1 <= which <= len(process.teams):
        raise gdb.GdbError(f"there is no team {which}; {len(process.teams)} are in a region")
    team = process.teams[which - 1]
    if int(match.group(2)) >= team.size:
        raise gdb.GdbError(f"team {which} has threads 0 to {team.size - 1}")
    return team, team.members[int(match.group(2))]


class Prefix(gdb.Command):
    """OpenMP teams and threads of a program on Heddle."""

    def __init__(self):
        super().__init__("heddle", gdb.COMMAND_STATUS, prefix=True)


class Teams(gdb.Command):
    """The teams that are in a parallel region, and where each of their threads is.

`on thread 3`: gdb's thread 3 executes it. `left`: it waits, and the system's thread that began it
goes on with others meanwhile; `heddle backtrace N` shows its stack. `in the runtime`: no function of
the program is on the stack, for the thread has not come to the region yet, or is done with it, or has
called the runtime last in it."""

    def __init__(self):
        super().__init__("heddle teams", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        if argument:
            raise gdb.GdbError("heddle teams: it takes no argument")
        with Restored():
            process = Process()
            for index, team in enumerate(process.teams, 1):
                shared = ", more than CPUs" if team.on_offer else ""
                print(f"team {index}: level {team.level}, {team.size} threads{shared}")
                rows = list(process.states(team))
                width = max(len(who) for _, who, _ in rows)
                for number, who, where in rows:
                    print(f"{number:6}  {who:{width}}  {where}".rstrip())
            if not process.teams:
                print("no thread is in a parallel region")
            elif process.outside:
                print("in no region: gdb's threads",
                      ", ".join(str(thread.num) for thread in process.outside))


class Backtrace(gdb.Command):
    """The stack of an OpenMP thread: heddle backtrace [-a] [TEAM.]THREAD, or all.

It begins and ends with the program's functions; -a: all frames, those of the runtime, too."""

    def __init__(self):
        super().__init__("heddle backtrace", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        words = argument.split()
        every_frame = "-a" in words
        words = [each for each in words if each != "-a"]
        if len(words) > 1:
            raise gdb.GdbError("heddle backtrace: one thread, or all")
        with Restored():
            process = Process()
            if not words or words[0] == "all":
                wanted = [(team, each) for team in process.teams for each in team.members]
            else:
                wanted = [chosen(process, words[0])]
            if not wanted:
                print("no thread is in a parallel region")
            for team, member in wanted:
                self._show(process, team, member, every_frame)

    def _show(self, process, team, member, every_frame):
        name = f"thread {process.teams.index(team) + 1}.{team.members.index(member)}"
        stack = process.stack_of(team, member)
        if stack is None:
            print(f"{name}: on no stack\n")
            return
        thread = stack.place.thread
        lwp = f" (LWP {thread.ptid[1]})" if thread is not None else ""
        entry = f", in {stack.entry}" if stack.entry else ""
        print(f"{name}: {stack.place.who()}{lwp}{entry}")
        others = stack.place.enter()
        shown = False
        for line in gdb.execute("backtrace", to_string=True).splitlines():
            match = re.match(r"#(\d+) ", line)
            if match:
                depth = int(match.group(1)) - others
                shown = depth >= 0 if every_frame else depth in stack.shown
            if shown:
                print(line)
        print("")


class Thread(gdb.Command):
    """Selects an OpenMP thread: heddle thread [TEAM.]THREAD.

Where a thread of the system executes it, that is gdb's from then on. Where it is left, `up`, `down`,
`print` and the like are about its stack until the process goes on, or `heddle thread` comes without
a number. Frame 0 is the system's thread's own meanwhile."""

    def __init__(self):
        super().__init__("heddle thread", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        if not argument:
            UNWINDER.show(None)
            gdb.execute("frame")
            return
        with Restored():
            process = Process()
            stack = process.stack_of(*chosen(process, argument.strip()))
            if stack is None:
                raise gdb.GdbError(f"thread {argument.strip()} is on no stack now")
        gdb.execute(f"frame {stack.place.enter() + stack.number}")


def forget(_):
    UNWINDER.context = None


Prefix()
Teams()
Backtrace()
Thread()
gdb.unwinder.register_unwinder(None, UNWINDER, replace=True)
gdb.events.cont.connect(forget)
gdb.events.exited.connect(forget)
