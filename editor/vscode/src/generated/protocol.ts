// Generated from protocol/scry_protocol by `make protocol`; do not edit.

/** The protocol's version; client and sidecar must agree on it. */
export const PROTOCOL = 1;

/** Every method's name. */
export const methods = {
  /** Searches: returns the symbols, sections and texts that match a query, best first, each with its evidence. */
  find: "scry/find",
  /** Shows what matters in a folder: its files, ranked by importers, centrality, entry points and activity. */
  orient: "scry/orient",
  /** Shows recent changes, or the results of a query ranked by recency. */
  recent: "scry/recent",
  /** Shows the files that changed together with a file, or that it imports, calls or is used by. */
  neighbors: "scry/neighbors",
  /** Explains a document's rank or absence: every oracle's evidence, the adjustments, and its rank in each mode. */
  why: "scry/why",
  /** Returns one result of an earlier answer in full, with its neighbours in the code graph and the history. */
  detail: "scry/detail",
  /** Returns the text of a file of the joined team's index, by the URI of a result's location. */
  teamFile: "scry/teamFile",
  /** Records in the person's own log that a result was used: jumped to, opened or copied. */
  use: "scry/use",
  /** Records in the person's own log that an answer was good or bad. */
  feedback: "scry/feedback",
  /** Records an event of work in the project's memory: a command, an error, a test, a decision. */
  observe: "scry/observe",
  /** Lists, searches or deletes memories of the project. */
  memory: "scry/memory",
  /** Lists the sessions of work, and begins or ends one. */
  session: "scry/session",
  /** Stores a note of the person, for all projects. */
  remember: "scry/remember",
  /** Lists, searches or deletes the person's notes. */
  persona: "scry/persona",
  /** Writes a belief of the team to a file of the project, to be reviewed like code. */
  believe: "scry/believe",
  /** Returns the project's beliefs: all of them, one in full, or those with evidence against them. */
  beliefs: "scry/beliefs",
  /** Lists the projects that a query may name, registered or open; also registers one. */
  projects: "scry/projects",
  /** Returns how fresh and complete the index of a folder is. */
  status: "scry/status",
  /** Starts, pauses, resumes or rebuilds the index of a folder; returns its state. */
  index: "scry/index",
  /** Announces that the state of a folder's index changed. */
  statusChanged: "scry/statusChanged",
} as const;

/** The params and the result of each request. */
export interface Requests {
  "scry/find": { params: FindParams; result: Answer };
  "scry/orient": { params: OrientParams; result: Answer };
  "scry/recent": { params: RecentParams; result: Answer };
  "scry/neighbors": { params: NeighborsParams; result: Answer };
  "scry/why": { params: WhyParams; result: Explanation };
  "scry/detail": { params: DetailParams; result: Detail };
  "scry/teamFile": { params: TeamFileParams; result: TeamFile };
  "scry/use": { params: UseParams; result: Recorded };
  "scry/feedback": { params: FeedbackParams; result: Recorded };
  "scry/observe": { params: ObserveParams; result: Observed };
  "scry/memory": { params: MemoryParams; result: Memories };
  "scry/session": { params: SessionParams; result: Sessions };
  "scry/remember": { params: RememberParams; result: PersonaNotes };
  "scry/persona": { params: PersonaParams; result: PersonaNotes };
  "scry/believe": { params: BelieveParams; result: Beliefs };
  "scry/beliefs": { params: BeliefsParams; result: Beliefs };
  "scry/projects": { params: ProjectsParams; result: Projects };
  "scry/status": { params: StatusParams; result: IndexState };
  "scry/index": { params: IndexParams; result: IndexState };
}

/** The params of each notification from the sidecar. */
export interface Notifications {
  "scry/statusChanged": StatusChanged;
}

/** A search query. */
export interface FindParams {
  /** words, identifiers, "exact text", and filters lang:, path:, type:, source:, domain: (with - to exclude). */
  query: string;
  /** maximum number of results (1 to 1000; default 10). */
  limit?: number;
  /** results with a lower confidence are left out; of a relational query those with a lower fused_score (0 to 1; default 0.0). */
  min_score?: number;
  /** the query's intent; detected from its words when absent. */
  intent?: "definition" | "general" | "mechanism" | "rationale" | "temporal" | null;
  /** only results of these content types; all when empty (default []). */
  types?: ("belief" | "code" | "commit" | "doc" | "memory" | "pattern" | "persona" | "session")[];
  /** project for the project's content, its memory included; persona for the person's own notes; both when absent. */
  source?: "persona" | "project" | null;
  /** only knowledge with one of these domains, case-insensitive; code, documents, commits and memories have none. All when empty (default []). */
  domains?: string[];
  /** URI of the one open folder to search; all open folders when absent. */
  folder?: string | null;
  /** id of the client's picker; a newer find with the same id cancels the older one, and is logged once it settles. */
  picker?: string | null;
  /** return every result in full (default false). */
  full?: boolean;
  /** number of lines of each result's text to return, those that match the query best; 0 for none (0 to 50; default 0). */
  excerpt?: number;
  /** read the query as a relational query over the code graph, such as "what calls foo and is called by bar" (default false). */
  reason?: boolean;
  /** names of the projects to search, registered or open; the open ones, or the current one, when empty (default []). */
  projects?: string[];
  /** search every registered project, and the open ones (default false). */
  all_projects?: boolean;
  /** also search the projects that the selected ones are linked to (default false). */
  linked_projects?: boolean;
  /** also search the index of the joined team; its repositories that are projects here are searched here alone (default false). */
  team?: boolean;
}

