"""Run a find from retrieval to ranked answer, and warm its caches ahead of questions.

Find: where is X? The steps from a planned question to an answer in the domain's words.

Reads ahead what questions read, so that the first one after a start or a change is as fast as those after it.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from scry.core.errors import Cancelled, IndexUnavailable
from scry.core.knowledge import is_knowledge
from scry.core.path_kinds import classify_path, platform_of_path, version_of_path
from scry.core.text import normalize_name, split_source_lines
from scry.core.types import (
    Answer,
    Candidate,
    Document,
    DocumentHeader,
    FusionScoring,
    IndexState,
    SearchQuery,
)
from scry.embedding.embedder import Vectors
from scry.engine.context import new_query_id
from scry.engine.search import fusion as fuse
from scry.engine.search.boosts import file_stem, max_boost, name_words
from scry.engine.search.fusion import rank_with_boosts
from scry.engine.search.results import (
    add_hidden_counts,
    count_hidden_repeats,
    make_hits,
)
from scry.engine.search.retrieve import (
    OracleVotes,
    Retrieval,
    RetrievalResult,
    retrieve,
    return_none,
)
from scry.oracles import ORACLES
from scry.oracles.oracle import RETRIEVAL_DEPTH, OracleReader
from scry.store.history.reader import HistoryReader
from scry.store.index.store import IndexStore
from scry.store.notes.reader import NoteStores
from scry.store.vector_sets import EmbedderInfo

BASE_ORACLE_WEIGHTS = {oracle.name: oracle.weight for oracle in ORACLES}
"""Each oracle's weight in fusion, in the order in which terms are summed."""


def find(
    question: SearchQuery,
    store: IndexStore,
    encode: Callable[[EmbedderInfo, str], Vectors],
    state: IndexState,
    cancelled: Callable[[], bool],
    history: Callable[[], HistoryReader | None] = return_none,
    knowledge: Callable[[], NoteStores | None] = return_none,
) -> Answer:
    """The answer to a question from what is indexed. Raises Cancelled when nobody waits any more.

    encode: see oracles.oracle.Reader. history: gives it as of now; may raise IndexUnavailable. knowledge: likewise,
    None where there is none.
    """
    return build_answer(retrieve(question, store, encode, cancelled, history, knowledge), state)


def build_answer(retrieval: Retrieval, state: IndexState) -> Answer:
    """The answer that follows from what the oracles said."""
    question = retrieval.question
    ranking = rank_candidates(question, retrieval.reader, _drop_unreachable(retrieval), question.limit)
    best = [candidate for candidate in ranking.ranked if candidate.fused_score >= question.min_score][: question.limit]
    held_back = count_hidden_repeats(ranking.ranked, best, question)
    return Answer(
        question=question,
        query_id=new_query_id(),
        scoring=ranking.scoring,
        index=state,
        hits=add_hidden_counts(make_hits(best, question, ranking.reader), held_back),
        faults=ranking.oracle_votes.faults,
    )


def _drop_unreachable(retrieval: Retrieval) -> OracleVotes:
    """What was said of all that an answer can show."""
    question, evidence = retrieval.question, retrieval.oracle_votes
    if question.phrases:  # an exact text may leave out what leads
        return evidence
    return replace(evidence, votes=fuse.drop_unreachable_notes(evidence.votes, question.weights, question.limit))


class Ranking(Struct, frozen=True):
    """All that was found for a question, before it is cut to an answer.

    candidates: with the votes for them, as yet unadjusted. ranked: the same with their adjustments, best first.
    """

    question: SearchQuery
    reader: OracleReader
    oracle_votes: OracleVotes
    scoring: FusionScoring
    candidates: Sequence[Candidate]
    ranked: Sequence[Candidate]


def retrieve_and_rank(
    question: SearchQuery,
    store: IndexStore,
    encode: Callable[[EmbedderInfo, str], Vectors],
    cancelled: Callable[[], bool],
    history: Callable[[], HistoryReader | None] = return_none,
    knowledge: Callable[[], NoteStores | None] = return_none,
    limit: int | None = None,
) -> Ranking:
    """Asks, fuses and adjusts: all that decides an order. Arguments and errors as of `find`.

    limit: how many places are asked for; below them candidates may be missing from `ranked`. None for all.
    """
    ballot = retrieve(question, store, encode, cancelled, history, knowledge)
    return rank_candidates(question, ballot.reader, ballot.oracle_votes, limit)


def rank_candidates(
    question: SearchQuery, reader: OracleReader, oracle_votes: OracleVotes, limit: int | None = None
) -> Ranking:
    """The ranking that follows from what the oracles said, by the question's own weights. limit: as of `rank`."""
    stem = reader.store.lexical.stem
    numbers = list(dict.fromkeys(vote.doc_key for cast in oracle_votes.votes.values() for vote in cast))
    gathered = fuse.fuse_votes(oracle_votes.votes, reader.headers(numbers), question.weights)
    candidates = filter_exact_phrases(gathered, question, reader)
    top = fuse.fused_score_ceiling(question.weights, max_boost(question))
    ranked = rank_with_boosts(candidates, question, top, stem, limit)
    return Ranking(
        question,
        reader,
        oracle_votes,
        FusionScoring(fuse.RRF_K, question.weights, top, RETRIEVAL_DEPTH),
        candidates,
        ranked,
    )


