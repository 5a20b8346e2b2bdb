"""Domain values: parsed files, documents, queries, candidates, hits and answers.

What modes that ask no oracle show for a result: orient its composite, neighbors its ties, a relation its proof.

The domain's values: what a file holds, what a question is, what an answer is made of.

All are frozen structs of msgspec, which are defined and made ten times as fast as frozen dataclasses. Of those marked
`gc=False` a question or a file makes many, and they hold no cycles: the collector need not look at them.
Lines are 0-based; columns are counted in UTF-8 bytes and, beside that, in UTF-16 units, because editors negotiate one
of the two and a range must be right in both without reading the file again.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from msgspec import Struct, field

from scry.core.notices import IndexDamage, ModelNotReady, Notice


class ScorePart(Struct, frozen=True):
    """One part of a composite score: what was measured, its value from 0 to 1, its weight, and words for a person."""

    name: str
    value: float
    weight: float
    reason: str


class NeighborRelation(Struct, frozen=True):
    """How a neighbour is tied to the file that was asked about; confidence only where a name had to be resolved."""

    kind: str
    count: int
    confidence: str | None = None


class ProofStep(Struct, frozen=True):
    """One relation between two documents or files, by their doc_ids, as a proof states it.

    confidence: exact, by name or ambiguous. line: where it is written, 0-based; of the target for a definition, else of
    the source; None where no line shows it. count: how many commits show it, for a co-change.
    """

    source: str
    kind: str
    target: str
    confidence: str
    line: int | None = None
    count: int = 1


class Point(Struct, frozen=True, gc=False):
    """A place in a text: 0-based line, column in UTF-8 bytes and in UTF-16 code units."""

    line: int
    utf8: int
    utf16: int


class Span(Struct, frozen=True, gc=False):
    """A half-open range of text, as in LSP."""

    start: Point
    end: Point


class SkipReason(str, Enum):
    """Why a file is known but not indexed; the value is what a person reads."""

    IGNORED = "ignored"
    BINARY = "binary"
    TOO_LARGE = "over the size limit"
    MINIFIED = "minified"
    UNDECODABLE = "not decodable as text"
    UNREADABLE = "not readable"
    NOT_REGULAR = "not a regular file"
    OUTSIDE = "a link that leaves the project"
    LANGUAGE_OFF = "its language is switched off"
    KNOWLEDGE = "read as knowledge"
    MALFORMED = "malformed"


class SkippedFile(Struct, frozen=True):
    """A file that was looked at and left out. `detail` says by what: ".gitignore line 4", "12.3 MB", "byte 812"."""

    reason: SkipReason
    detail: str = ""


class Symbol(Struct, frozen=True, gc=False):
    """A definition in a file, or a stretch of text outside all of them.

    kind: function, method, class, interface, struct, enum, trait, module, type, constant, variable, field, macro,
        section (of a document) or text (outside symbols; its name is empty).
    container: qualified name of what encloses it, by dots (`Outer.inner`), or for sections the headings above it,
        outermost first, joined by " > "; empty at the top.
    signature: one line, whitespace collapsed, without the body.
    doc: its doc comment, markers stripped; empty when it has none.
    span: the whole definition, doc comment included where that stands outside; `name_span` is where a jump lands.
    own_text: the text of the span without the spans of symbols nested in it, the doc comment left out.
    """

    name: str
    kind: str
    container: str
    signature: str
    doc: str
    span: Span
    name_span: Span
    own_text: str


class Reference(Struct, frozen=True, gc=False):
    """A use of a name that a tags query found: its name, its kind (call, class, implementation, type …), its line.

    receiver: what stands before it, words joined by dots (`self.store`, `Foo.Bar::`), "?" for any other expression;
    empty for a name that stands alone.
    """

    name: str
    kind: str
    line: int
    receiver: str = ""


class Binding(Struct, frozen=True, gc=False):
    """A name that an import makes known in a file.

    source: the import as its language resolves it. member: the name in there, which may also be the module itself (the
    last word of `source`); empty for a module as a whole. The name `*` is every name of the module.
    """

    name: str
    source: str
    member: str = ""


class ParsedFile(Struct, frozen=True):
    """All that the index wants to know of one file's text."""

    language: str
    symbols: tuple[Symbol, ...]
    imports: tuple[str, ...]
    references: tuple[Reference, ...]
    bindings: tuple[Binding, ...] = ()


class Document(Struct, frozen=True, gc=False):
    """Anything that can be a result, as the store holds it.

    number: the store's own id, never used twice. ordinal: 0 for the first of its qualified name in the file, 1 for the
    next (F2). path: POSIX, relative to the project's root; undecodable bytes as surrogate escapes; empty where there is
    no file. time: when it was made, in seconds since the epoch, of a commit or of knowledge. code_refs, domains and
    session_id: what knowledge cites (`file:line`), what it is about, and the session that it is from.
    """

    doc_key: int
    doc_id: str
    content_type: str
    path: str
    language: str
    symbol: Symbol
    ordinal: int = 0
    time: int | None = None
    code_refs: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    session_id: str = ""


