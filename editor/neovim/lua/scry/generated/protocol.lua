-- Generated from protocol/scry_protocol by `make protocol`; do not edit.

---A question: where is X?
---@class (exact) scry.protocol.FindParams
---@field query string words, identifiers, "exact text", and filters lang:, path:, type: (with - to exclude).
---@field limit? integer how many results at most (1 to 1000; default 10).
---@field min_score? number results with a lower fused_score are left out (0 to 1; default 0.0).
---@field intent? "definition"|"general"|"mechanism"|"rationale"|"temporal" what the question is after; detected from its words when absent.
---@field types? ("code"|"commit"|"doc")[] only these content types; all when empty (default []).
---@field folder? string URI of the one open folder to search; all open folders when absent.
---@field picker? string a name that the asker chose; a newer find with the same name cancels the older one.

---What was found, best first, with all that explains it.
---@class scry.protocol.Answer
---@field query string the question, as it was asked.
---@field mode string which kind of question it was, such as find.
---@field query_id string name of this answer: `q_YYYYMMDD_HHMMSS_` in UTC and random characters.
---@field intent string the intent that was set or detected.
---@field scoring scry.protocol.Scoring how to recompute the scores.
---@field index scry.protocol.IndexState how fresh and complete the index was.
---@field results scry.protocol.ResultItem[] what was found, best first.
---@field faults scry.protocol.Fault[] the oracles that could not answer.

---How to recompute a result's `fused_score` from its contributions and adjustments.
---
---fused_score = (sum over contributions of weights[oracle] / (k + rank)) * (product of the adjustments' factors)
---/ ceiling, in this order of operations: oracles in the order of `weights`, adjustments in the order of the list.
---@class scry.protocol.Scoring
---@field k integer the constant of reciprocal rank fusion.
---@field depth integer how many votes each oracle had.
---@field weights table<string, number> by oracle, the weight of its votes for this question.
---@field ceiling number the most that any result could collect.

---How fresh and complete the index is.
---@class scry.protocol.IndexState
---@field state string starting, indexing, ready, paused or failed; ready = every file's words and vectors are searchable and on disk.
---@field history string pending, ready or none.
---@field generation integer number of the published index; it rises with every change that can be searched.
---@field files_indexed integer files whose words are searchable.
---@field files_total integer files that are to be searchable.
---@field vectors integer vectors that are searchable.
---@field vectors_total integer vectors that are to be searchable.
---@field skipped integer files that are known and left out.
---@field unsaved string[] files whose text in the editor is not the text that was searched.
---@field index_commit? string the commit that the index was last compared with; null where there is no git.
---@field head_commit? string the commit that is checked out; null where there is none.
---@field model? string name of the model that made the vectors; null where there are none.
---@field message string words for a person, empty when there is nothing to say.

---One result.
---@class scry.protocol.ResultItem
---@field rank integer its place in the answer, 1-based.
---@field doc_id string its name, stable while other lines change, such as `./src/app.py::Outer.inner`.
---@field content_type string code, doc or commit.
---@field title string a short name to show.
---@field kind string what it is: function, method, class, section, file, text and so on.
---@field fused_score number 0 to 1, by the formula of Scoring.
---@field contributions table<string, scry.protocol.Contribution> by oracle, what each one that matched says of it.
---@field adjustments scry.protocol.Adjustment[] what else moved it, in the order in which the factors are multiplied.
---@field annotations scry.protocol.Annotations what is known of it beside the evidence.
---@field snippet string a few words of it, to show.
---@field sources string[] names of the oracles that found it.
---@field project string name of the project that it is from.
---@field location? scry.protocol.Location where a jump leads; absent where the result has no place in a file.
---@field metadata? scry.protocol.Metadata what else is known of it; absent where there is nothing.

---What one oracle says of a result.
---@class scry.protocol.Contribution
---@field rank integer its place among that oracle's votes, 1-based.
---@field raw_score number the score by which that oracle ranked it, rounded to 6 decimals.
---@field score_type string the unit of raw_score: cosine (-1 to 1), bm25 (above 0) or co_change_count (a whole number).
---@field matches? string[] terms of the query that occur in it; only from oracles that match terms.

---A named factor that moved the result beside the oracles' ranks.
---@class scry.protocol.Adjustment
---@field name string the rule's name, such as definition, file_hits or test_path.
---@field factor number what the score was multiplied by; above 1 it raised the result.
---@field reason string words for a person.

---What is known beside the evidence.
---@class scry.protocol.Annotations
---@field structural? scry.protocol.Structural the code around it; absent where a result has no place in the code.

---What the code around a result says of it. It explains, and does not rank, in find.
---@class scry.protocol.Structural
---@field importers integer how many files of the project import the result's file.
---@field centrality string high, medium or low, among the files of this project.
---@field activity_level? string how much the file changed in the 90 days before the newest commit: high (8 commits or more), medium (3 or more), low or none; absent while that is not known.
---@field flags? string[] what the file is besides, such as entry_point or test (default []).

---A range in a file.
---@class scry.protocol.Location
---@field uri string the file's URI.
---@field range scry.protocol.Range the range in it.

---A half-open range of a text, as in LSP.
---@class scry.protocol.Range
---@field start scry.protocol.Position its first place.
---@field end scry.protocol.Position the place just after its last.

---A place in a text, as in LSP.
---@class scry.protocol.Position
---@field line integer 0-based.
---@field character integer 0-based, counted in the negotiated position encoding.

---What is known of a result that is no place in the code.
---@class scry.protocol.Metadata
---@field timestamp? string when it came to be, in UTC, such as 2026-11-21T09:26:00Z.

---An oracle that could not answer.
---@class scry.protocol.Fault
---@field oracle string its name.
---@field message string why, in words for a person.

---Which index to ask about.
---@class (exact) scry.protocol.StatusParams
---@field folder? string URI of an open folder; the first one when absent.

---What to do with an index.
---@class (exact) scry.protocol.IndexParams
---@field action "pause"|"rebuild"|"resume"|"start" what to do: start it, pause it, resume it, or rebuild it from nothing.
---@field folder? string URI of the open folder that it belongs to; the first one when absent.

---Sent whenever the state of an open folder's index changes.
---@class scry.protocol.StatusChanged
---@field folder string URI of the open folder.
---@field status scry.protocol.IndexState the state that its index is in now.

return {
  ---The protocol's version; client and sidecar must agree on it.
  version = 1,
  ---Every method's name.
  methods = {
    ---Where is X? Symbols, sections and texts, best first, each with what found it.
    ---params: scry.protocol.FindParams, result: scry.protocol.Answer
    find = "scry/find",
    ---How fresh and complete the index of a folder is.
    ---params: scry.protocol.StatusParams, result: scry.protocol.IndexState
    status = "scry/status",
    ---Starts, pauses, resumes or rebuilds the index of a folder; answers with its state.
    ---params: scry.protocol.IndexParams, result: scry.protocol.IndexState
    index = "scry/index",
    ---The state of a folder's index changed.
    ---params: scry.protocol.StatusChanged; from the sidecar
    status_changed = "scry/statusChanged",
  },
}
