# SPDX-License-Identifier: Apache-2.0
"""The results of `heddle bench` as one HTML page, which loads nothing from anywhere."""
from __future__ import annotations

from html import escape
from typing import Any, Callable, Optional, Sequence

from . import benchmark_plot
from .benchmark_tables import Case, Row

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
       color: #1c2330; background: #fff }
h1 { font-size: 1.6rem } h2 { font-size: 1.15rem; margin: 2.2rem 0 .2rem }
p, .note { color: #566 } .warning { color: #a33 }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { padding: .2rem .6rem; text-align: left; border-bottom: 1px solid #e4e8ee }
th { font-weight: 600; color: #566 } td.number, th.number { text-align: right }
td.number, td.name { white-space: nowrap }
td.bar { width: 42% } tr.first td { border-top: 2px solid #c9d1dc }
.bar span { display: inline-block; height: .8rem; border-radius: 2px; background: #9aa7b8;
            vertical-align: middle; min-width: 1px }
tr.heddle .bar span { background: #2f7d5b } tr.heddle td.name { font-weight: 600 }
.faster { color: #2f7d5b } .slower { color: #a33 }
@media (prefers-color-scheme: dark) {
  body { color: #dde3ec; background: #161a21 } p, .note, th { color: #9aa7b8 }
  th, td { border-color: #2b3240 } tr.first td { border-color: #465064 }
  .faster, .slower, .warning { filter: brightness(1.6) } }
"""


def page(origin: dict[str, Any], cases: Sequence[Case], seconds_text: Callable[[float], str],
         warning: Optional[str]) -> str:
    """All of it. `origin` is what the harness keeps with results, `seconds_text` its notation."""
    compilers = ", ".join(origin["compilers"].values())
    head = [f"<p>{escape(origin['machine'])}. {escape(origin['when'])}. {escape(compilers)}.</p>"]
    if warning is not None:
        head.append(f"<p class=warning>{escape(warning)}</p>")
    if origin["quick"]:
        head.append("<p class=warning>Quick inputs: these check answers; they are too short to "
                    "compare runtimes.</p>")
    libraries = "".join(
        f"<tr><td>{escape(name)}<td>{escape(one['library'])}<td>{escape(one['sha256'] or '')}"
        for name, one in origin["contenders"].items())
    settings = " ".join(f"{name}={value}" for name, value in origin["environment"].items())
    overview = benchmark_plot.draw(benchmark_plot.of_cases(cases), "times as fast as libgomp")
    if overview:
        head.append("<h2>Times as fast as libgomp</h2><p>Bars to the right are faster, to the left "
                    f"slower; the axis is logarithmic.</p>{overview}")
    return (f"<!doctype html>\n<html lang=en><meta charset=utf-8><title>Heddle: benchmarks</title>"
            "<link rel=icon href='data:,'><meta name=viewport content='width=device-width'>"
            f"<style>{STYLE}{benchmark_plot.STYLE}</style>"
            f"<h1>OpenMP runtimes side by side</h1>{''.join(head)}"
            f"{''.join(_case(case, seconds_text) for case in cases)}"
            f"<h2>Where this is from</h2><table><tr><th>runtime<th>library<th>SHA-256, beginning"
            f"{libraries}</table><p>Variables: {escape(settings) or 'none'}. Order of runs: seed "
            f"{origin['seed']}. The same binaries ran on all runtimes, and every answer was "
            "checked.</p></html>\n")


def _case(case: Case, seconds_text: Callable[[float], str]) -> str:
    longest = max((row.seconds or 0.0 for row in case.rows), default=0.0)
    serial = f" Without OpenMP {seconds_text(case.serial)}." if case.serial else ""
    rows, group = [], None
    for row in sorted(case.rows, key=lambda row: row.threads):
        rows.append(_row(row, longest, seconds_text, first=row.threads != group))
        group = row.threads
    construct = "<th>construct" if any(row.what for row in case.rows) else ""
    plot = benchmark_plot.draw(benchmark_plot.of_constructs(case), "times as fast as libgomp")
    told = "Plot: times as fast as libgomp. " if plot else ""
    return (f"<h2>{escape(case.name)}</h2><p>{escape(case.title)}.{serial} {told}Bars: median "
            f"time, the shorter the better.</p>{plot}<table><tr><th class=number>threads<th>runtime"
            f"{construct}<th class=number>median<th class=number>least<th class=number>vs libgomp"
            f"<th>{''.join(rows)}</table>")


def _row(row: Row, longest: float, seconds_text: Callable[[float], str], first: bool) -> str:
    kinds = " ".join(["first"] * first + ["heddle"] * row.runtime.startswith("heddle"))
    start = (f"<tr class='{kinds}'><td class=number>{row.threads}<td class=name>"
             f"{escape(row.runtime)}" + (f"<td>{escape(row.what)}" if row.what else ""))
    if row.seconds is None or row.least is None:
        return f"{start}<td colspan=4 class=slower>{escape(row.failure)}"
    width = 100 * max(row.seconds, 0.0) / longest if longest > 0 else 0
    if row.ratio is None:
        ratio = "<td>"
    else:
        kind = "faster" if row.ratio > 1.05 else "slower" if row.ratio < 0.95 else ""
        ratio = f"<td class='number {kind}'>{row.ratio:.2f}x"
    return (f"{start}<td class=number>{seconds_text(row.seconds)}<td class=number>"
            f"{seconds_text(row.least)}{ratio}<td class=bar><span style='width:{width:.1f}%'>"
            "</span>")
