# SPDX-License-Identifier: Apache-2.0
"""The default team fits what the process may use: the CPU quota and the CPUs of its control group,
which are real ones here. Made-up file systems of every kind are tests/unit/config/cpu_budget_test's
subject.

Run by ctest with HEDDLE_LIBRARY and CC set; skipped where no control group can be made.
"""

import os
import unittest

from control_groups import Group
from programs import Programs

PROGRAM = """
#include <omp.h>
#include <stdio.h>
int main(void) {
    int size = 0;
#pragma omp parallel
#pragma omp master
    size = omp_get_num_threads();
    printf("%d %d %d\\n", omp_get_max_threads(), omp_get_num_procs(), size);
    return 0;
}
"""
PERIOD = 100000  # microseconds


def quota(cpus):
    """Values for a group that may use this much CPU time; a fraction is one."""
    microseconds = int(cpus * PERIOD)
    return {1: {"cpu.cfs_period_us": str(PERIOD), "cpu.cfs_quota_us": str(microseconds)},
            2: {"cpu.max": f"{microseconds} {PERIOD}"}}


class Budget(Programs):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        source = cls.folder / "budget.c"
        source.write_text(PROGRAM)
        cls.program = cls.build(source)
        cls.cpus = len(os.sched_getaffinity(0))

    def expect(self, size, group, **variables):
        done = self.run_program(*group.command(self.program), variables=variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([int(number) for number in done.stdout.split()][::2], [size, size])
        return int(done.stdout.split()[1])

    def test_quotas_are_rounded_up(self):
        for cpus, size in ((0.5, 1), (1, 1), (1.01, 2), (1.5, 2), (2, 2), (3.2, 4), (1000, 1000)):
            with self.subTest(cpus=cpus), Group("cpu", quota(cpus)) as group:
                offered = self.expect(min(size, self.cpus), group)
                self.assertEqual(offered, min(size, self.cpus))

    def test_the_tightest_group_counts(self):
        for outer, inner in ((quota(1), {1: {}, 2: {}}), (quota(2), quota(1))):
            with Group("cpu", outer) as around, Group("cpu", inner, around) as group:
                self.expect(1, group)

    def test_a_weight_is_no_limit(self):
        with Group("cpu", {1: {"cpu.shares": "2"}, 2: {"cpu.weight": "1"}}) as group:
            self.expect(self.cpus, group)

    def test_cpus_of_the_group(self):
        lowest = str(min(os.sched_getaffinity(0)))
        values = {"cpuset.cpus": lowest, "cpuset.mems": "0"}
        with Group("cpuset", {1: values, 2: values}) as group:
            self.expect(1, group)

    def test_the_environment_wins(self):
        with Group("cpu", quota(1)) as group:
            self.expect(5, group, OMP_NUM_THREADS="5")


if __name__ == "__main__":
    unittest.main()
