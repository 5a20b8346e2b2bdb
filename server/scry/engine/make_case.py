"""Why a document has its place: find's own ranking, looked at from one document."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import structs
from msgspec.structs import replace

from scry.core.asked import searched_words
from scry.core.knowledge import is_knowledge
from scry.core.types import Candidate, Hit, Outline, Question, Vote
from scry.embedding.shares import Shares
from scry.engine.explanation import BEYOND_DEPTH, FAILED, NO_MATCH, OTHER_KIND, VOTED, Case, OracleEvidence
from scry.engine.find import Ranking, make_hits, with_exact_text
from scry.engine.leave_out import leave_each_out
from scry.engine.rivals import Rivals
from scry.oracles import ORACLES
from scry.oracles.oracle import DEPTH, Oracle, Reader, Standing
from scry.store.history_reader import is_commit

Split = Callable[[Outline, str], "Shares | str"]
"""A document and the question's words to the cosine split by words, or to why it can't be."""

_NAMED_TERMS = 3


def make_case(numbers: Sequence[int], ranking: Ranking, split: Split) -> Case:
    """The case of a document; of several (those of one file), of the one that stands highest."""
    stem = ranking.reader.store.lexical.stem
    rivals = Rivals.of(ranking.candidates, ranking.question, ranking.scoring.ceiling, stem)
    found = _best(numbers, ranking, rivals)
    number = found[1].document.number if found else _nearest(numbers, ranking.question, ranking.reader)
    document = ranking.reader.outlines([number])[number]
    case = Case(
        question=ranking.question,
        scoring=ranking.scoring,
        faults=ranking.evidence.faults,
        document=document,
        oracles=_evidence(document, ranking, split),
        ranked=len(ranking.candidates),
    )
    if found is None:
        return replace(case, absence=_absence(document, ranking))
    left_out = leave_each_out(found[1], rivals, ranking.question.weights)
    return replace(case, hit=_hit(*found, ranking), left_out=left_out)


def _best(numbers: Sequence[int], ranking: Ranking, rivals: Rivals) -> tuple[int, Candidate] | None:
    """The place and the candidate of the document that stands highest; None where find ranks none of them."""
    wanted = frozenset(numbers)
    found = [each.document.number for each in ranking.candidates if each.document.number in wanted]
    return min(map(rivals.place, found), key=lambda placed: placed[0], default=None)


def _nearest(numbers: Sequence[int], question: Question, reader: Reader) -> int:
    """Of documents that were not found, the one that holds most of the question's words; the first of equals."""
    if len(numbers) == 1:
        return numbers[0]
    held: dict[int, int] = dict.fromkeys(numbers, 0)
    for oracle in ORACLES:
        for number, terms in oracle.matches(question, reader, numbers).items():
            held[number] += len(terms)
    return max(sorted(numbers), key=lambda number: held[number])


def _hit(place: int, candidate: Candidate, ranking: Ranking) -> Hit | None:
    hits = make_hits([candidate], ranking.question, ranking.reader)
    return structs.replace(hits[0], rank=place) if hits else None


def _absence(document: Outline, ranking: Ranking) -> str:
    """What keeps a document out whatever the oracles say: a filter, or a quoted text that it does not hold."""
    question, reader = ranking.question, ranking.reader
    if not _in_scope(document, reader):
        typed = [f"{'-' if f.exclude else ''}{f.field}:{f.value}" for f in question.filters]
        typed += [f"type:{kind}" for kind in question.content_types]
        typed += [f"source:{question.source}"] if question.source else []
        typed += [f"domain:{domain}" for domain in question.domains]
        return f"the question's filters leave it out ({' '.join(typed)})"
    if question.phrases and not with_exact_text([Candidate(document, {}, 0.0)], question, reader):
        quoted = ", ".join(f'"{phrase}"' for phrase in question.phrases)
        return f"it does not hold the exact text {quoted}"
    return ""


