# SPDX-License-Identifier: Apache-2.0
"""Under each task policy: the order in which tasks run, and that programs are right.

Usage: test_policies.py order PROGRAM | values PROGRAM | programs POLICY PROGRAM...
"""
import os
import subprocess
import sys

AT_ONCE = "0 1 2 3 4 5"
OLDEST, NEWEST = "| 0 1 2 3 4 5", "| 5 4 3 2 1 0"
OLDEST_NESTED = "| 1 2 11 12 21 22"
NEWEST_NESTED = "| 2 22 21 1 12 11"

# policy: order of the own tasks, of two levels, and of another thread's tasks (None: not defined)
ORDERS = {
    "bff": (OLDEST, OLDEST_NESTED, "0 1 2 3 4 5"),
    "bfl": (NEWEST, NEWEST_NESTED, "5 4 3 2 1 0"),
    "wfff": (OLDEST, OLDEST_NESTED, "0 1 2 3 4 5"),
    "wffl": (OLDEST, OLDEST_NESTED, "5 4 3 2 1 0"),
    "wlff": (NEWEST, NEWEST_NESTED, "0 1 2 3 4 5"),
    "wlll": (NEWEST, NEWEST_NESTED, "5 4 3 2 1 0"),
    "cilk": (NEWEST, NEWEST_NESTED, "0 1 2 3 4 5"),
    "ompi": (NEWEST, NEWEST_NESTED, "5 4 3 2 1 0"),
    "ompi:oldest": (OLDEST, OLDEST_NESTED, "0 1 2 3 4 5"),
    # Two slots: the third task finds the queue full, and the queue stays full.
    "ompi:slots=2": ("2 3 4 5 | 1 0", None, None),
    "bff:maxtasks=3": ("3 4 5 | 0 1 2", None, None),
    "wlff:maxlevel=1": (NEWEST, "| 2 21 22 1 11 12", "0 1 2 3 4 5"),
    "heddle": (AT_ONCE + " |", "1 11 12 2 21 22 |", None),
}
BAD_VALUES = ("lifo", "bff:", "bff:slots=4", "ompi:slots=1", "ompi:slots=4097", "wlff:maxtasks=0",
              "heddle:adaptive", "bff:maxlevel=x", "")


def run(program, policy, threads):
    environment = dict(os.environ, HEDDLE_TASK_POLICY=policy, OMP_NUM_THREADS=str(threads),
                       HEDDLE_STRESS_SCALE="0.002", OMP_WAIT_POLICY="passive")
    return subprocess.run([program], env=environment, capture_output=True, text=True, timeout=300)


def compare_orders(program):
    """Where another thread's order is not defined, a task may wait for its creator: one thread."""
    wrong = 0
    for policy, expected in ORDERS.items():
        done = run(program, policy, 1 if expected[2] is None else 2)
        found = dict(line.split(" ", 1) for line in done.stdout.splitlines())
        for name, order in zip(("local", "nested", "remote"), expected):
            if done.returncode != 0 or done.stderr or order not in (None, found.get(name)):
                wrong += 1
                print(f"{policy}: {name}: expected {order}, found {found.get(name)}; exit status "
                      f"{done.returncode}; {done.stderr}")
    return wrong


def check_values(program):
    """A wrong value is one line with the variable and the value, and the default is used."""
    wrong = 0
    for value in BAD_VALUES:
        done = run(program, value, 1)
        message = f"HEDDLE_TASK_POLICY: bad value '{value}': expected "
        lines = done.stderr.splitlines()
        right = len(lines) == 1 and message in lines[0] and lines[0].endswith("using heddle")
        if not right or f"local {AT_ONCE} |" not in done.stdout:
            wrong += 1
            print(f"'{value}': {done.stdout}{done.stderr}")
    return wrong


def run_programs(policy, programs):
    wrong = 0
    for program in programs:
        for threads in (1, 2, 5):
            done = run(program, policy, threads)
            if done.returncode != 0:
                wrong += 1
                print(f"{policy}, {threads} threads: {program}: exit status {done.returncode}\n"
                      f"{done.stdout}{done.stderr}")
    return wrong


def main(kind, *arguments):
    if kind == "order":
        return compare_orders(*arguments)
    if kind == "values":
        return check_values(*arguments)
    return run_programs(arguments[0], arguments[1:])


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
