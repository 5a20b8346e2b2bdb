// Generated from protocol/scry_protocol by `make protocol`; do not edit.

/** The protocol's version; client and sidecar must agree on it. */
export const PROTOCOL = 1;

/** Every method's name. */
export const methods = {
  /** Where is X? Symbols, sections and texts, best first, each with what found it. */
  find: "scry/find",
  /** What matters here? Files of a folder by importers, centrality, entry points and activity, with a summary. */
  orient: "scry/orient",
  /** What changed lately? Recent changes, or what was found for a query ranked by recency. */
  recent: "scry/recent",
  /** What belongs to this file? Files that changed with it, or that it imports, calls, or is used by. */
  neighbors: "scry/neighbors",
  /** Why did this come up, or why did it not? Every oracle's evidence, what moved it, and its place in each mode. */
  why: "scry/why",
  /** One result of an earlier answer in full, with what it is tied to. */
  detail: "scry/detail",
  /** A result was used: jumped to, opened, copied. Kept in the person's own log. */
  use: "scry/use",
  /** An answer was good or bad. Kept in the person's own log. */
  feedback: "scry/feedback",
  /** Something happened or was decided: a command, an error, a test, a decision. Kept in the project's memory. */
  observe: "scry/observe",
  /** Keeps a note of the person, for all projects. */
  remember: "scry/remember",
  /** The person's notes: listed, searched or forgotten. */
  persona: "scry/persona",
  /** Writes a belief of the team to a file of the project, for review like code. */
  believe: "scry/believe",
  /** The project's beliefs: all of them, one in full, or those that something speaks against. */
  beliefs: "scry/beliefs",
  /** The projects that a question may name: the registered ones, and those that are open. Registers one, too. */
  projects: "scry/projects",
  /** How fresh and complete the index of a folder is. */
  status: "scry/status",
  /** Starts, pauses, resumes or rebuilds the index of a folder; answers with its state. */
  index: "scry/index",
  /** The state of a folder's index changed. */
  statusChanged: "scry/statusChanged",
} as const;

/** What each request carries, and what answers it. */
export interface Requests {
  "scry/find": { params: FindParams; result: Answer };
  "scry/orient": { params: OrientParams; result: Answer };
  "scry/recent": { params: RecentParams; result: Answer };
  "scry/neighbors": { params: NeighborsParams; result: Answer };
  "scry/why": { params: WhyParams; result: Explanation };
  "scry/detail": { params: DetailParams; result: Detail };
  "scry/use": { params: UseParams; result: Recorded };
  "scry/feedback": { params: FeedbackParams; result: Recorded };
  "scry/observe": { params: ObserveParams; result: Observed };
  "scry/remember": { params: RememberParams; result: PersonaNotes };
  "scry/persona": { params: PersonaParams; result: PersonaNotes };
  "scry/believe": { params: BelieveParams; result: Beliefs };
  "scry/beliefs": { params: BeliefsParams; result: Beliefs };
  "scry/projects": { params: ProjectsParams; result: Projects };
  "scry/status": { params: StatusParams; result: IndexState };
  "scry/index": { params: IndexParams; result: IndexState };
}

/** What each notification from the sidecar carries. */
export interface Notifications {
  "scry/statusChanged": StatusChanged;
}

/** A question: where is X? */
export interface FindParams {
  /** words, identifiers, "exact text", and filters lang:, path:, type:, source:, domain: (with - to exclude). */
  query: string;
  /** how many results at most (1 to 1000; default 10). */
  limit?: number;
  /** results with a lower fused_score are left out (0 to 1; default 0.0). */
  min_score?: number;
  /** what the question is after; detected from its words when absent. */
  intent?: "definition" | "general" | "mechanism" | "rationale" | "temporal" | null;
  /** only these content types; all when empty (default []). */
  types?: ("belief" | "code" | "commit" | "doc" | "memory" | "pattern" | "persona" | "session")[];
  /** project for what the project holds, its memory included; persona for the person's own notes; both when absent. */
  source?: "persona" | "project" | null;
  /** only knowledge about one of these, by the words of whoever noted it, whatever their case; code, documents, commits and memories are about none. All when empty (default []). */
  domains?: string[];
  /** URI of the one open folder to search; all open folders when absent. */
  folder?: string | null;
  /** a name that the asker chose; a newer find with the same name cancels the older one, and is logged once it settles. */
  picker?: string | null;
  /** with every result in full (default false). */
  full?: boolean;
  /** read the query as a relational question over the code graph, such as "what calls foo and is called by bar" (default false). */
  reason?: boolean;
  /** names of the projects to ask, registered or open; those that are open, or asked from, when empty (default []). */
  projects?: string[];
  /** ask every registered project, and those that are open (default false). */
  all_projects?: boolean;
  /** ask also the projects to which those are linked that would be asked without this (default false). */
  linked_projects?: boolean;
}

