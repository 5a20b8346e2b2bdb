-- Generated from protocol/scry_protocol by `make protocol`; do not edit.

---A question: where is X?
---@class (exact) scry.protocol.FindParams
---@field query string words, identifiers, "exact text", and filters lang:, path:, type:, source:, domain: (with - to exclude).
---@field limit? integer how many results at most (1 to 1000; default 10).
---@field min_score? number results with a lower fused_score are left out (0 to 1; default 0.0).
---@field intent? "definition"|"general"|"mechanism"|"rationale"|"temporal" what the question is after; detected from its words when absent.
---@field types? ("belief"|"code"|"commit"|"doc"|"memory"|"pattern"|"persona"|"session")[] only these content types; all when empty (default []).
---@field source? "persona"|"project" project for what the project holds, its memory included; persona for the person's own notes; both when absent.
---@field domains? string[] only knowledge about one of these, by the words of whoever noted it, whatever their case; code, documents, commits and memories are about none. All when empty (default []).
---@field folder? string URI of the one open folder to search; all open folders when absent.
---@field picker? string a name that the asker chose; a newer find with the same name cancels the older one, and is logged once it settles.
---@field full? boolean with every result in full (default false).
---@field reason? boolean read the query as a relational question over the code graph, such as "what calls foo and is called by bar" (default false).
---@field projects? string[] names of the projects to ask, registered or open; those that are open, or asked from, when empty (default []).
---@field all_projects? boolean ask every registered project, and those that are open (default false).
---@field linked_projects? boolean ask also the projects to which those are linked that would be asked without this (default false).

---What was found, best first, with all that explains it.
---@class scry.protocol.Answer
---@field query string the question, as it was asked.
---@field mode string which kind of question it was, such as find.
---@field query_id string name of this answer: `q_YYYYMMDD_HHMMSS_` in UTC and random characters.
---@field intent string the intent that was set or detected.
---@field scoring scry.protocol.Scoring how to recompute the scores.
---@field index scry.protocol.IndexState how fresh and complete the index was.
---@field results scry.protocol.ResultItem[] what was found, best first.
---@field faults scry.protocol.Fault[] the oracles, and the projects, that could not answer.
---@field notice? string what a person should know of this answer: what it may lack, or why it is empty; often empty (default "").
---@field projects? scry.protocol.AskedProject[] the projects that were asked, where the question named any; else empty (default []).

