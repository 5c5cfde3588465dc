# SPDX-License-Identifier: Apache-2.0
"""In a process with more rights than its caller Heddle's own variables do not exist: they could name
files to write. OpenMP's count, for they cannot.

Run by ctest with HEDDLE_LIBRARY and CC set. Needs root, to make a set-user-ID program. That counters
are not written is test_statistics.py's subject.
"""

import os
import shutil
import unittest

from programs import LIBRARY, NOBODY, Programs

PROGRAM = """
#include <omp.h>
#include <stdio.h>
#include <sys/auxv.h>
int main(void) {
    int size = 0;
#pragma omp parallel
#pragma omp master
    size = omp_get_num_threads();
    printf("%lu %d\\n", getauxval(AT_SECURE), size);
    return 0;
}
"""


class Privileges(Programs):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if os.geteuid() != 0 or os.statvfs(cls.folder).f_flag & os.ST_NOSUID:
            raise unittest.SkipTest("needs root and a file system with set-user-ID programs")
        # Where anybody may read it: the build may lie in root's home.
        shutil.copy(LIBRARY, cls.folder / "libgomp.so.1")
        source = cls.folder / "privileged.c"
        source.write_text(PROGRAM)
        cls.program = cls.build(source, libraries=cls.folder)

    def run_as_nobody(self, privileged, **variables):
        self.program.chmod(0o4755 if privileged else 0o755)
        done = self.run_program(self.program, user=NOBODY, group=NOBODY, extra_groups=(),
                                variables={"OMP_NUM_THREADS": "3"} | variables)
        self.assertEqual((done.returncode, done.stdout), (0, f"{int(privileged)} 3\n"), done.stderr)
        return done.stderr

    def test_our_variables(self):
        """Shown, and the bad or unknown ones are not even told."""
        ours = {"HEDDLE_STATS": "/tmp/none.%p", "HEDDLE_TASK_POLICY": "cilk"}
        for privileged in (False, True):
            shown = self.run_as_nobody(privileged, OMP_DISPLAY_ENV="verbose",
                                       **(ours if privileged else {"HEDDLE_TASK_POLICY": "cilk"}))
            self.assertEqual("HEDDLE_TASK_POLICY = 'CILK'" in shown, not privileged)
            self.assertNotIn("/tmp/none", shown)
        for wrong in ({"HEDDLE_TASK_POLICY": "nonsense"}, {"HEDDLE_NONSENSE": "1"}):
            self.assertEqual(self.run_as_nobody(False, **wrong).count("\n"), 1)
            self.assertEqual(self.run_as_nobody(True, **wrong), "")

    def test_no_variable_makes_a_file(self):
        """All variables that Heddle's table has, and those of tools, with a file's name."""
        shown = self.run_as_nobody(True, OMP_DISPLAY_ENV="verbose")
        names = {line.split(" = ")[0].strip() for line in shown.splitlines() if " = '" in line}
        self.assertGreater(len(names), 30)
        names |= {"OMP_TOOL_LIBRARIES", "OMP_TOOL_VERBOSE_INIT", "HEDDLE_TRACE", "HEDDLE_STATS"}
        target = self.folder / "made"
        target.mkdir()
        target.chmod(0o777)
        names -= {"OMP_NUM_THREADS", "_OPENMP"}
        self.run_as_nobody(True, **{name: str(target / f"{name}.so") for name in names})
        self.assertEqual(list(target.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