/** What was found, best first, with all that explains it. */
export interface Answer {
  /** the question, as it was asked. */
  query: string;
  /** which kind of question it was, such as find. */
  mode: string;
  /** name of this answer: `q_YYYYMMDD_HHMMSS_` in UTC and random characters. */
  query_id: string;
  /** the intent that was set or detected. */
  intent: string;
  /** how to recompute the scores. */
  scoring: Scoring;
  /** how fresh and complete the index was. */
  index: IndexState;
  /** what was found, best first. */
  results: ResultItem[];
  /** the oracles, and the projects, that could not answer. */
  faults: Fault[];
  /** what a person should know of this answer: what it may lack, or why it is empty; often empty (default ""). */
  notice?: string;
  /** the projects that were asked, where the question named any; else empty (default []). */
  projects?: AskedProject[];
}

/**
 * How to recompute a result's `fused_score` from its contributions and adjustments.
 *
 * In find and recent, fused_score = (sum over contributions of weights[oracle] / (k + rank)) * (product of the
 * adjustments' factors) / ceiling, in this order of operations: oracles in the order of `weights`, adjustments in the
 * order of the list. In orient, and in recent without a query, it is (sum over annotations.composite of
 * weight * value) * (product of the adjustments' factors), from the first to the last, with k and depth 0.
 * In neighbors and in relational questions results are ordered by counts, and fused_score is the count as a share of
 * the highest, with k and depth 0; of a relational question the parts that a result meets are counted.
 */
export interface Scoring {
  /** the constant of reciprocal rank fusion. */
  k: number;
  /** how many votes each oracle had. */
  depth: number;
  /** by oracle, the weight of its votes for this question. */
  weights: Record<string, number>;
  /** the most that any result could collect. */
  ceiling: number;
}

/** How fresh and complete the index is. */
export interface IndexState {
  /** starting, indexing, ready, paused or failed; ready = every file's words and vectors are searchable and on disk. */
  state: string;
  /** pending, ready or none. */
  history: string;
  /** number of the published index; it rises with every change that can be searched. */
  generation: number;
  /** files whose words are searchable. */
  files_indexed: number;
  /** files that are to be searchable. */
  files_total: number;
  /** vectors that are searchable. */
  vectors: number;
  /** vectors that are to be searchable. */
  vectors_total: number;
  /** files that are known and left out. */
  skipped: number;
  /** files whose text in the editor is not the text that was searched. */
  unsaved: string[];
  /** the commit that the index was last compared with; null where there is no git. */
  index_commit: string | null;
  /** the commit that is checked out; null where there is none. */
  head_commit: string | null;
  /** name of the model that made the vectors; null where there are none. */
  model: string | null;
  /** words for a person, empty when there is nothing to say. */
  message: string;
  /** how it stands in a few words, for a status line, such as "indexing 120 of 400 files" (default ""). */
  summary?: string;
  /** how much of the history is held where that is not all, such as "of the newest 20,000 commits" (default ""). */
  history_extent?: string;
}

