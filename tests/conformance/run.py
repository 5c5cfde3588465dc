#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run libgomp's and LLVM's own test suites against any OpenMP runtime library with their interface."""

import argparse
import collections
import json
import os
import re
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harness import archer_suite, compile_cache, execution, expectation, libgomp_suite, llvm_suite, sources
from harness import library as libraries
from harness.execution import FAIL, PASS, SKIP, Result

HERE = Path(__file__).resolve().parent
LLVM = "llvm"
ARCHER = ("archer", "archer-gcc")
UNSTARTED = "not started: the run's time was over"


def cache_folder():
    return Path(os.environ.get("HEDDLE_CACHE") or Path.home() / ".cache/heddle") / "conformance"


def source_root(options):
    """The folder of the suite's sources: --src, or what fetch filled."""
    _, kind, version = compile_cache.split_compiler(options.compiler or "")
    package = f"llvm{version or '-' + llvm_suite.VERSION}" if options.suite in (LLVM, *ARCHER) else \
        f"gcc{version if kind == 'gcc' and version else '-' + libgomp_suite.VERSION}"
    folder, marker = options.src or options.cache / package, sources.package(package).marker
    if not (folder / marker).is_file():
        sys.exit(f"{folder} holds no {marker}; get it with: run.py fetch {package}")
    return folder.resolve()


def open_library(options, suite):
    """The library under test, which a probe must really be bound to."""
    if options.libdir:
        library = libraries.Library(libraries.library_in(options.libdir), preload=False)
    else:
        library = libraries.Library(options.preload)
    library.native_defined = suite.native_symbols()
    bound = library.check_binding(suite.probe_compiler, suite.probe_symbol)
    print(f"{suite.probe_symbol} binds to {bound}", flush=True)
    return library


def select_tests(suite, options):
    return [test for test in suite.tests() if re.search(options.filter, test.name)]


def read_expectation(suite, options):
    """What --expect says of the tests that --filter leaves; None without --expect."""
    if not options.expect:
        return None
    names = {name for name in expectation.read_names(options.expect)
             if re.search(options.filter, name)}
    of = options.suite + ("-tools" if options.tools else "")
    exceptions = expectation.read_exceptions(HERE / "expected/exceptions.txt", of)
    exceptions = {name: reason for name, reason in exceptions.items()
                  if re.search(options.filter, name)}
    return expectation.Expectation(names, suite, exceptions)


def run_tests(run, tests, options):
    """Every result, in the tests' order; what is worse than a skip is told as it happens.

    A test whose turn comes after --budget seconds is not started, and has failed.
    """
    started = time.monotonic()

    def run_one(test):
        if options.budget and time.monotonic() - started > options.budget:
            return Result(test.name, FAIL, UNSTARTED)
        result = run(test)
        if options.verbose or result.outcome not in (PASS, SKIP):
            print(f"{result.label()} {test.name} [{result.seconds:.1f} s]", flush=True)
        return result

    with ThreadPoolExecutor(options.jobs) as pool:
        return list(pool.map(run_one, tests))


def print_skipped(results):
    """Why tests were out, and how many for each reason."""
    reasons = collections.Counter(result.detail for result in results if result.outcome == SKIP)
    for reason, times in reasons.most_common():
        print(f"out: {times:3} {reason}")


def print_unstarted(results):
    """How many tests the run's time did not suffice for."""
    unstarted = sum(result.detail == UNSTARTED for result in results)
    if unstarted:
        print(f"{unstarted} tests {UNSTARTED}")


def print_borrowed(results):
    """Which symbols the library lacks and a preloaded test got from the native one."""
    lenders = [result for result in results if result.borrowed]
    symbols = collections.Counter(name for result in lenders for name in result.borrowed)
    if lenders:
        passed = sum(result.outcome == PASS for result in lenders)
        print(f"{len(lenders)} tests ({passed} passed) took symbols from the native runtime: "
              + ", ".join(f"{name} ({times})" for name, times in symbols.most_common()))


