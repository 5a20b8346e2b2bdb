"""Define the parts of an explanation in domain values, and summarize it in one line (W4). Pure.

The summary has under 100 characters and names the factor without which the document would fall furthest.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from scry.core.errors import IndexUnavailable
from scry.core.types import (
    Adjustment,
    DocumentHeader,
    FileStructure,
    FusionScoring,
    Hit,
    IndexState,
    OracleFault,
    SearchQuery,
)
from scry.embedding.attribution import CosineAttribution
from scry.engine.explain.counterfactual import Ablation, decisive_factor
from scry.engine.explain.resolve_id import ResolvedDocument
from scry.engine.search.results import truncate
from scry.store.history.commits import describe_commit
from scry.store.history.reader import HistoryReader

MAX_CO_CHANGES = 5
"""Largest number of co-changed files in an explanation."""


class FileHistory(Struct, frozen=True):
    """The history of a file.

    commits: the number of commits that changed it. last_commit: the newest, in words. last_changed: its time, in
    seconds since the epoch. co_changes: path and number of common commits, most first.
    """

    commits: int
    last_commit: str
    last_changed: int | None
    uncommitted: bool
    co_changes: tuple[tuple[str, int], ...]


def read_file_history(path: str, history: HistoryReader | None, uncommitted: bool) -> FileHistory | None:
    """Return the history of a file; None where none is known. uncommitted: whether it has uncommitted changes."""
    try:
        commits, newest = history.change_count_and_last_commit(path) if history else (0, None)
        co_changes = history.co_changed_files(path, MAX_CO_CHANGES) if history and commits else []
    except IndexUnavailable:
        commits, newest, co_changes = 0, None, []
    if not commits and not uncommitted:
        return None
    last = describe_commit(newest) if newest else ""
    return FileHistory(commits, last, newest.time if newest else None, uncommitted, tuple(co_changes))


VOTED, BEYOND_DEPTH, NO_MATCH, FAILED = "voted", "beyond_depth", "no_match", "failed"
OTHER_KIND = "other_kind"


class OracleFinding(Struct, frozen=True):
    """One oracle's finding about a document. The fields are those of the wire's struct of this name."""

    oracle: str
    title: str
    state: str
    rank: int | None
    raw_score: float | None
    score_type: str
    share: float = 0.0
    matches: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    note: str = ""
    shares: CosineAttribution | None = None


class ModeRank(Struct, frozen=True):
    """The rank of a document in one mode.

    total: the number of ranks. rank: None where it has none; then `note` says why.
    """

    mode: str
    rank: int | None
    total: int
    note: str = ""


class DocumentExplanation(Struct, frozen=True):
    """The reasons why a document has its rank for one question, or none.

    document: the explained one; of a file, its highest. ranked_count: how many documents have a rank. hit: the result
    of find, however low its rank; None where find does not rank it. ablations: its rank without each factor of its
    score. absence: why find does not rank it, apart from oracles without a match.
    """

    question: SearchQuery
    scoring: FusionScoring
    faults: tuple[OracleFault, ...]
    document: DocumentHeader
    oracles: tuple[OracleFinding, ...]
    ranked_count: int
    hit: Hit | None = None
    ablations: tuple[Ablation, ...] = ()
    absence: str = ""


class WhyResult(Struct, frozen=True):
    """The whole explanation of a target. explanation: None without a question. remark: a notice beside it."""

    target: ResolvedDocument
    query: str | None
    query_id: str
    index: IndexState
    explanation: DocumentExplanation | None
    mode_ranks: tuple[ModeRank, ...]
    file_history: FileHistory | None
    structure: FileStructure | None
    remark: str = ""


MAX_SUMMARY_CHARACTERS = 99
FIRST_PAGE_RANKS = 10
"""Ranks of the first page; the summary of a lower one names the missing factors instead."""


def format_ordinal(number: int) -> str:
    """Return a rank as an ordinal: 1st, 2nd, 3rd, 4th, 11th."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def summarize_explanation(explained: WhyResult) -> str:
    """Return the explanation in one line."""
    return truncate(_full_summary(explained), MAX_SUMMARY_CHARACTERS)


def _full_summary(explained: WhyResult) -> str:
    target, explanation = explained.target, explained.explanation
    if target.status == "indexed":
        if explanation is None:
            return _summarize_without_question(explained)
        return _summarize_ranked(explanation, explanation.hit) if explanation.hit else _summarize_unranked(explanation)
    head = {"skipped": "Not indexed", "unindexed": "Not indexed yet", "outside": "Not in this project"}
    if target.similar and target.status == "missing":
        return f"There is none; did you mean {target.similar[0]}?"
    return f"{head.get(target.status, 'There is none')}: {target.reason}"


def _summarize_without_question(explained: WhyResult) -> str:
    file_history = explained.file_history
    commits = (
        f"; {file_history.commits} commit{'' if file_history.commits == 1 else 's'}"
        if file_history and file_history.commits
        else ""
    )
    return f"Indexed{commits}. {explained.remark or 'Ask with a question to see its place.'}"