/** One result. */
export interface ResultItem {
  /** its place in the answer, 1-based. */
  rank: number;
  /** its name, stable while other lines change, such as `./src/app.py::Outer.inner`. */
  doc_id: string;
  /** code, doc, commit, belief, pattern, session, memory or persona. */
  content_type: string;
  /** a short name to show. */
  title: string;
  /** what it is: function, method, class, section, file, text and so on. */
  kind: string;
  /** 0 to 1, by the formula of Scoring. */
  fused_score: number;
  /** by oracle, what each one that matched says of it. */
  contributions: Record<string, Contribution>;
  /** what else moved it, in the order in which the factors are multiplied. */
  adjustments: Adjustment[];
  /** what is known of it beside the evidence. */
  annotations: Annotations;
  /** a few words of it, to show. */
  snippet: string;
  /** names of the oracles that found it. */
  sources: string[];
  /** name of the project that it is from. */
  project: string;
  /** where a jump leads; absent where the result has no place in a file. */
  location?: Location;
  /** what else is known of it; absent where there is nothing. */
  metadata?: Metadata;
  /** what found it in few words, ranks only, such as `sem #1 | lex #2 | imp 12`; where no oracle was asked what else brought it here, such as `entry point` or `2 days ago`; at its end more_in_file, where that is not 0 (default ""). */
  evidence?: string;
  /** the result in full, where that was asked for. */
  full?: Full;
  /** how the project that the question was asked from is tied to the one it is from, such as LEARNS_FROM; empty where it is not (default ""). */
  via?: string;
  /** how many more of its file would be results if each file could fill any number of places; on the best one of a file, in find. The same question with `path:` and the file's path shows them (default 0). */
  more_in_file?: number;
}

/** What one oracle says of a result. */
export interface Contribution {
  /** its place among that oracle's votes, 1-based. */
  rank: number;
  /** the score by which that oracle ranked it, rounded to 6 decimals. */
  raw_score: number;
  /** the unit of raw_score: cosine (-1 to 1), bm25 (above 0), co_change_count (a whole number) or relevance (0 to 1, of notes by meaning and words). */
  score_type: string;
  /** terms of the query that occur in it; only from oracles that match terms. */
  matches?: string[];
  /** what the oracle has to say of it besides: of a persona note what it says, of a memory why it has its place. */
  snippet?: string;
}

/** A named factor that moved the result beside the oracles' ranks. */
export interface Adjustment {
  /** the rule's name, such as definition, file_hits or test_path. */
  name: string;
  /** what the score was multiplied by; above 1 it raised the result. */
  factor: number;
  /** words for a person. */
  reason: string;
}

/** What is known beside the evidence. */
export interface Annotations {
  /** the code around it; absent where a result has no place in the code. */
  structural?: Structural;
  /** the parts of its score, in orient, and in recent without a query. */
  composite?: CompositePart[];
  /** how it is tied to the file that was asked about, in neighbors only. */
  relations?: Relation[];
  /** the steps that make it an answer, in relational questions only. */
  proof?: Edge[];
}

/** What the code around a result says of it. It explains, and does not rank, in find. */
export interface Structural {
  /** how many files of the project import the result's file. */
  importers: number;
  /** high, medium or low, among the files of this project. */
  centrality: string;
  /** how much the file changed in the 90 days before the newest commit: high (8 commits or more), medium (3 or more), low or none; absent while that is not known. */
  activity_level?: string;
  /** what the file is besides, such as entry_point or test (default []). */
  flags?: string[];
}

/** One part of the score of a result that no oracle voted for: score = sum of weight * value, times the adjustments. */
export interface CompositePart {
  /** what was measured: importers, centrality, entry_point, activity, commits, or in recent recency. */
  name: string;
  /** 0 to 1, by the rule that docs/decisions.md gives. */
  value: number;
  /** what the value is multiplied by; the weights add up to 1. */
  weight: number;
  /** what was measured, in words for a person, such as "12 importers". */
  reason: string;
}

/** How a neighbour is tied to the file that was asked about. */
export interface Relation {
  /** changes_with, imports, imported_by, calls or called_by, as said of the neighbour: one that is called_by calls nothing itself, it is called by the file that was asked about. */
  kind: string;
  /** how many commits, imports or calls tie them. */
  count: number;
  /** exact, by name or ambiguous; absent where nothing had to be resolved. */
  confidence?: string;
}

/** One step of the path that proves a relational answer. */
export interface Edge {
  /** doc_id of where the relation starts: who calls, imports, inherits, defines or changes with. */
  source: string;
  /** calls, imports, inherits, defines or changes_with. */
  kind: string;
  /** doc_id of where it leads. */
  target: string;
  /** exact, by name or ambiguous. */
  confidence: string;
  /** where the relation is written, such as the line of the call; absent where no line shows it. */
  location?: Location;
}

