#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run wheels.py with the runtimes that the wheels bring along and with Heddle, and compare.

The reference is each wheel alone in a process of its own with its own runtime. All of them in one
process, in two orders of loading, come next: as they are, which is only reported, because two
runtimes in a process may well crash or hang; then with Heddle preloaded, which must compute the
same, have no OpenMP thread but its own and no more than its callers may ask for, serve a forked
child, and be what every OpenMP reference is bound to. Run it with the Python that has the wheels;
tools/python_wheels.sh does.
"""

import argparse
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import bindings
from process import RUNTIME

HERE = Path(__file__).resolve().parent
PARTS = ["torch", "xgboost", "lightgbm", "sklearn", "faiss", "mkl", "paddle"]
LAZY_ONLY = {"mkl"}  # cannot be loaded with all its references bound at once
CLIENTS = 3  # as in wheels.py
SECONDS = 600


class Verdict:
    """Counts checks and prints one line for each."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, what, problems):
        self.passed += not problems
        self.failed += bool(problems)
        print(f"  {'FAILED' if problems else 'passed'}: {what}")
        for problem in problems[:10]:
            print(f"      {problem}")
        if len(problems) > 10:
            print(f"      and {len(problems) - 10} more")


def environment(threads, library=None, by="preload"):
    """Of a process that runs on the library, if there is one: preloaded, or loaded by `import
    heddle`, which is then its first import."""
    env = {name: value for name, value in os.environ.items()
           if not name.startswith(("LD_", "OMP_", "GOMP_", "KMP_", "MKL_"))}
    env["OMP_NUM_THREADS"] = str(threads)
    if library and by == "preload":
        env["LD_PRELOAD"] = str(library)
    elif library:
        env.update(PYTHONPATH=str(HERE.parents[1] / "python"), HEDDLE_LIBRARY=str(library))
    return env


def command(parts, *options):
    return [sys.executable, "-B", str(HERE / "wheels.py"), "--parts", ",".join(parts), *options]


def outcome(status):
    return "ended well" if status == 0 else f"killed by signal {-status}" if status < 0 else (
        f"exit status {status}")


def report(parts, env, *options):
    """(what happened, wheels.py's report or None)."""
    try:
        done = subprocess.run(command(parts, *options), env=env, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"hung for {SECONDS} seconds", None
    if done.returncode:
        last = [line for line in done.stderr.splitlines() if line.strip()][-1:]
        return f"{outcome(done.returncode)}, last line: {''.join(last)}", None
    return outcome(0), json.loads(done.stdout)


def owned(census):
    """Those of the counts that are OpenMP runtimes' threads."""
    return {name: count for name, count in census.items() if RUNTIME.match(name)}


def text(counts):
    return " + ".join(f"{count} {name}" for name, count in counts.items()) or "none"


def same(expected, actual):
    """Whether two results of wheels.py agree, as exactly as the algorithm allows."""
    if expected.get("shape") != actual.get("shape"):
        return False
    if "sha256" in expected:
        return expected["sha256"] == actual.get("sha256")
    scale = max(abs(value) for value in expected["sample"]) or 1.0
    tolerance = expected["tolerance"]
    return all(math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance * scale)
               for a, b in zip(expected["sample"], actual["sample"]))


def differences(reference, found):
    """Results of a report that differ from the reference's, or that one of the two lacks."""
    problems = []
    for name, part in found["parts"].items():
        for key, value in part["results"].items():
            expected = reference.get((name, key))
            if expected is None or not same(expected, value):
                problems.append(f"{name}: {key} differs")
    seen = {(name, key) for name, part in found["parts"].items() for key in part["results"]}
    return problems + [f"{name}: no {key}" for name, key in reference if (name, key) not in seen]


