"""Why, in one line of under 100 characters: the factor without which the document would fall furthest (W4). Pure."""

from __future__ import annotations

from collections.abc import Iterator

from scry.core.types import Adjustment, Hit
from scry.engine.explanation import BEYOND_DEPTH, NO_MATCH, Case, Explained, OracleEvidence
from scry.engine.leave_out import LeftOut, decisive
from scry.engine.snippet import cut

MOST = 99
FIRST_PAGE = 10
"""Who asks why of a lower one asks what it lacks."""


def ordinal(number: int) -> str:
    """Write a place: 1st, 2nd, 3rd, 4th, 11th."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def summarise(explained: Explained) -> str:
    """The line."""
    return cut(_line(explained), MOST)


def _line(explained: Explained) -> str:
    target, case = explained.target, explained.case
    if target.status == "indexed":
        if case is None:
            return _without_question(explained)
        return _ranked(case, case.hit) if case.hit else _unranked(case)
    head = {"skipped": "Not indexed", "unindexed": "Not indexed yet", "outside": "Not in this project"}
    if target.near and target.status == "missing":
        return f"There is none; did you mean {target.near[0]}?"
    return f"{head.get(target.status, 'There is none')}: {target.reason}"


def _without_question(explained: Explained) -> str:
    lived = explained.lived
    commits = f"; {lived.commits} commit{'' if lived.commits == 1 else 's'}" if lived and lived.commits else ""
    return f"Indexed{commits}. {explained.remark or 'Ask with a question to see its place.'}"


def _ranked(case: Case, hit: Hit) -> str:
    holds = decisive(case.left_out)
    up = _holds_up(hit, holds) if holds else ""
    if hit.rank <= FIRST_PAGE:
        found = _found_by(hit) if holds and holds.name not in hit.candidate.votes else ""
        return _first_that_fits(f"{ordinal(hit.rank)}: {up}{found}", f"{ordinal(hit.rank)}: {up}")
    for lack in (*_burdens(case, hit, FIRST_PAGE), *_lacks(case), *_burdens(case, hit)):
        alone = f"{ordinal(hit.rank)}: {lack}"
        return _first_that_fits(f"{alone}; held up by {_factor(hit, holds)}", alone) if holds else alone
    return f"{ordinal(hit.rank)}: {up}"


def _first_that_fits(*lines: str) -> str:
    return next((line for line in lines if len(line) <= MOST), lines[-1])


def _found_by(hit: Hit) -> str:
    """The oracle that ranks it highest: an adjustment alone finds nothing."""
    best = min(hit.candidate.votes.items(), key=lambda vote: vote[1].rank, default=None)
    return f"; found by {best[0]} #{best[1].rank}" if best else ""


def _holds_up(hit: Hit, holds: LeftOut) -> str:
    factor = _factor(hit, holds)
    if holds.rank is None:
        return f"{factor}, without which it would not be found"
    if holds.rank == hit.rank:
        return f"{factor} above all; it would stay there without it"
    return f"{factor}, without which it would be {ordinal(holds.rank)}"


def _factor(hit: Hit, factor: LeftOut) -> str:
    """`lexical #2`, or `x6 definition (defines fuse)`."""
    vote = hit.candidate.votes.get(factor.name)
    if vote is not None:
        return f"{factor.name} #{vote.rank}"
    adjustment = next((a for a in hit.candidate.adjustments if a.name == factor.name), None)
    return _words(adjustment) if adjustment else factor.name


def _words(adjustment: Adjustment) -> str:
    return f"x{adjustment.factor:.3g} {adjustment.name.replace('_', ' ')} ({adjustment.reason})"


def _lacks(case: Case) -> Iterator[str]:
    """What the oracles that did not vote for it say, the words first."""
    silent = [said for said in case.oracles if said.state in (NO_MATCH, BEYOND_DEPTH)]
    for said in sorted(silent, key=lambda said: not said.missing):
        yield _lack(said)


def _lack(said: OracleEvidence) -> str:
    if said.state == BEYOND_DEPTH:
        return f"{said.oracle} has it only {ordinal(said.rank or 0)}"
    if said.missing:
        more = len(said.missing) - 1
        terms = f"'{said.missing[0]}'" + (f" and {more} more" if more else "")
        return f"{said.oracle} has no match, {terms} {'do' if more else 'does'} not occur"
    return f"{said.oracle} has no match"


def _burdens(case: Case, hit: Hit, within: int | None = None) -> Iterator[str]:
    """What lowers it, the most first. within: only that without which it would be among the first so many."""
    by_name = {left.name: left.rank for left in case.left_out}
    lowering = [adjustment for adjustment in hit.candidate.adjustments if adjustment.factor < 1]
    for adjustment in sorted(lowering, key=lambda adjustment: by_name.get(adjustment.name) or hit.rank):
        rank = by_name.get(adjustment.name)
        if within is not None and (rank is None or rank > within):
            continue
        name = adjustment.name.replace("_", " ")
        yield f"x{adjustment.factor:.3g} {name}{f', else {ordinal(rank)}' if rank else ''}"


def _unranked(case: Case) -> str:
    if case.absence:
        return f"Not found: {case.absence}"
    deep = [said for said in case.oracles if said.state == BEYOND_DEPTH]
    if deep:
        best = min(deep, key=lambda said: said.rank or 0)
        reach = f"votes end at {case.scoring.depth}"
        return f"Not found: {best.oracle} has it only {ordinal(best.rank or 0)}, and its {reach}"
    lacks = list(_lacks(case))
    return f"Not found: no oracle matches; {lacks[0]}" if lacks else "Not found: no oracle could answer"
