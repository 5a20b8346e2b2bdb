"""Tables, views and migrations of the event log; the list of scripts only grows. docs/events.md explains the views."""

from __future__ import annotations

_EVENTS = """
    -- Everything that happened, in the order of `sequence`, which is never used twice. time: milliseconds since the
    -- epoch, by the clock of then. body: a JSON object.
    CREATE TABLE events (
        sequence    INTEGER PRIMARY KEY AUTOINCREMENT,
        time        INTEGER NOT NULL,
        kind        TEXT NOT NULL,
        query_id    TEXT,
        act_id      TEXT,
        body        TEXT NOT NULL
    );
    CREATE UNIQUE INDEX events_query_once ON events (query_id) WHERE kind = 'scry.query';
    CREATE UNIQUE INDEX events_act_once ON events (act_id) WHERE act_id IS NOT NULL;
    CREATE INDEX events_by_query ON events (query_id);
    CREATE INDEX events_by_time ON events (time);
"""

_QUERIES = """
    CREATE VIEW queries AS
    SELECT
        sequence,
        strftime('%Y-%m-%dT%H:%M:%fZ', time / 1000.0, 'unixepoch') AS at,
        time,
        query_id,
        json_extract(body, '$.mode') AS mode,
        json_extract(body, '$.query') AS query,
        json_extract(body, '$.intent') AS intent,
        json_extract(body, '$.options') AS options,
        json_extract(body, '$.surface') AS surface,
        json_extract(body, '$.asker') AS asker,
        coalesce(json_extract(body, '$.compacted'), json_array_length(body, '$.results')) AS results,
        json_extract(body, '$.index.state') AS index_state
    FROM events
    WHERE kind = 'scry.query';
"""

_USAGE = """
    CREATE VIEW usage AS
    SELECT
        e.sequence,
        strftime('%Y-%m-%dT%H:%M:%fZ', e.time / 1000.0, 'unixepoch') AS at,
        e.query_id,
        json_extract(e.body, '$.rank') AS rank,
        json_extract(e.body, '$.result_used') AS doc_id,
        json_extract(e.body, '$.how') AS how,
        e.act_id,
        json_extract(e.body, '$.surface') AS surface,
        q.mode,
        q.query,
        (e.time - q.time) / 1000.0 AS seconds_after
    FROM events e
    LEFT JOIN queries q ON q.query_id = e.query_id
    WHERE e.kind = 'scry.use';
"""

_RATINGS = """
    CREATE VIEW ratings AS
    SELECT
        e.sequence,
        strftime('%Y-%m-%dT%H:%M:%fZ', e.time / 1000.0, 'unixepoch') AS at,
        e.query_id,
        json_extract(e.body, '$.signal') AS signal,
        json_extract(e.body, '$.comment') AS comment,
        json_extract(e.body, '$.rank') AS rank,
        json_extract(e.body, '$.surface') AS surface,
        q.mode,
        q.query
    FROM events e
    LEFT JOIN queries q ON q.query_id = e.query_id
    WHERE e.kind = 'scry.feedback';
"""


_RESULTS = """
    CREATE VIEW results AS
    SELECT
        q.query_id,
        json_extract(r.value, '$.rank') AS rank,
        json_extract(r.value, '$.doc_id') AS doc_id,
        json_extract(r.value, '$.content_type') AS content_type,
        json_extract(r.value, '$.fused_score') AS fused_score,
        json_extract(r.value, '$.contributions.semantic.rank') AS semantic_rank,
        json_extract(r.value, '$.contributions.semantic.raw_score') AS semantic_score,
        json_extract(r.value, '$.contributions.lexical.rank') AS lexical_rank,
        json_extract(r.value, '$.contributions.lexical.raw_score') AS lexical_score,
        json_extract(r.value, '$.contributions.temporal.rank') AS temporal_rank,
        json_extract(r.value, '$.contributions.temporal.raw_score') AS temporal_score,
        json_extract(r.value, '$.contributions.persona.rank') AS persona_rank,
        json_extract(r.value, '$.contributions.persona.raw_score') AS persona_score,
        json_extract(r.value, '$.contributions.belief.rank') AS belief_rank,
        json_extract(r.value, '$.contributions.belief.raw_score') AS belief_score,
        json_extract(r.value, '$.contributions.memory.rank') AS memory_rank,
        json_extract(r.value, '$.contributions.memory.raw_score') AS memory_score,
        json_extract(r.value, '$.contributions') AS contributions,
        json_extract(r.value, '$.adjustments') AS adjustments,
        json_extract(r.value, '$.annotations') AS annotations
    FROM events q, json_each(q.body, '$.results') r
    WHERE q.kind = 'scry.query';
"""

