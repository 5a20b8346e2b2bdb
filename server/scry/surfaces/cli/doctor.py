"""`scry doctor`: looks for whatever could keep Scry from working."""

from __future__ import annotations

import msgspec

from scry.surfaces.cli.checks import CheckResult, CheckLevel
from scry.surfaces.cli.options import ForceOption, JsonOption, RootOption
from scry.surfaces.cli.output import print_json, print_lines
from scry.surfaces.text.line import StyledLine, TextStyle, styled_line

_STYLE_OF_LEVEL: dict[CheckLevel, TextStyle] = {"ok": "good", "warn": "warning", "fail": "bad"}


class DoctorReport(msgspec.Struct, frozen=True):
    """All checks. ok: whether none failed."""

    ok: bool
    checks: list[CheckResult]


def doctor(*, root: RootOption = None, force: ForceOption = False, as_json: JsonOption = False) -> int:
    """Looks for whatever could keep Scry from working, and says what to do about it. Changes nothing."""
    from scry.surfaces.cli.checks import run_checks
    from scry.surfaces.cli.opening import resolve_project_folder

    checks = list(run_checks(resolve_project_folder(root), force=force))
    diagnosis = DoctorReport(all(check.level != "fail" for check in checks), checks)
    if as_json:
        print_json(diagnosis)
    else:
        print_lines([each for check in checks for each in _check_lines(check)])
    return 0 if diagnosis.ok else 1


def _check_lines(check: CheckResult) -> list[StyledLine]:
    lines = [styled_line((f"{check.level:5}", _STYLE_OF_LEVEL[check.level]), f"{check.name:9} {check.found}")]
    if check.advice:
        lines.append(styled_line(" " * 15, (check.advice, "strong")))
    return lines