class DocumentHeader(Struct, frozen=True, gc=False):
    """All of a document that ranking may read: what it is called and where it stands."""

    doc_key: int
    doc_id: str
    content_type: str
    path: str
    name: str
    kind: str
    container: str


class QueryIntent(str, Enum):
    """What a question is after (F7)."""

    GENERAL = "general"
    TEMPORAL = "temporal"
    RATIONALE = "rationale"
    MECHANISM = "mechanism"
    DEFINITION = "definition"


class QueryFilter(Struct, frozen=True):
    """A restriction typed into the query, such as `lang:go` or `-path:vendor`. field: one of engine.plan's."""

    field: str
    value: str
    exclude: bool = False


class SearchQuery(Struct, frozen=True):
    """A query as planned, with what was asked for beside it (content_types, source, domains; empty where nothing was).

    strengths: exponents of the adjustments' factors by name, "*" for all that are not named: 0 leaves out, 1 is as it
    is. Empty but where the lab asks what would be otherwise.
    """

    text: str
    words: str
    phrases: tuple[str, ...]
    filters: tuple[QueryFilter, ...]
    intent: QueryIntent
    weights: Mapping[str, float]
    limit: int
    min_score: float
    content_types: tuple[str, ...] = ()
    source: str = ""
    domains: tuple[str, ...] = ()
    strengths: Mapping[str, float] = field(default_factory=dict[str, float])

    def strength(self, adjustment: str) -> float:
        """The exponent of this adjustment's factor."""
        return self.strengths.get(adjustment, self.strengths.get("*", 1.0))


class OracleMatch(Struct, frozen=True, gc=False):
    """One oracle's evidence for one document: its 1-based rank, its raw score with that score's type, matched terms,
    and a note: what the oracle has to say of it besides, in words for a person.
    """

    doc_key: int
    rank: int
    raw_score: float
    score_type: str
    matches: tuple[str, ...] = ()
    note: str = ""


class OracleFault(Struct, frozen=True):
    """An oracle that could not answer, and why, in words for a person."""

    oracle: str
    message: str


class Adjustment(Struct, frozen=True, gc=False):
    """A named factor beside the ranks (F5), with the reason a person reads."""

    name: str
    factor: float
    reason: str


class Candidate(Struct, frozen=True, gc=False):
    """A document with all votes for it, before it has a place. rank_sum: what the votes' ranks add up to."""

    document: DocumentHeader
    votes: Mapping[str, OracleMatch]
    rank_sum: float
    adjustments: tuple[Adjustment, ...] = ()
    fused_score: float = 0.0


class FileStructure(Struct, frozen=True, gc=False):
    """What the code around a file says of it. It explains; in find it never ranks (F6)."""

    importers: int = 0
    centrality: str = "low"
    activity_level: str | None = None
    flags: tuple[str, ...] = ()


class IndexState(Struct, frozen=True):
    """How fresh and complete the index is, as every answer and `status` carry it.

    state: starting, indexing, ready, paused or failed; history: pending, ready or none; history_extent: if not all.
    message: the indexer's own words. notices: of the process that reads the index.
    """

    state: str = "starting"
    history: str = "none"
    generation: int = 0
    files_indexed: int = 0
    files_total: int = 0
    vectors: int = 0
    vectors_total: int = 0
    skipped: int = 0
    unsaved: tuple[str, ...] = ()
    index_commit: str | None = None
    head_commit: str | None = None
    model: str | None = None
    message: str = ""
    history_extent: str = ""
    notices: tuple[ModelNotReady | IndexDamage, ...] = ()


class FusionScoring(Struct, frozen=True):
    """All that is needed to recompute `fused_score` from an answer (F4, F5)."""

    k: int
    weights: Mapping[str, float]
    ceiling: float
    depth: int = 200


class Hit(Struct, frozen=True, gc=False):
    """A candidate with its place in the answer, and everything a person sees of it; no structure without a file.

    composite: what its score is made of where no oracle voted. relations: how it is tied to the file asked about.
    evidence: what else brought it here, in a few words each, such as `2 days ago`. proof: what makes it an answer to a
    relational question. more_in_file: how many more of its file were held back for it, see engine.diversity.
    """

    rank: int
    candidate: Candidate
    document: Document
    structure: FileStructure | None
    snippet: str
    composite: tuple[ScorePart, ...] = ()
    relations: tuple[NeighborRelation, ...] = ()
    evidence: tuple[str, ...] = ()
    proof: tuple[ProofStep, ...] = ()
    more_in_file: int = 0


class Answer(Struct, frozen=True, gc=False):
    """What the engine found, before it takes the wire's form. notices: of its mode."""

    question: SearchQuery
    query_id: str
    scoring: FusionScoring
    index: IndexState
    hits: tuple[Hit, ...]
    faults: tuple[OracleFault, ...] = ()
    notices: tuple[Notice, ...] = ()
