"""Read test reports in JUnit XML, the form that nearly every test runner writes.

The file is untrusted: a document type declaration is refused, for its entities could expand without limit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError, TreeBuilder
from xml.parsers.expat import ExpatError, ParserCreate

from scry.core.errors import BadRequest
from scry.core.memory.types import Observation

MAX_REPORT_BYTES = 50_000_000
"""Size above which a report is refused."""

_MAX_FAILURES = 200
"""Failures of one report that become observations; the summary says how many there were."""

_KEY_LENGTH = 16


def read_junit_report(path: Path, now: int) -> list[Observation]:
    """Return one observation for each failed test, and a summary. now: the time of recording, in ms since the epoch.

    Raises BadRequest for a file that is no report.
    """
    data = _read_report_bytes(path)
    try:
        root = _parse_xml(data)
    except (ExpatError, ParseError, ValueError) as error:
        raise BadRequest("file", f"{path} is no JUnit XML: {error}") from error
    if root.tag not in ("testsuites", "testsuite"):
        raise BadRequest("file", f"{path} is no JUnit XML: it begins with <{root.tag}>, not with <testsuites>")
    key = hashlib.sha256(data).hexdigest()[:_KEY_LENGTH]
    cases = list(root.iter("testcase"))
    failures = [(case, problem) for case in cases for problem in _find_problems(case)]
    observations = [
        _failure_observation(case, problem, now, f"{key} {n}")
        for n, (case, problem) in enumerate(failures[:_MAX_FAILURES])
    ]
    return [*observations, _summary_observation(path, cases, len({id(case) for case, _ in failures}), now, key)]


def _read_report_bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_REPORT_BYTES:
            raise BadRequest("file", f"{path} is larger than {MAX_REPORT_BYTES:,} bytes")
        return path.read_bytes()
    except OSError as error:
        raise BadRequest("file", f"{path} can't be read: {error.strerror}") from error


def _parse_xml(data: bytes) -> Element:
    builder = TreeBuilder()
    parser = ParserCreate()
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.Parse(data, True)
    return builder.close()


def _refuse_doctype(*_: object) -> None:
    raise ValueError("it declares a document type, which a report has no need of")


def _find_problems(case: Element) -> Iterator[Element]:
    for problem in case:
        if problem.tag in ("failure", "error"):
            yield problem


def _failure_observation(case: Element, problem: Element, now: int, key: str) -> Observation:
    name = "::".join(part for part in (case.get("classname", ""), case.get("name", "")) if part)
    message = (problem.get("message") or (problem.text or "").strip().partition("\n")[0]).strip()
    file, line = case.get("file"), case.get("line")
    refs = (f"{file}:{line}" if line else file,) if file else ()
    output = "\n".join(
        part for part in (problem.text, case.findtext("system-err"), case.findtext("system-out")) if part
    )
    text = f"{name} failed: {message}" if message else f"{name} failed"
    return Observation("test", text, now, output, outcome="failed", refs=refs, key=f"junit {key}")


def _summary_observation(path: Path, cases: list[Element], failed: int, now: int, key: str) -> Observation:
    skipped = sum(case.find("skipped") is not None for case in cases)
    tests = f"{len(cases)} test{'' if len(cases) == 1 else 's'}"
    parts = [f"{tests} in {path.name}", f"{failed} failed", *([f"{skipped} skipped"] if skipped else [])]
    return Observation("test", ", ".join(parts), now, outcome="failed" if failed else "passed", key=f"junit {key}")
