"""Uses from the log become a set of questions with right answers."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from scry.core.doc_id import parse_doc_id
from scry.lab.cases import Case, Target
from scry.lab.logged import LoggedQuestion

WAYS = ("jump", "open", "copy", "agent")
"""Uses that say that something was what was looked for; who looks at a detail may find that it is not."""

CATEGORY = "log"


def gold(questions: Iterable[LoggedQuestion], ways: Collection[str] = WAYS) -> list[Case]:
    """A case for each question of which something was used in one of these ways, in the order of their first asking.

    One asked several times is one case with all that was used. What was rated bad counts for nothing, nor does what is
    no file, such as a commit.
    """
    used: dict[str, dict[Target, int]] = {}
    for question in questions:
        words = " ".join(question.query.split())
        for doc_id, how in question.used:
            target = _target(doc_id)
            if how in ways and question.rating != "bad" and target is not None:
                counts = used.setdefault(words, {})
                counts[target] = counts.get(target, 0) + 1
    return [Case(query, tuple(counts), CATEGORY, _note(sum(counts.values()))) for query, counts in used.items()]


def _target(doc_id: str) -> Target | None:
    """None for what is no file of the project."""
    return Target(parse_doc_id(doc_id).path, doc_id=doc_id) if doc_id.startswith("./") else None


def _note(uses: int) -> str:
    return f"used {uses} time{'' if uses == 1 else 's'}"
