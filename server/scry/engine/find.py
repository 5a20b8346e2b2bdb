"""Find: where is X? The steps from a planned question to an answer in the domain's words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct, structs
from msgspec.structs import replace

from scry.core.errors import IndexUnavailable
from scry.core.knowledge import is_knowledge
from scry.core.text import source_lines
from scry.core.types import Answer, Candidate, Document, Hit, IndexState, Question, Scoring, Structure, Vote
from scry.embedding.embedder import Vectors
from scry.engine import fuse
from scry.engine.adjust import adjust
from scry.engine.consult import Evidence, consult
from scry.engine.diversity import count_held_back, with_held_back
from scry.engine.query_id import new_query_id
from scry.engine.rules import highest_factor
from scry.engine.scope import commits_in_scope, files_in_scope, knowledge_in_scope
from scry.engine.snippet import make_snippet
from scry.oracles import ORACLES
from scry.oracles.oracle import DEPTH, Oracle, Reader
from scry.store.history_reader import HistoryReader
from scry.store.index_store import IndexStore
from scry.store.shelves import Shelves
from scry.store.vector_sets import Maker

BASE_WEIGHTS = {oracle.name: oracle.weight for oracle in ORACLES}
"""Each oracle's weight in fusion, in the order in which terms are summed."""


def _nothing() -> None:
    return None


def find(
    question: Question,
    store: IndexStore,
    encode: Callable[[Maker, str], Vectors],
    state: IndexState,
    cancelled: Callable[[], bool],
    history: Callable[[], HistoryReader | None] = _nothing,
    knowledge: Callable[[], Shelves | None] = _nothing,
) -> Answer:
    """The answer to a question from what is indexed. Raises Cancelled when nobody waits any more.

    encode: see oracles.oracle.Reader. history: gives it as of now; may raise IndexUnavailable. knowledge: likewise,
    None where there is none.
    """
    return tally(vote(question, store, encode, cancelled, history, knowledge), state)


class Ballot(Struct, frozen=True):
    """What the oracles say to a question, before it is weighed. reader: what they read."""

    question: Question
    reader: Reader
    evidence: Evidence


class Voted(Struct, frozen=True):
    """The first half of a find. state: of the index, just before. ballot: None while there is no index."""

    question: Question
    state: IndexState
    ballot: Ballot | None


def vote(
    question: Question,
    store: IndexStore,
    encode: Callable[[Maker, str], Vectors],
    cancelled: Callable[[], bool],
    history: Callable[[], HistoryReader | None] = _nothing,
    knowledge: Callable[[], Shelves | None] = _nothing,
) -> Ballot:
    """Asks every oracle. Arguments and errors as of `find`."""
    store.refreshed()
    reader = _reader(question, store, encode, history, knowledge())
    return Ballot(question, reader, consult(ORACLES, question, reader, cancelled))


def tally(ballot: Ballot, state: IndexState) -> Answer:
    """The answer that follows from what the oracles said."""
    question = ballot.question
    ranking = weigh(question, ballot.reader, _leading(ballot), question.limit)
    best = [candidate for candidate in ranking.ranked if candidate.fused_score >= question.min_score][: question.limit]
    held_back = count_held_back(ranking.ranked, best, question)
    return Answer(
        question=question,
        query_id=new_query_id(),
        scoring=ranking.scoring,
        index=state,
        hits=with_held_back(make_hits(best, question, ranking.reader), held_back),
        faults=ranking.evidence.faults,
    )


def _leading(ballot: Ballot) -> Evidence:
    """What was said of all that an answer can show."""
    question, evidence = ballot.question, ballot.evidence
    if question.phrases:  # an exact text may leave out what leads
        return evidence
    return replace(evidence, votes=fuse.leading_notes(evidence.votes, question.weights, question.limit))


class Ranking(Struct, frozen=True):
    """All that was found for a question, before it is cut to an answer.

    candidates: with the votes for them, as yet unadjusted. ranked: the same with their adjustments, best first.
    """

    question: Question
    reader: Reader
    evidence: Evidence
    scoring: Scoring
    candidates: Sequence[Candidate]
    ranked: Sequence[Candidate]


def rank(
    question: Question,
    store: IndexStore,
    encode: Callable[[Maker, str], Vectors],
    cancelled: Callable[[], bool],
    history: Callable[[], HistoryReader | None] = _nothing,
    knowledge: Callable[[], Shelves | None] = _nothing,
    limit: int | None = None,
) -> Ranking:
    """Asks, fuses and adjusts: all that decides an order. Arguments and errors as of `find`.

    limit: how many places are asked for; below them candidates may be missing from `ranked`. None for all.
    """
    ballot = vote(question, store, encode, cancelled, history, knowledge)
    return weigh(question, ballot.reader, ballot.evidence, limit)


