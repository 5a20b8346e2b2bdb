"""`scry memory import`: test reports."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter

from scry.engine.words import format_count
from scry.surfaces.cli.options import JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_text
from scry.surfaces.cli.remembering import AgentOption, open_memory


class MemoryImportReport(msgspec.Struct, frozen=True):
    """What was taken in. known: how many were told before. masked: how many secrets were."""

    noted: int
    known: int
    masked: int


def import_reports(
    files: Annotated[tuple[Path, ...], Parameter(help="Reports in JUnit's XML, as pytest --junitxml writes them.")],
    /,
    *,
    agent: AgentOption = "",
    root: RootOption = None,
    as_json: JsonOption = False,
) -> int:
    """Notes the tests that failed, and how many passed, out of JUnit XML reports."""
    from scry.engine.memory import now_ms
    from scry.index.junit import read_junit_report

    told = [observation for file in files for observation in read_junit_report(file, now_ms())]
    with open_memory(root) as memory:
        noted = [memory.note(observation, agent) for observation in told]
    report = MemoryImportReport(
        sum(each.is_new for each in noted),
        sum(not each.is_new for each in noted),
        sum(each.masked_secrets for each in noted),
    )
    if as_json:
        print_json(report)
    else:
        known = f"; {report.known} were known" if report.known else ""
        masked = f"; {format_count(report.masked, 'secret')} masked" if report.masked else ""
        print_text(f"{report.noted} noted{known}{masked}.\n")
    return 0