---How to recompute a result's `fused_score` from its contributions and adjustments.
---
---In find and recent, fused_score = (sum over contributions of weights[oracle] / (k + rank)) * (product of the
---adjustments' factors) / ceiling, in this order of operations: oracles in the order of `weights`, adjustments in the
---order of the list. In orient, and in recent without a query, it is (sum over annotations.composite of
---weight * value) * (product of the adjustments' factors), from the first to the last, with k and depth 0.
---In neighbors and in relational questions results are ordered by counts, and fused_score is the count as a share of
---the highest, with k and depth 0; of a relational question the parts that a result meets are counted.
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
---@field summary? string how it stands in a few words, for a status line, such as "indexing 120 of 400 files" (default "").
---@field history_extent? string how much of the history is held where that is not all, such as "of the newest 20,000 commits" (default "").

---One result.
---@class scry.protocol.ResultItem
---@field rank integer its place in the answer, 1-based.
---@field doc_id string its name, stable while other lines change, such as `./src/app.py::Outer.inner`.
---@field content_type string code, doc, commit, belief, pattern, session, memory or persona.
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
---@field evidence? string what found it in few words, ranks only, such as `sem #1 | lex #2 | imp 12`; where no oracle was asked what else brought it here, such as `entry point` or `2 days ago`; at its end more_in_file, where that is not 0 (default "").
---@field full? scry.protocol.Full the result in full, where that was asked for.
---@field via? string how the project that the question was asked from is tied to the one it is from, such as LEARNS_FROM; empty where it is not (default "").
---@field more_in_file? integer how many more of its file would be results if each file could fill any number of places; on the best one of a file, in find. The same question with `path:` and the file's path shows them (default 0).

---What one oracle says of a result.
---@class scry.protocol.Contribution
---@field rank integer its place among that oracle's votes, 1-based.
---@field raw_score number the score by which that oracle ranked it, rounded to 6 decimals.
---@field score_type string the unit of raw_score: cosine (-1 to 1), bm25 (above 0), co_change_count (a whole number) or relevance (0 to 1, of notes by meaning and words).
---@field matches? string[] terms of the query that occur in it; only from oracles that match terms.
---@field snippet? string what the oracle has to say of it besides: of a persona note what it says, of a memory why it has its place.

---A named factor that moved the result beside the oracles' ranks.
---@class scry.protocol.Adjustment
---@field name string the rule's name, such as definition, file_hits or test_path.
---@field factor number what the score was multiplied by; above 1 it raised the result.
---@field reason string words for a person.

---What is known beside the evidence.
---@class scry.protocol.Annotations
---@field structural? scry.protocol.Structural the code around it; absent where a result has no place in the code.
---@field composite? scry.protocol.CompositePart[] the parts of its score, in orient, and in recent without a query.
---@field relations? scry.protocol.Relation[] how it is tied to the file that was asked about, in neighbors only.
---@field proof? scry.protocol.Edge[] the steps that make it an answer, in relational questions only.

---What the code around a result says of it. It explains, and does not rank, in find.
---@class scry.protocol.Structural
---@field importers integer how many files of the project import the result's file.
---@field centrality string high, medium or low, among the files of this project.
---@field activity_level? string how much the file changed in the 90 days before the newest commit: high (8 commits or more), medium (3 or more), low or none; absent while that is not known.
---@field flags? string[] what the file is besides, such as entry_point or test (default []).

---One part of the score of a result that no oracle voted for: score = sum of weight * value, times the adjustments.
---@class scry.protocol.CompositePart
---@field name string what was measured: importers, centrality, entry_point, activity, commits, or in recent recency.
---@field value number 0 to 1, by the rule that docs/decisions.md gives.
---@field weight number what the value is multiplied by; the weights add up to 1.
---@field reason string what was measured, in words for a person, such as "12 importers".

---How a neighbour is tied to the file that was asked about.
---@class scry.protocol.Relation
---@field kind string changes_with, imports, imported_by, calls or called_by, as said of the neighbour: one that is called_by calls nothing itself, it is called by the file that was asked about.
---@field count integer how many commits, imports or calls tie them.
---@field confidence? string exact, by name or ambiguous; absent where nothing had to be resolved.

---One step of the path that proves a relational answer.
---@class scry.protocol.Edge
---@field source string doc_id of where the relation starts: who calls, imports, inherits, defines or changes with.
---@field kind string calls, imports, inherits, defines or changes_with.
---@field target string doc_id of where it leads.
---@field confidence string exact, by name or ambiguous.
---@field location? scry.protocol.Location where the relation is written, such as the line of the call; absent where no line shows it.

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

---What is known of a result beside its place.
---@class scry.protocol.Metadata
---@field timestamp? string when it came to be, or in recent when it last changed, in UTC, such as 2026-11-21T09:26:00Z.
---@field code_refs? string[] the places that knowledge cites, as `file:line` or `file`.
---@field session_id? string the session that knowledge is from.
---@field domains? string[] what a note is about, in the person's words.

---A result in full.
---@class scry.protocol.Full
---@field language string language of the body, such as python; diff for a commit.
---@field signature string in one line, whitespace collapsed; empty where it has none.
---@field doc string its doc comment, markers stripped, or a commit's message; empty where it has none.
---@field body string its text as it was indexed, or a commit's patch.
---@field truncated? boolean whether the body was cut at the size that an answer may have (default false).
---@field graph? scry.protocol.Graph what it is tied to; absent where there is nothing that could be.
---@field impact? scry.protocol.BeliefImpact what beliefs have to do with it; absent where there is nothing.

---What a result is tied to in code and history; each list is cut, best first.
---@class scry.protocol.Graph
---@field imports? scry.protocol.Link[] files that its file imports (default []).
---@field imported_by? scry.protocol.Link[] files that import its file (default []).
---@field callers? scry.protocol.Link[] what calls it (default []).
---@field callees? scry.protocol.Link[] what it calls (default []).
---@field inherits? scry.protocol.Link[] what it inherits from or implements (default []).
---@field inherited_by? scry.protocol.Link[] what inherits from or implements it (default []).
---@field co_changes? scry.protocol.Link[] files that changed together with its file, with the number of commits (default []).
---@field totals? table<string, integer> by the name of a list above, how many there are before it is cut (default {}).
---@field note? string words for a person on what is not known (yet), such as that the graph is still being made; often empty (default "").

---Something that a result is tied to.
---@class scry.protocol.Link
---@field doc_id string what it is tied to.
---@field count? integer how many commits, calls or imports tie them (default 1).
---@field confidence? string exact, by name or ambiguous; absent where nothing had to be resolved.
---@field location? scry.protocol.Location where a jump leads; absent where there is no place.

---What beliefs have to do with a result.
---@class scry.protocol.BeliefImpact
---@field beliefs? scry.protocol.Bearing[] those that bear on its file, the most first (default []).
---@field reaches? scry.protocol.Bearing[] what it bears on, where it is a belief, the most first (default []).
---@field warnings? string[] what speaks against relying on it, where it is a belief (default []).

---That a belief bears on something.
---@class scry.protocol.Bearing
---@field doc_id string the file, commit or note that it bears on; of a file's beliefs, the belief.
---@field score number how much, from 0 to 1; what is cited counts 1.
---@field reason string why, in words for a person.
---@field statement? string the belief's, where doc_id is a belief; empty otherwise (default "").

---An oracle, or a whole project, that could not answer.
---@class scry.protocol.Fault
---@field oracle string its name; empty where a project as a whole could not answer.
---@field message string why, in words for a person.
---@field project? string name of the project, where the question named several; else empty (default "").

---A project that was asked, of several.
---@class scry.protocol.AskedProject
---@field name string its name.
---@field index scry.protocol.IndexState how fresh and complete its index was.
---@field via? string how the project that the question was asked from is tied to it, such as LEARNS_FROM; empty where it is not (default "").

---A question: what matters here?
---@class (exact) scry.protocol.OrientParams
---@field path? string a folder or file: its URI, or its path relative to the project; `.` is the whole project. With the name of a project and a colon before it, such as `lib:./src`, it is that project's (default ".").
---@field limit? integer how many files at most (1 to 1000; default 10).
---@field folder? string URI of the open folder that a relative path belongs to; the first one when absent.
---@field projects? string[] as in find; the path is looked for in each (default []).
---@field all_projects? boolean as in find (default false).
---@field linked_projects? boolean as in find (default false).

---A question: what changed lately?
---@class (exact) scry.protocol.RecentParams
---@field query? string words to search for first, as in find; what is found is ranked by recency. Empty: whatever changed (default "").
---@field days? integer only what changed in so many days; 7 when absent and there is no query (1 to 36500).
---@field limit? integer how many results at most (1 to 1000; default 10).
---@field types? ("belief"|"code"|"commit"|"doc"|"memory"|"pattern"|"persona"|"session")[] only these content types; all when empty (default []).
---@field source? "persona"|"project" as in find.
---@field domains? string[] as in find (default []).
---@field folder? string URI of the one open folder to search; all open folders when absent.
---@field picker? string as in find.
---@field full? boolean with every result in full (default false).
---@field projects? string[] as in find (default []).
---@field all_projects? boolean as in find (default false).
---@field linked_projects? boolean as in find (default false).

---A question: what belongs to this file, or what does this belief reach?
---@class (exact) scry.protocol.NeighborsParams
---@field file? string its URI, or its path relative to the project, or a doc_id in it, also `<project>:` and one of another project; empty when a belief is asked about (default "").
---@field by? "cochange"|"dependency" cochange for files that changed in the same commits; dependency for imports and calls, in both directions (default "cochange").
---@field belief? string id of the belief that is asked about instead, with or without `belief:` in front.
---@field types? ("belief"|"code"|"commit"|"doc"|"memory"|"pattern"|"persona"|"session")[] of what a belief reaches only these content types; all when empty (default []).
---@field limit? integer how many results at most (1 to 1000; default 10).
---@field folder? string URI of the open folder that a relative path belongs to; the first one when absent.

---A question: why did this come up, or why did it not?
---@class (exact) scry.protocol.WhyParams
---@field doc_id string what to explain, in any of its forms; returned, not returned, or not even indexed.
---@field query? string the question to explain it for; when absent that of `query_id`, else of the last answer that returned it.
---@field query_id? string name of an answer whose question it is to be explained for.
---@field folder? string URI of the open folder that it is in; when absent, the one that answered or the first one.

---Why a document has its place, or none.
---@class scry.protocol.Explanation
---@field doc_id string what is explained, in its full form.
---@field query? string the question that it is explained for; null where there is none, and then only places and history are given.
---@field query_id string name of this answer.
---@field status string indexed, skipped (known and left out), unindexed (it exists, and is not indexed yet), missing (there is no such thing) or outside (of the project).
---@field summary string why, in one line of under 100 characters.
---@field text string all of it as Markdown, to show to a person.
---@field index scry.protocol.IndexState how fresh and complete the index was.
---@field reason? string why it is not indexed or not ranked, in words for a person; empty where there is nothing to say (default "").
---@field near? string[] doc_ids of what has a similar name, where there is no such document (default []).
---@field faults? scry.protocol.Fault[] the oracles that could not answer (default []).
---@field scoring? scry.protocol.Scoring how to recompute the score; absent without a question.
---@field result? scry.protocol.ResultItem the document as a result of find, its rank the place that it has there; absent where find does not rank it.
---@field oracles? scry.protocol.OracleEvidence[] what each oracle says, in the order in which terms are summed; empty without a question (default []).
---@field decisive? string name of the oracle or adjustment without which it would fall furthest; absent where nothing holds it up.
---@field without? scry.protocol.Without[] where it would stand without each of the factors of its score: oracles first, then adjustments (default []).
---@field places? scry.protocol.Place[] where it stands in each mode (default []).
---@field structural? scry.protocol.Structural what the code around it says; absent where it has no file.
---@field lived? scry.protocol.Lived what the history says; absent where there is none.
---@field impact? scry.protocol.BeliefImpact what beliefs have to do with it; absent where there is nothing.

---What one oracle says of the document that is explained.
---@class scry.protocol.OracleEvidence
---@field oracle string its name.
---@field title string its name as shown to a person.
---@field state string voted, beyond_depth (it would vote, but lower than the votes go), no_match, other_kind (it votes for another kind of documents alone) or failed.
---@field rank? integer its place among the votes, or the place that it would have; null without a match.
---@field raw_score? number as in Contribution; null without a match.
---@field score_type string as in Contribution.
---@field share number which part of the sum over all oracles' terms is this one's, 0 to 1.
---@field matches? string[] terms of the query that occur in it (default []).
---@field missing? string[] terms of the query that do not occur in it (default []).
---@field note? string words for a person, such as "'backoff' does not occur" (default "").
---@field shares? scry.protocol.Shares the score split by words, where the model allows it.

---The semantic score as a sum: total = the shares' values + remainder.
---@class scry.protocol.Shares
---@field total number the cosine, computed anew from the document's words; within 0.002 of the raw score.
---@field shares scry.protocol.Share[] the parts of largest size, largest first.
---@field remainder number the sum of all parts that are not listed.

---A part of a cosine: what one word of the question owes to one word of one field of the document.
---@class scry.protocol.Share
---@field query_word string the question's word.
---@field document_word string the document's word that it met.
---@field field string body, name, path, container or head (its first two lines), where in the document that word stands.
---@field value number what it adds to the cosine; may be negative.

---Where the document would stand if one factor of its score were left out, everything else computed anew.
---@class scry.protocol.Without
---@field name string the oracle whose vote, or the adjustment that is left out.
---@field rank? integer its place then; null where it would not be found at all.

---Where a document stands in one mode.
---@class scry.protocol.Place
---@field mode string find, orient or recent.
---@field rank? integer its place, 1-based, however far down; null where it has none.
---@field of integer how many were ranked.
---@field note? string words for a person, such as why it has none (default "").

---What the history says of a document's file.
---@class scry.protocol.Lived
---@field commits integer how many commits changed it, as far back as the history was read.
---@field last_commit? string the newest of them in words, `sha7: "subject" (N files)`; empty where there is none (default "").
---@field last_changed? string when that was, in UTC, such as 2026-11-21T09:26:00Z; absent where that is not known.
---@field uncommitted? boolean whether it has changes that are not committed (default false).
---@field co_changes? scry.protocol.Link[] the files that most commits changed together with it (default []).

---Which result of an earlier answer to show in full. Nothing is searched again.
---@class (exact) scry.protocol.DetailParams
---@field query_id string name of the answer; the last 1,000 are kept.
---@field rank integer the result's place in it (at least 1).
---@field folder? string URI of the open folder that answered; found by the answer's name when absent.

---One result of an earlier answer in full.
---@class scry.protocol.Detail
---@field query_id string name of the answer.
---@field query string the question that was answered.
---@field result scry.protocol.ResultItem the result as it was answered, with `full` as it is now.
---@field state string current, changed (its text is another since the answer) or gone (it is no more; what was kept is given).
---@field note string words for a person about the state; empty when it is current.
---@field text string all of it as Markdown, to show to a person.

---The person, or an agent, used a result.
---@class (exact) scry.protocol.UseParams
---@field query_id string name of the answer.
---@field rank integer the result's place in it (at least 1).
---@field how "agent"|"copy"|"detail"|"jump"|"open" what was done with it.
---@field act_id string a name of this one act that the client made; the same act told twice counts once. 1 to 200 characters.
---@field folder? string URI of the open folder that answered; found by the answer's name when absent.

---An act is in the log, or why it is not.
---@class scry.protocol.Recorded
---@field query_id string name of the answer that it is about.
---@field recorded boolean whether it is in the log now; false for an act that was told before, and while the log is off or fails.
---@field note? string words for a person, empty when there is nothing to say (default "").
---@field text? string for `copy`, what belongs on the clipboard (default "").

---What the person thinks of an answer.
---@class (exact) scry.protocol.FeedbackParams
---@field query_id string name of the answer.
---@field signal "bad"|"good" good or bad.
---@field comment? string why, in the person's words; at most 10,000 characters (default "").
---@field rank? integer the result that it is about; the whole answer when absent (at least 1).
---@field folder? string URI of the open folder that answered; found by the answer's name when absent.

---Something that happened, or was decided, to be remembered. Secrets in it are masked before it is kept.
---@class (exact) scry.protocol.ObserveParams
---@field kind "command"|"decision"|"edit"|"error"|"message"|"note"|"test" what it is.
---@field text string what is to be remembered, such as a command, an error's message or a decision; not empty. Of a long one the beginning is kept.
---@field detail? string what belongs to it, such as a command's output. Of a long one the end is kept (default "").
---@field status? integer a command's exit status.
---@field outcome? "failed"|"passed" whether a test or command passed; absent where that is not known, or told by status.
---@field refs? string[] places that it is about, as `path:line` or `path` (default []).
---@field scope? "agent"|"repository"|"session" how far it is to be found: in this session first, by all who work in the repository, or as an agent's; by its kind when absent.
---@field agent? string name of the agent whose memory it is; the person's when empty (default "").
---@field act_id? string a name of this one act that the client made; the same act told twice counts once (default "").
---@field folder? string URI of the open folder that it happened in; the first one when absent.

---What became of an observation.
---@class scry.protocol.Observed
---@field doc_id string its name, such as `memory:k3v7qa2xbe`; empty where it was not kept.
---@field session_id string the session that it is part of; empty where it was not kept.
---@field recorded boolean whether it is kept; false for one that was told before, and while memory is off or can't be written.
---@field masked? integer how many secrets were masked in it (default 0).
---@field note? string words for a person, empty when there is nothing to say (default "").

---A note of the person, kept across all projects.
---@class (exact) scry.protocol.RememberParams
---@field text string what to remember; at most 10,000 characters.
---@field domains? string[] what it is about, in words of the person's own; as the note that it supersedes when empty (default []).
---@field supersedes? string doc_id of the note that it takes the place of; that one is never found again.
---@field folder? string URI of the open folder that it is told in; any when absent.

---Notes of the person.
---@class scry.protocol.PersonaNotes
---@field notes scry.protocol.PersonaNote[] those that were asked for, or the one that was told or forgotten.
---@field note? string words for a person, empty when there is nothing to say (default "").

---One note of the person.
---@class scry.protocol.PersonaNote
---@field doc_id string its name, `persona:direct:` and when it was told.
---@field text string what it says; empty for one that was forgotten.
---@field timestamp string when it was told, in UTC.
---@field domains string[] what it is about.
---@field source string how it came to be: direct, which is by the person.
---@field superseded? string doc_id of the note whose place it took; absent for none.

---The person's notes, looked through or thinned out.
---@class (exact) scry.protocol.PersonaParams
---@field action "forget"|"list"|"search" list (the newest first), search (the nearest first) or forget (for good, in every file).
---@field query? string the words to search for (default "").
---@field doc_id? string the note to forget.
---@field domains? string[] only notes about one of these; all when empty (default []).
---@field folder? string URI of the open folder that it is asked in; any when absent.

---A belief to be written to a file of its own, `.scry/beliefs/<id>.md`, for the team to review.
---@class (exact) scry.protocol.BelieveParams
---@field statement string what is believed, in a sentence.
---@field evidence? string[] what shows it: FILE:LINE, FILE, the doc_id of a symbol, commit:SHA or session:ID (default []).
---@field entrenchment? string how firmly it is held: tentative, low, medium, high, core, or a number from 0 to 1 (default "medium").
---@field id? string its name; made of the statement's words when absent.
---@field supports? string[] ids of beliefs that it supports (default []).
---@field attacks? string[] ids of beliefs that it contradicts (default []).
---@field domains? string[] what it is about (default []).
---@field folder? string URI of the open folder that it belongs to; the first one when absent.

---Beliefs of a project.
---@class scry.protocol.Beliefs
---@field beliefs scry.protocol.Belief[] those that were asked for, or the one that was written, by doc_id.
---@field problems? scry.protocol.BeliefProblem[] files that are no beliefs, and what is wrong with them; with check only (default []).
---@field note? string words for a person, empty when there is nothing to say (default "").

---A belief of the project.
---@class scry.protocol.Belief
---@field doc_id string its name, `belief:<id>`.
---@field statement string what is believed.
---@field status string active, doubted or retracted.
---@field path string its file, from the project's folder.
---@field evidence string[] what it cites, as written.
---@field supports string[] doc_ids of beliefs that it supports.
---@field attacks string[] doc_ids of beliefs that it contradicts.
---@field domains string[] what it is about.
---@field impact scry.protocol.BeliefImpact what it bears on, and what speaks against it.
---@field entrenchment? number how firmly it is held, from 0 to 1; absent where that is not said.
---@field timestamp? string when it was last stated, in UTC; absent where that is not said.
---@field location? scry.protocol.Location where it is stated.

---What is wrong with a file of `.scry`.
---@class scry.protocol.BeliefProblem
---@field path string the file, from the project's folder.
---@field problem string what is wrong and in which line, in words for a person.

---The project's beliefs, looked through.
---@class (exact) scry.protocol.BeliefsParams
---@field action "check"|"list"|"show" list (all, also retracted ones), show (one) or check (those that something speaks against).
---@field id? string of the belief to show, with or without `belief:` in front.
---@field folder? string URI of the open folder that they belong to; the first one when absent.

---The registered projects, or one more of them.
---@class (exact) scry.protocol.ProjectsParams
---@field action? "add"|"list" list shows them; add registers the project in a folder first (default "list").
---@field folder? string for add, the URI of a folder, or its path; the first open one when absent.

---The projects that questions may name.
---@class scry.protocol.Projects
---@field projects scry.protocol.KnownProject[] they, by name.
---@field file string path of the file that holds the registered ones.
---@field note? string words for a person, such as what to do where no other project is known; empty when there is nothing to say (default "").

---A project that questions may name.
---@class scry.protocol.KnownProject
---@field name string what it is called.
---@field root string path of its folder.
---@field is_there boolean whether that folder exists now.
---@field links scry.protocol.ProjectTie[] how it is tied to others.
---@field is_open? boolean whether it is open in the editor that asks; those are listed whether they are registered or not (default false).

---That a project is tied to another one.
---@class scry.protocol.ProjectTie
---@field kind string uses, learns_from, tests_with or sibling.
---@field project string name of the other one.

---Which index to ask about.
---@class (exact) scry.protocol.StatusParams
---@field folder? string URI of an open folder; the first one when absent.
---@field project? string name of a project instead, registered or open.

---What to do with an index.
---@class (exact) scry.protocol.IndexParams
---@field action "pause"|"rebuild"|"resume"|"start" what to do: start it, pause it, resume it, or rebuild it from nothing.
---@field folder? string URI of the open folder that it belongs to; the first one when absent.

---Sent whenever the state of an open folder's index changes.
---@class scry.protocol.StatusChanged
---@field folder string URI of the open folder.
---@field status scry.protocol.IndexState the state that its index is in now.

---What is given instead of a result.
---@class scry.protocol.ErrorReport
---@field error scry.protocol.ErrorDetail what went wrong.

---What went wrong, and what to do.
---@class scry.protocol.ErrorDetail
---@field code string its kind, such as bad_request, unknown_project or index_unavailable.
---@field field? string the parameter that is wrong; null where none is.
---@field message string words for a person.

---That a server is there. It says nothing of any project.
---@class scry.protocol.Health
---@field status string ok.
---@field version string Scry's version.
---@field protocol integer the number of the protocol that it speaks.

return {
  ---The protocol's version; client and sidecar must agree on it.
  version = 1,
  ---Every method's name.
  methods = {
    ---Where is X? Symbols, sections and texts, best first, each with what found it.
    ---params: scry.protocol.FindParams, result: scry.protocol.Answer
    find = "scry/find",
    ---What matters here? Files of a folder by importers, centrality, entry points and activity, with a summary.
    ---params: scry.protocol.OrientParams, result: scry.protocol.Answer
    orient = "scry/orient",
    ---What changed lately? Recent changes, or what was found for a query ranked by recency.
    ---params: scry.protocol.RecentParams, result: scry.protocol.Answer
    recent = "scry/recent",
    ---What belongs to this file? Files that changed with it, or that it imports, calls, or is used by.
    ---params: scry.protocol.NeighborsParams, result: scry.protocol.Answer
    neighbors = "scry/neighbors",
    ---Why did this come up, or why did it not? Every oracle's evidence, what moved it, and its place in each mode.
    ---params: scry.protocol.WhyParams, result: scry.protocol.Explanation
    why = "scry/why",
    ---One result of an earlier answer in full, with what it is tied to.
    ---params: scry.protocol.DetailParams, result: scry.protocol.Detail
    detail = "scry/detail",
    ---A result was used: jumped to, opened, copied. Kept in the person's own log.
    ---params: scry.protocol.UseParams, result: scry.protocol.Recorded
    use = "scry/use",
    ---An answer was good or bad. Kept in the person's own log.
    ---params: scry.protocol.FeedbackParams, result: scry.protocol.Recorded
    feedback = "scry/feedback",
    ---Something happened or was decided: a command, an error, a test, a decision. Kept in the project's memory.
    ---params: scry.protocol.ObserveParams, result: scry.protocol.Observed
    observe = "scry/observe",
    ---Keeps a note of the person, for all projects.
    ---params: scry.protocol.RememberParams, result: scry.protocol.PersonaNotes
    remember = "scry/remember",
    ---The person's notes: listed, searched or forgotten.
    ---params: scry.protocol.PersonaParams, result: scry.protocol.PersonaNotes
    persona = "scry/persona",
    ---Writes a belief of the team to a file of the project, for review like code.
    ---params: scry.protocol.BelieveParams, result: scry.protocol.Beliefs
    believe = "scry/believe",
    ---The project's beliefs: all of them, one in full, or those that something speaks against.
    ---params: scry.protocol.BeliefsParams, result: scry.protocol.Beliefs
    beliefs = "scry/beliefs",
    ---The projects that a question may name: the registered ones, and those that are open. Registers one, too.
    ---params: scry.protocol.ProjectsParams, result: scry.protocol.Projects
    projects = "scry/projects",
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
