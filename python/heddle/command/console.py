# SPDX-License-Identifier: Apache-2.0
"""Tables on a terminal, and as wide as they need to be elsewhere."""
from __future__ import annotations

import sys
from typing import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDE = 200  # columns, where nobody tells


class Output(Console):
    """Standard output. That its reader has left is the command's business, as elsewhere."""

    def on_broken_pipe(self) -> None:
        raise  # what is being handled


def console() -> Console:
    """Standard output."""
    return Output(width=None if sys.stdout.isatty() else WIDE, highlight=False)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]],
          right: Sequence[int] = ()) -> Table:
    """Rows of plain text, in which nothing is markup; the columns `right` are of numbers."""
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for number, head in enumerate(heads):
        made.add_column(Text(head), justify="right" if number in right else "left",
                        overflow="fold")
    for row in rows:
        made.add_row(*(Text(cell) for cell in row))
    return made
