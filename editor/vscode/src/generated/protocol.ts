// Generated from protocol/scry_protocol by `make protocol`; do not edit.

/** The protocol's version; client and sidecar must agree on it. */
export const PROTOCOL = 1;

/** Every method's name. */
export const methods = {
  /** Where is X? Symbols, sections and texts, best first, each with what found it. */
  find: "scry/find",
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
  "scry/status": { params: StatusParams; result: IndexState };
  "scry/index": { params: IndexParams; result: IndexState };
}

/** What each notification from the sidecar carries. */
export interface Notifications {
  "scry/statusChanged": StatusChanged;
}

/** A question: where is X? */
export interface FindParams {
  /** words, identifiers, "exact text", and filters lang:, path:, type: (with - to exclude). */
  query: string;
  /** how many results at most (1 to 1000; default 10). */
  limit?: number;
  /** results with a lower fused_score are left out (0 to 1; default 0.0). */
  min_score?: number;
  /** what the question is after; detected from its words when absent. */
  intent?: "definition" | "general" | "mechanism" | "rationale" | "temporal" | null;
  /** only these content types; all when empty (default []). */
  types?: ("code" | "commit" | "doc")[];
  /** URI of the one open folder to search; all open folders when absent. */
  folder?: string | null;
  /** a name that the asker chose; a newer find with the same name cancels the older one. */
  picker?: string | null;
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
  /** the oracles that could not answer. */
  faults: Fault[];
}

/**
 * How to recompute a result's `fused_score` from its contributions and adjustments.
 *
 * fused_score = (sum over contributions of weights[oracle] / (k + rank)) * (product of the adjustments' factors)
 * / ceiling, in this order of operations: oracles in the order of `weights`, adjustments in the order of the list.
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
}

/** One result. */
export interface ResultItem {
  /** its place in the answer, 1-based. */
  rank: number;
  /** its name, stable while other lines change, such as `./src/app.py::Outer.inner`. */
  doc_id: string;
  /** code, doc or commit. */
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
}

/** What one oracle says of a result. */
export interface Contribution {
  /** its place among that oracle's votes, 1-based. */
  rank: number;
  /** the score by which that oracle ranked it, rounded to 6 decimals. */
  raw_score: number;
  /** the unit of raw_score: cosine (-1 to 1), bm25 (above 0) or co_change_count (a whole number). */
  score_type: string;
  /** terms of the query that occur in it; only from oracles that match terms. */
  matches?: string[];
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

/** What is known of a result that is no place in the code. */
export interface Metadata {
  /** when it came to be, in UTC, such as 2026-11-21T09:26:00Z. */
  timestamp?: string;
}

/** An oracle that could not answer. */
export interface Fault {
  /** its name. */
  oracle: string;
  /** why, in words for a person. */
  message: string;
}

/** Which index to ask about. */
export interface StatusParams {
  /** URI of an open folder; the first one when absent. */
  folder?: string | null;
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
