"""The mode neighbors, on a generated repository with a real history and a real code graph."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from scry.core import BadRequest
from scry.surfaces.cli.run import run
from scry_protocol import messages
from scry_protocol.messages import FindParams, NeighborsParams, RecentParams
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


ALIKE = {
    "carts.py": "def add_to_cart(cart, item):\n    cart.items.append(item)\n    cart.total += item.price\n",
    "baskets.py": "class Basket:\n    def add_to_basket(self, item):\n"
    "        self.items.append(item)\n        self.total += item.price\n",
    "weather.py": "def forecast_rain(clouds):\n    return clouds.humidity > 80\n",
}


@pytest.mark.acceptance("N1")
def test_similar_places_are_found_by_line_and_by_doc_id(own_shop: IndexedProject) -> None:
    own_shop.write(ALIKE)
    own_shop.update_index()
    with closing(own_shop.engine()) as engine:
        by_line = engine.neighbors(NeighborsParams("carts.py", by="similar", line=2, limit=3))
        found = [result.doc_id for result in by_line.results]
        assert {"./baskets.py::Basket.add_to_basket", "./shop/cart.py::add_to_cart"} <= set(found)
        assert "./weather.py::forecast_rain" not in found
        assert by_line.results[0].contributions["semantic"].score_type == "cosine"
        assert "./carts.py::add_to_cart" not in found
        by_doc_id = engine.neighbors(NeighborsParams("./carts.py::add_to_cart", by="similar", limit=3))
        assert [each.doc_id for each in by_doc_id.results] == [each.doc_id for each in by_line.results]
        back = engine.neighbors(NeighborsParams("baskets.py", by="similar", line=3, limit=20)).results
        assert "./carts.py::add_to_cart" in [each.doc_id for each in back[:3]]
        assert not [each.doc_id for each in back if each.doc_id.startswith("./baskets.py")], "its class resembles it"
        for wrong, field in (
            (NeighborsParams("carts.py", line=2), "line"),
            (NeighborsParams("gone.py", by="similar"), "file"),
        ):
            with pytest.raises(BadRequest) as refused:
                engine.neighbors(wrong)
            assert refused.value.field == field


@pytest.mark.acceptance("N1")
def test_files_similar_to_a_whole_file_are_files(own_shop: IndexedProject) -> None:
    own_shop.write({**ALIKE, "empty.py": "\n"})
    own_shop.update_index()
    with closing(own_shop.engine()) as engine:
        answer = engine.neighbors(NeighborsParams("carts.py", by="similar", limit=3))
        found = [result.doc_id for result in answer.results]
        assert {"./baskets.py", "./shop/cart.py"} <= set(found), "no functions"
        assert not {"./weather.py", "./carts.py"} & set(found)
        scores = [result.contributions["semantic"].raw_score for result in answer.results]
        assert scores == sorted(scores, reverse=True)
        assert scores[0] < 1
        unknown = engine.neighbors(NeighborsParams("./carts.py::gone", by="similar", limit=3))
        assert [result.doc_id for result in unknown.results] == found
        assert "carts.py::gone" in unknown.notice
        nothing = engine.neighbors(NeighborsParams("empty.py", by="similar"))
        assert (nothing.results, "empty.py" in nothing.notice) == ([], True)


@pytest.mark.acceptance("F5", "N1")
def test_excerpt_gives_the_lines_that_match_best(own_shop: IndexedProject) -> None:
    body = "".join(f"    step_{number} = {number}\n" for number in range(30))
    own_shop.write({"parcels.py": f"def send_parcel(parcel):\n{body}\tparcel.weigh_twice()\n    return parcel\n"})
    own_shop.update_index()
    with closing(own_shop.engine()) as engine:
        asked = FindParams("send parcel and weigh it", types=["code"])
        plain = engine.find(asked)
        shown = engine.find(msgspec.structs.replace(asked, excerpt=3))
        first = next(each for each in shown.results if each.doc_id == "./parcels.py::send_parcel")
        assert first.excerpt
        assert [line.line for line in first.excerpt] == [2, 32, 33]
        assert first.excerpt[1].text == "parcel.weigh_twice()"
        bare = [msgspec.structs.replace(each, excerpt=msgspec.UNSET) for each in shown.results]
        assert bare == plain.results
        recent = engine.recent(RecentParams("send parcel and weigh it", types=["code"], excerpt=3))
        assert next(each for each in recent.results if each.doc_id == first.doc_id).excerpt == first.excerpt
        changes = engine.recent(RecentParams(excerpt=3))
        assert changes.results
        assert all(each.excerpt is msgspec.UNSET for each in changes.results), "nothing matches best without a query"
