"""Why a document has its place: find's own ranking, looked at from one document."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import structs
from msgspec.structs import replace

from scry.core.asked import query_terms
from scry.core.knowledge import is_knowledge
from scry.core.types import Candidate, Hit, DocumentHeader, SearchQuery, OracleMatch
from scry.embedding.shares import CosineAttribution
from scry.engine.explanation import BEYOND_DEPTH, FAILED, NO_MATCH, OTHER_KIND, VOTED, DocumentExplanation, OracleFinding
from scry.engine.find import Ranking, make_hits, filter_exact_phrases
from scry.engine.leave_out import ablate_each_factor
from scry.engine.rivals import Competitors
from scry.oracles import ORACLES
from scry.oracles.oracle import RETRIEVAL_DEPTH, Oracle, OracleReader, RankLookup
from scry.store.history_reader import is_commit_key

SplitScore = Callable[[DocumentHeader, str], "CosineAttribution | str"]
"""A document and the question's words to the cosine split by words, or to why it can't be."""

_MAX_QUOTED_TERMS = 3


def explain_document(doc_keys: Sequence[int], ranking: Ranking, split: SplitScore) -> DocumentExplanation:
    """The case of a document; of several (those of one file), of the one that stands highest."""
    stem = ranking.reader.store.lexical.stem
    rivals = Competitors.from_candidates(ranking.candidates, ranking.question, ranking.scoring.ceiling, stem)
    found = _highest_ranked(doc_keys, ranking, rivals)
    number = found[1].document.doc_key if found else _most_matching(doc_keys, ranking.question, ranking.reader)
    document = ranking.reader.headers([number])[number]
    case = DocumentExplanation(
        question=ranking.question,
        scoring=ranking.scoring,
        faults=ranking.oracle_votes.faults,
        document=document,
        oracles=_collect_findings(document, ranking, split),
        ranked_count=len(ranking.candidates),
    )
    if found is None:
        return replace(case, absence=_describe_exclusion(document, ranking))
    left_out = ablate_each_factor(found[1], rivals, ranking.question.weights)
    return replace(case, hit=_make_ranked_hit(*found, ranking), left_out=left_out)


def _highest_ranked(numbers: Sequence[int], ranking: Ranking, rivals: Competitors) -> tuple[int, Candidate] | None:
    """The place and the candidate of the document that stands highest; None where find ranks none of them."""
    wanted = frozenset(numbers)
    found = [each.document.doc_key for each in ranking.candidates if each.document.doc_key in wanted]
    return min(map(rivals.rank_of, found), key=lambda placed: placed[0], default=None)


def _most_matching(numbers: Sequence[int], question: SearchQuery, reader: OracleReader) -> int:
    """Of documents that were not found, the one that holds most of the question's words; the first of equals."""
    if len(numbers) == 1:
        return numbers[0]
    held: dict[int, int] = dict.fromkeys(numbers, 0)
    for oracle in ORACLES:
        for number, terms in oracle.matched_terms(question, reader, numbers).items():
            held[number] += len(terms)
    return max(sorted(numbers), key=lambda number: held[number])


def _make_ranked_hit(place: int, candidate: Candidate, ranking: Ranking) -> Hit | None:
    hits = make_hits([candidate], ranking.question, ranking.reader)
    return structs.replace(hits[0], rank=place) if hits else None


def _describe_exclusion(document: DocumentHeader, ranking: Ranking) -> str:
    """What keeps a document out whatever the oracles say: a filter, or a quoted text that it does not hold."""
    question, reader = ranking.question, ranking.reader
    if not _passes_filters(document, reader):
        typed = [f"{'-' if f.exclude else ''}{f.field}:{f.value}" for f in question.filters]
        typed += [f"type:{kind}" for kind in question.content_types]
        typed += [f"source:{question.source}"] if question.source else []
        typed += [f"domain:{domain}" for domain in question.domains]
        return f"the question's filters leave it out ({' '.join(typed)})"
    if question.phrases and not filter_exact_phrases([Candidate(document, {}, 0.0)], question, reader):
        quoted = ", ".join(f'"{phrase}"' for phrase in question.phrases)
        return f"it does not hold the exact text {quoted}"
    return ""