/** The results of a query, best first, with all data that explains them. */
export interface Answer {
  /** the query, as it was sent. */
  query: string;
  /** the kind of query, such as find. */
  mode: string;
  /** id of this answer: `q_YYYYMMDD_HHMMSS_` in UTC and random characters. */
  query_id: string;
  /** the intent that was set or detected. */
  intent: string;
  /** how to recompute the scores. */
  scoring: Scoring;
  /** how fresh and complete the index was. */
  index: IndexState;
  /** the results, best first. */
  results: ResultItem[];
  /** the oracles, and the projects, that could not answer. */
  faults: Fault[];
  /** words for a person about what the answer may lack, or why it is empty; often empty (default ""). */
  notice?: string;
  /** the searched projects, where the query named any; else empty (default []). */
  projects?: AskedProject[];
}

/**
 * How to recompute a result's `fused_score` from its contributions and adjustments.
 *
 * In find and recent, fused_score = (sum over contributions of weights[oracle] / (k + rank)) * (product of the
 * adjustments' factors) / ceiling, in this order of operations: oracles in the order of `weights`, adjustments in the
 * order of the list. In orient, and in recent without a query, it is (sum over annotations.composite of weight *
 * value) * (product of the adjustments' factors), from the first to the last, with k and depth 0. In neighbors and in
 * relational queries results are ordered by counts, and fused_score is the count as a share of the highest, with k and
 * depth 0; in a relational query the conditions that a result meets are counted.
 *
 * In find, and in recent for a query, confidence = 1 / (1 + exp(9 - 7.5 share - 14 cosine + 10 share * cosine)),
 * rounded to 4 digits: share is the sum of term_weights over the lexical contribution's matches, divided by the sum of
 * all; cosine is the raw score of the semantic contribution, 0 without one; for a commit, and for everything unless
 * cosine_counts, share / 2 stands for it. A note with neither contribution has the highest raw score of type
 * relevance.
 */
export interface Scoring {
  /** the constant of reciprocal rank fusion. */
  k: number;
  /** maximum number of results of each oracle. */
  depth: number;
  /** by oracle, its weight for this query. */
  weights: Record<string, number>;
  /** the highest sum that any result could reach. */
  ceiling: number;
  /** by word of the query, its inverse document frequency in the project's code and documents; empty where results have no confidence, and where several projects were searched (default {}). */
  term_weights?: Record<string, number>;
  /** whether cosines count in the confidence (default true). */
  cosine_counts?: boolean;
  /** the last word of a query that is still being typed, where words that begin with it match too; results that hold only such words have the adjustment `prefix` (default ""). */
  prefix?: string;
  /** by adjustment, the exponent of its factor where weights learnt from the person's jumps apply, as they do to `weights`; the factors of the results are raised already. Empty where the defaults apply (default {}). */
  exponents?: Record<string, number>;
}

/** How fresh and complete the index is. */
export interface IndexState {
  /** starting, indexing, ready, paused or failed; ready = every file's words and vectors are searchable and on disk. */
  state: string;
  /** pending, ready or none. */
  history: string;
  /** number of the published index; it rises with every change that can be searched. */
  generation: number;
  /** number of files whose words are searchable. */
  files_indexed: number;
  /** number of files to index. */
  files_total: number;
  /** number of vectors that are searchable. */
  vectors: number;
  /** number of vectors to make. */
  vectors_total: number;
  /** number of files that are known and not indexed. */
  skipped: number;
  /** files whose text in the editor differs from the text that was searched. */
  unsaved: string[];
  /** the commit that the index was last compared with; null without git. */
  index_commit: string | null;
  /** the commit that is checked out; null where there is none. */
  head_commit: string | null;
  /** name of the model that made the vectors; null where there are none. */
  model: string | null;
  /** words for a person; empty when there is nothing to say. */
  message: string;
  /** the state in a few words, for a status line, such as "indexing 120 of 400 files" (default ""). */
  summary?: string;
  /** the part of the history that is stored, such as "of the newest 20,000 commits"; empty where it is all (default ""). */
  history_extent?: string;
  /** number of files for which a stage of indexing failed: they are found less well, or not at all (default 0). */
  failed?: number;
  /** pending while the code graph, by which `orient` ranks and `neighbors` answers, is still to be brought up to the indexed files, else ready; empty where there is no index (default ""). */
  graph?: string;
  /** in the answer to a request for the status, what was learnt from use, or why nothing is, in words for a person; empty elsewhere (default ""). */
  learning?: string;
  /** in the answer to a request for the status, whether this version of Scry, of the model and of the weights answers the person's past questions worse than the one before, and the way back, in words for a person; empty elsewhere, and where nothing was replayed (default ""). */
  replay?: string;
  /** by language, the number of indexed files, most first; absent where it was not requested. */
  languages?: Record<string, number>;
}

