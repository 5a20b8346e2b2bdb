"""Explain why a document has its rank for a question (W1, W2).

The question is ranked again by find's own functions on the current index, so that ranks and scores are those that find
would give now; of an earlier answer only the question is used. The semantic score is split by words where the model
allows it (W3).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from msgspec import structs
from msgspec.structs import replace

from scry.core.doc_id import new_query_id
from scry.core.errors import IndexUnavailable
from scry.core.settings import BUNDLED_MODEL
from scry.core.text import query_terms, search_text
from scry.core.types import Candidate, DocumentHeader, FileStructure, Hit, OracleMatch, SearchQuery
from scry.embedding.attribution import CosineAttribution, attribute_cosine
from scry.embedding.embedder import Passage
from scry.embedding.static_model import content_words, load_bundled_model
from scry.engine.browse.changes import ChangeDates
from scry.engine.browse.orient import rank_in_orient
from scry.engine.browse.recent_search import rank_in_recent
from scry.engine.explain.counterfactual import Competitors, ablate_each_factor
from scry.engine.explain.explanation import (
    BEYOND_DEPTH,
    FAILED,
    NO_MATCH,
    OTHER_KIND,
    VOTED,
    DocumentExplanation,
    FileHistory,
    ModeRank,
    OracleFinding,
    WhyResult,
    format_ordinal,
    read_file_history,
)
from scry.engine.explain.resolve_id import ProjectSnapshot, ResolvedDocument, describe_file_fault
from scry.engine.index_view import IndexView
from scry.engine.questions import RecalledQuery
from scry.engine.search.pipeline import Ranking, filter_exact_phrases
from scry.engine.search.results import make_hits
from scry.index.git.work_tree import uncommitted_paths
from scry.indexer.embed import make_document_passage, make_note_passage
from scry.oracles import ORACLES
from scry.oracles.oracle import Oracle, RankLookup
from scry.oracles.reader import RETRIEVAL_DEPTH, NoteCorpus, OracleReader
from scry.projects.project import Project
from scry.store.index.store import IndexStore
from scry.store.notes.reader import NoteStores

MAX_SPLIT_CHARACTERS = 100_000
"""Longest text that is split: each word of the question is compared with each of the text, which takes seconds beyond
it."""


def split_semantic_score(
    project: Project, store: IndexStore, knowledge: NoteStores | None, document: DocumentHeader, words: str
) -> CosineAttribution | str:
    """Return the cosine of the question and a document, split by words, or why it can't be split."""
    info = store.vectors.embedder
    if info is None:
        return "there are no vectors yet"
    if info.model != BUNDLED_MODEL:
        return f"the model {info.model} reads a text as a whole: its score can't be split by words"
    model, is_note = load_bundled_model(), NoteCorpus.owns(document.doc_key)
    if model.identity != info.identity:
        return "made by another version of the bundled model: its score can't be split by words"
    passage = _chunk_of_note(knowledge, document) if is_note else make_document_passage(project, store, document)
    if passage is None:
        return "its text is no longer held as it was indexed, so that its score can't be split by words"
    if len(words) > MAX_SPLIT_CHARACTERS or len(passage.text) > MAX_SPLIT_CHARACTERS:
        return "too long to be split by words"
    return attribute_cosine(model, content_words(words), passage)


def _chunk_of_note(knowledge: NoteStores | None, document: DocumentHeader) -> Passage | None:
    """Return the text of a note as it was embedded; None where the note no longer exists."""
    documents = knowledge.get_documents([document.doc_key]) if knowledge is not None else {}
    return next((make_note_passage(each.symbol.name, each.symbol.doc) for each in documents.values()), None)


SplitScore = Callable[[DocumentHeader, str], "CosineAttribution | str"]
"""Takes a document and the question's words; returns the cosine split by words, or why it can't be split."""

_MAX_QUOTED_TERMS = 3