/** A range in a file. */
export interface Location {
  /** the file's URI. */
  uri: string;
  /** the range in it. */
  range: Range;
}

/** A half-open range of a text, as in LSP. */
export interface Range {
  /** its first place. */
  start: Position;
  /** the place just after its last. */
  end: Position;
}

/** A place in a text, as in LSP. */
export interface Position {
  /** 0-based. */
  line: number;
  /** 0-based, counted in the negotiated position encoding. */
  character: number;
}

/** What is known of a result beside its place. */
export interface Metadata {
  /** when it came to be, or in recent when it last changed, in UTC, such as 2026-11-21T09:26:00Z. */
  timestamp?: string;
  /** the places that knowledge cites, as `file:line` or `file`. */
  code_refs?: string[];
  /** the session that knowledge is from. */
  session_id?: string;
  /** what a note is about, in the person's words. */
  domains?: string[];
}

/** A result in full. */
export interface Full {
  /** language of the body, such as python; diff for a commit. */
  language: string;
  /** in one line, whitespace collapsed; empty where it has none. */
  signature: string;
  /** its doc comment, markers stripped, or a commit's message; empty where it has none. */
  doc: string;
  /** its text as it was indexed, or a commit's patch. */
  body: string;
  /** whether the body was cut at the size that an answer may have (default false). */
  truncated?: boolean;
  /** what it is tied to; absent where there is nothing that could be. */
  graph?: Graph;
  /** what beliefs have to do with it; absent where there is nothing. */
  impact?: BeliefImpact;
}

/** What a result is tied to in code and history; each list is cut, best first. */
export interface Graph {
  /** files that its file imports (default []). */
  imports?: Link[];
  /** files that import its file (default []). */
  imported_by?: Link[];
  /** what calls it (default []). */
  callers?: Link[];
  /** what it calls (default []). */
  callees?: Link[];
  /** what it inherits from or implements (default []). */
  inherits?: Link[];
  /** what inherits from or implements it (default []). */
  inherited_by?: Link[];
  /** files that changed together with its file, with the number of commits (default []). */
  co_changes?: Link[];
  /** by the name of a list above, how many there are before it is cut (default {}). */
  totals?: Record<string, number>;
  /** words for a person on what is not known (yet), such as that the graph is still being made; often empty (default ""). */
  note?: string;
}

/** Something that a result is tied to. */
export interface Link {
  /** what it is tied to. */
  doc_id: string;
  /** how many commits, calls or imports tie them (default 1). */
  count?: number;
  /** exact, by name or ambiguous; absent where nothing had to be resolved. */
  confidence?: string;
  /** where a jump leads; absent where there is no place. */
  location?: Location;
}

/** What beliefs have to do with a result. */
export interface BeliefImpact {
  /** those that bear on its file, the most first (default []). */
  beliefs?: Bearing[];
  /** what it bears on, where it is a belief, the most first (default []). */
  reaches?: Bearing[];
  /** what speaks against relying on it, where it is a belief (default []). */
  warnings?: string[];
}

/** That a belief bears on something. */
export interface Bearing {
  /** the file, commit or note that it bears on; of a file's beliefs, the belief. */
  doc_id: string;
  /** how much, from 0 to 1; what is cited counts 1. */
  score: number;
  /** why, in words for a person. */
  reason: string;
  /** the belief's, where doc_id is a belief; empty otherwise (default ""). */
  statement?: string;
}

/** An oracle, or a whole project, that could not answer. */
export interface Fault {
  /** its name; empty where a project as a whole could not answer. */
  oracle: string;
  /** why, in words for a person. */
  message: string;
  /** name of the project, where the question named several; else empty (default ""). */
  project?: string;
}

/** A project that was asked, of several. */
export interface AskedProject {
  /** its name. */
  name: string;
  /** how fresh and complete its index was. */
  index: IndexState;
  /** how the project that the question was asked from is tied to it, such as LEARNS_FROM; empty where it is not (default ""). */
  via?: string;
}

/** A question: what matters here? */
export interface OrientParams {
  /** a folder or file: its URI, or its path relative to the project; `.` is the whole project. With the name of a project and a colon before it, such as `lib:./src`, it is that project's (default "."). */
  path?: string;
  /** how many files at most (1 to 1000; default 10). */
  limit?: number;
  /** URI of the open folder that a relative path belongs to; the first one when absent. */
  folder?: string | null;
  /** as in find; the path is looked for in each (default []). */
  projects?: string[];
  /** as in find (default false). */
  all_projects?: boolean;
  /** as in find (default false). */
  linked_projects?: boolean;
}

