from __future__ import annotations

import io
import json

import pytest

from scry.core import BadRequest, IndexUnavailable
from scry.surfaces.cli import print_json, report_error
from scry.surfaces.cli.output import print_coloured
from scry.surfaces.render.styled_text import TextSpan
from tests.unit.surfaces.render.sample_answers import FUSE, answer


@pytest.mark.acceptance("J7")
def test_json_is_one_line_in_the_order_of_the_definition(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    print_json(answer(FUSE))
    out = capsysbinary.readouterr().out
    assert out.endswith(b"}\n")
    assert out.count(b"\n") == 1
    assert list(json.loads(out)) == [
        *("query", "mode", "query_id", "intent", "scoring", "index", "results", "faults", "notice", "projects"),
    ]


def test_error_is_one_line_or_a_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    report_error(BadRequest("limit", "is too low"), as_json=True)
    out, err = capsys.readouterr()
    assert err == "scry: limit: is too low\n"
    assert json.loads(out) == {
        "error": {"code": "bad_request", "field": "limit", "message": "limit: is too low"},
    }


def test_error_without_a_field(capsys: pytest.CaptureFixture[str]) -> None:
    report_error(IndexUnavailable("the disk\x1b[2J is \udcff full"), as_json=True)
    out, err = capsys.readouterr()
    assert err == "scry: the disk\\x1b[2J is \\udcff full\n"
    assert json.loads(out)["error"] == {
        "code": "index_unavailable",
        "field": None,
        "message": "the disk\x1b[2J is \\udcff full",
    }


def test_errors_without_json_leave_standard_output_empty(capsys: pytest.CaptureFixture[str]) -> None:
    report_error(IndexUnavailable("no"), as_json=False)
    assert capsys.readouterr() == ("", "scry: no\n")


@pytest.mark.acceptance("D1")
def test_coloured_lines_keep_tabs_and_styles() -> None:
    stream = io.StringIO()
    print_coloured([(TextSpan("a\tb", "strong"), TextSpan(" c", "plain")), ()], stream)
    assert "a\tb" in stream.getvalue()
    assert stream.getvalue().startswith("\x1b[1m")
    assert stream.getvalue().endswith(" c\n\n")
