from __future__ import annotations

from scry.core.memory import Memory, MemoryKind, summarize_work


def memories_of(*events: tuple[MemoryKind, str, int | None]) -> list[Memory]:
    return [
        Memory(number, str(number), kind, number, "s", "c", "", "session", "", text, status=status)
        for number, (kind, text, status) in enumerate(events)
    ]


def test_work_summary_lists_decisions_failures_and_files() -> None:
    memories = memories_of(
        ("edit", "src/login.py", None),
        ("command", "pytest -q", 1),
        ("decision", "Use JWT, refreshed every hour", None),
        ("command", "make lint", 2),
        ("edit", "src/auth.py", None),
        ("command", "make lint", 0),
        ("edit", "src/login.py", None),
        ("commit", "a1b2c3d Add single sign on", None),
        ("error", "AssertionError: 3 != 4", None),
        ("note", "ask Ada about the clock", None),
    )
    assert summarize_work("make login work", memories).splitlines() == [
        "Intent: make login work",
        "Decided: Use JWT, refreshed every hour",
        "Failed: pytest -q (exit 1)",
        "Failed: AssertionError: 3 != 4",
        "Noted: ask Ada about the clock",
        "Committed: a1b2c3d Add single sign on",
        "Files: src/login.py, src/auth.py",
    ]


def test_work_summary_keeps_the_newest_entries() -> None:
    edits: list[tuple[MemoryKind, str, int | None]] = [("edit", f"{number}.py", None) for number in range(12)]
    errors: list[tuple[MemoryKind, str, int | None]] = [("error", f"error {number}", None) for number in range(5)]
    files = summarize_work("", memories_of(*edits))
    assert files == "Files: 11.py, 10.py, 9.py, 8.py, 7.py, 6.py, 5.py, 4.py and 4 more"
    failures = summarize_work("", memories_of(*errors))
    assert failures.splitlines() == ["Failed: error 2", "Failed: error 3", "Failed: error 4"]


def test_summary_names_failing_tests_of_the_newest_report() -> None:
    first: list[tuple[MemoryKind, str, int | None]] = [
        ("test", "test_a failed: 1 != 2", 1),
        ("test", "test_b failed: no file", 1),
        ("test", "7 tests in unit.xml, 2 failed", 1),
        ("test", "test_e2e failed: timeout", 1),
        ("test", "1 test in e2e.xml, 1 failed", 1),
    ]
    assert summarize_work("", memories_of(*first)).splitlines() == [
        "Failed: test_a failed: 1 != 2 (exit 1)",
        "Failed: test_b failed: no file (exit 1)",
        "Failed: test_e2e failed: timeout (exit 1)",
    ]
    second: list[tuple[MemoryKind, str, int | None]] = [
        ("test", "test_b failed: no file", 1),
        ("test", "7 tests in unit.xml, 1 failed, 1 skipped", 1),
    ]
    assert summarize_work("", memories_of(*first, *second)).splitlines() == [
        "Failed: test_e2e failed: timeout (exit 1)",
        "Failed: test_b failed: no file (exit 1)",
    ]
    passed = memories_of(*first, *second, ("test", "7 tests in unit.xml, 0 failed", 0))
    assert summarize_work("", passed).splitlines() == ["Failed: test_e2e failed: timeout (exit 1)"]


def test_summary_without_memories_is_empty() -> None:
    assert summarize_work("make login work", []) == ""