/** One result. */
export interface ResultItem {
  /** its rank in the answer, 1-based. */
  rank: number;
  /** its id, stable while other lines change, such as `./src/app.py::Outer.inner`. */
  doc_id: string;
  /** code, doc, commit, belief, pattern, session, memory or persona. */
  content_type: string;
  /** a short name to show. */
  title: string;
  /** its kind: function, method, class, section, file, text and so on. */
  kind: string;
  /** 0 to 1, by the formula of Scoring. */
  fused_score: number;
  /** by oracle, the evidence of each one that found it. */
  contributions: Record<string, Contribution>;
  /** the further factors of its score, in the order of multiplication. */
  adjustments: Adjustment[];
  /** data beside the evidence. */
  annotations: Annotations;
  /** a few words of it, to show. */
  snippet: string;
  /** names of the oracles that found it. */
  sources: string[];
  /** name of its project. */
  project: string;
  /** the target of a jump; absent where the result is not in a file. */
  location?: Location;
  /** further data about it; absent where there is none. */
  metadata?: Metadata;
  /** the evidence in few words, such as `sem #1 | lex #2 | test x0.5 | imp 12`: ranks, and the factor that lowered it most; where no oracle was asked the reason, such as `entry point` or `2 days ago` (default ""). */
  evidence?: string;
  /** the result in full, where that was requested. */
  full?: Full;
  /** its lines that match the query best, in their order, where they were requested. */
  excerpt?: ExcerptLine[];
  /** the link from the current project to its project, such as LEARNS_FROM; empty without a link (default ""). */
  via?: string;
  /** number of further places of its file that are worth a look and no results; on the best result of a file, in find. The same query with `path:` and the file's path returns them (default 0). */
  more_in_file?: number;
  /** the best of these places, best first, at most 5 (default []). */
  further?: FurtherPlace[];
  /** the estimated probability that it answers the query, by the formula of Scoring; comparable across queries, unlike fused_score. Absent where no words were searched. */
  confidence?: number;
  /** of a result of the joined team, the indexed commit of its repository; its location is then a URI of the scheme scry-team, whose text `scry/teamFile` returns. Empty for any other result (default ""). */
  commit?: string;
  /** of a result of the joined team, its address on the forge, where that is known; else empty (default ""). */
  link?: string;
  /** number of the other repositories of the joined team that hold the same content, which are no results (default 0). */
  copies?: number;
  /** the first of them by name, at most 5 (default []). */
  also_in?: Copy[];
}

/** The evidence of one oracle for a result. */
export interface Contribution {
  /** the result's rank in that oracle's results, 1-based. */
  rank: number;
  /** the score by which that oracle ranked it, rounded to 6 decimals. */
  raw_score: number;
  /** the unit of raw_score: cosine (-1 to 1), bm25 (above 0), co_change_count (a whole number), relevance (0 to 1, of notes by meaning and words) or uses (above 0, of what was used for like questions). */
  score_type: string;
  /** terms of the query that occur in it; only from oracles that match terms. */
  matches?: string[];
  /** further words of the oracle: of a persona note its text, of a memory the reason for its rank, of a used document when and for what it was used. */
  snippet?: string;
  /** of a note (belief and persona), the cosine that its relevance is made of, rounded; absent without a vector. */
  cosine?: number;
}

/** A named factor of the result's score beside the oracles' ranks. */
export interface Adjustment {
  /** the rule's name, such as definition, file_words or test_path. */
  name: string;
  /** the score was multiplied by it; above 1 it raised the result. */
  factor: number;
  /** words for a person. */
  reason: string;
}

/** Data about a result beside the oracles' evidence. */
export interface Annotations {
  /** the code around it; absent where a result is not in the code. */
  structural?: Structural;
  /** the parts of its score, in orient, and in recent without a query. */
  composite?: CompositePart[];
  /** its relations to the file of the query, in neighbors only. */
  relations?: Relation[];
  /** the steps that make it an answer, in relational queries only. */
  proof?: Edge[];
}

/** The structure of the code around a result. In find it explains and does not rank. */
export interface Structural {
  /** number of the project's files that import the result's file. */
  importers: number;
  /** high, medium or low, among the files of this project. */
  centrality: string;
  /** changes of the file in the 90 days before the newest commit: high (8 commits or more), medium (3 or more), low or none; absent while that is not known. */
  activity_level?: string;
  /** further properties of the file, such as entry_point or test (default []). */
  flags?: string[];
}

/** One part of the score of a result that no oracle ranked: score = sum of weight * value, times the adjustments. */
export interface CompositePart {
  /** the measured property: importers, centrality, entry_point, activity, commits, or in recent recency. */
  name: string;
  /** 0 to 1, by the rule in docs/decisions/0038 (orient) or docs/decisions/0039 (recent). */
  value: number;
  /** factor of the value; the weights add up to 1. */
  weight: number;
  /** the measured property in words for a person, such as "12 importers". */
  reason: string;
}

/** A relation of a neighbour to the file of the query. */
export interface Relation {
  /** changes_with, imports, imported_by, calls or called_by, with the neighbour as subject: a neighbour that is called_by is called by the file of the query. */
  kind: string;
  /** number of commits, imports or calls. */
  count: number;
  /** exact, by name or ambiguous; absent where nothing had to be resolved. */
  confidence?: string;
}

/** One step of the path that proves a relational answer. */
export interface Edge {
  /** doc_id of the subject: the caller, importer, subclass, definer, or file that changed. */
  source: string;
  /** calls, imports, inherits, defines or changes_with. */
  kind: string;
  /** doc_id of the object. */
  target: string;
  /** exact, by name or ambiguous. */
  confidence: string;
  /** where the relation is written, such as the line of the call; absent where no line shows it. */
  location?: Location;
}

/** A range in a file. */
export interface Location {
  /** URI of the file. */
  uri: string;
  /** the range in it. */
  range: Range;
  /** the start of the symbol's name in the range: where a jump lands. Absent where that is the start of the range. */
  name?: Position;
}

/** A half-open range of a text, as in LSP. */
export interface Range {
  /** its first position. */
  start: Position;
  /** the position just after its last. */
  end: Position;
}

/** A position in a text, as in LSP. */
export interface Position {
  /** 0-based. */
  line: number;
  /** 0-based, counted in the negotiated position encoding. */
  character: number;
}

