"""Domain values: parsed files, documents, queries, candidates, hits and answers.

All are frozen msgspec structs, which are defined and constructed ten times as fast as frozen dataclasses. Those marked
`gc=False` are made in large numbers and hold no cycles, so that the garbage collector need not scan them.
Lines are 0-based; columns are counted in UTF-8 bytes and, beside that, in UTF-16 units, because editors negotiate one
of the two and a range must be right in both without reading the file again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum

from msgspec import Struct, field

from scry.core.notices import DataDamage, IndexDamage, IndexDamageFound, IndexRepaired, ModelNotReady, Notice


class ScorePart(Struct, frozen=True):
    """One part of a composite score: name, value from 0 to 1, weight, and the reason in words for a person."""

    name: str
    value: float
    weight: float
    reason: str


class NeighborRelation(Struct, frozen=True):
    """The relation of a neighbour to the queried file; confidence only where a name had to be resolved."""

    kind: str
    count: int
    confidence: str | None = None


class ProofStep(Struct, frozen=True):
    """One relation between two documents or files, by their doc_ids, as a proof states it.

    confidence: exact, by name or ambiguous. line: where it is written, 0-based; of the target for a definition, else of
    the source; None where no line shows it. count: of the commits that show it, for a co-change.
    """

    source: str
    kind: str
    target: str
    confidence: str
    line: int | None = None
    count: int = 1


class Point(Struct, frozen=True, gc=False):
    """A position in a text: 0-based line, column in UTF-8 bytes and in UTF-16 code units."""

    line: int
    utf8: int
    utf16: int


class Span(Struct, frozen=True, gc=False):
    """A half-open range of text, as in LSP."""

    start: Point
    end: Point


class SkipReason(str, Enum):
    """The reason why a file is known but not indexed; the value is shown to people."""

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
    FAILED = "failed"


class SkippedFile(Struct, frozen=True):
    """A file that was read and left out. detail: the cause, as ".gitignore line 4", "12.3 MB", "byte 812"."""

    reason: SkipReason
    detail: str = ""


class IndexingStage(str, Enum):
    """A stage of indexing that handles one item at a time: a file, and at the end a commit, the commits of a file, a
    belief; the value is shown to people.

    An exception in a stage is caught where the item is handled: the item loses what the stage gives, and no other one
    loses anything.
    """

    READ = "read"
    DECODE = "decode"
    NOTE = "note"
    PARSE = "parse"
    DOCUMENTS = "documents"
    IMPORTS = "imports"
    STORE = "store"
    VECTORS = "vectors"
    STRUCTURE = "structure"
    GRAPH = "graph"
    GIT = "git"  # git itself can't read a commit of a damaged repository
    COMMIT = "commit"
    CHANGED_LINES = "changed lines"
    COVERAGE = "coverage"


class FileFault(Struct, frozen=True):
    """A stage of indexing that failed for one file, and why. The file is found by what the other stages gave."""

    stage: IndexingStage
    reason: str

    def __str__(self) -> str:
        """Return `parse: IndexError: list index out of range`."""
        return f"{self.stage.value}: {self.reason}"

    @classmethod
    def from_error(cls, stage: IndexingStage, error: BaseException) -> FileFault:
        """Return the fault for an exception, in at most 200 characters and without control characters."""
        text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        text = "".join(character if character.isprintable() else " " for character in text)
        return cls(stage, " ".join(text.split())[:_MAX_REASON_CHARACTERS])


_MAX_REASON_CHARACTERS = 200


class Symbol(Struct, frozen=True, gc=False):
    """A definition in a file, or a chunk of text outside all definitions.

    kind: function, method, class, interface, struct, enum, trait, module, type, constant, variable, field, macro,
        section (of a document) or text (outside symbols; its name is empty).
    container: qualified name of the enclosing symbol, by dots (`Outer.inner`), or for sections the headings above it,
        outermost first, joined by " > "; empty at the top.
    signature: one line, whitespace collapsed, without the body.
    doc: its doc comment, markers stripped; empty when it has none.
    span: the whole definition, doc comment included where that stands outside; `name_span` is where a jump lands.
    own_text: the text of the span without the spans of symbols nested in it, the doc comment left out.
    is_test: it is a test beside the code, or stands in one (`mod tests`); see parse.languages.language.
    is_generated: the comments at the top of its file say that a program wrote it.
    """

    name: str
    kind: str
    container: str
    signature: str
    doc: str
    span: Span
    name_span: Span
    own_text: str
    is_test: bool = False
    is_generated: bool = False

    @property
    def marks(self) -> tuple[str, ...]:
        """The kinds that the text gives it, as `classify_path` names those of a path."""
        return MARKS[self.is_test + 2 * self.is_generated]


MARKS = ((), ("test",), ("generated",), ("generated", "test"))
"""The kinds of a document by its text, by what is stored for them: 1 for a test, 2 for generated text, 3 for both."""


class Reference(Struct, frozen=True, gc=False):
    """A use of a name that a tags query found: its name, its kind (call, class, implementation, type …), its line.

    receiver: the expression before it, words joined by dots (`self.store`, `Foo.Bar::`), with its type where that is
    evident (`cart=Cart`), "?" for any other expression; empty for a name that stands alone.
    """

    name: str
    kind: str
    line: int
    receiver: str = ""


class Binding(Struct, frozen=True, gc=False):
    """A name that an import binds in a file.

    source: the import as its language resolves it. member: the name in there, which may also be the module itself (the
    last word of `source`); empty for a module as a whole. The name `*` is every name of the module. A binding without a
    name is of no import: its source is the package that the file says to be in, within those of the ones before.
    """

    name: str
    source: str
    member: str = ""


class ParsedFile(Struct, frozen=True):
    """The parsed text of one file, as the index needs it. fault: why its symbols could not be read, so that it is plain
    text; None where they could.
    """

    language: str
    symbols: tuple[Symbol, ...]
    imports: tuple[str, ...]
    references: tuple[Reference, ...]
    bindings: tuple[Binding, ...] = ()
    fault: FileFault | None = None


class Document(Struct, frozen=True, gc=False):
    """Anything that can be a result, as the store holds it.

    doc_key: the store's own id, never used twice. ordinal: 0 for the first of its qualified name in the file, 1 for the
    next (F2). path: POSIX, relative to the project's root; undecodable bytes as surrogate escapes; empty where there is
    no file. time: of a commit or a note, in seconds since the epoch. code_refs, domains, session_id: a note's
    citations (`file:line`), its subjects, and the session that it is from. entrenchment: of a belief, 0 to 1.
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
    entrenchment: float | None = None