/** A question: what changed lately? */
export interface RecentParams {
  /** words to search for first, as in find; what is found is ranked by recency. Empty: whatever changed (default ""). */
  query?: string;
  /** only what changed in so many days; 7 when absent and there is no query (1 to 36500). */
  days?: number | null;
  /** how many results at most (1 to 1000; default 10). */
  limit?: number;
  /** only these content types; all when empty (default []). */
  types?: ("belief" | "code" | "commit" | "doc" | "memory" | "pattern" | "persona" | "session")[];
  /** as in find. */
  source?: "persona" | "project" | null;
  /** as in find (default []). */
  domains?: string[];
  /** URI of the one open folder to search; all open folders when absent. */
  folder?: string | null;
  /** as in find. */
  picker?: string | null;
  /** with every result in full (default false). */
  full?: boolean;
  /** as in find (default []). */
  projects?: string[];
  /** as in find (default false). */
  all_projects?: boolean;
  /** as in find (default false). */
  linked_projects?: boolean;
}

/** A question: what belongs to this file, or what does this belief reach? */
export interface NeighborsParams {
  /** its URI, or its path relative to the project, or a doc_id in it, also `<project>:` and one of another project; empty when a belief is asked about (default ""). */
  file?: string;
  /** cochange for files that changed in the same commits; dependency for imports and calls, in both directions (default "cochange"). */
  by?: "cochange" | "dependency";
  /** id of the belief that is asked about instead, with or without `belief:` in front. */
  belief?: string | null;
  /** of what a belief reaches only these content types; all when empty (default []). */
  types?: ("belief" | "code" | "commit" | "doc" | "memory" | "pattern" | "persona" | "session")[];
  /** how many results at most (1 to 1000; default 10). */
  limit?: number;
  /** URI of the open folder that a relative path belongs to; the first one when absent. */
  folder?: string | null;
}

/** A question: why did this come up, or why did it not? */
export interface WhyParams {
  /** what to explain, in any of its forms; returned, not returned, or not even indexed. */
  doc_id: string;
  /** the question to explain it for; when absent that of `query_id`, else of the last answer that returned it. */
  query?: string | null;
  /** name of an answer whose question it is to be explained for. */
  query_id?: string | null;
  /** URI of the open folder that it is in; when absent, the one that answered or the first one. */
  folder?: string | null;
}

/** Why a document has its place, or none. */
export interface Explanation {
  /** what is explained, in its full form. */
  doc_id: string;
  /** the question that it is explained for; null where there is none, and then only places and history are given. */
  query: string | null;
  /** name of this answer. */
  query_id: string;
  /** indexed, skipped (known and left out), unindexed (it exists, and is not indexed yet), missing (there is no such thing) or outside (of the project). */
  status: string;
  /** why, in one line of under 100 characters. */
  summary: string;
  /** all of it as Markdown, to show to a person. */
  text: string;
  /** how fresh and complete the index was. */
  index: IndexState;
  /** why it is not indexed or not ranked, in words for a person; empty where there is nothing to say (default ""). */
  reason?: string;
  /** doc_ids of what has a similar name, where there is no such document (default []). */
  near?: string[];
  /** the oracles that could not answer (default []). */
  faults?: Fault[];
  /** how to recompute the score; absent without a question. */
  scoring?: Scoring;
  /** the document as a result of find, its rank the place that it has there; absent where find does not rank it. */
  result?: ResultItem;
  /** what each oracle says, in the order in which terms are summed; empty without a question (default []). */
  oracles?: OracleEvidence[];
  /** name of the oracle or adjustment without which it would fall furthest; absent where nothing holds it up. */
  decisive?: string;
  /** where it would stand without each of the factors of its score: oracles first, then adjustments (default []). */
  without?: Without[];
  /** where it stands in each mode (default []). */
  places?: Place[];
  /** what the code around it says; absent where it has no file. */
  structural?: Structural;
  /** what the history says; absent where there is none. */
  lived?: Lived;
  /** what beliefs have to do with it; absent where there is nothing. */
  impact?: BeliefImpact;
}

