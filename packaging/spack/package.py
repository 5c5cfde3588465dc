# SPDX-License-Identifier: Apache-2.0
"""Spack's recipe: copy the folder to a repository's packages/heddle. See docs/installation.md."""
try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
except ImportError:
    pass  # before Spack 1.0 they come with the next line

from spack.package import *


class Heddle(CMakePackage):
    """OpenMP runtime for fine-grained and irregular parallelism, in the place of libgomp, libomp
    and libiomp5."""

    # A release's address comes here; until then: spack dev-build heddle@main, in the source tree.
    license("Apache-2.0")
    version("main", branch="main")

    variant("static", default=True, description="Make libheddle.a too")
    variant("preload", default=False, description="Programs of this environment run on Heddle")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3.9:", type="run")  # of heddlecc

    conflicts("%gcc@:11", msg="Heddle is written in C++20 for gcc 12 and newer")
    conflicts("platform=darwin")
    conflicts("platform=windows")
    requires("target=x86_64:", "target=aarch64:", policy="one_of", msg="x86-64 and AArch64 only")

    generator("ninja")

    def cmake_args(self):
        return [self.define("HEDDLE_TESTS", False),
                self.define_from_variant("HEDDLE_STATIC", "static")]

    def setup_run_environment(self, env):
        library = find_libraries("libheddle", self.prefix, recursive=True)[0]
        env.set("HEDDLE_LIBRARY", library)
        if self.spec.satisfies("+preload"):
            env.append_path("LD_PRELOAD", library)