def print_summary(results, seconds):
    """The closing lines; returns how many tests failed."""
    passed = sum(result.outcome == PASS for result in results)
    skipped = sum(result.outcome == SKIP for result in results)
    failed = len(results) - passed - skipped
    print(f"{seconds:.0f} s")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed


def open_suite(options, work_root):
    root = source_root(options)
    if options.suite == LLVM:
        suite = llvm_suite.LlvmSuite(root, options.cache, work_root, options.wrappers,
                                     options.compiler or f"clang-{llvm_suite.VERSION}")
        if options.tools:
            suite.features.add(llvm_suite.TOOLS_FEATURE)
        return suite
    if options.suite in ARCHER:
        return archer_suite.ArcherSuite(root, options.cache, work_root, options.suite == ARCHER[1])
    return libgomp_suite.LibgompSuite(options.suite, root, options.cache, work_root,
                                      options.wrappers, options.compiler or "gcc")


def command_run(options):
    with tempfile.TemporaryDirectory(prefix="work-", dir=options.cache) as work_root:
        suite = open_suite(options, work_root)
        library = open_library(options, suite)
        tests = select_tests(suite, options)
        expected = read_expectation(suite, options)
        run = expected.run if expected else suite.run
        started = time.monotonic()
        results = run_tests(lambda test: run(test, library, options), tests, options)
        seconds = time.monotonic() - started
    for result in expected.missing(tests) if expected else []:
        print(f"{result.label()} {result.test}")
        results.append(result)
    print_skipped(results)
    print_borrowed(results)
    print_unstarted(results)
    if options.json:
        document = [vars(result) for result in results]
        Path(options.json).write_text(json.dumps(document, indent=1) + "\n")
    return 1 if print_summary(results, seconds) or not results else 0


def command_compare(options):
    """Each test that the native runtime passes must pass with the library, but for exceptions."""
    of = options.suite + ("-tools" if options.tools else "")
    if of in libgomp_suite.FOLDERS and (options.compiler or "").startswith("clang"):
        of += "-clang"
    exceptions = {name: reason for file in ("exceptions.txt", "exceptions-compared.txt")
                  for name, reason in expectation.read_exceptions(HERE / "expected" / file, of).items()}
    with tempfile.TemporaryDirectory(prefix="work-", dir=options.cache) as work_root:
        suite = open_suite(options, work_root)
        comparison = expectation.Comparison(suite, exceptions)
        library = open_library(options, suite)
        started = time.monotonic()
        results = run_tests(lambda test: comparison.run(test, library, options),
                            select_tests(suite, options), options)
        seconds = time.monotonic() - started
    print_skipped(results)
    return 1 if print_summary(results, seconds) or not results else 0


def command_compile(options):
    """Fill the cache, so that a timed run compiles nothing."""
    with tempfile.TemporaryDirectory(prefix="work-", dir=options.cache) as work_root:
        suite = open_suite(options, work_root)
        started = time.monotonic()
        results = run_tests(suite.compile, select_tests(suite, options), options)
        seconds = time.monotonic() - started
    return 1 if print_summary(results, seconds) else 0


def command_select(options):
    """Write the list of tests that the native runtime always passes."""
    with tempfile.TemporaryDirectory(prefix="work-", dir=options.cache) as work_root:
        suite = open_suite(options, work_root)
        library = open_library(options, suite)
        chosen = select_tests(suite, options)
        for _ in range(options.runs):
            results = run_tests(lambda test: suite.run(test, library, options), chosen, options)
            print_skipped(results)
            chosen = [test for test, result in zip(chosen, results) if result.outcome == PASS]
    header = f"# Made by: run.py select --suite {options.suite}\n"
    options.out.write_text(header + "".join(f"{test.name}\n" for test in chosen))
    print(f"{len(chosen)} tests in {options.out}")
    return 0


def command_fetch(options):
    for name in options.packages or sources.DEFAULTS:
        try:
            print(sources.fetch(sources.package(name), options.cache / name))
        except sources.FetchError as error:
            sys.exit(f"fetch failed: {error}")
    return 0


def environment_pair(text):
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError("use NAME=VALUE")
    return name, value


