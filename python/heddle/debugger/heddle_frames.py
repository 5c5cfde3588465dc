# SPDX-License-Identifier: Apache-2.0
"""Stacks of a program on Heddle as gdb shows them: of the system's threads, and of contexts that a
thread has left for another (docs/protocols/stand-in.md). For heddle_teams and heddle_commands, in
gdb's own Python.
"""
import re
import struct

import gdb
import gdb.unwinder

VERSION = 1  # of heddle_debug_table
VDSO_BYTES = 0x4000

# What heddle_switch_stack() leaves on a stack (src/platform/native/switch_stack.cpp): where each
# register is, and how far the stack pointer goes up when all of that is taken away.
SAVED = {
    "x86-64": (dict(r15=8, r14=16, r13=24, r12=32, rbx=40, rbp=48, rip=56), 64),
    "aarch64": (dict([(f"x{19 + i}", 8 * i) for i in range(11)], pc=88), 176),
}
# The registers that hold the stack pointer, the program counter and the thread pointer.
SPECIAL = {"x86-64": ("rsp", "rip", "fs_base"), "aarch64": ("sp", "pc", "tpidr")}
# How far before its return address a call may lie, and how it is shown.
CALLS = {"x86-64": ((5, 6), "call"), "aarch64": ((4,), "bl")}
SYSTEM = re.compile(r"/(libc|libpthread|libm|ld|ld-linux[^/]*)[.-][^/]*$")

# Where all of it is one file, by functions' names; of templates gdb's begin with a type.
OURS_IN_A_STATIC_PROGRAM = re.compile(
    r"(^|[ (*&])heddle::|^_ZN?K?6heddle|^(heddle_|GOMP_|__kmpc_|omp_)")
SYSTEM_S_IN_A_STATIC_PROGRAM = re.compile(  # where threads begin, and what waits call
    r"^(__GI_|_)*(syscall|start_thread|clone3?|sched_yield|sched_getcpu|clock_gettime|getrusage|open|"
    r"read|close|vdso_\w+)$")


def architecture(frame=None):
    """A frame's, or the selected thread's: a key of SAVED."""
    name = (frame or gdb.selected_frame()).architecture().name()
    return "aarch64" if name.startswith("aarch64") else "x86-64"


def word(address):
    """A pointer."""
    return struct.unpack("<Q", gdb.selected_inferior().read_memory(address, 8).tobytes())[0]


def integer(address):
    """An int32_t."""
    return struct.unpack("<i", gdb.selected_inferior().read_memory(address, 4).tobytes())[0]


class Table:
    """heddle_debug_table of the library that serves the process."""

    def __init__(self):
        try:
            self.address = int(gdb.parse_and_eval("(long)&heddle_debug_table"))
        except gdb.error:
            raise gdb.GdbError("libheddle.so is not loaded here, or is older than this command")
        memory = gdb.selected_inferior()
        try:
            version, count, self.self_offset = struct.unpack(
                "<IIq", memory.read_memory(self.address, 16).tobytes())
        except gdb.MemoryError:
            raise gdb.GdbError("the process has not been started")
        if version != VERSION:
            raise gdb.GdbError(f"libheddle.so has version {version} of what debuggers read, these "
                               f"commands {VERSION}")
        if self.self_offset == 0:
            raise gdb.GdbError("libheddle.so is just being loaded")
        raw = memory.read_memory(self.address + 16, count * 40).tobytes()
        self.values = {}
        for name, value in struct.iter_unpack("<32sQ", raw):
            self.values[name.rstrip(b"\0").decode()] = value
        self.library = gdb.solib_name(self.address)
        found = re.search(r"AT_SYSINFO_EHDR.*(0x[0-9a-f]+)", gdb.execute("info auxv", to_string=True))
        self.vdso = int(found.group(1), 16) if found else 0

    def __getitem__(self, name):
        return self.values[name]

    def is_runtime(self, frame):
        """Is it a frame of the runtime?"""
        if self.library is None:
            return OURS_IN_A_STATIC_PROGRAM.search(frame.name() or "") is not None
        return gdb.solib_name(frame.pc()) == self.library

    def is_system(self, frame):
        """Is it one of the C library, or of what the kernel maps?"""
        if self.library is None and SYSTEM_S_IN_A_STATIC_PROGRAM.search(frame.name() or ""):
            return True
        return (0 <= frame.pc() - self.vdso < VDSO_BYTES
                or SYSTEM.search(gdb.solib_name(frame.pc()) or "") is not None)


