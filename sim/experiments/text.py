# SPDX-License-Identifier: Apache-2.0
"""An outcome as text for the terminal, and all verdicts as a table for the documentation."""
from __future__ import annotations

from typing import Iterator, Sequence

from .claims import Claims
from .outcome import Outcome, Table, number


def table_lines(table: Table) -> Iterator[str]:
    yield f"  {table.title} ({table.unit})"
    cells = [[number(v) for v in row] for row in table.values]
    left = max([len(table.row_name), *map(len, table.rows)])
    widths = [max([len(head), *(len(row[j]) for row in cells)])
              for j, head in enumerate(table.columns)]
    yield f"    {table.row_name:<{left}}  " + "  ".join(
        f"{head:>{width}}" for head, width in zip(table.columns, widths))
    for name, row in zip(table.rows, cells):
        yield f"    {name:<{left}}  " + "  ".join(
            f"{cell:>{width}}" for cell, width in zip(row, widths))


def lines(outcome: Outcome, claims: Claims) -> Iterator[str]:
    size = ", quick sizes: a check, not a result" if outcome.quick else ""
    yield f"{outcome.experiment}: {outcome.title} ({', '.join(outcome.machines)}{size})"
    for table in outcome.tables:
        yield from table_lines(table)
    for verdict in outcome.verdicts:
        claim = claims.find(verdict.claim)
        yield f"  {'PASS' if verdict.passed else 'FAIL'} {verdict.claim}: {verdict.ours}"
        yield f"       paper, {claim.place}: {claim.says}"
    for note in outcome.notes:
        yield f"  note: {note}"
    yield f"  {len(outcome.runs)} runs, {outcome.host_seconds:.1f} s on this host"


def markdown(outcomes: Sequence[Outcome], claims: Claims) -> Iterator[str]:
    """The claims of the experiments that were run, and what waits, as one table."""
    verdicts = {v.claim: v for o in outcomes if not o.quick for v in o.verdicts}
    yield "| claim | the paper | simulated | holds |"
    yield "|---|---|---|---|"
    for claim in claims.claims:
        verdict = verdicts.get(claim.id)
        if verdict:
            ours, holds = verdict.ours, "yes" if verdict.passed else "**no**"
        else:
            ours, holds = claim.pending or "not run", "-"
        yield f"| `{claim.id}` | {claim.says} ({claim.place}) | {ours} | {holds} |"
