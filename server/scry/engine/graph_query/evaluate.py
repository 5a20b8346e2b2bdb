"""Evaluate a relational question over the code graph, with the steps that prove each result (N3).

A relation gives a set; `and` intersects, `or` unites, `but not` subtracts. A symbol also meets the relations of its
file: the results of "calls foo and imports a.py" are the callers in files that import it. A file is subtracted if any
document in it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from scry.core.doc_id import file_doc_id, new_query_id, parse_doc_id
from scry.core.errors import BadRequest, IndexUnavailable
from scry.core.notices import Notice
from scry.core.path_kinds import DOCUMENT_LANGUAGES
from scry.core.text import format_count
from scry.core.types import Answer, Candidate, Document, DocumentHeader, Hit, OracleFault, ProofStep
from scry.engine.browse.files import file_document, file_structures, file_summary
from scry.engine.context import FindRequest, RequestContext
from scry.engine.graph_query.lookup import (
    FILE_RELATIONS,
    MAX_STEP_RESULTS,
    follow_relation,
    include_members,
    resolve_name,
)
from scry.engine.graph_query.parse import (
    AnyOf,
    RelationClause,
    RelationKind,
    RelationQuery,
    names_in,
    parse_relation_query,
)
from scry.engine.index_view import UNFUSED_SCORING, IndexView
from scry.engine.notices import (
    GraphPending,
    NameAmbiguous,
    NoHistoryForRelation,
    NothingMeetsQuery,
    RelationsCut,
    RelationsKnown,
    RelationsNotRead,
)
from scry.engine.search.query import browse_question
from scry.engine.search.results import make_snippet
from scry.index.parse.languages import language_of
from scry.store.index.store import IndexStore

_MAX_LISTED = 4
"""Largest number of meanings of an ambiguous name that are listed."""


class Proof(Struct, frozen=True):
    """The proof that one part of the question is met. words: a short description. steps: a shortest path, from the
    result.
    """

    words: str
    steps: tuple[ProofStep, ...]


GraphMatches = Mapping[str, tuple[Proof, ...]]
"""Maps a doc_id to its proofs."""


def answer_relation_query(
    request: FindRequest, tree: RelationQuery, reading: IndexView, context: RequestContext
) -> Answer:
    """Return the documents that meet most parts of the question, then those with the shortest and surest proof.

    Raises BadRequest for an unknown name, Cancelled.
    """
    evaluation = _Evaluation(reading, context)
    matches = evaluation.evaluate(tree)
    hits = _make_hits(matches, request, reading)
    notices = [*evaluation.notices]
    if not reading.store.graph.is_current:
        notices.append(GraphPending("relations"))
    if not hits:
        known = tuple(dict.fromkeys(evaluation.known))[:_MAX_LISTED]
        notices.append(NothingMeetsQuery(known, evaluation.is_about_calls))
    faults = (*reading.faults, *evaluation.faults)
    question = browse_question(request.query, request.limit)
    return Answer(question, new_query_id(), UNFUSED_SCORING, reading.state, hits, faults, tuple(dict.fromkeys(notices)))


def _relations_not_read(kind: RelationKind, doc_ids: Iterable[str]) -> list[Notice]:
    """Return the notices that relations of this kind are not read in the languages of these documents.

    A document in prose has no such relations.
    """
    languages = [language_of(parse_doc_id(each).path) for each in doc_ids]
    unread = [each for each in languages if each and each.grammar is None and each.name not in DOCUMENT_LANGUAGES]
    importing = {each.name for each in unread if each.has_known_imports}
    others = {each.name for each in unread} - importing
    notices: list[Notice] = [RelationsNotRead(tuple(sorted(others)))] if others else []
    if importing and kind is not RelationKind.IMPORTS:
        notices.append(RelationsNotRead(tuple(sorted(importing)), are_imports_read=True))
    return notices


def suggest_relations(words: str, store: IndexStore) -> Notice | None:
    """Return the notice that the code graph can answer a query; None where it is no relational question, or names
    nothing that is known.
    """
    try:
        names = names_in(parse_relation_query(words))
        for name in names:
            resolve_name(name, store, files_first=False)
    except BadRequest:
        return None
    return RelationsKnown(names)


class _Evaluation(Struct):
    """The evaluation of one question, with its notices, faults and the doc_ids of its names so far.

    is_about_calls: whether it asks for calls.
    """

    reading: IndexView
    context: RequestContext
    notices: list[Notice] = field(default_factory=list[Notice])
    faults: list[OracleFault] = field(default_factory=list[OracleFault])
    known: list[str] = field(default_factory=list[str])
    is_about_calls: bool = False

    def evaluate(self, tree: RelationQuery) -> GraphMatches:
        """Return the documents that meet a tree."""
        if isinstance(tree, RelationClause):
            return self._evaluate_clause(tree)
        results = [self.evaluate(part) for part in tree.parts]
        if isinstance(tree, AnyOf):
            return _union(results)
        matches = results[0]
        for other in results[1:]:
            matches = _intersect(matches, other)
        for part in tree.without:
            matches = _subtract(matches, self.evaluate(part))
        return matches

    def _evaluate_clause(self, clause: RelationClause) -> GraphMatches:
        doc_ids = resolve_name(clause.name, self.reading.store, files_first=clause.kind in FILE_RELATIONS)
        if clause.kind is RelationKind.USES and all(map(_is_file, doc_ids)):
            clause = replace(clause, kind=RelationKind.IMPORTS)
        self.known.extend(doc_ids)
        self.is_about_calls |= clause.kind in (RelationKind.USES, RelationKind.CALLS)
        if len(doc_ids) > 1:
            self.notices.append(NameAmbiguous(clause.name, len(doc_ids), tuple(doc_ids[:_MAX_LISTED])))
        is_of_code = clause.kind not in (RelationKind.CHANGES_WITH, RelationKind.DEFINES)
        if is_of_code:
            self.notices += _relations_not_read(clause.kind, doc_ids)
        if clause.kind is RelationKind.CHANGES_WITH and self.reading.history is None:
            self.notices.append(NoHistoryForRelation())
        try:
            paths = self._walk(clause, doc_ids)
        except IndexUnavailable as error:
            self.faults.append(OracleFault("history", str(error)))
            return {}
        return {doc_id: (Proof(_describe_proof(clause, steps), steps),) for doc_id, steps in paths.items()}

    def _walk(self, clause: RelationClause, doc_ids: Sequence[str]) -> dict[str, tuple[ProofStep, ...]]:
        """Return a shortest path to each document, found level by level; each document is expanded once."""
        starts = self._starts(clause, doc_ids)
        inside = set(starts) if len(starts) > len(doc_ids) else set[str]()
        paths: dict[str, tuple[ProofStep, ...]] = {}
        frontier, visited = starts, set(starts)
        while frontier:
            self.context.raise_if_cancelled()
            steps = follow_relation(clause.kind, frontier, self.reading, is_source=clause.is_source)
            if len(steps) >= MAX_STEP_RESULTS:
                self.notices.append(RelationsCut(clause.name, MAX_STEP_RESULTS))
            for doc_id, step in steps.items():
                if doc_id not in paths and doc_id not in inside:
                    previous = step.target if clause.is_source else step.source
                    paths[doc_id] = (step, *paths.get(previous, ())) if previous not in starts else (step,)
            frontier = [doc_id for doc_id in steps if doc_id not in visited] if clause.transitive else []
            visited.update(frontier)
        return paths

    def _starts(self, clause: RelationClause, doc_ids: Sequence[str]) -> list[str]:
        """Return the documents to start from, with all documents of a file, and with the members of a type where these
        make its calls or are its uses.
        """
        if clause.kind not in (RelationKind.USES, RelationKind.CALLS, RelationKind.INHERITS):
            return list(doc_ids)
        of_types = clause.kind is RelationKind.USES or (clause.kind is RelationKind.CALLS and not clause.is_source)
        return include_members(doc_ids, self.reading.store, of_types=of_types)


def _describe_proof(clause: RelationClause, steps: Sequence[ProofStep]) -> str:
    """Describe a proof, such as `called by foo in 3 steps`."""
    if clause.kind is RelationKind.CHANGES_WITH:
        return f"changes with {clause.name} in {format_count(steps[0].count, 'commit')}"
    passive = {
        RelationKind.USES: "used",
        RelationKind.CALLS: "called",
        RelationKind.IMPORTS: "imported",
        RelationKind.INHERITS: "inherited",
        RelationKind.DEFINES: "defined",
    }
    done = clause.kind.value if clause.is_source else f"{passive[clause.kind]} by"
    far = f" in {len(steps)} steps" if len(steps) > 1 else ""
    return f"{done} {clause.name}{far}"


def _union(results: Sequence[GraphMatches]) -> GraphMatches:
    joined: dict[str, tuple[Proof, ...]] = {}
    for each in results:
        for doc_id, proofs in each.items():
            joined[doc_id] = tuple(dict.fromkeys((*joined.get(doc_id, ()), *proofs)))
    return joined


def _intersect(one: GraphMatches, other: GraphMatches) -> GraphMatches:
    """Return the documents that are in both sets, themselves or by their file."""
    both: dict[str, tuple[Proof, ...]] = {}
    for doc_id in [*one, *other]:
        first = one.get(doc_id) or one.get(_file_of(doc_id))
        second = other.get(doc_id) or other.get(_file_of(doc_id))
        if first and second:
            both[doc_id] = tuple(dict.fromkeys((*first, *second)))
    return both


def _subtract(matches: GraphMatches, excluded: GraphMatches) -> GraphMatches:
    excluded_files = {*excluded, *map(_file_of, excluded)}
    return {
        doc_id: proofs
        for doc_id, proofs in matches.items()
        if doc_id not in excluded
        and _file_of(doc_id) not in excluded
        and not (_is_file(doc_id) and doc_id in excluded_files)
    }


def _file_of(doc_id: str) -> str:
    return file_doc_id(parse_doc_id(doc_id).path)


def _is_file(doc_id: str) -> bool:
    return doc_id == _file_of(doc_id)


_CONFIDENCE_ORDER = ("exact", "by name", "ambiguous")


def _match_order(match: tuple[str, tuple[Proof, ...]]) -> tuple[int, int, int, int, str]:
    doc_id, proofs = match
    steps = [step for proof in proofs for step in proof.steps]
    least_sure = max(_CONFIDENCE_ORDER.index(step.confidence) for step in steps)
    return -len(proofs), len(steps), least_sure, -sum(step.count for step in steps), doc_id


def _make_hits(matches: GraphMatches, request: FindRequest, reading: IndexView) -> tuple[Hit, ...]:
    highest = max((len(proofs) for proofs in matches.values()), default=1)
    hits: list[Hit] = []
    for doc_id, proofs in sorted(matches.items(), key=_match_order):
        score = len(proofs) / highest
        if len(hits) == request.limit or score < request.min_score:
            break
        document = _read_match(doc_id, reading)
        if document is not None and (not request.types or document.content_type in request.types):
            hits.append(_make_hit(len(hits) + 1, document, proofs, score, reading))
    return tuple(hits)


def _read_match(doc_id: str, reading: IndexView) -> Document | None:
    """Return a matching document; None for one that was removed meanwhile."""
    documents = reading.store.documents.find_by_doc_id(doc_id)
    if documents:
        return documents[0]
    file = reading.store.files.get_file(parse_doc_id(doc_id).path)
    return file_document(file) if file else None


def _make_hit(rank: int, document: Document, proofs: Sequence[Proof], score: float, reading: IndexView) -> Hit:
    symbol, store = document.symbol, reading.store
    header = DocumentHeader(
        document.doc_key,
        document.doc_id,
        document.content_type,
        document.path,
        symbol.name,
        symbol.kind,
        symbol.container,
    )
    file = store.files.get_file(document.path)
    is_file = symbol.kind == "file"
    return Hit(
        rank,
        Candidate(header, {}, 0.0, (), score),
        document,
        file_structures([file], reading.history)[document.path] if file else None,
        file_summary(document.path, store) if is_file else make_snippet(document, store.files.get_text(document.path)),
        evidence=tuple(proof.words for proof in proofs),
        proof=tuple(dict.fromkeys(step for proof in proofs for step in proof.steps)),
    )