/** Data about a result beside its location. */
export interface Metadata {
  /** when it was made, or in recent when it last changed, in UTC, such as 2026-11-21T09:26:00Z. */
  timestamp?: string;
  /** the locations that knowledge cites, as `file:line` or `file`. */
  code_refs?: string[];
  /** the session that knowledge is from. */
  session_id?: string;
  /** the domains of a note, in the person's words. */
  domains?: string[];
  /** how firmly a belief is held, from 0 to 1. */
  entrenchment?: number;
}

/** A result in full. */
export interface Full {
  /** language of the body, such as python; diff for a commit. */
  language: string;
  /** on one line, whitespace collapsed; empty where it has none. */
  signature: string;
  /** its doc comment without markers, or a commit's message; empty where it has none. */
  doc: string;
  /** its text as it was indexed, or a commit's patch. */
  body: string;
  /** whether the body was cut at the maximum size of an answer (default false). */
  truncated?: boolean;
  /** its neighbours; absent where it can have none. */
  graph?: Graph;
  /** the beliefs that are relevant to it; absent where there are none. */
  impact?: BeliefImpact;
}

/** The neighbours of a result in code and history; each list is cut, best first. */
export interface Graph {
  /** files that its file imports (default []). */
  imports?: Link[];
  /** files that import its file (default []). */
  imported_by?: Link[];
  /** documents that call it (default []). */
  callers?: Link[];
  /** documents that it calls (default []). */
  callees?: Link[];
  /** documents that it inherits from or implements (default []). */
  inherits?: Link[];
  /** documents that inherit from or implement it (default []). */
  inherited_by?: Link[];
  /** files that changed together with its file, with the number of commits (default []). */
  co_changes?: Link[];
  /** by the name of a list above, its length before it was cut (default {}). */
  totals?: Record<string, number>;
  /** words for a person on missing data, such as that the graph is still being built; often empty (default ""). */
  note?: string;
}

/** A document that is related to a result. */
export interface Link {
  /** the related document. */
  doc_id: string;
  /** number of commits, calls or imports (default 1). */
  count?: number;
  /** exact, by name or ambiguous; absent where nothing had to be resolved. */
  confidence?: string;
  /** the target of a jump; absent where there is none. */
  location?: Location;
}

/** The beliefs that are relevant to a result. */
export interface BeliefImpact {
  /** beliefs relevant to its file, the most relevant first (default []). */
  beliefs?: Bearing[];
  /** of a belief, the files, commits and notes that it covers, the most relevant first (default []). */
  reaches?: Bearing[];
  /** of a belief, the reasons not to rely on it (default []). */
  warnings?: string[];
}

/** The relevance of a belief to a file, commit or note. */
export interface Bearing {
  /** the file, commit or note; of a file's beliefs, the belief. */
  doc_id: string;
  /** the relevance, from 0 to 1; cited evidence has 1. */
  score: number;
  /** the reason, in words for a person. */
  reason: string;
  /** the belief's, where doc_id is a belief; empty otherwise (default ""). */
  statement?: string;
}

/** One line of a result's text. */
export interface ExcerptLine {
  /** its number in the file, 1-based. */
  line: number;
  /** the line, without its end. */
  text: string;
}

/** A further place of a result's file that is worth a look and is no result itself. */
export interface FurtherPlace {
  /** its id; detail, use, feedback and why accept it. */
  doc_id: string;
  /** a short name to show, such as `evict`, or `lines 10-34` for text outside symbols. */
  title: string;
  /** its kind, as of a result. */
  kind: string;
  /** its score in this answer, where it would stand below the last result or below the limit. */
  fused_score: number;
  /** the target of a jump. */
  location: Location;
}

/** A document of another repository of the joined team with the content of a result: its file has the same text. */
export interface Copy {
  /** name of the repository. */
  project: string;
  /** its id there; why accepts it. */
  doc_id: string;
  /** its address on the forge, where that is known; else empty (default ""). */
  link?: string;
}

/** An oracle, or a whole project, that could not answer, or an index that could not be brought up to date. */
export interface Fault {
  /** name of the oracle; `index` where indexing failed, so that results may be old; empty where a whole project could not answer. */
  oracle: string;
  /** the reason, in words for a person. */
  message: string;
  /** name of the project, where the query named several; else empty (default ""). */
  project?: string;
  /** whether the answer was late, and the same query asked again soon may have it (default false). */
  retry?: boolean;
}

/** One of several searched projects. */
export interface AskedProject {
  /** name of the project. */
  name: string;
  /** how fresh and complete its index was. */
  index: IndexState;
  /** the link from the current project to this one, such as LEARNS_FROM; empty without a link (default ""). */
  via?: string;
  /** as of Scoring, in this project (default {}). */
  term_weights?: Record<string, number>;
  /** as of Scoring, in this project (default true). */
  cosine_counts?: boolean;
  /** whether it is a repository of the joined team, not a project of this machine (default false). */
  team?: boolean;
}

/** A query for what matters in a folder. */
export interface OrientParams {
  /** a folder or file: its URI, or its path relative to the project; `.` is the whole project. The name of a project and a colon before it, such as `lib:./src`, select that project (default "."). */
  path?: string;
  /** maximum number of files (1 to 1000; default 10). */
  limit?: number;
  /** URI of the open folder that a relative path belongs to; the first one when absent. */
  folder?: string | null;
  /** as in find; the path is looked up in each (default []). */
  projects?: string[];
  /** as in find (default false). */
  all_projects?: boolean;
  /** as in find (default false). */
  linked_projects?: boolean;
  /** ask the index of the joined team alone; the name before the path, such as `cart:./src`, is that of one of its repositories. The URI of a file of the team names it, too (default false). */
  team?: boolean;
  /** whether the question is logged; false where a client asks again by itself until the answer is complete (default true). */
  record?: boolean;
}

