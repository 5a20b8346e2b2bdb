-- Generated from protocol/scry_protocol by `make protocol`; do not edit.

---A search query.
---@class (exact) scry.protocol.FindParams
---@field query string words, identifiers, "exact text", and filters lang:, path:, type:, source:, domain: (with - to exclude).
---@field limit? integer maximum number of results (1 to 1000; default 10).
---@field min_score? number results with a lower confidence are left out; of a relational query those with a lower fused_score (0 to 1; default 0.0).
---@field intent? "definition"|"general"|"mechanism"|"rationale"|"temporal" the query's intent; detected from its words when absent.
---@field types? ("belief"|"code"|"commit"|"doc"|"memory"|"pattern"|"persona"|"session")[] only results of these content types; all when empty (default []).
---@field source? "persona"|"project" project for the project's content, its memory included; persona for the person's own notes; both when absent.
---@field domains? string[] only knowledge with one of these domains, case-insensitive; code, documents, commits and memories have none. All when empty (default []).
---@field folder? string URI of the one open folder to search; all open folders when absent.
---@field picker? string id of the client's picker; a newer find with the same id cancels the older one, and is logged once it settles.
---@field full? boolean return every result in full (default false).
---@field excerpt? integer number of lines of each result's text to return, those that match the query best; 0 for none (0 to 50; default 0).
---@field reason? boolean read the query as a relational query over the code graph, such as "what calls foo and is called by bar" (default false).
---@field projects? string[] names of the projects to search, registered or open; the open ones, or the current one, when empty (default []).
---@field all_projects? boolean search every registered project, and the open ones (default false).
---@field linked_projects? boolean also search the projects that the selected ones are linked to (default false).
---@field team? boolean also search the index of the joined team; its repositories that are projects here are searched here alone (default false).

---The results of a query, best first, with all data that explains them.
---@class scry.protocol.Answer
---@field query string the query, as it was sent.
---@field mode string the kind of query, such as find.
---@field query_id string id of this answer: `q_YYYYMMDD_HHMMSS_` in UTC and random characters.
---@field intent string the intent that was set or detected.
---@field scoring scry.protocol.Scoring how to recompute the scores.
---@field index scry.protocol.IndexState how fresh and complete the index was.
---@field results scry.protocol.ResultItem[] the results, best first.
---@field faults scry.protocol.Fault[] the oracles, and the projects, that could not answer.
---@field notice? string words for a person about what the answer may lack, or why it is empty; often empty (default "").
---@field projects? scry.protocol.AskedProject[] the searched projects, where the query named any; else empty (default []).