/** What one oracle says of the document that is explained. */
export interface OracleEvidence {
  /** its name. */
  oracle: string;
  /** its name as shown to a person. */
  title: string;
  /** voted, beyond_depth (it would vote, but lower than the votes go), no_match, other_kind (it votes for another kind of documents alone) or failed. */
  state: string;
  /** its place among the votes, or the place that it would have; null without a match. */
  rank: number | null;
  /** as in Contribution; null without a match. */
  raw_score: number | null;
  /** as in Contribution. */
  score_type: string;
  /** which part of the sum over all oracles' terms is this one's, 0 to 1. */
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
  /** the cosine, computed anew from the document's words; within 0.002 of the raw score. */
  total: number;
  /** the parts of largest size, largest first. */
  shares: Share[];
  /** the sum of all parts that are not listed. */
  remainder: number;
}

/** A part of a cosine: what one word of the question owes to one word of one field of the document. */
export interface Share {
  /** the question's word. */
  query_word: string;
  /** the document's word that it met. */
  document_word: string;
  /** body, name, path, container or head (its first two lines), where in the document that word stands. */
  field: string;
  /** what it adds to the cosine; may be negative. */
  value: number;
}

/** Where the document would stand if one factor of its score were left out, everything else computed anew. */
export interface Without {
  /** the oracle whose vote, or the adjustment that is left out. */
  name: string;
  /** its place then; null where it would not be found at all. */
  rank: number | null;
}

/** Where a document stands in one mode. */
export interface Place {
  /** find, orient or recent. */
  mode: string;
  /** its place, 1-based, however far down; null where it has none. */
  rank: number | null;
  /** how many were ranked. */
  of: number;
  /** words for a person, such as why it has none (default ""). */
  note?: string;
}

/** What the history says of a document's file. */
export interface Lived {
  /** how many commits changed it, as far back as the history was read. */
  commits: number;
  /** the newest of them in words, `sha7: "subject" (N files)`; empty where there is none (default ""). */
  last_commit?: string;
  /** when that was, in UTC, such as 2026-11-21T09:26:00Z; absent where that is not known. */
  last_changed?: string;
  /** whether it has changes that are not committed (default false). */
  uncommitted?: boolean;
  /** the files that most commits changed together with it (default []). */
  co_changes?: Link[];
}

/** Which result of an earlier answer to show in full. Nothing is searched again. */
export interface DetailParams {
  /** name of the answer; the last 1,000 are kept. */
  query_id: string;
  /** the result's place in it (at least 1). */
  rank: number;
  /** URI of the open folder that answered; found by the answer's name when absent. */
  folder?: string | null;
}

/** One result of an earlier answer in full. */
export interface Detail {
  /** name of the answer. */
  query_id: string;
  /** the question that was answered. */
  query: string;
  /** the result as it was answered, with `full` as it is now. */
  result: ResultItem;
  /** current, changed (its text is another since the answer) or gone (it is no more; what was kept is given). */
  state: string;
  /** words for a person about the state; empty when it is current. */
  note: string;
  /** all of it as Markdown, to show to a person. */
  text: string;
}

/** The person, or an agent, used a result. */
export interface UseParams {
  /** name of the answer. */
  query_id: string;
  /** the result's place in it (at least 1). */
  rank: number;
  /** what was done with it. */
  how: "agent" | "copy" | "detail" | "jump" | "open";
  /** a name of this one act that the client made; the same act told twice counts once. 1 to 200 characters. */
  act_id: string;
  /** URI of the open folder that answered; found by the answer's name when absent. */
  folder?: string | null;
}

/** An act is in the log, or why it is not. */
export interface Recorded {
  /** name of the answer that it is about. */
  query_id: string;
  /** whether it is in the log now; false for an act that was told before, and while the log is off or fails. */
  recorded: boolean;
  /** words for a person, empty when there is nothing to say (default ""). */
  note?: string;
  /** for `copy`, what belongs on the clipboard (default ""). */
  text?: string;
}

