# SPDX-License-Identifier: Apache-2.0
"""A table drawn as a line chart, in SVG that a page can hold: no library, no script."""
from __future__ import annotations

import math
from html import escape
from typing import Sequence

from .outcome import Table, number

WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 64, 12, 14, 44
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#666666", "#b00020",
           "#5b3fa0", "#2f7d32")
DASHES = ("", "6 3", "2 2")


class Scale:
    """Maps values to heights: linear from 0, or logarithmic over what there is."""

    def __init__(self, values: Sequence[float], log: bool) -> None:
        positive = [v for v in values if v > 0]
        self.log = log and bool(positive)
        if self.log:
            self.low = 10.0 ** math.floor(math.log10(min(positive)))
            self.high = 10.0 ** math.ceil(math.log10(max(positive)) + 1e-9)
        else:
            self.low, self.high = 0.0, nice(max(values, default=1.0))

    def y(self, value: float) -> float:
        if self.log:
            share = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - share)

    def ticks(self) -> list[float]:
        if self.log:
            first, last = round(math.log10(self.low)), round(math.log10(self.high))
            return [10.0 ** i for i in range(first, last + 1)]
        return [self.high * i / 4 for i in range(5)]


def nice(value: float) -> float:
    """The next of 1, 2, 4, 5, 8 times a power of ten that is not less."""
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 4, 5, 8, 10) if step * power >= value * 0.9999)


def text(x: float, y: float, words: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def style_of(column: int) -> str:
    dash = DASHES[column // len(COLOURS) % len(DASHES)]
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'stroke="{COLOURS[column % len(COLOURS)]}"{dashed}'


def draw(table: Table) -> str:
    """The chart, or nothing where there are fewer than two places on the x axis."""
    values = [v for row in table.values for v in row if v is not None]
    if len(table.rows) < 2 or not values:
        return ""
    scale = Scale(values, table.log_y)
    step = (WIDTH - LEFT - RIGHT) / max(len(table.rows) - 1, 1)
    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
             f'aria-label="{escape(table.title, quote=True)}">']
    for tick in scale.ticks():
        y = scale.y(tick)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" '
                     f'y2="{y:.1f}"/>')
        parts.append(text(LEFT - 6, y + 4, number(tick) if tick else "0", "end"))
    for i, row in enumerate(table.rows):
        anchor = "end" if i == len(table.rows) - 1 and len(row) > 4 else "middle"
        parts.append(text(LEFT + i * step, HEIGHT - BOTTOM + 18, row, anchor))
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, table.row_name))
    for j in range(len(table.columns)):
        known = [(LEFT + i * step, scale.y(row[j])) for i, row in enumerate(table.values)
                 if row[j] is not None]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in known)
        parts.append(f'<polyline fill="none" stroke-width="2" {style_of(j)} points="{path}"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{COLOURS[j % len(COLOURS)]}"/>'
                  for x, y in known]
    return "\n".join(parts) + "\n</svg>\n" + legend(table.columns)


def legend(columns: Sequence[str]) -> str:
    keys = (f'<span><svg class="key" viewBox="0 0 24 8"><line x1="0" x2="24" y1="4" y2="4" '
            f'stroke-width="3" {style_of(j)}/></svg>{escape(name)}</span>'
            for j, name in enumerate(columns))
    return '<p class="legend">' + " ".join(keys) + "</p>\n"
