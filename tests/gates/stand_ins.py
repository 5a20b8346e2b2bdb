"""Tests that run against something real where a machine has it, and against a stand-in elsewhere, say which it was.

A test records it as the property RAN; all of them are named at the end of the run.
"""

from __future__ import annotations

import pytest

RAN = "ran with"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the plugin or stand-in that each of these tests ran with."""
    ran = {
        report.nodeid: str(what)
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, ())
        if isinstance(report, pytest.TestReport)
        for name, what in report.user_properties
        if name == RAN
    }
    if ran:
        terminalreporter.section("ran with the real thing, or with a stand-in")
        for nodeid, what in sorted(ran.items()):
            terminalreporter.write_line(f"{nodeid}  ({what})")