class DocumentHeader(Struct, frozen=True, gc=False):
    """The part of a document that ranking may read: its ids, its name, its location and its number of lines.

    marks: as of Symbol.
    """

    doc_key: int
    doc_id: str
    content_type: str
    path: str
    name: str
    kind: str
    container: str
    line_count: int = 1
    marks: tuple[str, ...] = ()


class QueryIntent(str, Enum):
    """The intent of a query (F7)."""

    GENERAL = "general"
    TEMPORAL = "temporal"
    RATIONALE = "rationale"
    MECHANISM = "mechanism"
    DEFINITION = "definition"


class QueryFilter(Struct, frozen=True):
    """A restriction typed into the query, such as `lang:go` or `-path:vendor`. field: see search.query."""

    field: str
    value: str
    exclude: bool = False


class SearchQuery(Struct, frozen=True):
    """A parsed query with the parameters beside it (content_types, source, domains; empty where none were given).

    unknown_filters: words that look like filters and are searched as text, for the filter has no such value.
    asks_for_commits: whether it is worded as a question that a commit answers.
    strengths: exponents of the adjustments' factors by name, "*" for all that are not named: 0 omits a factor, 1 keeps
    it. Only learnt weights (store.events.learnt) and an evaluation (scry.lab) set them. use_factor: of the weight of
    the oracle of use, where it takes part.
    prefix: the last word, where it is still being typed and words that begin with it match too. holding_scores: of the
    documents of other projects that hold that word itself. area: terms of the words before a colon that it begins with.
    identifiers: keys (`normalize_name`) of the identifiers of several words in it; none for a query of a single word.
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
    unknown_filters: tuple[QueryFilter, ...] = ()
    asks_for_commits: bool = False
    prefix: str = ""
    holding_scores: tuple[float, ...] = ()
    use_factor: float = 1.0
    area: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()


class OracleMatch(Struct, frozen=True, gc=False):
    """One oracle's evidence for one document: its 1-based rank, its raw score with that score's type, matched terms,
    a note for a person, and the cosine that is a part of another score.
    """

    doc_key: int
    rank: int
    raw_score: float
    score_type: str
    matches: tuple[str, ...] = ()
    note: str = ""
    cosine: float | None = None


INDEX_FAULT = "index"
"""Stands for the name of an oracle in the fault of an index that could not be brought up to date."""


class OracleFault(Struct, frozen=True):
    """An oracle that could not answer, and why, in words for a person. damage: of the index, if that is why."""

    oracle: str
    message: str
    damage: str = ""


class Adjustment(Struct, frozen=True, gc=False):
    """A named factor beside the ranks (F5), with its reason for a person."""

    name: str
    factor: float
    reason: str


class Candidate(Struct, frozen=True, gc=False):
    """A document with all matches for it. rank_sum: the sum of weight / (K + rank) over its matches."""

    document: DocumentHeader
    oracle_matches: Mapping[str, OracleMatch]
    rank_sum: float
    adjustments: tuple[Adjustment, ...] = ()
    fused_score: float = 0.0


class FileEvidence(Struct, frozen=True):
    """What speaks for files in answer to a query, beside the matches of their documents, by path.

    past_changes: votes of past commits. cosines: of whole files with the query. words: the share of the query's words
    that a file's candidates hold, each by its inverse document frequency. identifiers: likewise of its identifiers of
    several words. look_up: fills in these two for some files, where they are not known from the start. highest_bm25:
    the BM25 that a document of all these words can come near to; 0 where the query has none.
    """

    past_changes: Mapping[str, float] = {}
    cosines: Mapping[str, float] = {}
    words: Mapping[str, float] = {}
    identifiers: Mapping[str, float] = {}
    look_up: Callable[[Iterable[str]], None] | None = None
    highest_bm25: float = 0.0


NO_FILE_EVIDENCE = FileEvidence()


class FileStructure(Struct, frozen=True, gc=False):
    """Facts about a file from the code around it. They explain a result; in find they never rank (F6)."""

    importers: int = 0
    centrality: str = "low"
    activity_level: str | None = None
    flags: tuple[str, ...] = ()


class IndexState(Struct, frozen=True):
    """How fresh and complete the index is, as every answer and `status` carry it.

    state: starting, indexing, ready, paused or failed. history: pending, ready or none. history_extent: the part of
    the history that is indexed, if not all. message: the indexer's own words. notices: of the process that reads the
    index. failed: the number of files for which a stage of indexing failed. graph: pending or ready, whether the code
    graph is that of the indexed files; empty where there is no index.
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
    notices: tuple[ModelNotReady | IndexDamage | IndexDamageFound | IndexRepaired | DataDamage, ...] = ()
    failed: int = 0
    graph: str = ""