/** A query for recent changes. */
export interface RecentParams {
  /** words to search for first, as in find; the results are ranked by recency. All changes when empty (default ""). */
  query?: string;
  /** only changes of the last so many days; 7 when absent and there is no query (1 to 36500). */
  days?: number | null;
  /** maximum number of results (1 to 1000; default 10). */
  limit?: number;
  /** only results of these content types; all when empty (default []). */
  types?: ("belief" | "code" | "commit" | "doc" | "memory" | "pattern" | "persona" | "session")[];
  /** as in find. */
  source?: "persona" | "project" | null;
  /** as in find (default []). */
  domains?: string[];
  /** URI of the one open folder to search; all open folders when absent. */
  folder?: string | null;
  /** as in find. */
  picker?: string | null;
  /** return every result in full (default false). */
  full?: boolean;
  /** as in find, where there is a query; nothing matches best without one (0 to 50; default 0). */
  excerpt?: number;
  /** as in find (default []). */
  projects?: string[];
  /** as in find (default false). */
  all_projects?: boolean;
  /** as in find (default false). */
  linked_projects?: boolean;
  /** as in find (default false). */
  team?: boolean;
}

/** A query for the neighbours of a file, for what resembles a place in it, or for the coverage of a belief. */
export interface NeighborsParams {
  /** URI of the file, its path relative to the project, or a doc_id in it, also with `<project>:` before it; empty when a belief is given (default ""). */
  file?: string;
  /** cochange for files that changed in the same commits; dependency for imports and calls, in both directions; similar for functions, classes and sections near in meaning to the one at `line`, or to the one that a doc_id names; and for files near in meaning to the whole file, where neither is given (default "cochange"). */
  by?: "cochange" | "dependency" | "similar";
  /** a line of the file, 1-based, for similar (at least 1). */
  line?: number | null;
  /** id of the belief whose coverage to return instead, with or without `belief:` before it. */
  belief?: string | null;
  /** of a belief's coverage only these content types; all when empty (default []). */
  types?: ("belief" | "code" | "commit" | "doc" | "memory" | "pattern" | "persona" | "session")[];
  /** maximum number of results (1 to 1000; default 10). */
  limit?: number;
  /** URI of the open folder that a relative path belongs to; the first one when absent. */
  folder?: string | null;
  /** as in orient (default false). */
  team?: boolean;
  /** as in orient (default true). */
  record?: boolean;
}

/** A request to explain a document's rank, or its absence. */
export interface WhyParams {
  /** the document, in any form of its id; returned, not returned, or not even indexed. */
  doc_id: string;
  /** the query to explain it for; when absent that of `query_id`, else of the last answer that returned it. */
  query?: string | null;
  /** id of an answer whose query to explain it for. */
  query_id?: string | null;
  /** URI of the open folder that it is in; when absent, the one that answered or the first one. */
  folder?: string | null;
  /** whether `text` has only the summary and the oracles' ranks, for a hover (default false). */
  brief?: boolean;
  /** whether the request is stored and logged; false where the person did not ask for it, as in a hover (default true). */
  record?: boolean;
}

/** The explanation of a document's rank, or of its absence. */
export interface Explanation {
  /** the explained document, its id in full form. */
  doc_id: string;
  /** the query that it is explained for; null where there is none, and then only places and history are given. */
  query: string | null;
  /** id of this answer. */
  query_id: string;
  /** indexed, skipped (known and not indexed), unindexed (it exists, and is not indexed yet), missing (no such document exists) or outside (of the project). */
  status: string;
  /** the reason, on one line of under 100 characters. */
  summary: string;
  /** all of it as Markdown, to show to a person. */
  text: string;
  /** how fresh and complete the index was. */
  index: IndexState;
  /** why it is not indexed or not ranked, in words for a person; empty where there is nothing to say (default ""). */
  reason?: string;
  /** doc_ids of documents with a similar name, where it does not exist (default []). */
  near?: string[];
  /** the oracles that could not answer (default []). */
  faults?: Fault[];
  /** how to recompute the score; absent without a query. */
  scoring?: Scoring;
  /** the document as a result of find, with its rank there; absent where find does not rank it. */
  result?: ResultItem;
  /** the evidence of each oracle, in the order in which terms are summed; empty without a query (default []). */
  oracles?: OracleEvidence[];
  /** name of the oracle or adjustment without which its rank would fall most; absent where none raises it. */
  decisive?: string;
  /** its rank without each of the factors of its score: oracles first, then adjustments (default []). */
  without?: Without[];
  /** its rank in each mode (default []). */
  places?: Place[];
  /** the code around it; absent where it has no file. */
  structural?: Structural;
  /** the history of its file; absent where there is none. */
  lived?: Lived;
  /** the beliefs that are relevant to it; absent where there are none. */
  impact?: BeliefImpact;
}

/** The evidence of one oracle for the explained document. */
export interface OracleEvidence {
  /** its name. */
  oracle: string;
  /** its name as shown to a person. */
  title: string;
  /** voted, beyond_depth (found, but ranked below the oracle's depth), no_match, other_kind (the oracle finds only another kind of documents) or failed. */
  state: string;
  /** the document's rank in the oracle's results, also beyond its depth; null without a match. */
  rank: number | null;
  /** as in Contribution; null without a match. */
  raw_score: number | null;
  /** as in Contribution. */
  score_type: string;
  /** the part of the sum over all oracles' terms that is due to this one, 0 to 1. */
  share: number;
  /** terms of the query that occur in it (default []). */
  matches?: string[];
  /** terms of the query that do not occur in it (default []). */
  missing?: string[];
  /** words for a person, such as "'backoff' does not occur" (default ""). */
  note?: string;
  /** the score split by words, where the model allows it. */
  shares?: Shares;
}

