# SPDX-License-Identifier: Apache-2.0
"""All outcomes in one page that needs nothing beside itself."""
from __future__ import annotations

from html import escape
from typing import Sequence

from .chart import draw
from .claims import Claims
from .outcome import Outcome, Table, Verdict, number

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem;
       color: #1b1b1b; background: #fff; }
h1 { font-size: 1.7rem; } h2 { margin-top: 2.5rem; border-bottom: 1px solid #ccc; }
h3 { margin: 1.6rem 0 .3rem; } h4 { margin: 1rem 0 .2rem; font-weight: 600; }
table { border-collapse: collapse; margin: .4rem 0 1rem; font-size: .9rem; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid #e2e2e2; text-align: right; }
th:first-child, td:first-child, table.claims td, table.claims th { text-align: left; }
table.claims td { vertical-align: top; }
.pass, .fail, .none { font-weight: 700; white-space: nowrap; }
.pass { color: #17692f; } .fail { color: #a50f1a; } .none { color: #777; }
.quick { background: #fff3cd; padding: .4rem .8rem; }
.scroll { overflow-x: auto; }
svg { width: 100%; max-width: 40rem; font-size: 12px; fill: #444; }
svg line.grid { stroke: #ddd; } svg.key { width: 24px; height: 8px; margin-right: .3rem; }
.legend span { margin-right: 1rem; white-space: nowrap; } .legend { font-size: .85rem; }
small, .place { color: #666; }
@media (prefers-color-scheme: dark) {
  body { color: #dde3ec; background: #161a21; } h2, th, td { border-color: #2b3240; }
  svg { fill: #aab4c3; } svg line.grid { stroke: #2b3240; } small, .place, .none { color: #9aa7b8; }
  .pass { color: #5fc27e; } .fail { color: #ff7b7b; } .quick { background: #4a3f16; } }
"""


def cell(words: str, tag: str = "td", kind: str = "") -> str:
    return f"<{tag}{f' class={kind!r}' if kind else ''}>{escape(words)}</{tag}>"


def html_table(table: Table) -> str:
    head = cell(table.row_name, "th") + "".join(cell(c, "th") for c in table.columns)
    rows = "".join("<tr>" + cell(name) + "".join(cell(number(v)) for v in row) + "</tr>\n"
                   for name, row in zip(table.rows, table.values))
    chart = draw(table) if table.chart else ""
    return (f"<h4>{escape(table.title)} <small>({escape(table.unit)})</small></h4>\n{chart}"
            f'<div class="scroll"><table><tr>{head}</tr>\n{rows}</table></div>\n')


def mark(verdict: Verdict | None) -> str:
    if verdict is None:
        return cell("not run", kind="none")
    return cell("pass", kind="pass") if verdict.passed else cell("fail", kind="fail")


def claim_table(claims: Claims, identities: Sequence[str], verdicts: dict[str, Verdict]) -> str:
    rows = []
    for identity in identities:
        claim, verdict = claims.find(identity), verdicts.get(identity)
        rows.append("<tr>" + mark(verdict) +
                    f"<td>{escape(claim.says)}<br><span class='place'>{escape(claim.place)}; "
                    f"judged: {escape(claim.shape)}</span></td>" +
                    cell(verdict.ours if verdict else claim.pending) + "</tr>\n")
    return ('<div class="scroll"><table class="claims"><tr><th></th><th>the paper</th><th>simulated'
            f"</th></tr>\n{''.join(rows)}</table></div>\n")


def section(outcome: Outcome, claims: Claims) -> str:
    verdicts = {v.claim: v for v in outcome.verdicts}
    quick = ('<p class="quick">Quick sizes: they check the experiment, they are no result.</p>\n'
             if outcome.quick else "")
    notes = "".join(f"<p>{escape(n)}</p>\n" for n in outcome.notes)
    return (f'<h3 id="{outcome.experiment}">{escape(outcome.experiment)}: '
            f"{escape(outcome.title)}</h3>\n"
            f"<p><small>machine {escape(', '.join(outcome.machines))}; {len(outcome.runs)} runs, "
            f"seed {outcome.seed}</small></p>\n{quick}"
            f"{claim_table(claims, [v.claim for v in outcome.verdicts], verdicts)}"
            f"{''.join(html_table(t) for t in outcome.tables)}{notes}")


def page(outcomes: Sequence[Outcome], claims: Claims) -> str:
    verdicts = {v.claim: v for o in outcomes for v in o.verdicts}
    passed = sum(v.passed for v in verdicts.values())
    by_name = {o.experiment: o for o in outcomes}
    body = [f"<h1>Simulated: the papers' claims</h1>\n<p>{len(claims.claims)} claims: "
            f"{passed} hold, {len(verdicts) - passed} do not, "
            f"{len(claims.claims) - len(verdicts)} were not run. Heddle's own sources run on "
            "models of the papers' machines; other systems stand in as task policies and schedules "
            "of the same runtime. Times are simulated.</p>\n"]
    shown: set[str] = set()
    for paper, title in claims.papers.items():
        own = [c for c in claims.claims if c.paper == paper]
        body.append(f'<h2 id="{paper}">{escape(title)}</h2>\n')
        body.append(claim_table(claims, [c.id for c in own if c.id not in verdicts], verdicts)
                    if any(c.id not in verdicts for c in own) else "")
        for name in dict.fromkeys(c.experiment for c in own):
            if name in by_name:
                shown.add(name)
                body.append(section(by_name[name], claims))
        absent = [m for m in claims.missing if m.paper == paper]
        if absent:
            body.append("<h4>Not reconstructed</h4>\n<ul>" + "".join(
                f"<li>{escape(m.what)}: {escape(m.why)}</li>\n" for m in absent) + "</ul>\n")
    rest = [o for o in outcomes if o.experiment not in shown]
    if rest:
        body.append("<h2>Beyond the papers</h2>\n" + "".join(section(o, claims) for o in rest))
    return ("<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
            "<meta name='viewport' content='width=device-width, initial-scale=1'>"
            "<link rel='icon' href='data:,'>"
            f"<title>Simulated: the papers' claims</title><style>{STYLE}</style></head>\n<body>\n"
            f"{''.join(body)}</body></html>\n")