/** What the person thinks of an answer. */
export interface FeedbackParams {
  /** name of the answer. */
  query_id: string;
  /** good or bad. */
  signal: "bad" | "good";
  /** why, in the person's words; at most 10,000 characters (default ""). */
  comment?: string;
  /** the result that it is about; the whole answer when absent (at least 1). */
  rank?: number | null;
  /** URI of the open folder that answered; found by the answer's name when absent. */
  folder?: string | null;
}

/** Something that happened, or was decided, to be remembered. Secrets in it are masked before it is kept. */
export interface ObserveParams {
  /** what it is. */
  kind: "command" | "decision" | "edit" | "error" | "message" | "note" | "test";
  /** what is to be remembered, such as a command, an error's message or a decision; not empty. Of a long one the beginning is kept. */
  text: string;
  /** what belongs to it, such as a command's output. Of a long one the end is kept (default ""). */
  detail?: string;
  /** a command's exit status. */
  status?: number | null;
  /** whether a test or command passed; absent where that is not known, or told by status. */
  outcome?: "failed" | "passed" | null;
  /** places that it is about, as `path:line` or `path` (default []). */
  refs?: string[];
  /** how far it is to be found: in this session first, by all who work in the repository, or as an agent's; by its kind when absent. */
  scope?: "agent" | "repository" | "session" | null;
  /** name of the agent whose memory it is; the person's when empty (default ""). */
  agent?: string;
  /** a name of this one act that the client made; the same act told twice counts once (default ""). */
  act_id?: string;
  /** URI of the open folder that it happened in; the first one when absent. */
  folder?: string | null;
}

/** What became of an observation. */
export interface Observed {
  /** its name, such as `memory:k3v7qa2xbe`; empty where it was not kept. */
  doc_id: string;
  /** the session that it is part of; empty where it was not kept. */
  session_id: string;
  /** whether it is kept; false for one that was told before, and while memory is off or can't be written. */
  recorded: boolean;
  /** how many secrets were masked in it (default 0). */
  masked?: number;
  /** words for a person, empty when there is nothing to say (default ""). */
  note?: string;
}

/** A note of the person, kept across all projects. */
export interface RememberParams {
  /** what to remember; at most 10,000 characters. */
  text: string;
  /** what it is about, in words of the person's own; as the note that it supersedes when empty (default []). */
  domains?: string[];
  /** doc_id of the note that it takes the place of; that one is never found again. */
  supersedes?: string | null;
  /** URI of the open folder that it is told in; any when absent. */
  folder?: string | null;
}

/** Notes of the person. */
export interface PersonaNotes {
  /** those that were asked for, or the one that was told or forgotten. */
  notes: PersonaNote[];
  /** words for a person, empty when there is nothing to say (default ""). */
  note?: string;
}

/** One note of the person. */
export interface PersonaNote {
  /** its name, `persona:direct:` and when it was told. */
  doc_id: string;
  /** what it says; empty for one that was forgotten. */
  text: string;
  /** when it was told, in UTC. */
  timestamp: string;
  /** what it is about. */
  domains: string[];
  /** how it came to be: direct, which is by the person. */
  source: string;
  /** doc_id of the note whose place it took; absent for none. */
  superseded?: string;
}

/** The person's notes, looked through or thinned out. */
export interface PersonaParams {
  /** list (the newest first), search (the nearest first) or forget (for good, in every file). */
  action: "forget" | "list" | "search";
  /** the words to search for (default ""). */
  query?: string;
  /** the note to forget. */
  doc_id?: string | null;
  /** only notes about one of these; all when empty (default []). */
  domains?: string[];
  /** URI of the open folder that it is asked in; any when absent. */
  folder?: string | null;
}

/** A belief to be written to a file of its own, `.scry/beliefs/<id>.md`, for the team to review. */
export interface BelieveParams {
  /** what is believed, in a sentence. */
  statement: string;
  /** what shows it: FILE:LINE, FILE, the doc_id of a symbol, commit:SHA or session:ID (default []). */
  evidence?: string[];
  /** how firmly it is held: tentative, low, medium, high, core, or a number from 0 to 1 (default "medium"). */
  entrenchment?: string;
  /** its name; made of the statement's words when absent. */
  id?: string | null;
  /** ids of beliefs that it supports (default []). */
  supports?: string[];
  /** ids of beliefs that it contradicts (default []). */
  attacks?: string[];
  /** what it is about (default []). */
  domains?: string[];
  /** URI of the open folder that it belongs to; the first one when absent. */
  folder?: string | null;
}

