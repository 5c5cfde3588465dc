# SPDX-License-Identifier: Apache-2.0
"""Every number of every machine model has a source, and the numbers fit each other.

Usage: test_machines.py
"""
from __future__ import annotations

import copy
import json
import math
import sys
from pathlib import Path
from typing import Any, Iterator

MACHINES = Path(__file__).resolve().parents[2] / "sim" / "machines"
KINDS = ("paper", "vendor", "published", "measured", "derived", "assumed")
NOT_NUMBERS = {"name", "description", "sources", "scratch.runtime"}
# hardware threads that a machine must have, where its name or its paper says
THREADS = {"opteron16": 16, "opteron8220": 16, "broadwell44": 88, "sandybridge16": 16, "amd48": 48,
           "intel192": 192, "cyclops64": 160, "epyc128": 128, "granite256": 256,
           "manycore1024": 1024, "dev2": 2, "dev3": 2, "xeon16": 16}
DISTANCES = ("hit_cycles", "same_cluster_cycles", "same_node_cycles", "same_socket_cycles",
             "other_socket_cycles")

Model = dict[str, Any]


def numbers(model: Model) -> Iterator[tuple[str, Any]]:
    """Each number as (key, value); a group's keys are joined by a dot."""
    for key, value in model.items():
        if key in NOT_NUMBERS or value is None:
            continue
        if isinstance(value, dict):
            yield from ((f"{key}.{inner}", number) for inner, number in value.items()
                        if f"{key}.{inner}" not in NOT_NUMBERS)
        else:
            yield key, value


def check_sources(model: Model) -> Iterator[str]:
    sources = model.get("sources", {})
    keys = dict(numbers(model))
    for key, value in keys.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
            yield f"{key}: {value!r} is not a positive number"
        kind, _, text = str(sources.get(key, "")).partition(" ")
        if kind.rstrip(":") not in KINDS or len(text) < 5:
            yield f"{key}: no source, or one that does not say its kind ({', '.join(KINDS)})"
    yield from (f"sources.{key}: there is no such number" for key in sources if key not in keys)


def check_sense(model: Model, threads: int) -> Iterator[str]:
    counts = ("sockets", "nodes_per_socket", "clusters_per_node", "cores_per_cluster",
              "threads_per_core")
    product = math.prod(model[c] for c in counts)
    if product != threads:
        yield f"{product} hardware threads, should be {threads}"
    if (model["cache"] is None) == (model["scratch"] is None):
        yield "a machine has either caches or scratchpads"
    if model["memory"]["remote_ns"] < model["memory"]["local_ns"]:
        yield "memory.remote_ns: less than memory.local_ns"
    if model["cache"] is None:
        return
    costs = [model["cache"][d] for d in DISTANCES]
    if costs != sorted(costs):
        yield f"cache: costs do not grow with the distance: {costs}"
    local = model["memory"]["local_ns"] * model["clock_ghz"]
    if abs(model["cache"]["memory_local_cycles"] - local) > 0.03 * local:
        yield f"cache.memory_local_cycles: memory.local_ns make {local:.0f} cycles"


def problems(name: str, model: Model) -> list[str]:
    found = [] if model.get("name") == name else [f"name: {model.get('name')!r}"]
    if name not in THREADS:
        return [*found, "unknown to this test: add it to THREADS"]
    return [*found, *check_sources(model), *check_sense(model, THREADS[name])]


def planted(model: Model) -> Iterator[tuple[str, Model]]:
    """Models with one fault each, which the checks must find."""
    def changed(what: str) -> tuple[str, Model]:
        return what, copy.deepcopy(model)

    fault, bad = changed("a number without a source")
    del bad["sources"]["cache.hit_cycles"]
    yield fault, bad
    fault, bad = changed("a source that does not say its kind")
    bad["sources"]["clock_ghz"] = "somebody said so"
    yield fault, bad
    fault, bad = changed("a source of nothing")
    bad["sources"]["cache.l4_cycles"] = "assumed: there might be one"
    yield fault, bad
    fault, bad = changed("a core too many")
    bad["cores_per_cluster"] += 1
    yield fault, bad
    fault, bad = changed("far that is near")
    bad["cache"]["other_socket_cycles"] = bad["cache"]["hit_cycles"]
    yield fault, bad


def main() -> int:
    models = {path.stem: json.loads(path.read_text()) for path in sorted(MACHINES.glob("*.json"))}
    wrong = [f"{name}.json: {problem}" for name, model in models.items()
             for problem in problems(name, model)]
    wrong += [f"{name}.json is missing" for name in THREADS if name not in models]
    wrong += [f"the checks do not find {fault}"
              for fault, bad in planted(models["opteron16"]) if not problems("opteron16", bad)]
    for line in wrong:
        print(line)
    print(f"{len(models)} machines, {sum(len(list(numbers(m))) for m in models.values())} numbers")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
