"""`scry doctor`: looks for whatever could keep Scry from working."""

from __future__ import annotations

import msgspec

from scry.surfaces.cli.checks import Check, Level
from scry.surfaces.cli.options import Force, Json, Root
from scry.surfaces.cli.output import print_json, print_lines
from scry.surfaces.text.line import Line, Part, line

_PARTS: dict[Level, Part] = {"ok": "good", "warn": "warning", "fail": "bad"}


class Diagnosis(msgspec.Struct, frozen=True):
    """All checks. ok: whether none failed."""

    ok: bool
    checks: list[Check]


def doctor(*, root: Root = None, force: Force = False, as_json: Json = False) -> int:
    """Looks for whatever could keep Scry from working, and says what to do about it. Changes nothing."""
    from scry.surfaces.cli.checks import check_all
    from scry.surfaces.cli.opening import project_folder

    checks = list(check_all(project_folder(root), force=force))
    diagnosis = Diagnosis(all(check.level != "fail" for check in checks), checks)
    if as_json:
        print_json(diagnosis)
    else:
        print_lines([each for check in checks for each in _lines(check)])
    return 0 if diagnosis.ok else 1


def _lines(check: Check) -> list[Line]:
    lines = [line((f"{check.level:5}", _PARTS[check.level]), f"{check.name:9} {check.found}")]
    if check.advice:
        lines.append(line(" " * 15, (check.advice, "strong")))
    return lines
