# SPDX-License-Identifier: Apache-2.0
"""How much faster than libgomp: bars to both sides of 1, as SVG inside the page of a benchmark run.
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import Callable, Iterable, Sequence

from .benchmark_tables import Case

BASE = "libgomp"  # what ratios are over: its own bars would all be of length 0
BAR, GAP, TOP, BOTTOM = 12, 9, 26, 8  # pixels
LEFT, RIGHT, WIDTH = 210, 690, 760    # where labels end, where the largest ratio is, and all of it
LEAST_RANGE = 2.0                     # the axis goes to this ratio at least
TICK_DISTANCE = 40                    # pixels between numbers on the axis
TICKS = (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)
FILLINGS = ("", " hollow", " dashed")

STYLE = """
svg.ratios { width: 100%; max-width: 47.5rem; height: auto; font-size: 12px; display: block }
svg.ratios text { fill: currentColor } svg.ratios line { stroke: #c9d1dc }
svg.ratios rect { stroke-width: 0 } svg.ratios rect.heddle { fill: #2f7d5b; stroke: #2f7d5b }
svg.ratios rect.other1 { fill: #d9a441; stroke: #d9a441 }
svg.ratios rect.other2 { fill: #7a6fb0; stroke: #7a6fb0 }
svg.ratios rect.other3 { fill: #a4502a; stroke: #a4502a }
svg.ratios rect.hollow { fill-opacity: .12; stroke-width: 1.5 }
svg.ratios rect.dashed { fill-opacity: .12; stroke-width: 1.5; stroke-dasharray: 2.5 1.5 }
@media (prefers-color-scheme: dark) { svg.ratios line { stroke: #333c4b } }
"""


@dataclass(frozen=True)
class Group:
    """What stands beside one label: a ratio for each runtime, above 1 where it is faster."""

    label: str
    ratios: dict[str, float]


def of_cases(cases: Sequence[Case]) -> list[Group]:
    """A group for each benchmark and team size, without the constructs' overheads."""
    groups: dict[str, dict[str, float]] = {}
    for case in cases:
        for row in case.rows:
            if row.ratio is not None and not row.what:
                label = f"{case.name}, {row.threads} thread{'s' * (row.threads > 1)}"
                groups.setdefault(label, {})[row.runtime] = row.ratio
    return _grouped(groups)


def of_constructs(case: Case) -> list[Group]:
    """A group for each construct and team size of one case."""
    groups: dict[str, dict[str, float]] = {}
    for row in case.rows:
        if row.ratio is not None and row.what:
            groups.setdefault(f"{row.what} x{row.threads}", {})[row.runtime] = row.ratio
    return _grouped(groups)


def _grouped(groups: dict[str, dict[str, float]]) -> list[Group]:
    made = [Group(label, {name: ratio for name, ratio in ratios.items() if name != BASE})
            for label, ratios in groups.items()]
    return [group for group in made if group.ratios]


def _kinds(groups: Iterable[Group]) -> dict[str, str]:
    """By runtime, the classes of its bars: a colour, which a runtime and what ends in -clang share,
    and for the second and the third of a colour how they are filled, which is seen without it."""
    names = list(dict.fromkeys(name for group in groups for name in group.ratios))
    families = {name: "heddle" if name.startswith("heddle") else name.removesuffix("-clang")
                for name in names}
    others = [family for family in dict.fromkeys(families.values()) if family != "heddle"]
    colours = {family: f"other{place % 3 + 1}" for place, family in enumerate(others)}
    kinds: dict[str, str] = {}
    for name in names:
        colour = colours.get(families[name], "heddle")
        before = sum(kind.startswith(colour) for kind in kinds.values())
        kinds[name] = colour + FILLINGS[before % len(FILLINGS)]
    return kinds


def _shown(ratio: float) -> str:
    return f"{ratio:.2f}" if 0.1 <= ratio < 100 else f"{ratio:.2g}" if ratio < 1 else f"{ratio:.0f}"


def _ticks(x: Callable[[float], float], low: float, high: float) -> list[float]:
    """1, and from there to both sides what keeps a distance from the one before."""
    found = [1.0]
    for values in (TICKS, [1 / tick for tick in TICKS]):
        last = 1.0
        for value in values:
            if low <= value <= high and abs(x(value) - x(last)) >= TICK_DISTANCE:
                found.append(value)
                last = value
    return found


def draw(groups: Sequence[Group], title: str) -> str:
    """The picture with its legend, or nothing where there is nothing to compare."""
    if not groups:
        return ""
    kinds = _kinds(groups)
    ratios = [ratio for group in groups for ratio in group.ratios.values()]
    high = max(LEAST_RANGE, *ratios)
    low = min(1 / LEAST_RANGE, *ratios)

    def x(ratio: float) -> float:
        return LEFT + (RIGHT - LEFT) * math.log(ratio / low) / math.log(high / low)

    height = TOP + BOTTOM + sum(len(group.ratios) * BAR + GAP for group in groups)
    parts = [f'<svg class=ratios viewBox="0 0 {WIDTH} {height}" role=img '
             f'aria-label="{escape(title)}">']
    for tick in _ticks(x, low, high):
        label = f"{tick:g}" if tick >= 1 else f"1/{1 / tick:g}"
        parts.append(f'<line x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{TOP - 6}" '
                     f'y2="{height - BOTTOM}"/><text x="{x(tick):.1f}" y="{TOP - 11}" '
                     f'text-anchor=middle>{label}</text>')
    y = TOP
    for group in groups:
        middle = y + len(group.ratios) * BAR / 2 + 4
        parts.append(f'<text x="{LEFT - 10}" y="{middle:.1f}" text-anchor=end>'
                     f"{escape(group.label)}</text>")
        for name, ratio in group.ratios.items():
            begin, end = sorted((x(1.0), x(ratio)))
            parts.append(f'<rect class="{kinds[name]}" x="{begin:.1f}" y="{y}" '
                         f'width="{max(end - begin, 1):.1f}" height="{BAR - 2}" rx=2>'
                         f"<title>{escape(name)}: {_shown(ratio)} times {BASE}</title>"
                         f'</rect><text x="{end + 5:.1f}" y="{y + BAR - 2}" font-size=10>'
                         f"{_shown(ratio)}</text>")
            y += BAR
        y += GAP
    keys = "".join(f'<svg class=ratios style="display:inline;width:1.4em" viewBox="0 0 12 10">'
                   f'<rect class="{kind}" x=1 y=1 width=10 height=8 rx=2 /></svg> '
                   f"{escape(name)} &nbsp; "
                   for name, kind in kinds.items())
    return f"<p>{keys}</p>" + "".join(parts) + "</svg>"