_QUERY_ANALYSIS = """
    -- One row a result, and one for a query without any.
    CREATE VIEW query_analysis AS
    SELECT
        q.sequence, q.at, q.query_id, q.mode, q.query, q.intent,
        r.rank, r.doc_id, r.content_type, r.fused_score,
        r.semantic_rank, r.semantic_score, r.lexical_rank, r.lexical_score, r.temporal_rank, r.temporal_score,
        r.persona_rank, r.persona_score, r.belief_rank, r.belief_score, r.memory_rank, r.memory_score,
        r.adjustments, r.annotations,
        (SELECT count(*) FROM usage u WHERE u.query_id = q.query_id AND u.rank = r.rank) AS uses,
        (
            SELECT group_concat(DISTINCT u.how) FROM usage u WHERE u.query_id = q.query_id AND u.rank = r.rank
        ) AS used_how,
        (SELECT count(*) FROM usage u WHERE u.query_id = q.query_id) AS query_uses,
        (
            SELECT f.signal FROM ratings f
            WHERE f.query_id = q.query_id AND (f.rank IS NULL OR f.rank = r.rank)
            ORDER BY f.sequence DESC LIMIT 1
        ) AS rating
    FROM queries q
    LEFT JOIN results r ON r.query_id = q.query_id;
"""

_MODES = """
    CREATE VIEW modes AS
    SELECT
        q.mode,
        count(*) AS queries,
        sum(q.results > 0) AS with_results,
        sum(EXISTS (SELECT 1 FROM events u WHERE u.query_id = q.query_id AND u.kind = 'scry.use')) AS used,
        sum((SELECT count(*) FROM ratings r WHERE r.query_id = q.query_id AND r.signal = 'good')) AS good,
        sum((SELECT count(*) FROM ratings r WHERE r.query_id = q.query_id AND r.signal = 'bad')) AS bad
    FROM queries q
    GROUP BY q.mode;
"""

_REFORMULATIONS = """
    -- A question after another one by the same asker within 60 s. A clock that was set back makes none.
    CREATE VIEW reformulations AS
    SELECT query_id, query, next_query_id, next_query, (next_time - time) / 1000.0 AS seconds, asker,
        EXISTS (SELECT 1 FROM events u WHERE u.query_id = asked.query_id AND u.kind = 'scry.use') AS was_used
    FROM (
        SELECT query_id, query, time, asker,
            lead(query_id) OVER later AS next_query_id,
            lead(query) OVER later AS next_query,
            lead(time) OVER later AS next_time
        FROM queries
        WHERE mode IN ('find', 'recent') AND query <> ''
        WINDOW later AS (PARTITION BY asker ORDER BY sequence)
    ) AS asked
    WHERE next_time - time BETWEEN 0 AND 60000 AND query <> next_query;
"""

