from __future__ import annotations

from pathlib import Path

import pytest

from scry.core import BadRequest
from scry.index.notes import read_junit_report

REPORT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" errors="1" failures="1" skipped="1" tests="4">
<testcase classname="tests.test_cart" name="test_total" file="tests/test_cart.py" line="12">
<failure message="assert 3 == 4">def test_total():
&gt;   assert 3 == 4</failure></testcase>
<testcase classname="tests.test_cart" name="test_broken"><error>RuntimeError: größe
at line 3</error></testcase>
<testcase classname="tests.test_cart" name="test_later"><skipped/></testcase>
<testcase classname="tests.test_cart" name="test_fine"/>
</testsuite></testsuites>
"""


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "report.xml"
    path.write_text(REPORT, encoding="utf-8")
    return path


@pytest.mark.acceptance("M1")
def test_report_gives_failures_and_a_total(report: Path) -> None:
    first, second, whole = read_junit_report(report, 5)
    assert first.text == "tests.test_cart::test_total failed: assert 3 == 4"
    assert (first.refs, first.outcome, first.kind) == (("tests/test_cart.py:12",), "failed", "test")
    assert "assert 3 == 4" in first.detail
    assert second.text == "tests.test_cart::test_broken failed: RuntimeError: größe"
    assert (whole.text, whole.outcome) == ("4 tests in report.xml, 2 failed, 1 skipped", "failed")
    assert len({each.key for each in (first, second, whole)}) == 3


def test_single_suite_without_failures_is_read(tmp_path: Path) -> None:
    path = tmp_path / "r.xml"
    path.write_text('<testsuite><testcase name="a"/></testsuite>')
    (whole,) = read_junit_report(path, 5)
    assert (whole.text, whole.outcome) == ("1 test in r.xml, 0 failed", "passed")


BOMB = '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><testsuite name="&b;"/>'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is no JUnit XML"),
        ("nonsense", "is no JUnit XML"),
        ("<html/>", "begins with <html>"),
        ("<testsuite>", "is no JUnit XML"),
        (BOMB, "declares a document type"),
        (BOMB.encode("utf-16"), "declares a document type"),
    ],
)
def test_invalid_junit_report_is_refused(tmp_path: Path, text: str | bytes, why: str) -> None:
    path = tmp_path / "r.xml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(BadRequest, match=why):
        read_junit_report(path, 5)


def test_a_missing_report_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match=r"none\.xml can't be read"):
        read_junit_report(tmp_path / "none.xml", 5)