def explain_document(doc_keys: Sequence[int], ranking: Ranking, split: SplitScore) -> DocumentExplanation:
    """Return the explanation of a document; of several documents of one file, that of the highest ranked."""
    stem = ranking.reader.code.store.lexical.stem
    ceiling, evidence = ranking.scoring.ceiling, ranking.file_evidence
    # The competitors know nothing of the words that begin with a last one that is being typed.
    ranked = () if ranking.question.prefix else ranking.ranked
    competitors = Competitors.from_candidates(ranking.candidates, ranking.question, ceiling, stem, evidence, ranked)
    highest = _highest_ranked(doc_keys, ranking, competitors)
    doc_key = highest[1].document.doc_key if highest else _most_matching(doc_keys, ranking.question, ranking.reader)
    document = ranking.reader.headers([doc_key])[doc_key]
    explanation = DocumentExplanation(
        question=ranking.question,
        scoring=ranking.scoring,
        faults=ranking.oracle_matches.faults,
        document=document,
        oracles=_collect_findings(document, ranking, split),
        ranked_count=len(ranking.candidates),
    )
    if highest is None:
        return replace(explanation, absence=_describe_exclusion(document, ranking))
    left_out = ablate_each_factor(highest[1], competitors, ranking.question.weights)
    return replace(explanation, hit=_make_ranked_hit(*highest, ranking), ablations=left_out)


def _highest_ranked(
    doc_keys: Sequence[int], ranking: Ranking, competitors: Competitors
) -> tuple[int, Candidate] | None:
    """Return the rank and the candidate of the highest ranked document; None where find ranks none of them."""
    wanted = frozenset(doc_keys)
    if ranking.question.prefix:  # see explain_document
        places = ((rank, each) for rank, each in enumerate(ranking.ranked, 1) if each.document.doc_key in wanted)
        return next(places, None)
    ranked = [each.document.doc_key for each in ranking.candidates if each.document.doc_key in wanted]
    return min(map(competitors.rank_of, ranked), key=lambda ranked_pair: ranked_pair[0], default=None)


def _most_matching(doc_keys: Sequence[int], question: SearchQuery, reader: OracleReader) -> int:
    """Return, of documents that find does not rank, the one with most of the question's words; the first of equals."""
    if len(doc_keys) == 1:
        return doc_keys[0]
    term_counts: dict[int, int] = dict.fromkeys(doc_keys, 0)
    for oracle in ORACLES:
        if oracle.matched_terms is None:
            continue
        for doc_key, terms in oracle.matched_terms(question, reader, doc_keys).items():
            term_counts[doc_key] += len(terms)
    return max(sorted(doc_keys), key=lambda doc_key: term_counts[doc_key])


def _make_ranked_hit(rank: int, candidate: Candidate, ranking: Ranking) -> Hit | None:
    hits = make_hits([candidate], ranking.question, ranking.reader, ranking.scoring)
    return structs.replace(hits[0], rank=rank) if hits else None


def _describe_exclusion(document: DocumentHeader, ranking: Ranking) -> str:
    """Describe the filter or the missing quoted text that excludes a document, whatever the oracles match."""
    question, reader = ranking.question, ranking.reader
    if project := reader.code.answered_by.get(document.path):
        return f"{project}, a project inside this one that was asked too, answers for this file"
    if question.phrases and not filter_exact_phrases([Candidate(document, {}, 0.0)], question, reader):
        quoted = ", ".join(f'"{phrase}"' for phrase in question.phrases)
        return f"it does not hold the exact text {quoted}"
    if not _passes_filters(document, reader):
        typed = [f"{'-' if f.exclude else ''}{f.field}:{f.value}" for f in question.filters]
        typed += [f"type:{kind}" for kind in question.content_types]
        typed += [f"source:{question.source}"] if question.source else []
        typed += [f"domain:{domain}" for domain in question.domains]
        return f"the question's filters leave it out ({' '.join(typed)})"
    return ""


def _passes_filters(document: DocumentHeader, reader: OracleReader) -> bool:
    return reader.corpus_of(document.doc_key).passes_filters(document)


def _collect_findings(document: DocumentHeader, ranking: Ranking, split: SplitScore) -> tuple[OracleFinding, ...]:
    """Return the finding of each oracle, in the order in which terms are summed."""
    matches = {
        name: match
        for name, ranked in ranking.oracle_matches.by_oracle.items()
        if (match := _find_match(document.doc_key, ranked))
    }
    scoring = ranking.scoring
    terms = {name: scoring.weights[name] / (scoring.k + match.rank) for name, match in matches.items()}
    total = sum(terms.values())
    findings: list[OracleFinding] = []
    for oracle in _oracles_of(ranking):
        evidence = _oracle_finding(oracle, document, matches.get(oracle.name), ranking)
        evidence = replace(evidence, share=terms[oracle.name] / total if oracle.name in terms else 0.0)
        findings.append(_add_matched_words(evidence, oracle, document, ranking, split))
    return tuple(findings)