/** The semantic score as a sum: total = the shares' values + remainder. */
export interface Shares {
  /** the cosine, recomputed from the document's words; within 0.002 of the raw score. */
  total: number;
  /** the largest parts by absolute value, largest first. */
  shares: Share[];
  /** the sum of all other parts. */
  remainder: number;
}

/** The part of a cosine that is due to one word of the query and one word of one field of the document. */
export interface Share {
  /** the word of the query. */
  query_word: string;
  /** the word of the document. */
  document_word: string;
  /** body, name, path, container or head (its first two lines): the field with that word. */
  field: string;
  /** its part of the cosine; may be negative. */
  value: number;
}

/** The document's rank with one factor of its score left out and everything else recomputed. */
export interface Without {
  /** the oracle or adjustment that is left out. */
  name: string;
  /** the rank then; null where the document would not be found at all. */
  rank: number | null;
}

/** The document's rank in one mode. */
export interface Place {
  /** find, orient or recent. */
  mode: string;
  /** its rank, 1-based, however low; null where it has none. */
  rank: number | null;
  /** number of ranked documents. */
  of: number;
  /** words for a person, such as why it has no rank (default ""). */
  note?: string;
}

/** The history of a document's file. */
export interface Lived {
  /** number of commits that changed it, in the stored history. */
  commits: number;
  /** the newest of them in words, `sha7: "subject" (N files)`; empty where there is none (default ""). */
  last_commit?: string;
  /** time of that commit, in UTC, such as 2026-11-21T09:26:00Z; absent where that is not known. */
  last_changed?: string;
  /** whether it has changes that are not committed (default false). */
  uncommitted?: boolean;
  /** the files that most commits changed together with it (default []). */
  co_changes?: Link[];
}

/** A request for one result of an earlier answer in full. Reads the stored answer; nothing is searched again. */
export interface DetailParams {
  /** id of the answer; the last 1,000 answers are stored. */
  query_id: string;
  /** the result's rank in it (at least 1). */
  rank: number;
  /** URI of the open folder that answered; found by the answer's id when absent. */
  folder?: string | null;
  /** a further place of the result (`further`) that is meant instead of it; the result itself when absent. */
  doc_id?: string | null;
  /** whether that the result was used is recorded; false for a client that sends `scry/use` itself (default true). */
  record_use?: boolean;
  /** whether anything is logged; false where the person did not ask for it, as for the location of a jump (default true). */
  record?: boolean;
}

/** One result of an earlier answer in full. */
export interface Detail {
  /** id of the answer. */
  query_id: string;
  /** the query that was answered. */
  query: string;
  /** the result as it was answered, with `full` as of now. A further place has the rank of its result, and no contributions. */
  result: ResultItem;
  /** current, changed (its text differs from the answer's) or gone (it no longer exists; the stored text is returned). */
  state: string;
  /** words for a person about the state; empty when it is current. */
  note: string;
  /** all of it as Markdown, to show to a person. */
  text: string;
}

/** A request for the text of a file in the joined team's index. */
export interface TeamFileParams {
  /** the URI of a result's location, of the scheme scry-team. */
  uri: string;
}

/** The text of a file in the joined team's index, to show read-only. */
export interface TeamFile {
  /** the URI that was asked for. */
  uri: string;
  /** the text, as it is indexed now. */
  text: string;
  /** the commit that it is of. */
  commit: string;
  /** whether that is the commit of the URI; the index holds the newest one only. */
  is_current: boolean;
  /** the URI of the same file, with the same text, in a registered project that is a clone of the repository; empty where there is none. A jump opens it instead (default ""). */
  clone?: string;
}

/** Record that the person, or an agent, used a result. */
export interface UseParams {
  /** id of the answer. */
  query_id: string;
  /** the result's rank in it (at least 1). */
  rank: number;
  /** how the result was used; inferred: the sidecar concluded a jump from what an editor without a plugin requested. */
  how: "agent" | "copy" | "detail" | "inferred" | "jump" | "open";
  /** id of this one act, made by the client, 1 to 200 characters; the same act sent twice counts once. */
  act_id: string;
  /** URI of the open folder that answered; found by the answer's id when absent. */
  folder?: string | null;
  /** a further place of the result (`further`) that is meant instead of it; the result itself when absent. */
  doc_id?: string | null;
}

/** Whether an act is in the log, and why not. */
export interface Recorded {
  /** id of the answer that it is about. */
  query_id: string;
  /** whether this request added it to the log; false for a repeated act, and while the log is off or fails. */
  recorded: boolean;
  /** words for a person; empty when there is nothing to say (default ""). */
  note?: string;
  /** for `copy`, the text for the clipboard (default ""). */
  text?: string;
}

/** Record the person's rating of an answer. */
export interface FeedbackParams {
  /** id of the answer. */
  query_id: string;
  /** good or bad. */
  signal: "bad" | "good";
  /** the reason, in the person's words; at most 10,000 characters (default ""). */
  comment?: string;
  /** the rated result; the whole answer when absent (at least 1). */
  rank?: number | null;
  /** URI of the open folder that answered; found by the answer's id when absent. */
  folder?: string | null;
  /** a further place of the rated result (`further`) that is meant instead of it; needs `rank`. */
  doc_id?: string | null;
}