/** Beliefs of a project. */
export interface Beliefs {
  /** those that were asked for, or the one that was written, by doc_id. */
  beliefs: Belief[];
  /** files that are no beliefs, and what is wrong with them; with check only (default []). */
  problems?: BeliefProblem[];
  /** words for a person, empty when there is nothing to say (default ""). */
  note?: string;
}

/** A belief of the project. */
export interface Belief {
  /** its name, `belief:<id>`. */
  doc_id: string;
  /** what is believed. */
  statement: string;
  /** active, doubted or retracted. */
  status: string;
  /** its file, from the project's folder. */
  path: string;
  /** what it cites, as written. */
  evidence: string[];
  /** doc_ids of beliefs that it supports. */
  supports: string[];
  /** doc_ids of beliefs that it contradicts. */
  attacks: string[];
  /** what it is about. */
  domains: string[];
  /** what it bears on, and what speaks against it. */
  impact: BeliefImpact;
  /** how firmly it is held, from 0 to 1; absent where that is not said. */
  entrenchment?: number;
  /** when it was last stated, in UTC; absent where that is not said. */
  timestamp?: string;
  /** where it is stated. */
  location?: Location;
}

/** What is wrong with a file of `.scry`. */
export interface BeliefProblem {
  /** the file, from the project's folder. */
  path: string;
  /** what is wrong and in which line, in words for a person. */
  problem: string;
}

/** The project's beliefs, looked through. */
export interface BeliefsParams {
  /** list (all, also retracted ones), show (one) or check (those that something speaks against). */
  action: "check" | "list" | "show";
  /** of the belief to show, with or without `belief:` in front. */
  id?: string | null;
  /** URI of the open folder that they belong to; the first one when absent. */
  folder?: string | null;
}

/** The registered projects, or one more of them. */
export interface ProjectsParams {
  /** list shows them; add registers the project in a folder first (default "list"). */
  action?: "add" | "list";
  /** for add, the URI of a folder, or its path; the first open one when absent. */
  folder?: string | null;
}

/** The projects that questions may name. */
export interface Projects {
  /** they, by name. */
  projects: KnownProject[];
  /** path of the file that holds the registered ones. */
  file: string;
  /** words for a person, such as what to do where no other project is known; empty when there is nothing to say (default ""). */
  note?: string;
}

/** A project that questions may name. */
export interface KnownProject {
  /** what it is called. */
  name: string;
  /** path of its folder. */
  root: string;
  /** whether that folder exists now. */
  is_there: boolean;
  /** how it is tied to others. */
  links: ProjectTie[];
  /** whether it is open in the editor that asks; those are listed whether they are registered or not (default false). */
  is_open?: boolean;
}

/** That a project is tied to another one. */
export interface ProjectTie {
  /** uses, learns_from, tests_with or sibling. */
  kind: string;
  /** name of the other one. */
  project: string;
}

/** Which index to ask about. */
export interface StatusParams {
  /** URI of an open folder; the first one when absent. */
  folder?: string | null;
  /** name of a project instead, registered or open. */
  project?: string | null;
}

/** What to do with an index. */
export interface IndexParams {
  /** what to do: start it, pause it, resume it, or rebuild it from nothing. */
  action: "pause" | "rebuild" | "resume" | "start";
  /** URI of the open folder that it belongs to; the first one when absent. */
  folder?: string | null;
}

/** Sent whenever the state of an open folder's index changes. */
export interface StatusChanged {
  /** URI of the open folder. */
  folder: string;
  /** the state that its index is in now. */
  status: IndexState;
}

/** What is given instead of a result. */
export interface ErrorReport {
  /** what went wrong. */
  error: ErrorDetail;
}

/** What went wrong, and what to do. */
export interface ErrorDetail {
  /** its kind, such as bad_request, unknown_project or index_unavailable. */
  code: string;
  /** the parameter that is wrong; null where none is. */
  field: string | null;
  /** words for a person. */
  message: string;
}

/** That a server is there. It says nothing of any project. */
export interface Health {
  /** ok. */
  status: string;
  /** Scry's version. */
  version: string;
  /** the number of the protocol that it speaks. */
  protocol: number;
}
