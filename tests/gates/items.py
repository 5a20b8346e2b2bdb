"""The acceptance items: what Scry does, each as something that a user or a test can observe.

A test names the items that it proves by `@pytest.mark.acceptance("F8a")`; `make acceptance` writes docs/acceptance.md
from both. Where only a part of an item is there, `missing` says what is not, so that a passing test does not promise
the whole.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Item:
    """An acceptance item: id, title, and the part that is not there yet (empty: nothing is missing)."""

    id: str
    title: str
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Chapter:
    """Items that belong together."""

    title: str
    items: tuple[Item, ...]


_FIND = Chapter(
    "Find: where is X?",
    (
        Item(
            "F1",
            "One engine and one serializer: equal ids in equal order on every surface; unsaved text is named",
        ),
        Item("F2", "Code results are symbols; duplicate names are told apart and stay; text outside symbols is found"),
        Item(
            "F3",
            "Six oracles take part in every query; a missing or failing one is named and the others answer",
        ),
        Item("F4", "Weighted reciprocal rank fusion, k = 60, fixed depth; a score of 0 to 1 with its scoring shown"),
        Item("F5", "Whatever else moves a result is a named adjustment; the JSON alone reproduces the score"),
        Item("F6", "Structure does not rank in find"),
        Item(
            "F7",
            "The intent is detected, reported, can be set, and only raises weights",
        ),
        Item("F8", "An exact identifier finds its definition first; filters and quotes in the query"),
        Item("F8a", "Odd input is literal text, never an error"),
        Item(
            "F9",
            "The limit is exact, min_score bounds the confidence, filters are honoured or refused",
        ),
        Item("F10", "Deterministic over processes, hash seeds and surfaces; step by step equals fresh"),
        Item("F11", 'Every answer carries the index state; a partial index never says a plain "no results"'),
        Item(
            "F12",
            "Sharp test: one answer shows what a module is, its use, its life, its connections and why",
        ),
        Item("F13", "Sharp test: the quiet file that implements it comes before the busy decoy"),
        Item("F14", "The place that answers comes first in its file; further places are named and can be chosen"),
        Item(
            "F15",
            "A question of which no word occurs is told so, with near names; so is a filter with an unknown value; "
            "min_score means the same across questions",
        ),
    ),
)

_MODES = Chapter(
    "Orient, recent, why, detail, neighbors",
    (
        Item("O1", "orient ranks files by a documented structural composite, with its parts and a summary"),
        Item("R1", "recent searches first and re-ranks by recency; without a query it lists recent changes"),
        Item(
            "W1",
            "why shows every oracle's rank and score, terms, adjustments, structure, history and places",
        ),
        Item(
            "W2",
            "why answers for what was not returned and for what is not indexed",
        ),
        Item("W3", "Semantic evidence is split into shares that sum to the cosine, or says that it can't be"),
        Item("W4", "The one-line why names the factor without which the result would fall furthest"),
        Item("D1", "detail returns one result in full from the answer store, without searching again"),
        Item("D2", "full returns every result in full"),
        Item("N1", "neighbors of a file by co-change or by dependency, without an embedding"),
        Item("N2", "neighbors of a belief: what it reaches"),
        Item("N3", "Relational questions over the code graph are answered relationally"),
    ),
)

_ANSWER = Chapter(
    "The answer",
    (
        Item("J1", "Top: query, mode, query_id, intent, scoring, index, results, faults"),
        Item(
            "J2", "Result: rank, doc_id, type, title, location, score, contributions, adjustments, annotations, snippet"
        ),
        Item(
            "J2a",
            "The forms of a doc_id, escaped by a documented rule and read back",
        ),
        Item("J3", "Contributions: rank, raw score, its type, matched terms; oracles that did not match are absent"),
        Item("J4", "Structural annotations: importers, centrality by percentile, activity, flags"),
        Item("J5", "The query_id's form; metadata where known"),
        Item("J6", "Snippets by type, cut safely in any script"),
        Item(
            "J7",
            "`--json` prints JSON alone; a text form for language models groups its sections",
        ),
    ),
)

_SEEN = Chapter(
    "What a person sees",
    (
        Item("X1", "One line a result with the ranks that found it; the header shows the query_id"),
        Item("X2", "`--explain` adds raw scores with units"),
        Item("X3", "A footer on belief impact, only when beliefs matched"),
    ),
)

_EVENTS = Chapter(
    "Events: learning from use",
    (
        Item("E1", "Every call is logged; a failing log never fails a search"),
        Item("E2", "Every jump, open, copy, detail and agent callback is a use event, once"),
        Item("E3", "Feedback good or bad; other signals and unknown ids are refused"),
        Item("E4", "The log survives deletion of the index, kill -9 and power loss; forget and export"),
        Item("E5", "SQL views answer the questions on use from the start"),
    ),
)

_KNOWLEDGE = Chapter(
    "Knowledge: persona, beliefs, patterns",
    (
        Item("K1", "Persona notes of the person, across projects"),
        Item("K2", "Beliefs live in the repository as Markdown, ranked by meaning and words"),
        Item("K3", "Reach: which files a belief bears on; gone evidence is named"),
        Item("K4", "Patterns and session notes are docs too"),
        Item("K5", "Knowledge displaces nothing and changes no order among the others"),
    ),
)

_MEMORY = Chapter(
    "Memory",
    (
        Item("M1", "Sessions, capsules, observations, summaries, pins; secrets masked; forget removes"),
        Item("M2", "A pure ranking by text, recency, scope and intent with explicit weights and now"),
        Item("M3", "A text match outranks a non-match; recency breaks near ties; session beats repository"),
        Item("M4", "Each hit's why is short and names the true main factor"),
        Item("M5", "Scenarios: resume work, why did tests fail, what was decided"),
    ),
)

_PROJECTS = Chapter(
    "Many projects",
    (
        Item("P1", "A registry; several projects searched together with provenance; unknown ones reported"),
        Item("P2", "HTTP returns the same schema; token, caps, health"),
        Item("P3", "MCP tools for every mode with structured output"),
    ),
)

_LAB = Chapter(
    "Lab",
    (
        Item("L1", "A query set is evaluated with ablations and baselines; a miss can be replayed with why"),
        Item("L2", "Two runs are compared with the queries that moved and a significance figure"),
        Item("L3", "Real jumps become gold cases; logged queries are replayed against a changed index"),
    ),
)

_CLIENTS = Chapter(
    "Clients",
    (
        Item("C1", "VS Code: commands, picker, hover, status, untrusted workspaces"),
        Item("C2", "Neovim: commands, pickers, why, health, help"),
        Item("C3", "Any other LSP editor: find through workspace/symbol, why through hover"),
    ),
)

_SETTINGS = Chapter(
    "Settings",
    (
        Item(
            "S1",
            "Person's file, project's file (safe keys only), environment, surface; `scry settings` names each source",
        ),
        Item("S2", "`scry cache` shows and clears; `scry purge` removes all that was written, after showing it"),
    ),
)

_LEARNING = Chapter(
    "Learning from use",
    (
        Item("U1", "What was opened for like questions votes, with evidence; it decays, is followed, and is forgotten"),
        Item("U2", "Weights fit jumps, are bounded and judged on held-back ones, apply by consent, and are taken back"),
        Item("U3", "Insights into what was asked and chosen, in the terminal and as one HTML file"),
    ),
)

_TEAM = Chapter(
    "A team",
    (
        Item(
            "T1",
            "A shared index of many repositories on PostgreSQL, made by Ray; found beside local results, with why and "
            "detail",
            "times at 1,000 repositories are not measured",
        ),
        Item("T2", "Permissions hold inside each query, also in counts and term statistics"),
        Item(
            "T3",
            "Faults of server, replica, worker or network delay no local answer by more than 150 ms, lose no "
            "acknowledged write, and are told",
        ),
    ),
)

CHAPTERS = (
    *(_FIND, _MODES, _ANSWER, _SEEN, _EVENTS, _KNOWLEDGE, _MEMORY, _PROJECTS, _LAB, _CLIENTS, _SETTINGS),
    _LEARNING,
    _TEAM,
)
"""All items, in the order of the acceptance page."""

IDS = frozenset(item.id for chapter in CHAPTERS for item in chapter.items)
"""The ids that a marker may name."""
