"""Show of equal content in several repositories of a team only the best-ranked, with where else it stands.

Forks and vendored copies hold the same files. A document is a copy of another if the contents of their files are equal
(store.team.schema: `digest`) and they have the same position in it. A repository that holds a content twice keeps both,
as a local project does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from msgspec import Struct, UnsetType
from msgspec.structs import replace

from scry.core.doc_id import TEAM_SUFFIX, add_project, file_doc_id
from scry.core.types import Candidate, Hit
from scry.engine.federation.rank_merge import number_copies
from scry.engine.federation.team_links import file_link, shown_lines
from scry.engine.response.merged import ProjectAnswer
from scry.engine.search.pipeline import OracleMatches
from scry.oracles.reader import OracleReader
from scry.store.team.contents import MAX_NAMED_COPIES, Copies
from scry.store.team.reader import TeamReader
from scry.store.team.repository import RepositoryInfo
from scry_protocol import messages

if TYPE_CHECKING:
    from scry.engine.federation.team_results import TeamAnswer

# Which documents are copies -------------------------------------------------------------------------------------------


def shared_content_ids(matches: Mapping[int, OracleMatches], reader: TeamReader) -> dict[int, Mapping[int, Hashable]]:
    """Return by repository and doc_key the contents of the matched documents that several of the repositories match."""
    found: dict[int, dict[int, Hashable]] = {}
    counts = Counter[Hashable]()
    for repository, own in matches.items():
        known = reader.open(repository).documents.content_ids
        keys = {match.doc_key for each in own.by_oracle.values() for match in each}
        found[repository] = {key: known[key] for key in keys if key in known}
        counts.update(frozenset(found[repository].values()))
    return {
        repository: {key: content for key, content in own.items() if counts[content] > 1}
        for repository, own in found.items()
    }


class BestScores:
    """The best scores of distinct documents so far, at most `limit`: copies count once."""

    def __init__(self, limit: int) -> None:
        """Hold none yet."""
        self._limit = limit
        self._scores: dict[Hashable, float] = {}

    def add(self, at: int, ranked: Sequence[Candidate], content_ids: Mapping[int, Hashable]) -> None:
        """Add the ranked documents of one repository. at: its place among the repositories."""
        copies = number_copies([each.document.doc_key for each in ranked], content_ids)
        for each, copied in zip(ranked, copies, strict=True):
            name = copied or (at, each.document.doc_key)
            self._scores[name] = max(each.fused_score, self._scores.get(name, 0.0))
        best = sorted(self._scores.items(), key=lambda item: -item[1])[: self._limit]
        self._scores = dict(best)

    @property
    def least(self) -> float:
        """The lowest of the scores; 0 as long as there are fewer than `limit`."""
        return min(self._scores.values()) if len(self._scores) == self._limit else 0.0


class FoldedRanking(Struct, frozen=True):
    """What one repository adds to the answer. best: its results.

    replaced: of its candidates that are copies of another repository's result, the place of that repository and the
    result, by doc_key.
    """

    best: Sequence[Candidate]
    replaced: Mapping[int, tuple[int, Candidate]]


def fold_copies(
    ranked: Sequence[Sequence[Candidate]], content_ids: Sequence[Mapping[int, Hashable]], limit: int
) -> list[FoldedRanking]:
    """Return of each repository its part of the best `limit` results, of which no two are copies of one content."""
    copies = [
        list(number_copies([each.document.doc_key for each in own], ids))
        for own, ids in zip(ranked, content_ids, strict=True)
    ]
    scored = [(-each.fused_score, at, place) for at, own in enumerate(ranked) for place, each in enumerate(own)]
    standing: dict[Hashable, tuple[int, int]] = {}
    best: list[list[Candidate]] = [[] for _ in ranked]
    count = 0
    for _, at, place in sorted(scored):
        if count == limit:
            break
        copied = copies[at][place]
        if copied is None or standing.setdefault(copied, (at, place)) == (at, place):
            best[at].append(ranked[at][place])
            count += 1
    folded: list[FoldedRanking] = []
    for at, own in enumerate(ranked):
        replaced: dict[int, tuple[int, Candidate]] = {}
        for place, (each, copied) in enumerate(zip(own, copies[at], strict=True)):
            first = standing.get(copied, (at, place))
            if first != (at, place):
                replaced[each.document.doc_key] = first[0], ranked[first[0]][first[1]]
        folded.append(FoldedRanking(best[at], replaced))
    return folded


def find_replacement(
    doc_key: int,
    at: int,
    ranked: Sequence[Sequence[Candidate]],
    content_ids: Sequence[Mapping[int, Hashable]],
    limit: int,
) -> tuple[int, Candidate] | None:
    """Return the result that stands in the answer for a document, and the place of its repository; None for none.

    at: the place of the document's repository. ranked, content_ids, limit: as of `fold_copies`.
    """
    content = content_ids[at].get(doc_key)
    folded = fold_copies(ranked, content_ids, limit)
    if content is None or any(each.document.doc_key == doc_key for each in folded[at].best):
        return None
    results = [(place, each) for place, own in enumerate(folded) for each in own.best if place != at]
    return next((one for one in results if content_ids[one[0]].get(one[1].document.doc_key) == content), None)


class TeamCopies(Struct, frozen=True):
    """The other repositories that hold the content of a document. repositories: all visible ones, by id."""

    copies: Copies
    repositories: Mapping[int, RepositoryInfo]


# On the wire ----------------------------------------------------------------------------------------------------------


def add_copies(
    result: messages.ResultItem,
    copies: TeamCopies | None,
    hit: Hit,
    taken: Sequence[str] = (),
) -> messages.ResultItem:
    """Return a result with the other repositories that hold its content. taken: names of local projects."""
    if copies is None:
        return result
    lines = (0, 0) if isinstance(result.location, UnsetType) else shown_lines(result.location.range)
    named = [
        messages.Copy(
            name,
            add_project(name, _doc_id_at(hit.document.doc_id, hit.document.path, path)),
            file_link(info.url, info.commit, quote(path, errors="surrogateescape"), lines),
        )
        for repository, path in copies.copies.named
        for info in (copies.repositories[repository],)
        for name in (name_of_repository(info, taken),)
    ]
    return with_copies(result, copies.copies.count, named)


def with_copies(result: messages.ResultItem, count: int, named: Sequence[messages.Copy]) -> messages.ResultItem:
    """Return a result with these copies. count: of the repositories that have any."""
    words = f"also in {named[0].project}" if count == 1 else f"also in {count} repositories"
    evidence = f"{result.evidence} | {words}" if result.evidence else words
    return replace(result, copies=count, also_in=list(named[:MAX_NAMED_COPIES]), evidence=evidence)


def name_of_repository(repository: RepositoryInfo, taken: Sequence[str]) -> str:
    """Return the name of a repository in an answer. taken: names of local projects in the same answer."""
    return f"{repository.name}{TEAM_SUFFIX}" if repository.name in taken else repository.name


def _doc_id_at(doc_id: str, path: str, other: str) -> str:
    """Return the doc_id of a copy of a document in another file."""
    return file_doc_id(other) + doc_id.removeprefix(file_doc_id(path))


# Beside local projects ------------------------------------------------------------------------------------------------


class LocalHits(Struct, frozen=True):
    """The results of a local project, and what reads the texts of its files as they were indexed."""

    hits: Sequence[Hit]
    reader: OracleReader


def fold_into_local(
    local: Sequence[ProjectAnswer],
    hits_by_project: Mapping[str, LocalHits],
    team: Sequence[ProjectAnswer],
    answers: Sequence[TeamAnswer],
) -> list[ProjectAnswer]:
    """Return all parts of an answer; a result of the team that is a copy of a local one is told at the local one.

    hits_by_project: of the local parts that have results, by name. team: the parts of these answers.
    """
    owners = dict[tuple[str, int, int], list[tuple[int, int, LocalHits]]]()
    for at, part in enumerate(local):
        own = hits_by_project.get(part.name)
        for place, hit in enumerate(own.hits if own and len(own.hits) == len(part.answer.results) else ()):
            if own and hit.document.path:
                owners.setdefault(_name_and_lines(hit), []).append((at, place, own))
    told: dict[tuple[int, int], list[messages.ResultItem]] = {}
    kept: list[ProjectAnswer] = []
    for part, answer in zip(team, answers, strict=True):
        results: list[messages.ResultItem] = []
        for result, hit in zip(part.answer.results, answer.answer.hits, strict=True):
            possible = owners.get(_name_and_lines(hit), ()) if hit.document.path else ()
            copied = next((each for each in possible if _have_equal_text(each[2], each[1], hit, answer)), None)
            if copied is None:
                results.append(result)
            else:
                told.setdefault(copied[:2], []).append(replace(result, project=part.name))
        kept.append(_with_results(part, results))
    return [*(_tell_copies(part, at, told) for at, part in enumerate(local)), *kept]


def _name_and_lines(hit: Hit) -> tuple[str, int, int]:
    symbol = hit.document.symbol
    return symbol.name, symbol.span.start.line, symbol.span.end.line


def _have_equal_text(local: LocalHits, place: int, hit: Hit, answer: TeamAnswer) -> bool:
    """Return whether the files of a local result and of one of the team have the same text."""
    file = answer.files.get(hit.document.path)
    text = local.reader.code.store.files.get_text(local.hits[place].document.path)
    return file is not None and text is not None and file.text() == text


def _tell_copies(
    part: ProjectAnswer, at: int, told: Mapping[tuple[int, int], Sequence[messages.ResultItem]]
) -> ProjectAnswer:
    """Return a local part whose results name the results of the team that are copies of them."""
    results: list[messages.ResultItem] = []
    for place, result in enumerate(part.answer.results):
        of_team = told.get((at, place), ())
        named = [messages.Copy(each.project, add_project(each.project, each.doc_id), each.link) for each in of_team]
        named += [copy for each in of_team for copy in each.also_in]
        count = sum([1 + each.copies for each in of_team])
        results.append(with_copies(result, count, named) if named else result)
    return _with_results(part, results)


def _with_results(part: ProjectAnswer, results: list[messages.ResultItem]) -> ProjectAnswer:
    return replace(part, answer=replace(part.answer, results=results))