class FusionScoring(Struct, frozen=True):
    """The constants that recompute `fused_score` and `confidence` from an answer (F4, F5, F15).

    term_weights: by word of the query, how rare it is; empty where no confidence is given. cosine_counts: whether the
    cosines are those for which the confidence is calibrated. prefix: that of the query. exponents: those of the
    adjustments' factors, where learnt weights apply; the factors of the results are raised already.
    """

    k: int
    weights: Mapping[str, float]
    ceiling: float
    depth: int = 200
    term_weights: Mapping[str, float] = field(default_factory=dict[str, float])
    cosine_counts: bool = True
    prefix: str = ""
    exponents: Mapping[str, float] = field(default_factory=dict[str, float])


class FurtherPlace(Struct, frozen=True, gc=False):
    """A further place of a result's file, and its score in this answer."""

    document: Document
    fused_score: float


class Hit(Struct, frozen=True, gc=False):
    """A candidate with its rank in the answer, and everything that a person sees of it; no structure without a file.

    composite: the parts of its score where no oracle matched. relations: to the queried file. evidence: further reasons
    in a few words each, such as `2 days ago`. proof: the relations that make it an answer to a relational query.
    more_in_file: how many further places of its file are worth a look and no results. further: the best of them.
    confidence: that it answers the query, where words were searched. Of all three see search.results.
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
    further: tuple[FurtherPlace, ...] = ()
    confidence: float | None = None


class Answer(Struct, frozen=True, gc=False):
    """An answer of the engine, before it is converted to the wire's types. notices: of its mode."""

    question: SearchQuery
    query_id: str
    scoring: FusionScoring
    index: IndexState
    hits: tuple[Hit, ...]
    faults: tuple[OracleFault, ...] = ()
    notices: tuple[Notice, ...] = ()