def references(parts, threads):
    """Run each wheel alone: ({(part, result): value}, parts that are installed)."""
    values, installed = {}, []
    print("Each wheel alone, with its own runtime:")
    for part in parts:
        what, found = report([part], environment(threads))
        if found is None:
            raise SystemExit(f"{part} alone: {what}")
        if part in found["missing"]:
            print(f"  {part}: not installed")
            continue
        installed.append(part)
        for name, entry in found["parts"].items():
            values.update({(name, key): value for key, value in entry["results"].items()})
        parts_of = found["parts"]
        print(f"  {part:9} {text(owned(parts_of[part]['census']))}; with {CLIENTS} clients "
              f"{text(owned(parts_of['clients']['census']))}")
    return values, installed


def describe(what, found):
    if found is None:
        return what
    last = owned(found["parts"]["clients"]["census"])
    return (f"{what}; threads with {CLIENTS} clients: {text(last)}; "
            f"forked child: {found.get('child', 'not tried')}")


def one_pool(found, library, threads):
    """What contradicts that all OpenMP threads are the library's, and as few as can be."""
    problems = []
    for name, part in found["parts"].items():
        counts = owned(part["census"])
        problems += [f"{name}: {count} threads of {who}" for who, count in counts.items()
                     if who != library]
        callers = CLIENTS + 1 if name.endswith("clients") else 1  # each has a team of its own
        if counts.get(library, 0) > callers * (threads - 1):
            problems.append(f"{name}: {counts[library]} threads for {callers} callers of {threads}")
    again = found["parts"]["more clients"]["census"].get(library, 0)
    before = found["parts"]["clients"]["census"].get(library, 0)
    if again > before:
        problems.append(f"the pool grew from {before} to {again} with the second clients")
    return problems


def all_bound(parts, env, library, options, eager):
    """References to OpenMP that do not end at the library, and how many there are."""
    done, found = bindings.run(command(parts, *options), env, eager=eager,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    problems = [] if done.returncode == 0 else [outcome(done.returncode)]
    problems += [f"{user}: {symbol}{'@' + version if version else ''} is bound to {target}"
                 for user, target, symbol, version in bindings.strangers(found, library.name)]
    return problems, len(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path, help="libheddle.so")
    parser.add_argument("--threads", type=int, default=4, help="OMP_NUM_THREADS (default: 4)")
    parser.add_argument("--by", choices=("preload", "import"), default="preload",
                        help="how Heddle comes into the process (default: preload)")
    parser.add_argument("--parts", default=",".join(PARTS), help="comma-separated, see wheels.py")
    arguments = parser.parse_args()
    library, threads = arguments.library.resolve(strict=True), arguments.threads
    reference, parts = references(arguments.parts.split(","), threads)
    orders = {"in this order": parts, "in reverse": parts[::-1]}

    print("\nAll in one process, as they are (nothing is checked here):")
    for order, names in orders.items():
        what, found = report(names, environment(threads), "--child")
        print(f"  {order}: {describe(what, found)}")
        if found:
            print(f"      {len(differences(reference, found))} results differ; "
                  f"mapped: {', '.join(found['runtimes'])}")

    verdict = Verdict()
    env = environment(threads, library, arguments.by)
    options = ["--import-heddle"] if arguments.by == "import" else []
    print(f"\nAll in one process, with Heddle by {arguments.by}:")
    for order, names in orders.items():
        what, found = report(names, env, "--child", *options)
        verdict.check(f"{order}: {describe(what, found)}", [] if found else [what])
        if found:
            count = sum(len(part["results"]) for part in found["parts"].values())
            verdict.check(f"{order}: {count} results as with the wheels' own runtimes",
                          differences(reference, found))
            verdict.check(f"{order}: one pool", one_pool(found, library.name, threads))
            verdict.check(f"{order}: a forked child can use them",
                          [] if found["child"] == "done" else [found["child"]])
    problems, count = all_bound(parts, env, library, options, eager=False)
    verdict.check(f"{count} references to OpenMP that were used are bound to Heddle", problems)
    eager = [name for name in parts if name not in LAZY_ONLY]
    problems, count = all_bound(eager, env, library, options, eager=True)
    verdict.check(f"{count} references of {', '.join(eager)}, used or not, too", problems)
    print(f"\n{verdict.passed} passed, {verdict.failed} failed")
    return 1 if verdict.failed else 0


if __name__ == "__main__":
    sys.exit(main())