def _passes_filters(document: DocumentHeader, reader: OracleReader) -> bool:
    if is_commit_key(document.doc_key):
        return reader.includes_commits
    if is_knowledge(document.doc_key):
        return reader.knowledge_filter.allows_type(document.content_type) and reader.knowledge_filter.allows_domains(_read_domains(document, reader))
    return bool(reader.doc_keys_by_id([document.doc_id]))


def _read_domains(document: DocumentHeader, reader: OracleReader) -> tuple[str, ...]:
    found = reader.get_documents([document.doc_key]).get(document.doc_key)
    return found.domains if found is not None else ()


def _collect_findings(document: DocumentHeader, ranking: Ranking, split: SplitScore) -> tuple[OracleFinding, ...]:
    """What each oracle says, in the order in which terms are summed."""
    votes = {name: vote for name, cast in ranking.oracle_votes.votes.items() if (vote := _find_vote(document.doc_key, cast))}
    scoring = ranking.scoring
    terms = {name: scoring.weights[name] / (scoring.k + vote.rank) for name, vote in votes.items()}
    total = sum(terms.values())
    said: list[OracleFinding] = []
    for oracle in ORACLES:
        evidence = _oracle_finding(oracle, document, votes.get(oracle.name), ranking)
        evidence = replace(evidence, share=terms[oracle.name] / total if oracle.name in terms else 0.0)
        said.append(_add_matched_words(evidence, oracle, document, ranking, split))
    return tuple(said)


def _find_vote(number: int, cast: Sequence[OracleMatch]) -> OracleMatch | None:
    return next((vote for vote in cast if vote.doc_key == number), None)


def _oracle_finding(oracle: Oracle, document: DocumentHeader, vote: OracleMatch | None, ranking: Ranking) -> OracleFinding:
    def evidence(state: str, standing: RankLookup) -> OracleFinding:
        return OracleFinding(
            oracle.name,
            oracle.title,
            state,
            standing.rank,
            standing.raw_score,
            oracle.score_type,
            note=standing.note,
        )

    if vote is not None:
        return evidence(VOTED, RankLookup(vote.rank, vote.raw_score))
    failed = next((fault.message for fault in ranking.oracle_votes.faults if fault.oracle == oracle.name), None)
    if failed is not None:
        return evidence(FAILED, RankLookup(note=failed))
    if not _passes_filters(document, ranking.reader):
        return evidence(NO_MATCH, RankLookup(note="left out by the question's filters"))
    try:
        standing = oracle.lookup_rank(ranking.question, ranking.reader, document)
    except Exception as error:  # as in `consult`: what fails costs its own evidence only
        return evidence(FAILED, RankLookup(note=f"{type(error).__name__}: {error}"))
    if standing.rank is None:
        return evidence(OTHER_KIND if standing.is_other_kind else NO_MATCH, standing)
    passed_over = "" if standing.rank > RETRIEVAL_DEPTH else "passed over by the search among many vectors, which is not exact"
    return evidence(BEYOND_DEPTH, replace(standing, note=passed_over))


def _add_matched_words(
    evidence: OracleFinding, oracle: Oracle, document: DocumentHeader, ranking: Ranking, split: SplitScore
) -> OracleFinding:
    """With the words that matched and those that did not, or the score split by words."""
    if evidence.state == FAILED:
        return evidence
    if oracle.score_type == "cosine" and evidence.raw_score is not None:
        shares = split(document, " ".join((ranking.question.words, *ranking.question.phrases)))
        return replace(evidence, note=shares) if isinstance(shares, str) else replace(evidence, shares=shares)
    matched = oracle.matched_terms(ranking.question, ranking.reader, [document.doc_key])
    if document.doc_key not in matched:
        return evidence
    matches = matched[document.doc_key]
    missing = tuple(term for term in query_terms(ranking.question) if term not in matches)
    note = evidence.note or (f"{_quote_terms(missing)} {_conjugate_occur(missing)}" if missing and matches else "")
    return replace(evidence, matches=matches, missing=missing, note=note)


def _quote_terms(terms: Sequence[str]) -> str:
    named = ", ".join(f"'{term}'" for term in terms[:_MAX_QUOTED_TERMS])
    return f"{named} and {len(terms) - _MAX_QUOTED_TERMS} more" if len(terms) > _MAX_QUOTED_TERMS else named


def _conjugate_occur(terms: Sequence[str]) -> str:
    return "does not occur" if len(terms) == 1 else "do not occur"