def _oracles_of(ranking: Ranking) -> tuple[Oracle, ...]:
    """Return the oracles that take part in the answer; that of use only where it has matches, or failed."""
    if "use" not in ranking.question.weights and all(each.oracle != "use" for each in ranking.oracle_matches.faults):
        return ORACLES
    from scry.oracles import use

    return (*ORACLES, use.ORACLE)


def _find_match(doc_key: int, matches: Sequence[OracleMatch]) -> OracleMatch | None:
    return next((match for match in matches if match.doc_key == doc_key), None)


def _oracle_finding(
    oracle: Oracle, document: DocumentHeader, match: OracleMatch | None, ranking: Ranking
) -> OracleFinding:
    def evidence(state: str, lookup: RankLookup) -> OracleFinding:
        return OracleFinding(
            oracle.name,
            oracle.title,
            state,
            lookup.rank,
            lookup.raw_score,
            oracle.score_type,
            note=lookup.note,
        )

    if match is not None:
        note = match.note if oracle.name == "use" else ""
        return evidence(VOTED, RankLookup(match.rank, match.raw_score, note))
    failed = next((fault.message for fault in ranking.oracle_matches.faults if fault.oracle == oracle.name), None)
    if failed is not None:
        return evidence(FAILED, RankLookup(note=failed))
    if not _passes_filters(document, ranking.reader):
        project = ranking.reader.code.answered_by.get(document.path)
        by = "quoted text" if ranking.question.phrases else "filters"
        note = f"left to {project}" if project else f"left out by the question's {by}"
        return evidence(NO_MATCH, RankLookup(note=note))
    try:
        lookup = oracle.lookup_rank(ranking.question, ranking.reader, document)
    except Exception as error:  # as in `consult`: what fails costs its own evidence only
        return evidence(FAILED, RankLookup(note=f"{type(error).__name__}: {error}"))
    if lookup.rank is None:
        return evidence(OTHER_KIND if lookup.is_other_kind else NO_MATCH, lookup)
    return evidence(BEYOND_DEPTH, replace(lookup, note=explain_missed(oracle, lookup.rank)))


def explain_missed(oracle: Oracle, rank: int) -> str:
    """Return why a search did not return a document whose rank is within its depth; empty for one beyond it."""
    if rank > RETRIEVAL_DEPTH:
        return ""
    if oracle.score_type == "cosine":
        return "passed over by the search among many vectors, which is not exact"
    return "not returned by the search, although its score would give it this rank"


def _add_matched_words(
    evidence: OracleFinding, oracle: Oracle, document: DocumentHeader, ranking: Ranking, split: SplitScore
) -> OracleFinding:
    """Return the finding with the words that matched and those that did not, or with the score split by words."""
    if evidence.state == FAILED:
        return evidence
    if oracle.score_type == "cosine" and evidence.raw_score is not None:
        shares = split(document, search_text(ranking.question))
        return replace(evidence, note=shares) if isinstance(shares, str) else replace(evidence, shares=shares)
    if oracle.matched_terms is None:
        return evidence
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


RankQuestion = Callable[[IndexStore, SearchQuery], Ranking]
ReadUncommitted = Callable[[], frozenset[str]]


def explain_why(
    snapshot: ProjectSnapshot, target: ResolvedDocument, recalled: RecalledQuery, rank: RankQuestion
) -> WhyResult:
    """Return why the target has its rank for the question. rank: find's ranking of it. Raises Cancelled."""
    with _UncommittedPaths(snapshot.project, target) as uncommitted:
        ranking = _rank_for_target(snapshot, target, recalled.question, rank)
        explanation = explain_document(target.doc_keys, ranking, partial(_split_shares, snapshot)) if ranking else None
        return WhyResult(
            target=target,
            query=recalled.query,
            query_id=new_query_id(),
            index=snapshot.state,
            explanation=explanation,
            mode_ranks=tuple(_list_mode_ranks(snapshot, target, explanation, ranking, uncommitted)),
            file_history=_read_target_history(snapshot, target, uncommitted),
            structure=_read_target_structure(snapshot, target, explanation),
            remark="; ".join(filter(None, _list_remarks(snapshot, target, recalled, explanation))),
        )