class ContextUnwinder(gdb.unwinder.Unwinder):
    """While a context is shown, the frames behind the selected thread's innermost one are those of
    the context. Nothing is written into the process."""

    def __init__(self):
        super().__init__("heddle")
        self.context = None  # (the innermost frame's stack pointer, the address of a context)

    def show(self, address):
        """The frames of what was left there; None: the thread's own again."""
        self.context = None
        gdb.invalidate_cached_frames()
        if address is not None:
            pointer = SPECIAL[architecture()][0]
            self.context = int(gdb.newest_frame().read_register(pointer)), address
            gdb.invalidate_cached_frames()

    def __call__(self, pending):
        if self.context is None:
            return None
        kind = architecture(pending)
        pointer, counter, _ = SPECIAL[kind]
        innermost, address = self.context
        if int(pending.read_register(pointer)) != innermost:
            return None
        places, size = SAVED[kind]
        # Below the next frame, as gdb wants it.
        info = pending.create_unwind_info(FrameId(address, pending.read_register(counter)))
        long = gdb.lookup_type("long")
        for register, place in places.items():
            info.add_saved_register(register, gdb.Value(word(address + place)).cast(long))
        info.add_saved_register(pointer, gdb.Value(address + size).cast(long))
        return info


class FrameId:
    def __init__(self, sp, pc):
        self.sp, self.pc = gdb.Value(sp), pc


UNWINDER = ContextUnwinder()


class Place:
    """Where an OpenMP thread is: a gdb thread that executes it, or a context that was left."""

    def __init__(self, thread=None, context=None):
        self.thread, self.context = thread, context

    def enter(self):
        """Its frames are shown now. How many of gdb's, from 0 on, are not its own: a context is
        behind the innermost function of the selected thread, and what is inlined there."""
        if self.thread is not None:
            self.thread.switch()
        UNWINDER.show(self.context)
        if self.context is None:
            return 0
        count = 1
        frame = gdb.newest_frame()
        while frame.type() == gdb.INLINE_FRAME:
            frame = frame.older()
            count += 1
        return count

    def frames(self):
        """From the innermost on."""
        others = self.enter()
        frame = gdb.newest_frame()
        while frame is not None and frame.is_valid():
            if others == 0:
                yield frame
            others = max(0, others - 1)
            frame = frame.older()

    def who(self):
        return "left" if self.thread is None else f"on thread {self.thread.num}"


class Stack:
    """What of an OpenMP thread's stack is the program's."""

    def __init__(self, table, place):
        self.place = place
        self.shown = set()  # which of the frames, from 0 on, are the program's
        self.frame = None  # the innermost of them
        self.number = 0  # which one that is
        self.entry = ""  # the function of the runtime that it has called, if it is in one
        self.description = "in the runtime"
        for number, frame in enumerate(place.frames()):
            if table.is_runtime(frame):
                if self.frame is None:
                    self.entry = frame.name() or "the runtime"
            elif not table.is_system(frame):
                self.shown.add(number)
                if self.frame is None:
                    self.frame, self.number = frame, number
                    self.description = self._describe()
        if self.frame is None:
            self.entry = "the runtime"
        elif not self.entry:  # it may be in the C library
            self.shown.update(range(self.number))

    def _describe(self):
        if self.entry:
            self.entry = called_at(self.frame) or self.entry
        line = self.frame.find_sal()
        file = f" at {line.symtab.filename}:{line.line}" if line.symtab else ""
        entry = f"in {self.entry}, " if self.entry else ""
        return f"{entry}{self.frame.name() or hex(self.frame.pc())}{file}"


def called_at(frame):
    """The name of the function that was called there; "" where that cannot be seen. The frame of an
    entry point may be gone: it jumps to what does its work."""
    distances, mnemonic = CALLS[architecture()]
    for distance in distances:
        try:
            code = frame.architecture().disassemble(frame.pc() - distance)[0]
        except gdb.MemoryError:
            continue
        match = re.search(r"<([A-Za-z_]\w*)(@[^>]*)?>$", code["asm"])
        if match and code["length"] == distance and code["asm"].startswith(mnemonic):
            return match.group(1)
    return ""