/** An event or decision to record. Secrets in it are masked before it is stored. */
export interface ObserveParams {
  /** the kind of event. */
  kind: "command" | "decision" | "edit" | "error" | "message" | "note" | "test";
  /** the event, such as a command, an error message or a decision; not empty. A long one is cut at its end. */
  text: string;
  /** further text, such as a command's output. A long one is cut at its beginning (default ""). */
  detail?: string;
  /** a command's exit status. */
  status?: number | null;
  /** whether a test or command passed; absent where that is not known, or follows from status. */
  outcome?: "failed" | "passed" | null;
  /** locations that it is about, as `path:line` or `path` (default []). */
  refs?: string[];
  /** where it is found: first in this session, by all who work in the repository, or as an agent's memory; by its kind when absent. */
  scope?: "agent" | "repository" | "session" | null;
  /** name of the agent whose memory it is; the person's when empty (default ""). */
  agent?: string;
  /** id of this one act, made by the client; the same act sent twice in a session counts once. Without it, an event with the same content counts once in a session (default ""). */
  act_id?: string;
  /** URI of the open folder that it happened in; the first one when absent. */
  folder?: string | null;
}

/** Whether an event was recorded, and why not. */
export interface Observed {
  /** its id, such as `memory:k3v7qa2xbe`; empty where it was not stored. */
  doc_id: string;
  /** the session that it is part of; empty where it was not stored. */
  session_id: string;
  /** whether this request stored it; false for a repeated one, and while memory is off or cannot be written. */
  recorded: boolean;
  /** number of secrets that were masked in it (default 0). */
  masked?: number;
  /** words for a person; empty when there is nothing to say (default ""). */
  note?: string;
}

/** A request to list, search or delete memories of the project. */
export interface MemoryParams {
  /** list (newest first), search (best match first) or forget (delete for good, from every file). */
  action: "forget" | "list" | "search";
  /** the words to search for (default ""). */
  query?: string;
  /** doc_ids of the memories to delete (default []). */
  ids?: string[];
  /** maximum number of memories (1 to 1000; default 50). */
  limit?: number;
  /** URI of the open folder that they belong to; the first one when absent. */
  folder?: string | null;
}

/** Memories of a project. */
export interface Memories {
  /** the requested memories; none of those that were deleted. */
  memories: MemoryEntry[];
  /** words for a person; empty when there is nothing to say (default ""). */
  note?: string;
}

/** One memory. */
export interface MemoryEntry {
  /** its id, such as `memory:k3v7qa2xbe`. */
  doc_id: string;
  /** its kind, as in observe; also jump, commit or summary. */
  kind: string;
  /** its text, with secrets masked. */
  text: string;
  /** when it was recorded last, in UTC. */
  timestamp: string;
  /** the session that it is part of. */
  session_id: string;
  /** how often it was recorded (default 1). */
  times?: number;
  /** the reason for its rank, of a search; else empty (default ""). */
  why?: string;
}

/** A request to list the sessions of work, or to begin or end one. */
export interface SessionParams {
  /** list (newest first), start (begin a piece of work) or end (end the session, with a summary). */
  action: "end" | "list" | "start";
  /** the aim of the work to begin (default ""). */
  intent?: string;
  /** maximum number of sessions (1 to 1000; default 20). */
  limit?: number;
  /** URI of the open folder that they belong to; the first one when absent. */
  folder?: string | null;
}

/** Sessions of a project. */
export interface Sessions {
  /** the requested sessions, or the one that was begun or ended. */
  sessions: Session[];
  /** words for a person; empty when there is nothing to say (default ""). */
  note?: string;
}

/** A session: a period of work of one person or one agent. */
export interface Session {
  /** its id, such as `20261121-m5q2ttx7ab`. */
  session_id: string;
  /** its aim; empty for one that began by itself. */
  intent: string;
  /** name of the agent whose session it is; empty for the person's. */
  agent: string;
  /** when it began, in UTC. */
  started: string;
  /** number of its memories. */
  memories: number;
  /** when it ended, in UTC; absent while it is open. */
  ended?: string;
}

/** A note of the person to store, for all projects; one with the text and domains of a current note is that note. */
export interface RememberParams {
  /** the text of the note; at most 10,000 characters. */
  text: string;
  /** its domains, in the person's own words; those of the superseded note when empty (default []). */
  domains?: string[];
  /** doc_id of the note that it replaces, which is then no longer found. */
  supersedes?: string | null;
  /** URI of the open folder that it is sent from; any when absent. */
  folder?: string | null;
}

/** Notes of the person. */
export interface PersonaNotes {
  /** the requested notes, or the one that was stored or deleted. */
  notes: PersonaNote[];
  /** words for a person; empty when there is nothing to say (default ""). */
  note?: string;
}

/** One note of the person. */
export interface PersonaNote {
  /** its id, `persona:direct:` and its time. */
  doc_id: string;
  /** its text; empty for a deleted note. */
  text: string;
  /** when it was stored, in UTC. */
  timestamp: string;
  /** its domains. */
  domains: string[];
  /** its origin: direct, which is by the person. */
  source: string;
  /** doc_id of the note that it replaced; absent for none. */
  superseded?: string;
}

/** A request to list, search or delete the person's notes. */
export interface PersonaParams {
  /** list (newest first), search (best match first) or forget (delete for good, from every file). */
  action: "forget" | "list" | "search";
  /** the words to search for (default ""). */
  query?: string;
  /** the note to delete. */
  doc_id?: string | null;
  /** only notes with one of these domains; all when empty (default []). */
  domains?: string[];
  /** URI of the open folder that it is sent from; any when absent. */
  folder?: string | null;
}

