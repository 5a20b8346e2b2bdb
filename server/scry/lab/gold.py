"""Uses from the log become a set of questions with right answers."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from scry.core.doc_id import parse_doc_id
from scry.lab.cases import EvaluationCase, ExpectedResult
from scry.lab.logged import LoggedQuery

RELEVANT_USES = ("jump", "open", "copy", "agent")
"""Uses that say that something was what was looked for; who looks at a detail may find that it is not."""

LOGGED_CATEGORY = "log"


def build_gold_cases(questions: Iterable[LoggedQuery], relevant_uses: Collection[str] = RELEVANT_USES) -> list[EvaluationCase]:
    """A case for each question of which something was used in one of these ways, in the order of their first asking.

    One asked several times is one case with all that was used. What was rated bad counts for nothing, nor does what is
    no file, such as a commit.
    """
    used: dict[str, dict[ExpectedResult, int]] = {}
    for question in questions:
        words = " ".join(question.query.split())
        for doc_id, how in question.used:
            target = _expected_result(doc_id)
            if how in relevant_uses and question.rating != "bad" and target is not None:
                counts = used.setdefault(words, {})
                counts[target] = counts.get(target, 0) + 1
    return [EvaluationCase(query, tuple(counts), LOGGED_CATEGORY, _usage_note(sum(counts.values()))) for query, counts in used.items()]


def _expected_result(doc_id: str) -> ExpectedResult | None:
    """None for what is no file of the project."""
    return ExpectedResult(parse_doc_id(doc_id).path, doc_id=doc_id) if doc_id.startswith("./") else None


def _usage_note(uses: int) -> str:
    return f"used {uses} time{'' if uses == 1 else 's'}"
