# SPDX-License-Identifier: Apache-2.0
"""The teams of a program on Heddle and their threads, read from the memory of its process or of what
is left of it. Nothing is written there, and no function called. For heddle_commands, in gdb's own
Python.
"""
import gdb

from heddle_frames import SPECIAL, Place, Stack, Table, architecture, integer, word

MOST_THREADS = 100000  # of a team; more is garbage
QEMU_S_NAMES = {"tpidr": "TPIDR_EL0"}  # where gdb debugs an emulator
FORKS = ("GOMP_parallel", "__kmpc_fork")  # what begins a region


class Member:
    """A thread of a team."""

    def __init__(self, table, address):
        self.table, self.address = table, address
        self.team = word(address + table["Member.team"])
        self.worker = word(address + table["Member.worker"])
        self.enclosing = word(address + table["Member.enclosing"])

    def is_left(self):
        """Has a thread left it in the middle, to go on with another?"""
        part = self.address + self.table["Member.part"]
        return integer(part + self.table["Part.state"]) != self.table["PartState::active"]

    def context(self):
        """Where its registers are, if it is left."""
        return word(self.address + self.table["Member.part"] + self.table["Part.left.pointer"])

    def is_over(self):
        return integer(self.address + self.table["Member.wait"]) == self.table["Wait::left"]

    def is_on_offer(self):
        """Has nobody begun it?"""
        epoch = integer(self.worker + self.table["Worker.mailbox.epoch"])
        return epoch & (self.table["offered"] | self.table["taken"]) == self.table["offered"]

    def tasks(self):
        """How many explicit tasks it is in, one in another."""
        frame = word(self.address + self.table["Member.current"])
        outermost = self.address + self.table["Member.implicit_task"]
        count = 0
        while frame not in (0, outermost) and count < MOST_THREADS:
            frame = word(frame + self.table["Frame.parent"])
            count += 1
        return count


class Team:
    def __init__(self, table, address):
        self.table, self.address = table, address
        self.size = integer(address + table["Team.size"])
        self.level = integer(address + table["Team.level"])
        self.on_offer = integer(address + table["Team.size_on_offer"]) != 0
        array = word(address + table["Team.members"])
        count = self.size if 0 < self.size <= MOST_THREADS else 0
        self.members = [Member(table, word(array + 8 * i)) for i in range(count)]

    def is_active(self):
        """Is its primary thread in this region?"""
        if not self.members:
            return False
        primary = self.members[0]
        if primary.team != self.address:
            return False
        level = word(primary.worker + self.table["Worker.level"])
        member = word(level + self.table["Worker::Level.member"])
        while member not in (0, primary.address):
            member = Member(self.table, member).enclosing
        return member != 0


class Process:
    """What is found in the process now."""

    def __init__(self):
        self.table = Table()
        # By a member's address gdb's threads that may execute it. Its own may sleep, and another one
        # execute its part: then that has frames of the program.
        self.running = {}
        known = []
        found = {}
        for thread in sorted(gdb.selected_inferior().threads(), key=lambda each: each.num):
            member = self._self_of(thread)
            if member is not None:
                known.append((thread, member))
                self.running.setdefault(member.address, []).append(thread)
                self._follow(member, found)
        for team in list(found.values()):  # those that were left in the middle of a deeper region
            for each in team.members:
                self._follow(self._deepest(each), found)
        self.teams = sorted((team for team in found.values()
                             if team.level > 0 and team.is_active()),
                            key=lambda team: (team.level, team.address))
        # Which members a thread has just left, or is about to: nobody may believe what they say.
        self.changing = {word(each.worker + self.table["Worker.carrier.left"])
                         for team in self.teams for each in team.members}
        inside = {each.address for team in self.teams for each in team.members}
        self.outside = [thread for thread, member in known if member.address not in inside]

    def _self_of(self, thread):
        """The member that the runtime has for the thread; None: it does not know it."""
        thread.switch()
        name = SPECIAL[architecture()][2]
        registers = [each.name for each in gdb.selected_frame().architecture().registers()]
        try:
            if name not in registers:
                name = QEMU_S_NAMES.get(name, name)
            address = word(int(gdb.parse_and_eval(f"(long)${name}")) + self.table.self_offset)
        except (gdb.error, gdb.MemoryError):
            return None
        return Member(self.table, address) if address else None

    def _follow(self, member, found):
        while member is not None:
            if member.team and member.team not in found:
                found[member.team] = Team(self.table, member.team)
            member = Member(self.table, member.enclosing) if member.enclosing else None

    def _deepest(self, member):
        """The same thread's membership in the deepest region that it is in."""
        level = word(member.worker + self.table["Worker.level"])
        inner = word(level + self.table["Worker::Level.member"])
        return Member(self.table, inner) if inner else member

    def absence_of(self, team, member):
        """Why the thread is on no stack; "" where it is on one."""
        if member.team != team.address or (team.on_offer and member.is_on_offer()):
            return "not begun"
        if not team.on_offer:
            return ""
        return "being left" if member.address in self.changing else ""

    def stack_of(self, team, member):
        """None: nobody executes it."""
        if self.absence_of(team, member):
            return None
        if team.on_offer and member.is_left():
            return Stack(self.table, Place(context=member.context()))
        threads = self.running.get(member.address) or self.running.get(
            self._deepest(member).address, [])
        stacks = [Stack(self.table, Place(thread=thread)) for thread in threads]
        stack = next((stack for stack in stacks if stack.frame is not None),
                     stacks[0] if stacks else None)
        # It says so a moment before it is left, too; then it has called something else.
        is_over = team.on_offer and member.is_over() and (
            stack is None or stack.frame is None or stack.entry.startswith(FORKS))
        return None if is_over else stack

    def states(self, team):
        """For each thread of the team its number, who executes it, and where in the program."""
        for number, member in enumerate(team.members):
            stack = self.stack_of(team, member)
            if stack is None:
                yield number, self.absence_of(team, member) or "done", ""
            else:
                depth = member.tasks()
                tasks = f" ({depth} task{'s' if depth > 1 else ''} deep)" if depth else ""
                yield number, stack.place.who(), stack.description + tasks