_INFERRED_USES = """
    -- Uses that the sidecar inferred are told apart from those that a client or a person reported.
    DROP VIEW query_analysis;
    DROP VIEW modes;
    DROP VIEW reformulations;
    -- One row a result, and one for a query without any.
    CREATE VIEW query_analysis AS
    SELECT
        q.sequence, q.at, q.query_id, q.mode, q.query, q.intent,
        r.rank, r.doc_id, r.content_type, r.fused_score,
        r.semantic_rank, r.semantic_score, r.lexical_rank, r.lexical_score, r.temporal_rank, r.temporal_score,
        r.persona_rank, r.persona_score, r.belief_rank, r.belief_score, r.memory_rank, r.memory_score,
        r.adjustments, r.annotations,
        (
            SELECT count(*) FROM usage u WHERE u.query_id = q.query_id AND u.rank = r.rank AND u.how <> 'inferred'
        ) AS uses,
        (
            SELECT count(*) FROM usage u WHERE u.query_id = q.query_id AND u.rank = r.rank AND u.how = 'inferred'
        ) AS inferred_uses,
        (
            SELECT group_concat(DISTINCT u.how) FROM usage u WHERE u.query_id = q.query_id AND u.rank = r.rank
        ) AS used_how,
        (SELECT count(*) FROM usage u WHERE u.query_id = q.query_id AND u.how <> 'inferred') AS query_uses,
        (
            SELECT f.signal FROM ratings f
            WHERE f.query_id = q.query_id AND (f.rank IS NULL OR f.rank = r.rank)
            ORDER BY f.sequence DESC LIMIT 1
        ) AS rating
    FROM queries q
    LEFT JOIN results r ON r.query_id = q.query_id;

    CREATE VIEW modes AS
    SELECT
        q.mode,
        count(*) AS queries,
        sum(q.results > 0) AS with_results,
        sum(EXISTS (SELECT 1 FROM usage u WHERE u.query_id = q.query_id AND u.how <> 'inferred')) AS used,
        sum(EXISTS (SELECT 1 FROM usage u WHERE u.query_id = q.query_id AND u.how = 'inferred')) AS inferred,
        sum((SELECT count(*) FROM ratings r WHERE r.query_id = q.query_id AND r.signal = 'good')) AS good,
        sum((SELECT count(*) FROM ratings r WHERE r.query_id = q.query_id AND r.signal = 'bad')) AS bad
    FROM queries q
    GROUP BY q.mode;

    -- A question after another one by the same asker within 60 s. A clock that was set back makes none.
    CREATE VIEW reformulations AS
    SELECT query_id, query, next_query_id, next_query, (next_time - time) / 1000.0 AS seconds, asker,
        EXISTS (SELECT 1 FROM usage u WHERE u.query_id = asked.query_id AND u.how <> 'inferred') AS was_used
    FROM (
        SELECT query_id, query, time, asker,
            lead(query_id) OVER later AS next_query_id,
            lead(query) OVER later AS next_query,
            lead(time) OVER later AS next_time
        FROM queries
        WHERE mode IN ('find', 'recent') AND query <> ''
        WINDOW later AS (PARTITION BY asker ORDER BY sequence)
    ) AS asked
    WHERE next_time - time BETWEEN 0 AND 60000 AND query <> next_query;
"""

_MEMORY_COLUMNS = "json_extract(r.value, '$.contributions.memory.raw_score') AS memory_score,"
_USE_COLUMNS = f"""{_MEMORY_COLUMNS}
        json_extract(r.value, '$.contributions.use.rank') AS use_rank,
        json_extract(r.value, '$.contributions.use.raw_score') AS use_score,"""

_USE_RANKS = (
    "DROP VIEW query_analysis; DROP VIEW results;"
    + _RESULTS.replace(_MEMORY_COLUMNS, _USE_COLUMNS)
    + _INFERRED_USES[_INFERRED_USES.index("CREATE VIEW query_analysis") : _INFERRED_USES.index("CREATE VIEW modes")]
).replace("r.memory_score,", "r.memory_score, r.use_rank, r.use_score,")
"""The oracle of use has its columns, like the others."""

EVENT_MIGRATIONS = (
    _EVENTS + _QUERIES + _USAGE + _RATINGS + _RESULTS + _QUERY_ANALYSIS + _MODES + _REFORMULATIONS,
    _INFERRED_USES,
    _USE_RANKS,
)