def _summarize_ranked(explanation: DocumentExplanation, hit: Hit) -> str:
    decisive = decisive_factor(explanation.ablations)
    up = _describe_support(hit, decisive) if decisive else ""
    if hit.rank <= FIRST_PAGE_RANKS:
        best_match = _describe_best_match(hit) if decisive and decisive.name not in hit.candidate.oracle_matches else ""
        return _first_fitting(f"{format_ordinal(hit.rank)}: {up}{best_match}", f"{format_ordinal(hit.rank)}: {up}")
    for lack in (
        *_describe_penalties(explanation, hit, FIRST_PAGE_RANKS),
        *_describe_missing_matches(explanation),
        *_describe_penalties(explanation, hit),
    ):
        alone = f"{format_ordinal(hit.rank)}: {lack}"
        return _first_fitting(f"{alone}; held up by {_describe_factor(hit, decisive)}", alone) if decisive else alone
    return f"{format_ordinal(hit.rank)}: {up}"


def _first_fitting(*lines: str) -> str:
    return next((line for line in lines if len(line) <= MAX_SUMMARY_CHARACTERS), lines[-1])


def _describe_best_match(hit: Hit) -> str:
    """Describe the match of the oracle that ranks the document highest: an adjustment alone finds nothing."""
    best = min(hit.candidate.oracle_matches.items(), key=lambda match: match[1].rank, default=None)
    return f"; found by {best[0]} #{best[1].rank}" if best else ""


def _describe_support(hit: Hit, decisive: Ablation) -> str:
    factor = _describe_factor(hit, decisive)
    if decisive.rank is None:
        return f"{factor}, without which it would not be found"
    if decisive.rank == hit.rank:
        return f"{factor} above all; it would stay there without it"
    return f"{factor}, without which it would be {format_ordinal(decisive.rank)}"


def _describe_factor(hit: Hit, factor: Ablation) -> str:
    """Describe a factor, such as `lexical #2` or `x6 definition (defines fuse)`."""
    match = hit.candidate.oracle_matches.get(factor.name)
    if match is not None:
        return f"{factor.name} #{match.rank}"
    adjustment = next((a for a in hit.candidate.adjustments if a.name == factor.name), None)
    return _describe_adjustment(adjustment) if adjustment else factor.name


def _describe_adjustment(adjustment: Adjustment) -> str:
    return f"x{adjustment.factor:.3g} {adjustment.name.replace('_', ' ')} ({adjustment.reason})"


def _describe_missing_matches(explanation: DocumentExplanation) -> Iterator[str]:
    """Describe the oracles without a match of the document, the lexical one first."""
    silent = [finding for finding in explanation.oracles if finding.state in (NO_MATCH, BEYOND_DEPTH)]
    for finding in sorted(silent, key=lambda finding: not finding.missing):
        yield _describe_missing_match(finding)


def _describe_missing_match(finding: OracleFinding) -> str:
    if finding.state == BEYOND_DEPTH:
        return f"{finding.oracle} has it only {format_ordinal(finding.rank or 0)}"
    if finding.missing:
        more = len(finding.missing) - 1
        terms = f"'{finding.missing[0]}'" + (f" and {more} more" if more else "")
        return f"{finding.oracle} has no match, {terms} {'do' if more else 'does'} not occur"
    return f"{finding.oracle} has no match"


def _describe_penalties(explanation: DocumentExplanation, hit: Hit, within: int | None = None) -> Iterator[str]:
    """Describe the factors that lower the score, the strongest first. within: only those that cost a rank so high."""
    by_name = {ablation.name: ablation.rank for ablation in explanation.ablations}
    lowering = [adjustment for adjustment in hit.candidate.adjustments if adjustment.factor < 1]
    for adjustment in sorted(lowering, key=lambda adjustment: by_name.get(adjustment.name) or hit.rank):
        rank = by_name.get(adjustment.name)
        if within is not None and (rank is None or rank > within):
            continue
        name = adjustment.name.replace("_", " ")
        yield f"x{adjustment.factor:.3g} {name}{f', else {format_ordinal(rank)}' if rank else ''}"


def _summarize_unranked(explanation: DocumentExplanation) -> str:
    if explanation.absence:
        return f"Not found: {explanation.absence}"
    deep = [finding for finding in explanation.oracles if finding.state == BEYOND_DEPTH]
    if deep:
        best = min(deep, key=lambda finding: finding.rank or 0)
        if (best.rank or 0) <= explanation.scoring.depth:
            return f"Not found: {best.oracle} passed over it; its score would put it {format_ordinal(best.rank or 0)}"
        reach = f"votes end at {explanation.scoring.depth}"
        return f"Not found: {best.oracle} has it only {format_ordinal(best.rank or 0)}, and its {reach}"
    missing = list(_describe_missing_matches(explanation))
    return f"Not found: no oracle matches; {missing[0]}" if missing else "Not found: no oracle could answer"