---How to recompute a result's `fused_score` from its contributions and adjustments.
---
---In find and recent, fused_score = (sum over contributions of weights[oracle] / (k + rank)) * (product of the
---adjustments' factors) / ceiling, in this order of operations: oracles in the order of `weights`, adjustments in the
---order of the list. In orient, and in recent without a query, it is (sum over annotations.composite of weight *
---value) * (product of the adjustments' factors), from the first to the last, with k and depth 0. In neighbors and in
---relational queries results are ordered by counts, and fused_score is the count as a share of the highest, with k and
---depth 0; in a relational query the conditions that a result meets are counted.
---
---In find, and in recent for a query, confidence = 1 / (1 + exp(9 - 7.5 share - 14 cosine + 10 share * cosine)),
---rounded to 4 digits: share is the sum of term_weights over the lexical contribution's matches, divided by the sum of
---all; cosine is the raw score of the semantic contribution, 0 without one; for a commit, and for everything unless
---cosine_counts, share / 2 stands for it. A note with neither contribution has the highest raw score of type
---relevance.
---@class scry.protocol.Scoring
---@field k integer the constant of reciprocal rank fusion.
---@field depth integer maximum number of results of each oracle.
---@field weights table<string, number> by oracle, its weight for this query.
---@field ceiling number the highest sum that any result could reach.
---@field term_weights? table<string, number> by word of the query, its inverse document frequency in the project's code and documents; empty where results have no confidence, and where several projects were searched (default {}).
---@field cosine_counts? boolean whether cosines count in the confidence (default true).
---@field prefix? string the last word of a query that is still being typed, where words that begin with it match too; results that hold only such words have the adjustment `prefix` (default "").
---@field exponents? table<string, number> by adjustment, the exponent of its factor where weights learnt from the person's jumps apply, as they do to `weights`; the factors of the results are raised already. Empty where the defaults apply (default {}).

---How fresh and complete the index is.
---@class scry.protocol.IndexState
---@field state string starting, indexing, ready, paused or failed; ready = every file's words and vectors are searchable and on disk.
---@field history string pending, ready or none.
---@field generation integer number of the published index; it rises with every change that can be searched.
---@field files_indexed integer number of files whose words are searchable.
---@field files_total integer number of files to index.
---@field vectors integer number of vectors that are searchable.
---@field vectors_total integer number of vectors to make.
---@field skipped integer number of files that are known and not indexed.
---@field unsaved string[] files whose text in the editor differs from the text that was searched.
---@field index_commit? string the commit that the index was last compared with; null without git.
---@field head_commit? string the commit that is checked out; null where there is none.
---@field model? string name of the model that made the vectors; null where there are none.
---@field message string words for a person; empty when there is nothing to say.
---@field summary? string the state in a few words, for a status line, such as "indexing 120 of 400 files" (default "").
---@field history_extent? string the part of the history that is stored, such as "of the newest 20,000 commits"; empty where it is all (default "").
---@field failed? integer number of files for which a stage of indexing failed: they are found less well, or not at all (default 0).
---@field graph? string pending while the code graph, by which `orient` ranks and `neighbors` answers, is still to be brought up to the indexed files, else ready; empty where there is no index (default "").
---@field learning? string in the answer to a request for the status, what was learnt from use, or why nothing is, in words for a person; empty elsewhere (default "").
---@field replay? string in the answer to a request for the status, whether this version of Scry, of the model and of the weights answers the person's past questions worse than the one before, and the way back, in words for a person; empty elsewhere, and where nothing was replayed (default "").
---@field languages? table<string, integer> by language, the number of indexed files, most first; absent where it was not requested.

---One result.
---@class scry.protocol.ResultItem
---@field rank integer its rank in the answer, 1-based.
---@field doc_id string its id, stable while other lines change, such as `./src/app.py::Outer.inner`.
---@field content_type string code, doc, commit, belief, pattern, session, memory or persona.
---@field title string a short name to show.
---@field kind string its kind: function, method, class, section, file, text and so on.
---@field fused_score number 0 to 1, by the formula of Scoring.
---@field contributions table<string, scry.protocol.Contribution> by oracle, the evidence of each one that found it.
---@field adjustments scry.protocol.Adjustment[] the further factors of its score, in the order of multiplication.
---@field annotations scry.protocol.Annotations data beside the evidence.
---@field snippet string a few words of it, to show.
---@field sources string[] names of the oracles that found it.
---@field project string name of its project.
---@field location? scry.protocol.Location the target of a jump; absent where the result is not in a file.
---@field metadata? scry.protocol.Metadata further data about it; absent where there is none.
---@field evidence? string the evidence in few words, such as `sem #1 | lex #2 | test x0.5 | imp 12`: ranks, and the factor that lowered it most; where no oracle was asked the reason, such as `entry point` or `2 days ago` (default "").
---@field full? scry.protocol.Full the result in full, where that was requested.
---@field excerpt? scry.protocol.ExcerptLine[] its lines that match the query best, in their order, where they were requested.
---@field via? string the link from the current project to its project, such as LEARNS_FROM; empty without a link (default "").
---@field more_in_file? integer number of further places of its file that are worth a look and no results; on the best result of a file, in find. The same query with `path:` and the file's path returns them (default 0).
---@field further? scry.protocol.FurtherPlace[] the best of these places, best first, at most 5 (default []).
---@field confidence? number the estimated probability that it answers the query, by the formula of Scoring; comparable across queries, unlike fused_score. Absent where no words were searched.
---@field commit? string of a result of the joined team, the indexed commit of its repository; its location is then a URI of the scheme scry-team, whose text `scry/teamFile` returns. Empty for any other result (default "").
---@field link? string of a result of the joined team, its address on the forge, where that is known; else empty (default "").
---@field copies? integer number of the other repositories of the joined team that hold the same content, which are no results (default 0).
---@field also_in? scry.protocol.Copy[] the first of them by name, at most 5 (default []).

---The evidence of one oracle for a result.
---@class scry.protocol.Contribution
---@field rank integer the result's rank in that oracle's results, 1-based.
---@field raw_score number the score by which that oracle ranked it, rounded to 6 decimals.
---@field score_type string the unit of raw_score: cosine (-1 to 1), bm25 (above 0), co_change_count (a whole number), relevance (0 to 1, of notes by meaning and words) or uses (above 0, of what was used for like questions).
---@field matches? string[] terms of the query that occur in it; only from oracles that match terms.
---@field snippet? string further words of the oracle: of a persona note its text, of a memory the reason for its rank, of a used document when and for what it was used.
---@field cosine? number of a note (belief and persona), the cosine that its relevance is made of, rounded; absent without a vector.

---A named factor of the result's score beside the oracles' ranks.
---@class scry.protocol.Adjustment
---@field name string the rule's name, such as definition, file_words or test_path.
---@field factor number the score was multiplied by it; above 1 it raised the result.
---@field reason string words for a person.

---Data about a result beside the oracles' evidence.
---@class scry.protocol.Annotations
---@field structural? scry.protocol.Structural the code around it; absent where a result is not in the code.
---@field composite? scry.protocol.CompositePart[] the parts of its score, in orient, and in recent without a query.
---@field relations? scry.protocol.Relation[] its relations to the file of the query, in neighbors only.
---@field proof? scry.protocol.Edge[] the steps that make it an answer, in relational queries only.

---The structure of the code around a result. In find it explains and does not rank.
---@class scry.protocol.Structural
---@field importers integer number of the project's files that import the result's file.
---@field centrality string high, medium or low, among the files of this project.
---@field activity_level? string changes of the file in the 90 days before the newest commit: high (8 commits or more), medium (3 or more), low or none; absent while that is not known.
---@field flags? string[] further properties of the file, such as entry_point or test (default []).

---One part of the score of a result that no oracle ranked: score = sum of weight * value, times the adjustments.
---@class scry.protocol.CompositePart
---@field name string the measured property: importers, centrality, entry_point, activity, commits, or in recent recency.
---@field value number 0 to 1, by the rule in docs/decisions/0038 (orient) or docs/decisions/0039 (recent).
---@field weight number factor of the value; the weights add up to 1.
---@field reason string the measured property in words for a person, such as "12 importers".

---A relation of a neighbour to the file of the query.
---@class scry.protocol.Relation
---@field kind string changes_with, imports, imported_by, calls or called_by, with the neighbour as subject: a neighbour that is called_by is called by the file of the query.
---@field count integer number of commits, imports or calls.
---@field confidence? string exact, by name or ambiguous; absent where nothing had to be resolved.

---One step of the path that proves a relational answer.
---@class scry.protocol.Edge
---@field source string doc_id of the subject: the caller, importer, subclass, definer, or file that changed.
---@field kind string calls, imports, inherits, defines or changes_with.
---@field target string doc_id of the object.
---@field confidence string exact, by name or ambiguous.
---@field location? scry.protocol.Location where the relation is written, such as the line of the call; absent where no line shows it.

---A range in a file.
---@class scry.protocol.Location
---@field uri string URI of the file.
---@field range scry.protocol.Range the range in it.
---@field name? scry.protocol.Position the start of the symbol's name in the range: where a jump lands. Absent where that is the start of the range.

---A half-open range of a text, as in LSP.
---@class scry.protocol.Range
---@field start scry.protocol.Position its first position.
---@field end scry.protocol.Position the position just after its last.

---A position in a text, as in LSP.
---@class scry.protocol.Position
---@field line integer 0-based.
---@field character integer 0-based, counted in the negotiated position encoding.

---Data about a result beside its location.
---@class scry.protocol.Metadata
---@field timestamp? string when it was made, or in recent when it last changed, in UTC, such as 2026-11-21T09:26:00Z.
---@field code_refs? string[] the locations that knowledge cites, as `file:line` or `file`.
---@field session_id? string the session that knowledge is from.
---@field domains? string[] the domains of a note, in the person's words.
---@field entrenchment? number how firmly a belief is held, from 0 to 1.

---A result in full.
---@class scry.protocol.Full
---@field language string language of the body, such as python; diff for a commit.
---@field signature string on one line, whitespace collapsed; empty where it has none.
---@field doc string its doc comment without markers, or a commit's message; empty where it has none.
---@field body string its text as it was indexed, or a commit's patch.
---@field truncated? boolean whether the body was cut at the maximum size of an answer (default false).
---@field graph? scry.protocol.Graph its neighbours; absent where it can have none.
---@field impact? scry.protocol.BeliefImpact the beliefs that are relevant to it; absent where there are none.

---The neighbours of a result in code and history; each list is cut, best first.
---@class scry.protocol.Graph
---@field imports? scry.protocol.Link[] files that its file imports (default []).
---@field imported_by? scry.protocol.Link[] files that import its file (default []).
---@field callers? scry.protocol.Link[] documents that call it (default []).
---@field callees? scry.protocol.Link[] documents that it calls (default []).
---@field inherits? scry.protocol.Link[] documents that it inherits from or implements (default []).
---@field inherited_by? scry.protocol.Link[] documents that inherit from or implement it (default []).
---@field co_changes? scry.protocol.Link[] files that changed together with its file, with the number of commits (default []).
---@field totals? table<string, integer> by the name of a list above, its length before it was cut (default {}).
---@field note? string words for a person on missing data, such as that the graph is still being built; often empty (default "").

---A document that is related to a result.
---@class scry.protocol.Link
---@field doc_id string the related document.
---@field count? integer number of commits, calls or imports (default 1).
---@field confidence? string exact, by name or ambiguous; absent where nothing had to be resolved.
---@field location? scry.protocol.Location the target of a jump; absent where there is none.

---The beliefs that are relevant to a result.
---@class scry.protocol.BeliefImpact
---@field beliefs? scry.protocol.Bearing[] beliefs relevant to its file, the most relevant first (default []).
---@field reaches? scry.protocol.Bearing[] of a belief, the files, commits and notes that it covers, the most relevant first (default []).
---@field warnings? string[] of a belief, the reasons not to rely on it (default []).

---The relevance of a belief to a file, commit or note.
---@class scry.protocol.Bearing
---@field doc_id string the file, commit or note; of a file's beliefs, the belief.
---@field score number the relevance, from 0 to 1; cited evidence has 1.
---@field reason string the reason, in words for a person.
---@field statement? string the belief's, where doc_id is a belief; empty otherwise (default "").

---One line of a result's text.
---@class scry.protocol.ExcerptLine
---@field line integer its number in the file, 1-based.
---@field text string the line, without its end.

---A further place of a result's file that is worth a look and is no result itself.
---@class scry.protocol.FurtherPlace
---@field doc_id string its id; detail, use, feedback and why accept it.
---@field title string a short name to show, such as `evict`, or `lines 10-34` for text outside symbols.
---@field kind string its kind, as of a result.
---@field fused_score number its score in this answer, where it would stand below the last result or below the limit.
---@field location scry.protocol.Location the target of a jump.

---A document of another repository of the joined team with the content of a result: its file has the same text.
---@class scry.protocol.Copy
---@field project string name of the repository.
---@field doc_id string its id there; why accepts it.
---@field link? string its address on the forge, where that is known; else empty (default "").

---An oracle, or a whole project, that could not answer, or an index that could not be brought up to date.
---@class scry.protocol.Fault
---@field oracle string name of the oracle; `index` where indexing failed, so that results may be old; empty where a whole project could not answer.
---@field message string the reason, in words for a person.
---@field project? string name of the project, where the query named several; else empty (default "").
---@field retry? boolean whether the answer was late, and the same query asked again soon may have it (default false).

---One of several searched projects.
---@class scry.protocol.AskedProject
---@field name string name of the project.
---@field index scry.protocol.IndexState how fresh and complete its index was.
---@field via? string the link from the current project to this one, such as LEARNS_FROM; empty without a link (default "").
---@field term_weights? table<string, number> as of Scoring, in this project (default {}).
---@field cosine_counts? boolean as of Scoring, in this project (default true).
---@field team? boolean whether it is a repository of the joined team, not a project of this machine (default false).

---A query for what matters in a folder.
---@class (exact) scry.protocol.OrientParams
---@field path? string a folder or file: its URI, or its path relative to the project; `.` is the whole project. The name of a project and a colon before it, such as `lib:./src`, select that project (default ".").
---@field limit? integer maximum number of files (1 to 1000; default 10).
---@field folder? string URI of the open folder that a relative path belongs to; the first one when absent.
---@field projects? string[] as in find; the path is looked up in each (default []).
---@field all_projects? boolean as in find (default false).
---@field linked_projects? boolean as in find (default false).
---@field team? boolean ask the index of the joined team alone; the name before the path, such as `cart:./src`, is that of one of its repositories. The URI of a file of the team names it, too (default false).
---@field record? boolean whether the question is logged; false where a client asks again by itself until the answer is complete (default true).

---A query for recent changes.
---@class (exact) scry.protocol.RecentParams
---@field query? string words to search for first, as in find; the results are ranked by recency. All changes when empty (default "").
---@field days? integer only changes of the last so many days; 7 when absent and there is no query (1 to 36500).
---@field limit? integer maximum number of results (1 to 1000; default 10).
---@field types? ("belief"|"code"|"commit"|"doc"|"memory"|"pattern"|"persona"|"session")[] only results of these content types; all when empty (default []).
---@field source? "persona"|"project" as in find.
---@field domains? string[] as in find (default []).
---@field folder? string URI of the one open folder to search; all open folders when absent.
---@field picker? string as in find.
---@field full? boolean return every result in full (default false).
---@field excerpt? integer as in find, where there is a query; nothing matches best without one (0 to 50; default 0).
---@field projects? string[] as in find (default []).
---@field all_projects? boolean as in find (default false).
---@field linked_projects? boolean as in find (default false).
---@field team? boolean as in find (default false).

---A query for the neighbours of a file, for what resembles a place in it, or for the coverage of a belief.
---@class (exact) scry.protocol.NeighborsParams
---@field file? string URI of the file, its path relative to the project, or a doc_id in it, also with `<project>:` before it; empty when a belief is given (default "").
---@field by? "cochange"|"dependency"|"similar" cochange for files that changed in the same commits; dependency for imports and calls, in both directions; similar for functions, classes and sections near in meaning to the one at `line`, or to the one that a doc_id names; and for files near in meaning to the whole file, where neither is given (default "cochange").
---@field line? integer a line of the file, 1-based, for similar (at least 1).
---@field belief? string id of the belief whose coverage to return instead, with or without `belief:` before it.
---@field types? ("belief"|"code"|"commit"|"doc"|"memory"|"pattern"|"persona"|"session")[] of a belief's coverage only these content types; all when empty (default []).
---@field limit? integer maximum number of results (1 to 1000; default 10).
---@field folder? string URI of the open folder that a relative path belongs to; the first one when absent.
---@field team? boolean as in orient (default false).
---@field record? boolean as in orient (default true).

---A request to explain a document's rank, or its absence.
---@class (exact) scry.protocol.WhyParams
---@field doc_id string the document, in any form of its id; returned, not returned, or not even indexed.
---@field query? string the query to explain it for; when absent that of `query_id`, else of the last answer that returned it.
---@field query_id? string id of an answer whose query to explain it for.
---@field folder? string URI of the open folder that it is in; when absent, the one that answered or the first one.
---@field brief? boolean whether `text` has only the summary and the oracles' ranks, for a hover (default false).
---@field record? boolean whether the request is stored and logged; false where the person did not ask for it, as in a hover (default true).

---The explanation of a document's rank, or of its absence.
---@class scry.protocol.Explanation
---@field doc_id string the explained document, its id in full form.
---@field query? string the query that it is explained for; null where there is none, and then only places and history are given.
---@field query_id string id of this answer.
---@field status string indexed, skipped (known and not indexed), unindexed (it exists, and is not indexed yet), missing (no such document exists) or outside (of the project).
---@field summary string the reason, on one line of under 100 characters.
---@field text string all of it as Markdown, to show to a person.
---@field index scry.protocol.IndexState how fresh and complete the index was.
---@field reason? string why it is not indexed or not ranked, in words for a person; empty where there is nothing to say (default "").
---@field near? string[] doc_ids of documents with a similar name, where it does not exist (default []).
---@field faults? scry.protocol.Fault[] the oracles that could not answer (default []).
---@field scoring? scry.protocol.Scoring how to recompute the score; absent without a query.
---@field result? scry.protocol.ResultItem the document as a result of find, with its rank there; absent where find does not rank it.
---@field oracles? scry.protocol.OracleEvidence[] the evidence of each oracle, in the order in which terms are summed; empty without a query (default []).
---@field decisive? string name of the oracle or adjustment without which its rank would fall most; absent where none raises it.
---@field without? scry.protocol.Without[] its rank without each of the factors of its score: oracles first, then adjustments (default []).
---@field places? scry.protocol.Place[] its rank in each mode (default []).
---@field structural? scry.protocol.Structural the code around it; absent where it has no file.
---@field lived? scry.protocol.Lived the history of its file; absent where there is none.
---@field impact? scry.protocol.BeliefImpact the beliefs that are relevant to it; absent where there are none.

---The evidence of one oracle for the explained document.
---@class scry.protocol.OracleEvidence
---@field oracle string its name.
---@field title string its name as shown to a person.
---@field state string voted, beyond_depth (found, but ranked below the oracle's depth), no_match, other_kind (the oracle finds only another kind of documents) or failed.
---@field rank? integer the document's rank in the oracle's results, also beyond its depth; null without a match.
---@field raw_score? number as in Contribution; null without a match.
---@field score_type string as in Contribution.
---@field share number the part of the sum over all oracles' terms that is due to this one, 0 to 1.
---@field matches? string[] terms of the query that occur in it (default []).
---@field missing? string[] terms of the query that do not occur in it (default []).
---@field note? string words for a person, such as "'backoff' does not occur" (default "").
---@field shares? scry.protocol.Shares the score split by words, where the model allows it.

---The semantic score as a sum: total = the shares' values + remainder.
---@class scry.protocol.Shares
---@field total number the cosine, recomputed from the document's words; within 0.002 of the raw score.
---@field shares scry.protocol.Share[] the largest parts by absolute value, largest first.
---@field remainder number the sum of all other parts.

---The part of a cosine that is due to one word of the query and one word of one field of the document.
---@class scry.protocol.Share
---@field query_word string the word of the query.
---@field document_word string the word of the document.
---@field field string body, name, path, container or head (its first two lines): the field with that word.
---@field value number its part of the cosine; may be negative.

---The document's rank with one factor of its score left out and everything else recomputed.
---@class scry.protocol.Without
---@field name string the oracle or adjustment that is left out.
---@field rank? integer the rank then; null where the document would not be found at all.

---The document's rank in one mode.
---@class scry.protocol.Place
---@field mode string find, orient or recent.
---@field rank? integer its rank, 1-based, however low; null where it has none.
---@field of integer number of ranked documents.
---@field note? string words for a person, such as why it has no rank (default "").

---The history of a document's file.
---@class scry.protocol.Lived
---@field commits integer number of commits that changed it, in the stored history.
---@field last_commit? string the newest of them in words, `sha7: "subject" (N files)`; empty where there is none (default "").
---@field last_changed? string time of that commit, in UTC, such as 2026-11-21T09:26:00Z; absent where that is not known.
---@field uncommitted? boolean whether it has changes that are not committed (default false).
---@field co_changes? scry.protocol.Link[] the files that most commits changed together with it (default []).

---A request for one result of an earlier answer in full. Reads the stored answer; nothing is searched again.
---@class (exact) scry.protocol.DetailParams
---@field query_id string id of the answer; the last 1,000 answers are stored.
---@field rank integer the result's rank in it (at least 1).
---@field folder? string URI of the open folder that answered; found by the answer's id when absent.
---@field doc_id? string a further place of the result (`further`) that is meant instead of it; the result itself when absent.
---@field record_use? boolean whether that the result was used is recorded; false for a client that sends `scry/use` itself (default true).
---@field record? boolean whether anything is logged; false where the person did not ask for it, as for the location of a jump (default true).

---One result of an earlier answer in full.
---@class scry.protocol.Detail
---@field query_id string id of the answer.
---@field query string the query that was answered.
---@field result scry.protocol.ResultItem the result as it was answered, with `full` as of now. A further place has the rank of its result, and no contributions.
---@field state string current, changed (its text differs from the answer's) or gone (it no longer exists; the stored text is returned).
---@field note string words for a person about the state; empty when it is current.
---@field text string all of it as Markdown, to show to a person.

---A request for the text of a file in the joined team's index.
---@class (exact) scry.protocol.TeamFileParams
---@field uri string the URI of a result's location, of the scheme scry-team.

---The text of a file in the joined team's index, to show read-only.
---@class scry.protocol.TeamFile
---@field uri string the URI that was asked for.
---@field text string the text, as it is indexed now.
---@field commit string the commit that it is of.
---@field is_current boolean whether that is the commit of the URI; the index holds the newest one only.
---@field clone? string the URI of the same file, with the same text, in a registered project that is a clone of the repository; empty where there is none. A jump opens it instead (default "").

---Record that the person, or an agent, used a result.
---@class (exact) scry.protocol.UseParams
---@field query_id string id of the answer.
---@field rank integer the result's rank in it (at least 1).
---@field how "agent"|"copy"|"detail"|"inferred"|"jump"|"open" how the result was used; inferred: the sidecar concluded a jump from what an editor without a plugin requested.
---@field act_id string id of this one act, made by the client, 1 to 200 characters; the same act sent twice counts once.
---@field folder? string URI of the open folder that answered; found by the answer's id when absent.
---@field doc_id? string a further place of the result (`further`) that is meant instead of it; the result itself when absent.

---Whether an act is in the log, and why not.
---@class scry.protocol.Recorded
---@field query_id string id of the answer that it is about.
---@field recorded boolean whether this request added it to the log; false for a repeated act, and while the log is off or fails.
---@field note? string words for a person; empty when there is nothing to say (default "").
---@field text? string for `copy`, the text for the clipboard (default "").

---Record the person's rating of an answer.
---@class (exact) scry.protocol.FeedbackParams
---@field query_id string id of the answer.
---@field signal "bad"|"good" good or bad.
---@field comment? string the reason, in the person's words; at most 10,000 characters (default "").
---@field rank? integer the rated result; the whole answer when absent (at least 1).
---@field folder? string URI of the open folder that answered; found by the answer's id when absent.
---@field doc_id? string a further place of the rated result (`further`) that is meant instead of it; needs `rank`.

---An event or decision to record. Secrets in it are masked before it is stored.
---@class (exact) scry.protocol.ObserveParams
---@field kind "command"|"decision"|"edit"|"error"|"message"|"note"|"test" the kind of event.
---@field text string the event, such as a command, an error message or a decision; not empty. A long one is cut at its end.
---@field detail? string further text, such as a command's output. A long one is cut at its beginning (default "").
---@field status? integer a command's exit status.
---@field outcome? "failed"|"passed" whether a test or command passed; absent where that is not known, or follows from status.
---@field refs? string[] locations that it is about, as `path:line` or `path` (default []).
---@field scope? "agent"|"repository"|"session" where it is found: first in this session, by all who work in the repository, or as an agent's memory; by its kind when absent.
---@field agent? string name of the agent whose memory it is; the person's when empty (default "").
---@field act_id? string id of this one act, made by the client; the same act sent twice in a session counts once. Without it, an event with the same content counts once in a session (default "").
---@field folder? string URI of the open folder that it happened in; the first one when absent.

---Whether an event was recorded, and why not.
---@class scry.protocol.Observed
---@field doc_id string its id, such as `memory:k3v7qa2xbe`; empty where it was not stored.
---@field session_id string the session that it is part of; empty where it was not stored.
---@field recorded boolean whether this request stored it; false for a repeated one, and while memory is off or cannot be written.
---@field masked? integer number of secrets that were masked in it (default 0).
---@field note? string words for a person; empty when there is nothing to say (default "").

---A request to list, search or delete memories of the project.
---@class (exact) scry.protocol.MemoryParams
---@field action "forget"|"list"|"search" list (newest first), search (best match first) or forget (delete for good, from every file).
---@field query? string the words to search for (default "").
---@field ids? string[] doc_ids of the memories to delete (default []).
---@field limit? integer maximum number of memories (1 to 1000; default 50).
---@field folder? string URI of the open folder that they belong to; the first one when absent.

---Memories of a project.
---@class scry.protocol.Memories
---@field memories scry.protocol.MemoryEntry[] the requested memories; none of those that were deleted.
---@field note? string words for a person; empty when there is nothing to say (default "").

---One memory.
---@class scry.protocol.MemoryEntry
---@field doc_id string its id, such as `memory:k3v7qa2xbe`.
---@field kind string its kind, as in observe; also jump, commit or summary.
---@field text string its text, with secrets masked.
---@field timestamp string when it was recorded last, in UTC.
---@field session_id string the session that it is part of.
---@field times? integer how often it was recorded (default 1).
---@field why? string the reason for its rank, of a search; else empty (default "").

---A request to list the sessions of work, or to begin or end one.
---@class (exact) scry.protocol.SessionParams
---@field action "end"|"list"|"start" list (newest first), start (begin a piece of work) or end (end the session, with a summary).
---@field intent? string the aim of the work to begin (default "").
---@field limit? integer maximum number of sessions (1 to 1000; default 20).
---@field folder? string URI of the open folder that they belong to; the first one when absent.

---Sessions of a project.
---@class scry.protocol.Sessions
---@field sessions scry.protocol.Session[] the requested sessions, or the one that was begun or ended.
---@field note? string words for a person; empty when there is nothing to say (default "").

---A session: a period of work of one person or one agent.
---@class scry.protocol.Session
---@field session_id string its id, such as `20261121-m5q2ttx7ab`.
---@field intent string its aim; empty for one that began by itself.
---@field agent string name of the agent whose session it is; empty for the person's.
---@field started string when it began, in UTC.
---@field memories integer number of its memories.
---@field ended? string when it ended, in UTC; absent while it is open.

---A note of the person to store, for all projects; one with the text and domains of a current note is that note.
---@class (exact) scry.protocol.RememberParams
---@field text string the text of the note; at most 10,000 characters.
---@field domains? string[] its domains, in the person's own words; those of the superseded note when empty (default []).
---@field supersedes? string doc_id of the note that it replaces, which is then no longer found.
---@field folder? string URI of the open folder that it is sent from; any when absent.

---Notes of the person.
---@class scry.protocol.PersonaNotes
---@field notes scry.protocol.PersonaNote[] the requested notes, or the one that was stored or deleted.
---@field note? string words for a person; empty when there is nothing to say (default "").

---One note of the person.
---@class scry.protocol.PersonaNote
---@field doc_id string its id, `persona:direct:` and its time.
---@field text string its text; empty for a deleted note.
---@field timestamp string when it was stored, in UTC.
---@field domains string[] its domains.
---@field source string its origin: direct, which is by the person.
---@field superseded? string doc_id of the note that it replaced; absent for none.

---A request to list, search or delete the person's notes.
---@class (exact) scry.protocol.PersonaParams
---@field action "forget"|"list"|"search" list (newest first), search (best match first) or forget (delete for good, from every file).
---@field query? string the words to search for (default "").
---@field doc_id? string the note to delete.
---@field domains? string[] only notes with one of these domains; all when empty (default []).
---@field folder? string URI of the open folder that it is sent from; any when absent.

---A belief to write to a file of its own, `.scry/beliefs/<id>.md`, for the team to review.
---@class (exact) scry.protocol.BelieveParams
---@field statement string the belief, in a sentence.
---@field evidence? string[] its evidence: FILE:LINE, FILE, the doc_id of a symbol, commit:SHA or session:ID (default []).
---@field entrenchment? string how firmly it is held: tentative, low, medium, high, core, or a number from 0 to 1 (default "medium").
---@field id? string its id; made of the statement's words when absent.
---@field supports? string[] ids of beliefs that it supports (default []).
---@field attacks? string[] ids of beliefs that it contradicts (default []).
---@field domains? string[] its domains (default []).
---@field folder? string URI of the open folder that it belongs to; the first one when absent.

---Beliefs of a project.
---@class scry.protocol.Beliefs
---@field beliefs scry.protocol.Belief[] the requested beliefs, or the one that was written, by doc_id.
---@field problems? scry.protocol.BeliefProblem[] files that are no valid beliefs, with the reason; with check only (default []).
---@field note? string words for a person; empty when there is nothing to say (default "").

---A belief of the project.
---@class scry.protocol.Belief
---@field doc_id string its id, `belief:<id>`.
---@field statement string the belief, in a sentence.
---@field status string active, doubted or retracted.
---@field path string its file, relative to the project's folder.
---@field evidence string[] its citations, as written.
---@field supports string[] doc_ids of beliefs that it supports.
---@field attacks string[] doc_ids of beliefs that it contradicts.
---@field domains string[] its domains.
---@field impact scry.protocol.BeliefImpact its coverage, and the reasons not to rely on it.
---@field entrenchment? number how firmly it is held, from 0 to 1; absent where its file does not say.
---@field timestamp? string when it was last stated, in UTC; absent where its file does not say.
---@field location? scry.protocol.Location where it is stated.

---A problem in a file of `.scry`.
---@class scry.protocol.BeliefProblem
---@field path string the file, relative to the project's folder.
---@field problem string the problem and its line, in words for a person.

---A request for the project's beliefs.
---@class (exact) scry.protocol.BeliefsParams
---@field action "check"|"list"|"rename"|"show" list (all, also retracted ones), show (one), check (those with evidence against them) or rename (give one another id, in its file and in the beliefs that name it).
---@field id? string id of the belief to show or rename, with or without `belief:` before it.
---@field new_id? string the new id; made of the statement's words when absent.
---@field folder? string URI of the open folder that they belong to; the first one when absent.

---A request for the known projects, or to register one.
---@class (exact) scry.protocol.ProjectsParams
---@field action? "add"|"list" list returns the projects; add registers the project in a folder first (default "list").
---@field folder? string for add, the URI of a folder, or its path; the first open one when absent.
---@field name? string for add, the name to register it by; that of the folder when absent.

---The projects that a query may name.
---@class scry.protocol.Projects
---@field projects scry.protocol.KnownProject[] the projects, by name.
---@field file string path of the file with the registered ones.
---@field note? string words for a person, such as how to register a project where none is known; empty when there is nothing to say (default "").
---@field team? boolean whether a team is joined, whose index a find can search (default false).

---A project that a query may name.
---@class scry.protocol.KnownProject
---@field name string its name.
---@field root string path of its folder.
---@field is_there boolean whether that folder exists now.
---@field links scry.protocol.ProjectTie[] its links to other projects.
---@field is_open? boolean whether it is open in the client's editor; open projects are listed whether they are registered or not (default false).

---A link from one project to another.
---@class scry.protocol.ProjectTie
---@field kind string uses, learns_from, tests_with or sibling.
---@field project string name of the other project.

---A request for the state of an index.
---@class (exact) scry.protocol.StatusParams
---@field folder? string URI of an open folder; the first one when absent.
---@field project? string name of a project instead, registered or open.
---@field languages? boolean whether the state names the languages of the index (default false).

---A request to start, pause, resume or rebuild an index.
---@class (exact) scry.protocol.IndexParams
---@field action "pause"|"rebuild"|"resume"|"start" start, pause, resume, or rebuild from nothing.
---@field folder? string URI of the open folder that it belongs to; the first one when absent.

---Sent whenever the state of an open folder's index changes.
---@class scry.protocol.StatusChanged
---@field folder string URI of the open folder.
---@field status scry.protocol.IndexState the new state of its index.

---An error in place of a result.
---@class scry.protocol.ErrorReport
---@field error scry.protocol.ErrorDetail the error.

---An error, with the remedy.
---@class scry.protocol.ErrorDetail
---@field code string its kind, such as bad_request, unknown_project or index_unavailable.
---@field field? string the wrong parameter; null where none is.
---@field message string words for a person.

---The health of a server. It says nothing about any project.
---@class scry.protocol.Health
---@field status string ok.
---@field version string Scry's version.
---@field protocol integer the version of the protocol that the server speaks.

return {
  ---The protocol's version; client and sidecar must agree on it.
  version = 1,
  ---Every method's name.
  methods = {
    ---Searches: returns the symbols, sections and texts that match a query, best first, each with its evidence.
    ---params: scry.protocol.FindParams, result: scry.protocol.Answer
    find = "scry/find",
    ---Shows what matters in a folder: its files, ranked by importers, centrality, entry points and activity.
    ---params: scry.protocol.OrientParams, result: scry.protocol.Answer
    orient = "scry/orient",
    ---Shows recent changes, or the results of a query ranked by recency.
    ---params: scry.protocol.RecentParams, result: scry.protocol.Answer
    recent = "scry/recent",
    ---Shows the files that changed together with a file, or that it imports, calls or is used by.
    ---params: scry.protocol.NeighborsParams, result: scry.protocol.Answer
    neighbors = "scry/neighbors",
    ---Explains a document's rank or absence: every oracle's evidence, the adjustments, and its rank in each mode.
    ---params: scry.protocol.WhyParams, result: scry.protocol.Explanation
    why = "scry/why",
    ---Returns one result of an earlier answer in full, with its neighbours in the code graph and the history.
    ---params: scry.protocol.DetailParams, result: scry.protocol.Detail
    detail = "scry/detail",
    ---Returns the text of a file of the joined team's index, by the URI of a result's location.
    ---params: scry.protocol.TeamFileParams, result: scry.protocol.TeamFile
    team_file = "scry/teamFile",
    ---Records in the person's own log that a result was used: jumped to, opened or copied.
    ---params: scry.protocol.UseParams, result: scry.protocol.Recorded
    use = "scry/use",
    ---Records in the person's own log that an answer was good or bad.
    ---params: scry.protocol.FeedbackParams, result: scry.protocol.Recorded
    feedback = "scry/feedback",
    ---Records an event of work in the project's memory: a command, an error, a test, a decision.
    ---params: scry.protocol.ObserveParams, result: scry.protocol.Observed
    observe = "scry/observe",
    ---Lists, searches or deletes memories of the project.
    ---params: scry.protocol.MemoryParams, result: scry.protocol.Memories
    memory = "scry/memory",
    ---Lists the sessions of work, and begins or ends one.
    ---params: scry.protocol.SessionParams, result: scry.protocol.Sessions
    session = "scry/session",
    ---Stores a note of the person, for all projects.
    ---params: scry.protocol.RememberParams, result: scry.protocol.PersonaNotes
    remember = "scry/remember",
    ---Lists, searches or deletes the person's notes.
    ---params: scry.protocol.PersonaParams, result: scry.protocol.PersonaNotes
    persona = "scry/persona",
    ---Writes a belief of the team to a file of the project, to be reviewed like code.
    ---params: scry.protocol.BelieveParams, result: scry.protocol.Beliefs
    believe = "scry/believe",
    ---Returns the project's beliefs: all of them, one in full, or those with evidence against them.
    ---params: scry.protocol.BeliefsParams, result: scry.protocol.Beliefs
    beliefs = "scry/beliefs",
    ---Lists the projects that a query may name, registered or open; also registers one.
    ---params: scry.protocol.ProjectsParams, result: scry.protocol.Projects
    projects = "scry/projects",
    ---Returns how fresh and complete the index of a folder is.
    ---params: scry.protocol.StatusParams, result: scry.protocol.IndexState
    status = "scry/status",
    ---Starts, pauses, resumes or rebuilds the index of a folder; returns its state.
    ---params: scry.protocol.IndexParams, result: scry.protocol.IndexState
    index = "scry/index",
    ---Announces that the state of a folder's index changed.
    ---params: scry.protocol.StatusChanged; from the sidecar
    status_changed = "scry/statusChanged",
  },
}
