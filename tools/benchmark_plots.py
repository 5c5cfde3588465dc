#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the plots of the pages in docs/benchmarks/ from the tables that stand in them.

Usage: tools/benchmark_plots.py [--check]
With --check nothing is written, and the exit status is 1 if a plot differs from its table. A plot
is bars of one or several columns for some rows of the first table below a heading. Called by hand
after a figure was changed; ctest calls it with --check.
"""
from __future__ import annotations

import argparse
import math
import re
import sys
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Sequence

PAGES = Path(__file__).resolve().parents[1] / "docs" / "benchmarks"
FOLDER = PAGES / "plots"
COLOURS = {"Heddle": "#2f7d5b", "libgomp": "#9aa7b8", "libomp": "#d9a441", "libomp 19": "#d9a441",
           "libomp 21": "#c07b3a", "libiomp5": "#7a6fb0"}
LEFT, RIGHT, BAR, GAP, TOP = 230, 620, 11, 12, 58  # pixels; RIGHT is where the longest bar ends


@dataclass(frozen=True)
class Plot:
    """A picture. `columns` are heads of the table by the name that the legend shows, and `only`
    says which value rows have in which column, where not all are meant. The table is the first one
    below the heading in which all columns are."""

    file: str
    title: str
    note: str
    heading: str
    columns: dict[str, str]
    only: tuple[str, str] = ("", "")
    over: str = ""  # a column that values are divided into: serial time, so that bars are speed-ups
    page: str = "README.md"


PLOTS = (
    Plot("tasks", "Tasks without cut-offs, two threads",
         "times the serial program, longer is better", "Tasks without cut-offs, seconds",
         {"Heddle": "Heddle", "libgomp": "libgomp", "libomp": "libomp"}, ("threads", "2"),
         "serial"),
    Plot("dependences", "Dependences and taskloops, two threads",
         "ns a task, shorter is better; logarithmic", "Tasks with dependences and taskloops",
         {"Heddle": "Heddle x2", "libgomp": "libgomp x2", "libomp": "libomp x2"}),
    Plot("clang", "Programs compiled by clang, two threads",
         "ns a task, shorter is better; logarithmic", "Programs compiled by clang",
         {"Heddle": "Heddle x2", "libomp 19": "libomp 19 x2", "libomp 21": "libomp 21 x2",
          "libiomp5": "libiomp5 x2"}),
    Plot("constructs", "Constructs, EPCC method, two threads",
         "microseconds, shorter is better; logarithmic",
         "Construct overheads, EPCC method, microseconds",
         {"Heddle": "Heddle x2", "libgomp": "libgomp x2", "libomp": "libomp x2"}),
    Plot("sixteen", "Tasks without cut-offs, 16 threads",
         "times the serial program, longer is better", "Tasks without cut-offs, milliseconds",
         {"Heddle": "Heddle x16", "libgomp": "libgomp x16", "libomp": "libomp x16"},
         over="serial", page="sixteen-cpus.md"),
    Plot("sixteen-constructs", "Constructs, EPCC method, 16 threads",
         "microseconds, shorter is better; logarithmic",
         "Constructs, EPCC method, microseconds",
         {"Heddle": "Heddle", "libgomp": "libgomp", "libiomp5": "libiomp5"}, ("threads", "16"),
         page="sixteen-cpus.md"),
)


def cells(line: str) -> list[str]:
    return [re.sub(r"[*`]", "", cell).strip() for cell in line.strip().strip("|").split("|")]


def table(text: str, plot: Plot) -> tuple[list[str], list[list[str]]]:
    """Heads and rows; what a row leaves empty is that of the row above. Raises ValueError."""
    section = re.search(rf"^#+ {re.escape(plot.heading)}$(.*?)(?=^## |\Z)", text, re.M | re.S)
    if section is None:
        raise ValueError(f"there is no heading '{plot.heading}'")
    for found in re.finditer(r"(?:^\|.*\n)+", section[1], re.M):
        lines = [cells(line) for line in found[0].splitlines()]
        heads, rows = lines[0], lines[2:]
        if set(plot.columns.values()) <= set(heads):
            for above, row in zip(rows, rows[1:]):
                row[:] = [cell or before for cell, before in zip(row, above)]
            return heads, rows
    raise ValueError(f"no table below '{plot.heading}' has {', '.join(plot.columns.values())}")


def number(cell: str) -> float | None:
    found = re.match(r"[\d,.]+", cell)
    return float(found[0].replace(",", "")) if found else None


def values(text: str, plot: Plot) -> dict[str, dict[str, float]]:
    """By row and series. Raises ValueError where the table lacks what the plot shows."""
    heads, rows = table(text, plot)
    only, value = plot.only
    result: dict[str, dict[str, float]] = {}
    for row in rows:
        by_head = dict(zip(heads, row))
        if only and by_head[only] != value:
            continue
        base = number(by_head[plot.over]) if plot.over else None
        bars = {name: number(by_head[head]) for name, head in plot.columns.items()}
        known = {name: bar for name, bar in bars.items() if bar is not None}
        if known:
            result[row[0]] = {name: base / bar if base else bar for name, bar in known.items()}
    if not result:
        raise ValueError(f"no row below '{plot.heading}' has figures")
    return result


def spelled(value: float, plot: Plot) -> str:
    """As exact as the table, or what can be computed from it."""
    if plot.over:
        return f"{value:.2g}x"
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def draw(plot: Plot, rows: dict[str, dict[str, float]]) -> str:
    bars = [bar for row in rows.values() for bar in row.values()]
    longest, log = max(bars), not plot.over
    least = 10.0 ** math.floor(math.log10(min(bars)) - 0.3) if log else 0.0

    def length(bar: float) -> float:
        share = (math.log(bar / least) / math.log(longest / least)) if log else bar / longest
        return (RIGHT - LEFT) * share

    height = TOP + sum(len(row) * BAR + GAP for row in rows.values())
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 {height}" width="700" '
             f'height="{height}" font-family="system-ui, sans-serif" font-size="12" role="img">',
             f"<title>{escape(plot.title)}: {escape(plot.note)}</title>",
             f'<rect width="700" height="{height}" rx="6" fill="#fff"/>',
             f'<text x="12" y="20" font-size="14" font-weight="600" fill="#1c2330">'
             f"{escape(plot.title)}</text>",
             f'<text x="12" y="38" fill="#566">{escape(plot.note)}</text>']
    for place, name in enumerate(plot.columns):
        x = 430 + place % 2 * 130
        y = 12 + place // 2 * 17
        parts.append(f'<rect x="{x}" y="{y}" width="11" height="11" rx="2" '
                     f'fill="{COLOURS[name]}"/><text x="{x + 17}" y="{y + 10}" fill="#1c2330">'
                     f"{escape(name)}</text>")
    y = TOP
    if plot.over:
        x = LEFT + length(1.0)
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 4}" y2="{height - 8}" '
                     f'stroke="#c9d1dc"/><text x="{x:.1f}" y="{TOP - 8}" font-size="10" '
                     'text-anchor="middle" fill="#566">1x</text>')
    for label, row in rows.items():
        middle = y + len(row) * BAR / 2 + 4
        parts.append(f'<text x="{LEFT - 8}" y="{middle:.1f}" text-anchor="end" fill="#1c2330">'
                     f"{escape(shortened(label))}</text>")
        for name, bar in row.items():
            wide = max(length(bar), 1.0)
            parts.append(f'<rect x="{LEFT}" y="{y}" width="{wide:.1f}" height="{BAR - 2}" rx="2" '
                         f'fill="{COLOURS[name]}"/><text x="{LEFT + wide + 5:.1f}" '
                         f'y="{y + BAR - 3}" font-size="10" fill="#566">'
                         f"{spelled(bar, plot)}</text>")
            y += BAR
        y += GAP
    return "\n".join(parts) + "\n</svg>\n"


def shortened(label: str) -> str:
    return label if len(label) <= 36 else label[:34].rstrip(" ,") + "..."


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    check = parser.parse_args(arguments).check
    stale = []
    for plot in PLOTS:
        text = (PAGES / plot.page).read_text(encoding="utf-8")
        file = FOLDER / f"{plot.file}.svg"
        try:
            picture = draw(plot, values(text, plot))
        except ValueError as error:
            print(f"benchmark_plots: {plot.file}: {error}", file=sys.stderr)
            return 1
        if check and (not file.is_file() or file.read_text(encoding="utf-8") != picture):
            stale.append(file.name)
        elif not check:
            FOLDER.mkdir(exist_ok=True)
            file.write_text(picture, encoding="utf-8")
    if stale:
        print(f"{', '.join(stale)}: out of date: run tools/benchmark_plots.py", file=sys.stderr)
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main())
