"""Question sets: what is read, and what is refused with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from scry.core import BadRequest
from scry.lab import UNCATEGORIZED, EvaluationCase, ExpectedResult, read_cases, write_cases


def _file(folder: Path, text: str) -> Path:
    path = folder / "questions.jsonl"
    path.write_text(text, encoding="utf-8")
    return path


def test_questions_round_trip(tmp_path: Path) -> None:
    cases = [
        EvaluationCase("where is ✓", (ExpectedResult("a.py"), ExpectedResult("b.py", 3, 7)), "semantic", "by hand"),
        EvaluationCase("fuse", (ExpectedResult("a.py", doc_id="./a.py::fuse"),)),
    ]
    path = tmp_path / "questions.jsonl"
    path.write_bytes(write_cases(cases))
    assert read_cases(path) == cases


def test_bare_string_is_a_path_and_empty_lines_are_skipped(tmp_path: Path) -> None:
    assert read_cases(_file(tmp_path, '\n{"query": "q", "targets": ["a.py"]}\n\n')) == [
        EvaluationCase("q", (ExpectedResult("a.py"),), UNCATEGORIZED)
    ]


@pytest.mark.parametrize(
    "data",
    [
        b'\xef\xbb\xbf{"query": "q", "targets": ["a.py"]}\n{"query": "r", "targets": ["b.py"]}\n',
        b'{"query": "q", "targets": ["a.py"]}\r\n\r\n{"query": "r", "targets": ["b.py"]}\r\n',
        b'{"query": "q", "targets": ["a.py"]}\r{"query": "r", "targets": ["b.py"]}',
    ],
    ids=["byte order mark", "CR LF", "CR"],
)
def test_question_file_may_come_from_any_system(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_bytes(data)
    assert [(case.query, case.targets[0].path) for case in read_cases(path)] == [("q", "a.py"), ("r", "b.py")]


def test_question_may_hold_what_other_formats_take_for_a_line_end(tmp_path: Path) -> None:
    case = EvaluationCase("one\u2028two\x85three", (ExpectedResult("a.py"),))
    path = tmp_path / "questions.jsonl"
    path.write_bytes(write_cases([case]))
    assert read_cases(path) == [case]


def test_target_that_is_named_twice_is_one(tmp_path: Path) -> None:
    [case] = read_cases(_file(tmp_path, '{"query": "q", "targets": ["a.py", {"path": "a.py"}, "b.py"]}'))
    assert case.targets == (ExpectedResult("a.py"), ExpectedResult("b.py"))


@pytest.mark.acceptance("L1")
@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('{"query": "q"', "truncated"),
        ("[]", "object"),
        ('{"query": "q"}', "targets"),
        ('{"query": "q", "targets": []}', "`targets` is empty"),
        ('{"query": "q", "target": ["a"]}', "target"),
        ('{"query": " ", "targets": ["a"]}', "`query` is empty"),
        ('{"query": "q", "targets": [""]}', "`path` is empty"),
        ('{"query": "q", "targets": [{"path": "a", "start_line": 3}]}', "`end_line`"),
        ('{"query": "q", "targets": [{"path": "a", "start_line": 3, "end_line": 2}]}', "`end_line`"),
        ('{"query": "q", "targets": [{"path": "a", "start_line": 0, "end_line": 2}]}', "from 1"),
    ],
)
def test_a_wrong_line_is_named_with_its_file(tmp_path: Path, line: str, what: str) -> None:
    path = _file(tmp_path, f'{{"query": "right", "targets": ["a"]}}\n\n{line}\n')
    with pytest.raises(BadRequest) as refused:
        read_cases(path)
    assert refused.value.field == "queries"
    assert f"{path}, line 3: " in str(refused.value)
    assert what in str(refused.value)


def test_empty_missing_or_binary_question_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="holds no question"):
        read_cases(_file(tmp_path, "\n"))
    with pytest.raises(BadRequest, match="can't be read"):
        read_cases(tmp_path / "none.jsonl")
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(BadRequest, match="not UTF-8"):
        read_cases(tmp_path / "binary.jsonl")