def compiler_name(text):
    if not compile_cache.COMPILER.fullmatch(text) or text.endswith("clang"):
        raise argparse.ArgumentTypeError("use gcc, gcc-N or clang-N, or MACHINE- and one of these")
    return text


def add_cache_argument(parser):
    parser.add_argument("--cache", type=Path, default=cache_folder(),
                        help="for sources and compiled tests (default: %(default)s)")


def add_run_arguments(parser):
    add_cache_argument(parser)
    parser.add_argument("--src", type=Path, help="where the suite is, if not in the cache")
    parser.add_argument("--suite", required=True, choices=[*libgomp_suite.FOLDERS, LLVM, *ARCHER])
    parser.add_argument("--compiler", metavar="NAME", type=compiler_name,
                        help="gcc-N with that one's suite, or clang-N with LLVM's of that or with "
                        f"libgomp's of gcc {libgomp_suite.VERSION} (default: gcc, clang-{llvm_suite.VERSION}); one for "
                        "another machine, which its programs must find a way to, as in aarch64-linux-gnu-gcc")
    parser.add_argument("--wrappers", type=Path, metavar="DIR",
                        help="heddlecc and its siblings of that folder compile; nothing is kept")
    parser.add_argument("--tools", action="store_true",
                        help="llvm: the tests of the tool interface too")
    parser.add_argument("--filter", default="", metavar="REGEX")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=float, default=60, help="seconds a test may run")
    parser.add_argument("--budget", type=float, metavar="SECONDS",
                        help="start no test after that many seconds; those left have failed")
    parser.add_argument("--env", type=environment_pair, action="append", default=[],
                        metavar="NAME=VALUE", help="set for every test")
    parser.add_argument("--verbose", action="store_true", help="print passes and skips too")
    parser.set_defaults(preload=None, libdir=None, expect=None, strict_symbols=False)


def add_library_arguments(parser):
    library = parser.add_mutually_exclusive_group()
    library.add_argument("--preload", metavar="LIB", help="library to test (default: the native one)")
    library.add_argument("--libdir", metavar="DIR",
                         help="its folder: stands in the native one's place")
    parser.add_argument("--strict-symbols", action="store_true",
                        help="a test that takes symbols from the native runtime fails")


def parse_arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    fetch = commands.add_parser("fetch", help="get the suites as Debian source packages")
    add_cache_argument(fetch)
    fetch.add_argument("packages", nargs="*", metavar="PACKAGE",
                       help=f"gcc-N or llvm-N (default: {' and '.join(sources.DEFAULTS)})")
    fetch.set_defaults(call=command_fetch, env=[])
    run = commands.add_parser("run", help="run a suite against a library")
    add_run_arguments(run)
    add_library_arguments(run)
    run.add_argument("--json", metavar="OUT")
    run.add_argument("--expect", metavar="FILE",
                     help="these tests must pass, and every other must be out for a reason")
    run.set_defaults(call=command_run)
    compare = commands.add_parser("compare", help="what the native runtime passes and a library does not")
    add_run_arguments(compare)
    add_library_arguments(compare)
    compare.set_defaults(call=command_compare)
    compiling = commands.add_parser("compile", help="compile a suite's tests into the cache")
    add_run_arguments(compiling)
    compiling.set_defaults(call=command_compile)
    select = commands.add_parser("select", help="remake a list in expected/")
    add_run_arguments(select)
    select.add_argument("--runs", type=int, default=3)
    select.add_argument("--out", type=Path, help="default: expected/SUITE.txt")
    select.set_defaults(call=command_select)
    options = parser.parse_args(argv)
    if getattr(options, "suite", None) in (LLVM, *ARCHER) and options.preload:
        parser.error("--preload would reach the shell and FileCheck too: use --libdir")
    return options


def main(argv=None):
    options = parse_arguments(argv)
    options.env = dict(options.env)
    if getattr(options, "cache", None):
        options.cache.mkdir(parents=True, exist_ok=True)
    if options.call is command_select:
        options.out = options.out or HERE / f"expected/{options.suite}.txt"
    execution.forbid_core_dumps_and_huge_files()
    try:
        return options.call(options)
    except libraries.LibraryError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    sys.exit(main())
