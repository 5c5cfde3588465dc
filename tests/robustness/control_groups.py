# SPDX-License-Identifier: Apache-2.0
"""Real control groups for the tests in this folder, where the system lets them be made.

A group is made below the process's own, in the hierarchy of whichever generation has the controller,
and removed at the end of the test.
"""

import os
import subprocess
import time
import unittest
from pathlib import Path


def own_group(controller):
    """(version, folder) of this process's group in the hierarchy with the controller; None."""
    groups = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        groups.update(dict.fromkeys(controllers.split(","), path))
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        fields, _, rest = line.partition(" - ")
        root, mounted = fields.split()[3:5]
        kind, _, options = rest.split(maxsplit=2)
        name = controller if kind == "cgroup" else ""
        if kind not in ("cgroup", "cgroup2") or name not in groups:
            continue
        if kind == "cgroup" and controller not in options.split(","):
            continue
        folder = Path(mounted) / os.path.relpath(groups[name], root)
        if kind == "cgroup":
            return 1, folder
        # Of the second generation: groups with processes have no controllers to give, but the root.
        while folder != Path(mounted) and not offers(folder, controller):
            folder = folder.parent
        if offers(folder, controller):
            return 2, folder
    return None


def offers(folder, controller):
    return controller in (folder / "cgroup.subtree_control").read_text().split()


class Group:
    """A control group of this test: `with Group("cpu", {file: text}) as group`. Skips the test where
    none can be made. Values of both generations: {1: {...}, 2: {...}}. `inside` is a group that
    this one lies in."""

    def __init__(self, controller, values, inside=None):
        found = own_group(controller)
        if found is None:
            raise unittest.SkipTest(f"no hierarchy of control groups offers {controller}")
        version, parent = found
        if inside is not None:
            parent = inside.folder
            if version == 2:
                (parent / "cgroup.subtree_control").write_text(f"+{controller}")
        self.folder = parent / f"heddle-test-{os.getpid()}-{time.monotonic_ns()}"
        try:
            self.folder.mkdir()
        except OSError as error:
            raise unittest.SkipTest(f"no control group may be made in {parent}: {error}")
        try:
            for file, value in values[version].items():
                (self.folder / file).write_text(value)
        except OSError as error:
            self.folder.rmdir()
            raise unittest.SkipTest(f"{self.folder / file} refuses {value!r}: {error}")

    def command(self, *command):
        """A command line that enters the group before it runs `command`."""
        return ["sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', str(self.folder),
                *map(str, command)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for _ in range(100):  # the kernel takes a while to forget the last process
            try:
                self.folder.rmdir()
                return
            except OSError:
                time.sleep(0.05)
        subprocess.run(["ls", "-l", str(self.folder)], check=False)
