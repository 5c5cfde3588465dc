# SPDX-License-Identifier: Apache-2.0
"""The papers' claims (claims.json): where each stands, what it says, what must hold of ours."""
from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Sequence

FILE = Path(__file__).with_name("claims.json")


@dataclass(frozen=True)
class Claim:
    id: str
    paper: str
    place: str  # section, figure or table
    experiment: str
    says: str  # the paper, in our words, with its numbers
    shape: str  # what is judged
    expect: Mapping[str, float]  # the numbers of `shape`
    pending: str = ""  # what it waits for, where nothing judges it yet


@dataclass(frozen=True)
class Missing:
    """A figure that the text does not let us reconstruct."""

    paper: str
    what: str
    why: str


@dataclass(frozen=True)
class Claims:
    papers: Mapping[str, str]  # short name: title
    claims: Sequence[Claim]
    missing: Sequence[Missing]

    def of(self, experiment: str) -> list[Claim]:
        return [c for c in self.claims if c.experiment == experiment]

    def find(self, identity: str) -> Claim:
        return next(c for c in self.claims if c.id == identity)


def load(path: Path = FILE) -> Claims:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    papers = content["papers"]
    claims = [Claim(paper=paper, **claim) for paper, about in papers.items()
              for claim in about["claims"]]
    return Claims({paper: about["title"] for paper, about in papers.items()}, claims,
                  [Missing(**m) for m in content["not_reconstructed"]])