def weigh(question: Question, reader: Reader, evidence: Evidence, limit: int | None = None) -> Ranking:
    """The ranking that follows from what the oracles said, by the question's own weights. limit: as of `rank`."""
    stem = reader.store.lexical.stem
    numbers = list(dict.fromkeys(vote.number for cast in evidence.votes.values() for vote in cast))
    gathered = fuse.gather(evidence.votes, reader.outlines(numbers), question.weights)
    candidates = with_exact_text(gathered, question, reader)
    top = fuse.ceiling(question.weights, highest_factor(question))
    ranked = adjust(candidates, question, top, stem, limit)
    return Ranking(question, reader, evidence, Scoring(fuse.K, question.weights, top, DEPTH), candidates, ranked)


def _reader(
    question: Question,
    store: IndexStore,
    encode: Callable[[Maker, str], Vectors],
    history: Callable[[], HistoryReader | None],
    knowledge: Shelves | None,
) -> Reader:
    """A history that can't be read costs what it would have told; the temporal oracle says so."""
    opened, trouble = None, ""
    try:
        opened = history()
    except IndexUnavailable as error:
        trouble = str(error)
    return Reader(
        store,
        files_in_scope(question, store),
        encode,
        opened,
        commits_in_scope(question),
        trouble,
        knowledge,
        knowledge_in_scope(question),
    )


def with_exact_text(candidates: Sequence[Candidate], question: Question, reader: Reader) -> list[Candidate]:
    """Those whose lines, or whose path or name, hold every quoted text as it was written."""
    if not question.phrases:
        return list(candidates)
    documents = reader.documents([candidate.document.number for candidate in candidates], described=False)
    texts: dict[str, list[str]] = {}
    return [
        c for c in candidates if _holds_exactly(documents[c.document.number], question.phrases, reader.store, texts)
    ]


def _holds_exactly(document: Document, phrases: Sequence[str], store: IndexStore, texts: dict[str, list[str]]) -> bool:
    if document.content_type == "commit" or is_knowledge(document.number):
        return all(phrase in f"{document.symbol.name}\n{document.symbol.doc}" for phrase in phrases)
    if document.path not in texts:
        texts[document.path] = source_lines(store.text(document.path) or "")
    span = document.symbol.span
    passage = "\n".join(texts[document.path][span.start.line : span.end.line + 1])
    return all(phrase in passage or phrase in document.doc_id for phrase in phrases)


def nothing_found(question: Question, state: IndexState) -> Answer:
    """The answer while there is no index: nothing but its state, and how it would have been scored."""
    top = fuse.ceiling(question.weights, highest_factor(question))
    return Answer(question, new_query_id(), Scoring(fuse.K, question.weights, top), state, ())


def make_hits(best: Sequence[Candidate], question: Question, reader: Reader) -> tuple[Hit, ...]:
    """These candidates as results, in their order, with all that a person sees of them."""
    documents = reader.documents([candidate.document.number for candidate in best])
    structures = _structures(sorted({candidate.document.path for candidate in best} - {""}), reader)
    matched = {oracle.name: oracle.matches(question, reader, _voted(best, oracle)) for oracle in ORACLES}
    shown = [candidate for candidate in best if candidate.document.number in documents]
    return tuple(
        Hit(
            rank,
            structs.replace(candidate, votes=_with_matches(candidate, matched)),
            documents[candidate.document.number],
            structures.get(candidate.document.path),
            _snippet(documents[candidate.document.number], reader.store),
        )
        for rank, candidate in enumerate(shown, 1)
    )


def _structures(paths: Sequence[str], reader: Reader) -> dict[str, Structure]:
    """What the code around these files says of them, and how much they changed of late."""
    found = reader.store.structures(paths)
    levels = reader.activity(paths)
    return {path: structs.replace(found.get(path, Structure()), activity_level=levels.get(path)) for path in paths}


def _voted(best: Sequence[Candidate], oracle: Oracle) -> list[int]:
    return [candidate.document.number for candidate in best if oracle.name in candidate.votes]


def _with_matches(candidate: Candidate, matched: Mapping[str, Mapping[int, tuple[str, ...]]]) -> dict[str, Vote]:
    number = candidate.document.number
    return {
        name: structs.replace(vote, matches=matched[name].get(number, vote.matches))
        for name, vote in candidate.votes.items()
    }


def _snippet(document: Document, store: IndexStore) -> str:
    needs_text = document.symbol.kind in ("section", "text")
    return make_snippet(document, store.text(document.path) if needs_text else None)