/** A belief to write to a file of its own, `.scry/beliefs/<id>.md`, for the team to review. */
export interface BelieveParams {
  /** the belief, in a sentence. */
  statement: string;
  /** its evidence: FILE:LINE, FILE, the doc_id of a symbol, commit:SHA or session:ID (default []). */
  evidence?: string[];
  /** how firmly it is held: tentative, low, medium, high, core, or a number from 0 to 1 (default "medium"). */
  entrenchment?: string;
  /** its id; made of the statement's words when absent. */
  id?: string | null;
  /** ids of beliefs that it supports (default []). */
  supports?: string[];
  /** ids of beliefs that it contradicts (default []). */
  attacks?: string[];
  /** its domains (default []). */
  domains?: string[];
  /** URI of the open folder that it belongs to; the first one when absent. */
  folder?: string | null;
}

/** Beliefs of a project. */
export interface Beliefs {
  /** the requested beliefs, or the one that was written, by doc_id. */
  beliefs: Belief[];
  /** files that are no valid beliefs, with the reason; with check only (default []). */
  problems?: BeliefProblem[];
  /** words for a person; empty when there is nothing to say (default ""). */
  note?: string;
}

/** A belief of the project. */
export interface Belief {
  /** its id, `belief:<id>`. */
  doc_id: string;
  /** the belief, in a sentence. */
  statement: string;
  /** active, doubted or retracted. */
  status: string;
  /** its file, relative to the project's folder. */
  path: string;
  /** its citations, as written. */
  evidence: string[];
  /** doc_ids of beliefs that it supports. */
  supports: string[];
  /** doc_ids of beliefs that it contradicts. */
  attacks: string[];
  /** its domains. */
  domains: string[];
  /** its coverage, and the reasons not to rely on it. */
  impact: BeliefImpact;
  /** how firmly it is held, from 0 to 1; absent where its file does not say. */
  entrenchment?: number;
  /** when it was last stated, in UTC; absent where its file does not say. */
  timestamp?: string;
  /** where it is stated. */
  location?: Location;
}

/** A problem in a file of `.scry`. */
export interface BeliefProblem {
  /** the file, relative to the project's folder. */
  path: string;
  /** the problem and its line, in words for a person. */
  problem: string;
}

/** A request for the project's beliefs. */
export interface BeliefsParams {
  /** list (all, also retracted ones), show (one), check (those with evidence against them) or rename (give one another id, in its file and in the beliefs that name it). */
  action: "check" | "list" | "rename" | "show";
  /** id of the belief to show or rename, with or without `belief:` before it. */
  id?: string | null;
  /** the new id; made of the statement's words when absent. */
  new_id?: string | null;
  /** URI of the open folder that they belong to; the first one when absent. */
  folder?: string | null;
}

/** A request for the known projects, or to register one. */
export interface ProjectsParams {
  /** list returns the projects; add registers the project in a folder first (default "list"). */
  action?: "add" | "list";
  /** for add, the URI of a folder, or its path; the first open one when absent. */
  folder?: string | null;
  /** for add, the name to register it by; that of the folder when absent. */
  name?: string | null;
}

/** The projects that a query may name. */
export interface Projects {
  /** the projects, by name. */
  projects: KnownProject[];
  /** path of the file with the registered ones. */
  file: string;
  /** words for a person, such as how to register a project where none is known; empty when there is nothing to say (default ""). */
  note?: string;
  /** whether a team is joined, whose index a find can search (default false). */
  team?: boolean;
}

/** A project that a query may name. */
export interface KnownProject {
  /** its name. */
  name: string;
  /** path of its folder. */
  root: string;
  /** whether that folder exists now. */
  is_there: boolean;
  /** its links to other projects. */
  links: ProjectTie[];
  /** whether it is open in the client's editor; open projects are listed whether they are registered or not (default false). */
  is_open?: boolean;
}

/** A link from one project to another. */
export interface ProjectTie {
  /** uses, learns_from, tests_with or sibling. */
  kind: string;
  /** name of the other project. */
  project: string;
}

/** A request for the state of an index. */
export interface StatusParams {
  /** URI of an open folder; the first one when absent. */
  folder?: string | null;
  /** name of a project instead, registered or open. */
  project?: string | null;
  /** whether the state names the languages of the index (default false). */
  languages?: boolean;
}

/** A request to start, pause, resume or rebuild an index. */
export interface IndexParams {
  /** start, pause, resume, or rebuild from nothing. */
  action: "pause" | "rebuild" | "resume" | "start";
  /** URI of the open folder that it belongs to; the first one when absent. */
  folder?: string | null;
}

/** Sent whenever the state of an open folder's index changes. */
export interface StatusChanged {
  /** URI of the open folder. */
  folder: string;
  /** the new state of its index. */
  status: IndexState;
}

/** An error in place of a result. */
export interface ErrorReport {
  /** the error. */
  error: ErrorDetail;
}

/** An error, with the remedy. */
export interface ErrorDetail {
  /** its kind, such as bad_request, unknown_project or index_unavailable. */
  code: string;
  /** the wrong parameter; null where none is. */
  field: string | null;
  /** words for a person. */
  message: string;
}

/** The health of a server. It says nothing about any project. */
export interface Health {
  /** ok. */
  status: string;
  /** Scry's version. */
  version: string;
  /** the version of the protocol that the server speaks. */
  protocol: number;
}
