"""The mode neighbors, on a generated repository with a real history and a real code graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from scry.core import BadRequest
from scry.surfaces.cli.run import run
from scry_protocol import messages
from tests.sample.indexed import IndexedProject, doc_ids

FILES = {
    "post/clock.py": "def now():\n    return 0\n\n\ndef wait(seconds):\n    return seconds\n",
    "post/retry.py": "from post.clock import now, wait\n\n\ndef again():\n    wait(1)\n    return now()\n",
    "post/main.py": "from post.retry import again\n\n\ndef run():\n    return again()\n",
    "post/quiet.py": "def rest():\n    pass\n",
    ".gitignore": "*.log\n",
}


@pytest.fixture(scope="module")
def post(tmp_path_factory: pytest.TempPathFactory) -> IndexedProject:
    sample = IndexedProject(tmp_path_factory.mktemp("work") / "post").init_repository()
    for name, text in FILES.items():
        sample.write({name: text})
        sample.commit(f"Add {name}")
    for number in range(3):
        changed = ["post/retry.py", "post/clock.py"] + (["post/main.py"] if number else [])
        sample.write({name: FILES[name] + f"\nN = {number}\n" for name in changed})
        sample.git("commit", "-qam", f"Wait {number}")
    sample.write({"a.log": "x\n"})
    sample.update_index()
    sample.update_graph()
    return sample


def neighbors(sample: IndexedProject, file: str, **params: object) -> messages.Answer:
    asked = messages.NeighborsParams(file=file, **params)  # type: ignore[arg-type]
    return sample.ask(lambda engine: engine.neighbors(asked))


def relations(answer: messages.Answer) -> dict[str, list[tuple[str, int]]]:
    return {
        result.doc_id: [(relation.kind, relation.count) for relation in result.annotations.relations or []]
        for result in answer.results
    }


@pytest.mark.acceptance("N1", "J1", "J3")
def test_neighbors_by_cochange_have_counts_and_exclude_the_file(post: IndexedProject) -> None:
    answer = neighbors(post, "post/retry.py")
    assert answer.mode == "neighbors"
    assert relations(answer) == {
        "./post/clock.py": [("changes_with", 3)],
        "./post/main.py": [("changes_with", 2)],
    }
    first, second = answer.results
    temporal = first.contributions["temporal"]
    assert (temporal.rank, temporal.raw_score, temporal.score_type) == (1, 3, "co_change_count")
    assert (first.fused_score, second.fused_score) == (1.0, 2 / 3)
    assert first.evidence.startswith("temp #1")
    assert first.snippet.startswith("changed with it in 3 commits")


@pytest.mark.acceptance("N1")
def test_neighbors_by_dependency_go_both_directions(post: IndexedProject) -> None:
    answer = neighbors(post, "post/retry.py", by="dependency")
    assert relations(answer) == {
        "./post/clock.py": [("imported_by", 1), ("called_by", 2)],
        "./post/main.py": [("imports", 1), ("calls", 1)],
    }
    assert answer.notice == ""


@pytest.mark.acceptance("N1")
def test_symbol_name_selects_its_file(post: IndexedProject) -> None:
    answer = neighbors(post, "./post/retry.py::again")
    assert doc_ids(answer) == doc_ids(neighbors(post, "post/retry.py"))
    assert answer.notice == "the file of ./post/retry.py::again was taken, post/retry.py"


@pytest.mark.acceptance("N1")
@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("post/retri.py", "did you mean"),
        ("nowhere.py", "there is no nowhere.py"),
        ("../x.py", "outside of the project"),
        ("post", "is a folder"),
        ("a.log", "ignored (.gitignore line 1)"),
    ],
)
def test_an_unknown_file_is_refused(post: IndexedProject, file: str, words: str) -> None:
    with pytest.raises(BadRequest) as refused:
        neighbors(post, file)
    assert refused.value.field == "file"
    assert words in str(refused.value)


@pytest.mark.acceptance("N1")
def test_neighbors_embeds_nothing(post: IndexedProject, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("neighbors embeds nothing")

    monkeypatch.setattr("scry.engine.project_index.QuestionEncoder.encode", refuse)
    assert neighbors(post, "post/retry.py").results
    assert neighbors(post, "post/retry.py", by="dependency").results


def test_neighbors_explains_lone_changes_and_folders_without_git(post: IndexedProject, tmp_path: Path) -> None:
    assert "no commit" in neighbors(post, "post/quiet.py").notice
    plain = IndexedProject(tmp_path / "plain")
    plain.write({"a.py": "x = 1\n"})
    plain.update_index()
    assert "by dependency" in neighbors(plain, "a.py").notice


@pytest.mark.acceptance("F9")
def test_neighbors_limit_is_exact(post: IndexedProject) -> None:
    assert doc_ids(neighbors(post, "post/retry.py", limit=1)) == ["./post/clock.py"]


@pytest.mark.acceptance("N1", "F9")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--file", "post/retry.py", "--type", "code"], "file: asks for what belongs to one file"),
        (["--file", "post/retry.py", "--full"], "file: asks for what belongs to one file"),
        (["--file", "post/retry.py", "words"], "file: asks for what belongs to one file"),
        (["--by", "dependency", "words"], "by: says what belongs to a file"),
    ],
)
def test_find_with_a_file_refuses_unsupported_parameters(
    post: IndexedProject,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(post.root)
    assert run(["find", "--no-wait", *options]) == 2
    assert said in capsys.readouterr().err
    assert run(["find", "--no-wait", "--file", "post/retry.py", "--limit", "1"]) == 0
    assert "./post/clock.py" in capsys.readouterr().out
