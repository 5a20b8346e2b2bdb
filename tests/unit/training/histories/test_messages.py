from __future__ import annotations

import pytest

from training.histories.messages import clean_body, clean_subject, is_bot


@pytest.mark.parametrize(
    ("subject", "cleaned"),
    [
        ("fix(parser): allow tabs in headings (#123)", "allow tabs in headings"),
        ("[core] Keep the last page when the list shrinks", "Keep the last page when the list shrinks"),
        (":bug: Escape quotes in names, closes #42", "Escape quotes in names"),
        ("\u2728 feat!: read settings from the environment", "read settings from the environment"),
        ("net/http: reject empty header names", "reject empty header names"),
        ("ABC-123: Retry when the server resets the connection", "Retry when the server resets the connection"),
        ("#77 Sort plugins by their priority", "Sort plugins by their priority"),
        ("Fix crash on an empty queue (fixes owner/name#12)", "Fix crash on an empty queue"),
        ("Use std::move for the last argument", "Use std::move for the last argument"),
        ("Decode https://example.org/a as one token", "Decode as one token"),
    ],
)
def test_marks_of_tools_are_removed_from_subjects(subject: str, cleaned: str) -> None:
    assert clean_subject(subject) == cleaned


@pytest.mark.parametrize(
    "subject",
    [
        "Merge pull request #3 from owner/branch",
        'Revert "Allow tabs in headings"',
        "Bump lodash from 4.17.20 to 4.17.21",
        "chore(deps): update dependency eslint to v9",
        "Release version 1.2.3",
        "v2.0.0-rc.1",
        "Prepare for next development iteration",
        "Fix typo in comment",
        "fix: lint errors",
        "Update README with new examples",
        "Add missing tests for the parser",
        "minor cleanups in the parser",
        "Address review comments",
        "wip",
        "more tests",
        "Corrige el an\u00e1lisis de las cabeceras vac\u00edas y a\u00f1ade m\u00e1s \u00f1",
        "\u4fee\u590d\u89e3\u6790\u5668 bug in the parser \u7684\u95ee\u9898\u4fee\u590d\u89e3\u6790\u5668",
        "a" * 300,
    ],
)
def test_subjects_that_say_nothing_of_code_are_dropped(subject: str) -> None:
    assert clean_subject(subject) == ""


def test_first_paragraph_of_prose_is_the_body() -> None:
    body = (
        "Signed-off-by: A B <a@example.org>\n\n```\nx = {1}\n```\n\n"
        "The cache kept entries of closed sessions,\nso memory grew without a bound (#12).\n\n"
        "More text of no use here at all."
    )
    assert clean_body(body) == "The cache kept entries of closed sessions, so memory grew without a bound."


@pytest.mark.parametrize(
    "body", ["", "See #12", "git-svn-id: https://example.org/trunk@12 a-b", "if (a) { b(); } else { c(); }"]
)
def test_body_without_prose_is_empty(body: str) -> None:
    assert clean_body(body) == ""


def test_programs_are_told_from_people() -> None:
    assert all(map(is_bot, ("dependabot[bot]", "Renovate Bot", "github-actions")))
    assert not any(map(is_bot, ("Ada Lovelace", "Robot Talbot", "abbott")))
