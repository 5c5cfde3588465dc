# SPDX-License-Identifier: Apache-2.0
"""Loading, unloading and ending at any moment: plugins that come and go, and regions before main and
after its end.

Run by ctest with HEDDLE_LIBRARY and CC set.
"""

import unittest

from programs import COMPILERS, LIBRARY, Programs

THREADS = 3
ENDS = ["local", "atexit", "destructor", "unload"]  # what return and exit() lead to, in this order


class Unloading(Programs):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.host = cls.build("host.c", openmp=False)
        cls.plugins = cls.build_with_each("plugin.c", "-shared", "-fPIC")

    def unload(self, times, *mode, threads=THREADS, **variables):
        for name, plugin in self.plugins.items():
            with self.subTest(compiler=name, mode=mode):
                done = self.run_program(self.host, plugin, times, *mode,
                                        variables={"OMP_NUM_THREADS": str(THREADS)} | variables)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                size, remaining = map(int, done.stdout.split())
                self.assertEqual(size, THREADS)
                self.assertEqual(remaining, threads)

    def test_at_once(self):
        self.unload(3000)

    def test_with_sleeping_threads(self):
        self.unload(1000, OMP_WAIT_POLICY="passive")

    def test_in_threads(self):
        """The initial thread has never used OpenMP; the pool serves one thread after the other."""
        self.unload(1000, "thread")

    def test_before_a_fork(self):
        self.unload(300, "fork")

    def test_heddle_itself(self):
        """It stays loaded: its threads sleep in its code."""
        program = self.folder / "itself.c"
        program.write_text(r"""
            #include <dlfcn.h>
            #include <stdio.h>
            static int members;
            static void outlined(void *data) { __atomic_fetch_add((int *)data, 1, 0); }
            int main(int argc, char **argv) {
                for (int i = 0; i < 1000; i++) {
                    void *library = dlopen(argv[1], argc > 0 ? RTLD_NOW : 0);
                    if (!library) return 1;
                    void (*parallel)(void (*)(void *), void *, unsigned, unsigned) =
                        (void (*)(void (*)(void *), void *, unsigned, unsigned))
                            dlsym(library, "GOMP_parallel");
                    members = 0;
                    parallel(outlined, &members, 3, 0);
                    dlclose(library);
                    if (members != 3) return 1;
                }
                return 0;
            }""")
        done = self.run_program(self.build(program, openmp=False), LIBRARY)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Ending(Programs):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.programs = {
            name: cls.build("lifetime.cpp", "-lstdc++", "-pthread", compiler=compiler,
                            name=f"lifetime.{name}")
            for name, compiler in COMPILERS.items()}

    def ends(self, way, regions):
        for name, program in self.programs.items():
            with self.subTest(compiler=name, way=way):
                done = self.run_program(program, way, timeout=30,
                                        variables={"OMP_NUM_THREADS": str(THREADS)})
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(done.stdout.splitlines(),
                                 [f"{where} {THREADS}" for where in ["constructor", *regions]])

    def test_return(self):
        self.ends("return", ["main", *ENDS])

    def test_return_before_a_region_in_main(self):
        self.ends("before", ENDS)

    def test_a_thread_that_has_ended(self):
        self.ends("thread", ["main", "in thread", "thread", *ENDS])

    def test_destructors_of_the_initial_thread(self):
        self.ends("initial", ["main", "initial", *ENDS])

    def test_quick_exit(self):
        self.ends("quick", ["main", "at_quick_exit"])

    def test_the_initial_thread_ends_first(self):
        """The process ends with the last thread of the program; those of the pool do not count."""
        self.ends("pthread_exit", ["main", "in thread", *ENDS])
        self.ends("pthread_exit alone", ["main", *ENDS])

    def test_exit_inside_a_region(self):
        """Regions in handlers are nested ones then: they have one thread."""
        for name, program in self.programs.items():
            for way in ("worker", "primary"):
                with self.subTest(compiler=name, way=way):
                    done = self.run_program(program, way, timeout=30,
                                            variables={"OMP_NUM_THREADS": str(THREADS)})
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    self.assertEqual(done.stdout.splitlines()[2:], [f"{end} 1" for end in ENDS])


if __name__ == "__main__":
    unittest.main()
