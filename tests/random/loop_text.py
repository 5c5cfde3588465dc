# SPDX-License-Identifier: Apache-2.0
"""The heads of random loops, and their schedules. Called by all files of constructs."""

from __future__ import annotations

from program import Program


def schedule(p: Program, monotonic: bool = False) -> str:
    kind = p.dice.choice(("", "static", "dynamic", "guided", "auto", "runtime"))
    if not kind:
        return ""
    chunk = "" if kind in ("auto", "runtime") else p.maybe(0.5, ", 1", ", 2", ", 5", ", 3 + never")
    modifier = p.maybe(0.3, *(("monotonic: ",) if monotonic or kind == "static" else
                              ("monotonic: ", "nonmonotonic: ", "simd: ")))
    return f"schedule({modifier}{kind}{chunk})"


def loop_head(p: Program, variable: str, trips: int, around: str = "") -> str:
    """A canonical loop of `trips` iterations, or of as many as the loop around it has had."""
    if around:
        kind, outer = around.split()
        return f"for ({kind} {variable} = 0; {variable} < {outer}; {variable}++)"
    kind = p.dice.choice(("long", "int", "num", "short") + ("unsigned",) * (trips > 0))
    step = p.dice.choice((1, 1, 1, 2, 3, 7))
    first = p.dice.choice((0, 0, 1, 10)) if trips else 1  # gcc refuses that less than 0 is tested
    end = first + trips * step
    # gcc 12 makes no iterations where `unsigned` counts down, unless the schedule is static; of a
    # taskloop over `unsigned` that has none clang 19 makes 2^32.
    if kind != "unsigned" and p.dice.random() < 0.4:
        return f"for ({kind} {variable} = {end}; {variable} > {first}; {variable} -= {step})"
    test = f"<= {end - step}" if trips and p.dice.random() < 0.3 else f"< {end}"
    move = p.dice.choice((f"++{variable}", f"{variable}++", f"{variable} = {variable} + 1")
                         if step == 1 else (f"{variable} += {step}",))
    return f"for ({kind} {variable} = {first}; {variable} {test}; {move})"