def _list_remarks(
    snapshot: ProjectSnapshot,
    target: ResolvedDocument,
    recalled: RecalledQuery,
    explanation: DocumentExplanation | None,
) -> tuple[str, str]:
    return recalled.remark or _describe_rank_change(recalled, explanation), _describe_fault(snapshot, target)


def _describe_fault(snapshot: ProjectSnapshot, target: ResolvedDocument) -> str:
    """Describe the stage of indexing that failed for the file of an indexed target; empty where none did."""
    if snapshot.store is None or target.status != "indexed" or not target.path:
        return ""
    fault = snapshot.store.files.fault_of(target.path)
    return describe_file_fault(fault) if fault else ""


def _describe_rank_change(recalled: RecalledQuery, explanation: DocumentExplanation | None) -> str:
    """Describe why the rank differs from the one in the earlier answer; empty if it does not."""
    before, hit = recalled.rank, explanation.hit if explanation else None
    if before is None or hit is None or hit.rank == before:
        return ""
    place = format_ordinal(before)
    if recalled.is_of_several:
        return f"The answer of several projects had it {place}; the ranks here are those in its own project."
    if "use" in hit.candidate.oracle_matches and not recalled.was_used:
        return f"The answer had it {place}; you have used it since."
    return f"The answer had it {place}; what is indexed has changed since."


def _rank_for_target(
    snapshot: ProjectSnapshot, target: ResolvedDocument, question: SearchQuery | None, rank: RankQuestion
) -> Ranking | None:
    if question is None or snapshot.store is None or target.status != "indexed" or not target.doc_keys:
        return None
    return rank(snapshot.store, question)


def _split_shares(snapshot: ProjectSnapshot, document: DocumentHeader, words: str) -> CosineAttribution | str:
    if snapshot.store is None:
        return "there is no index"
    return split_semantic_score(snapshot.project, snapshot.store, snapshot.knowledge, document, words)


def _list_mode_ranks(
    snapshot: ProjectSnapshot,
    target: ResolvedDocument,
    explanation: DocumentExplanation | None,
    ranking: Ranking | None,
    uncommitted: ReadUncommitted,
) -> Iterator[ModeRank]:
    """Return the target's rank in each mode: in find and recent for the question, in orient within its folder."""
    if snapshot.store is None or target.status != "indexed":
        return
    if explanation is not None and ranking is not None:
        yield ModeRank(
            "find", explanation.hit.rank if explanation.hit else None, explanation.ranked_count, explanation.absence
        )
    if target.path:
        reading = IndexView(snapshot.store, snapshot.state, snapshot.history)
        yield ModeRank("orient", *rank_in_orient(target.path, reading))
    if explanation is not None and ranking is not None:
        clock = ChangeDates(time.time(), snapshot.store, snapshot.history, uncommitted())
        yield ModeRank("recent", *rank_in_recent(explanation.document.doc_key, ranking, clock))


def _read_target_history(
    snapshot: ProjectSnapshot, target: ResolvedDocument, uncommitted: ReadUncommitted
) -> FileHistory | None:
    if not target.path or target.status != "indexed":
        return None
    return read_file_history(target.path, snapshot.history, target.path in uncommitted())


def _read_target_structure(
    snapshot: ProjectSnapshot, target: ResolvedDocument, explanation: DocumentExplanation | None
) -> FileStructure | None:
    """Return the structure of the target's file, also for a document that find does not rank."""
    if explanation is not None and explanation.hit is not None:
        return explanation.hit.structure
    if snapshot.store is None or target.status != "indexed" or not target.path:
        return None
    structures: Mapping[str, FileStructure] = snapshot.store.files.get_structures([target.path])
    try:
        levels = snapshot.history.activity_levels([target.path]) if snapshot.history else {}
    except IndexUnavailable:
        levels = {}
    return replace(structures.get(target.path, FileStructure()), activity_level=levels.get(target.path))


class _UncommittedPaths:
    """Asks git for the files with uncommitted changes, while the ranking runs."""

    def __init__(self, project: Project, target: ResolvedDocument) -> None:
        self._project = project
        self._wanted = target.status == "indexed"
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="scry-git")
        self._asked: Future[tuple[str, ...] | None] | None = None

    def __enter__(self) -> ReadUncommitted:
        if self._wanted:
            self._asked = self._pool.submit(uncommitted_paths, self._project.root)
        return self._answer

    def _answer(self) -> frozenset[str]:
        return frozenset(self._asked.result() or ()) if self._asked else frozenset()

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