def filter_exact_phrases(
    candidates: Sequence[Candidate], question: SearchQuery, reader: OracleReader
) -> list[Candidate]:
    """Those whose lines, or whose path or name, hold every quoted text as it was written."""
    if not question.phrases:
        return list(candidates)
    documents = reader.get_documents([candidate.document.doc_key for candidate in candidates], with_descriptions=False)
    texts: dict[str, list[str]] = {}
    return [
        c for c in candidates if _contains_phrases(documents[c.document.doc_key], question.phrases, reader.store, texts)
    ]


def _contains_phrases(
    document: Document, phrases: Sequence[str], store: IndexStore, texts: dict[str, list[str]]
) -> bool:
    if document.content_type == "commit" or is_knowledge(document.doc_key):
        return all(phrase in f"{document.symbol.name}\n{document.symbol.doc}" for phrase in phrases)
    if document.path not in texts:
        texts[document.path] = split_source_lines(store.files.get_text(document.path) or "")
    span = document.symbol.span
    passage = "\n".join(texts[document.path][span.start.line : span.end.line + 1])
    return all(phrase in passage or phrase in document.doc_id for phrase in phrases)


def empty_answer(question: SearchQuery, state: IndexState) -> Answer:
    """The answer while there is no index: nothing but its state, and how it would have been scored."""
    top = fuse.fused_score_ceiling(question.weights, max_boost(question))
    return Answer(question, new_query_id(), FusionScoring(fuse.RRF_K, question.weights, top), state, ())


WARM_UP_QUESTION = "where is the main entry point"
"""Asked and forgotten: it opens the word index, the vectors and the model. Any question does."""

MAX_WARM_DOCUMENTS = 20_000
"""Documents up to which all are read ahead, which takes a fifth of a second and 10 MB. Of more, a question meets few
that the one before it met."""

_BATCH_SIZE = 200
"""Nobody else reads meanwhile, for some 2 ms."""

PAUSE_S = 0.05
"""So long after somebody asked nothing is read ahead: a question takes 10 ms, and twice that beside this."""

STOP_TIMEOUT_S = 2.0
"""So long the end waits for a warm-up that has not seen yet that it is the end."""


class WarmUp:
    """The warm-ups of one engine, one at a time. Every method may be called from any thread."""

    def __init__(self) -> None:
        """Does nothing yet."""
        self._turn = threading.Lock()
        self._ended = threading.Event()
        self._is_frozen = False
        self._asked_at = -PAUSE_S

    def pause(self) -> None:
        """Somebody asks now."""
        self._asked_at = time.monotonic()

    def run(
        self, prepare: Callable[[], None], retrieve_question: Callable[[Callable[[], bool]], RetrievalResult]
    ) -> None:
        """Answers a question, and reads all documents and their history where they are not too many.

        prepare: opens what answers are written to. vote: the first half of a find, told whether it is given up; may
        raise Cancelled.
        """
        with self._turn, suppress(Cancelled):
            if self._ended.is_set():
                return
            prepare()
            voted = retrieve_question(self._ended.is_set)
            if voted.retrieval is not None:
                build_answer(voted.retrieval, voted.state)
                self._read_documents(voted.retrieval)
                self._freeze()

    def stop(self) -> None:
        """What is read ahead is of no use any more: returns once nothing is being read, or after a while."""
        self._ended.set()
        if self._turn.acquire(timeout=STOP_TIMEOUT_S):
            self._turn.release()

    def _read_documents(self, retrieval: Retrieval) -> None:
        store, history = retrieval.reader.store, retrieval.reader.history
        for numbers in self._batches(store.documents.all_doc_keys(MAX_WARM_DOCUMENTS)):
            outlines = store.documents.headers(numbers).values()
            store.documents.doc_keys_by_id([outline.doc_id for outline in outlines])
            _fill_caches(outlines)
        if history is not None:
            with suppress(IndexUnavailable):  # who asks is told
                self._read_history(history)

    def _read_history(self, history: HistoryReader) -> None:
        commits, lines, symbols = history.all_keys(MAX_WARM_DOCUMENTS)
        for read, numbers in (
            (history.headers, commits),
            (history.symbol_ids_by_commit, lines),
            (history.get_symbols, symbols),
        ):
            for part in self._batches(numbers):
                read(part)

    def _batches(self, numbers: Sequence[int]) -> Iterator[Sequence[int]]:
        for start in range(0, len(numbers), _BATCH_SIZE):
            while (wait := self._asked_at + PAUSE_S - time.monotonic()) > 0 and not self._ended.wait(wait):
                pass  # somebody asked again
            if self._ended.is_set():
                raise Cancelled
            yield numbers[start : start + _BATCH_SIZE]
            time.sleep(0.0005)  # a question that waits for the lock goes first

    def _freeze(self) -> None:
        """Modules, the model and what was read live as long as this engine. A look for garbage among them takes 10 to
        40 ms every few dozen questions, and finds nothing. Once: what is garbage by then is never found.
        """
        if not self._is_frozen:
            self._is_frozen = True
            gc.freeze()


def _fill_caches(outlines: Iterable[DocumentHeader]) -> None:
    """Works out what ranking asks of names and paths; it is kept where it is worked out."""
    for outline in outlines:
        normalize_name(outline.name)
        normalize_name(outline.container)
    for path in {outline.path for outline in outlines}:
        for ask in (classify_path, platform_of_path, version_of_path):
            ask(path)
        name_words(file_stem(path).partition(".")[0])