def _in_scope(document: Outline, reader: Reader) -> bool:
    if is_commit(document.number):
        return reader.commits
    if is_knowledge(document.number):
        return reader.chosen.has_type(document.content_type) and reader.chosen.has_domains(_domains(document, reader))
    return bool(reader.numbers_of([document.doc_id]))


def _domains(document: Outline, reader: Reader) -> tuple[str, ...]:
    found = reader.documents([document.number]).get(document.number)
    return found.domains if found is not None else ()


def _evidence(document: Outline, ranking: Ranking, split: Split) -> tuple[OracleEvidence, ...]:
    """What each oracle says, in the order in which terms are summed."""
    votes = {name: vote for name, cast in ranking.evidence.votes.items() if (vote := _vote(document.number, cast))}
    scoring = ranking.scoring
    terms = {name: scoring.weights[name] / (scoring.k + vote.rank) for name, vote in votes.items()}
    total = sum(terms.values())
    said: list[OracleEvidence] = []
    for oracle in ORACLES:
        evidence = _said(oracle, document, votes.get(oracle.name), ranking)
        evidence = replace(evidence, share=terms[oracle.name] / total if oracle.name in terms else 0.0)
        said.append(_with_words(evidence, oracle, document, ranking, split))
    return tuple(said)


def _vote(number: int, cast: Sequence[Vote]) -> Vote | None:
    return next((vote for vote in cast if vote.number == number), None)


def _said(oracle: Oracle, document: Outline, vote: Vote | None, ranking: Ranking) -> OracleEvidence:
    def evidence(state: str, standing: Standing) -> OracleEvidence:
        return OracleEvidence(
            oracle.name,
            oracle.title,
            state,
            standing.rank,
            standing.raw_score,
            oracle.score_type,
            note=standing.note,
        )

    if vote is not None:
        return evidence(VOTED, Standing(vote.rank, vote.raw_score))
    failed = next((fault.message for fault in ranking.evidence.faults if fault.oracle == oracle.name), None)
    if failed is not None:
        return evidence(FAILED, Standing(note=failed))
    if not _in_scope(document, ranking.reader):
        return evidence(NO_MATCH, Standing(note="left out by the question's filters"))
    try:
        standing = oracle.stand(ranking.question, ranking.reader, document)
    except Exception as error:  # as in `consult`: what fails costs its own evidence only
        return evidence(FAILED, Standing(note=f"{type(error).__name__}: {error}"))
    if standing.rank is None:
        return evidence(OTHER_KIND if standing.is_other_kind else NO_MATCH, standing)
    passed_over = "" if standing.rank > DEPTH else "passed over by the search among many vectors, which is not exact"
    return evidence(BEYOND_DEPTH, replace(standing, note=passed_over))


def _with_words(
    evidence: OracleEvidence, oracle: Oracle, document: Outline, ranking: Ranking, split: Split
) -> OracleEvidence:
    """With the words that matched and those that did not, or the score split by words."""
    if evidence.state == FAILED:
        return evidence
    if oracle.score_type == "cosine" and evidence.raw_score is not None:
        shares = split(document, " ".join((ranking.question.words, *ranking.question.phrases)))
        return replace(evidence, note=shares) if isinstance(shares, str) else replace(evidence, shares=shares)
    matched = oracle.matches(ranking.question, ranking.reader, [document.number])
    if document.number not in matched:
        return evidence
    matches = matched[document.number]
    missing = tuple(term for term in searched_words(ranking.question) if term not in matches)
    note = evidence.note or (f"{_quoted(missing)} {_occur(missing)}" if missing and matches else "")
    return replace(evidence, matches=matches, missing=missing, note=note)


def _quoted(terms: Sequence[str]) -> str:
    named = ", ".join(f"'{term}'" for term in terms[:_NAMED_TERMS])
    return f"{named} and {len(terms) - _NAMED_TERMS} more" if len(terms) > _NAMED_TERMS else named


def _occur(terms: Sequence[str]) -> str:
    return "does not occur" if len(terms) == 1 else "do not occur"
