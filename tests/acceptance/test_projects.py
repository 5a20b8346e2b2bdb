"""Queries over many projects (P1): real engines on real indexes, with their own registry."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from scry.core import BadRequest, ProjectLink, UnknownProject
from scry.engine.federation import EnginePool, HomeWorkspace, ProjectRouter, make_engine_opener
from scry.projects import add_project, open_registry
from scry.store.precious import list_kept_files
from scry.surfaces.render import result_clipboard_text
from scry_protocol.messages import (
    Answer,
    DetailParams,
    FeedbackParams,
    FindParams,
    NeighborsParams,
    OrientParams,
    RecentParams,
    StatusParams,
    UseParams,
    WhyParams,
)
from tests.polling import eventually
from tests.sample.indexed import IndexedProject, recomputed_confidence, recomputed_score

APP = {
    "app/billing.py": """def send_invoice(order):
    '''Sends an invoice by mail.'''
    return order
""",
    "app/main.py": """from app import billing


def main():
    billing.send_invoice(None)
""",
}
LIB = {
    "lib/retry.py": """def retry_with_backoff(call):
    '''Retries a failed call with backoff.'''
    return call
""",
    "lib/mail.py": """from lib import retry


def deliver(letter):
    return retry.retry_with_backoff(letter)
""",
}
OLD = {"old/pay.py": "def invoice_total(lines):\n    return sum(lines)\n"}


@dataclass(frozen=True)
class ProjectFolders:
    """Three registered projects with their indexes; app learns from lib."""

    place: Path

    @contextmanager
    def projects(self, home: str | None = "app") -> Generator[ProjectRouter]:
        pool = EnginePool(make_engine_opener("python", start_indexer=False))
        projects = ProjectRouter(pool, HomeWorkspace(pool, self.place / home if home else None))
        yield projects
        projects.close()

    def git(self, name: str) -> None:
        """Commit all files at once, so that they are co-changes."""
        sample = IndexedProject(self.place / name)
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
            sample.git(*words)
        sample.update_index()

    def make(self, name: str, files: Mapping[str, str], *links: ProjectLink) -> None:
        sample = IndexedProject(self.place / name)
        sample.write(files)
        sample.update_index()
        add_project(sample.root, None, links)


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ProjectFolders:
    for name in ("DATA", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    sample = ProjectFolders(tmp_path / "code")
    sample.make("lib", LIB)
    sample.make("old", OLD)
    sample.make("app", APP, ProjectLink("learns_from", "lib"))
    return sample


def ids(answer: Answer) -> list[str]:
    return [result.doc_id for result in answer.results]


@pytest.mark.acceptance("P1", "F9", "J2a", "X1")
def test_federated_results_name_their_projects(sample: ProjectFolders) -> None:
    with sample.projects() as projects:
        answer = projects.find(FindParams("send an invoice and retry with backoff", projects=["app", "lib"]))
    first = answer.results[0]
    assert (first.doc_id, first.project, first.via) == ("lib:./lib/retry.py::retry_with_backoff", "lib", "LEARNS_FROM")
    assert first.evidence.endswith("| via LEARNS_FROM")
    assert {result.project for result in answer.results} == {"app", "lib"}
    assert all(result.doc_id.startswith(f"{result.project}:./") for result in answer.results)
    assert [result.rank for result in answer.results] == list(range(1, len(answer.results) + 1))
    assert [(each.name, each.via, each.index.files_indexed) for each in answer.projects] == [
        ("app", "", 2),
        ("lib", "LEARNS_FROM", 2),
    ]
    assert (answer.index.files_indexed, answer.faults) == (4, [])


@pytest.mark.acceptance("P1")
def test_a_whole_file_of_an_answer_of_several_projects_is_not_called_changed(sample: ProjectFolders) -> None:
    with sample.projects() as projects:
        answer = projects.orient(OrientParams(projects=["lib", "old"]))
        notices = [projects.detail(DetailParams(answer.query_id, each.rank)).note for each in answer.results]
    assert len(notices) == 3
    assert not any(notices)


@pytest.mark.acceptance("P1", "F5", "F15")
def test_merged_scores_are_recomputable_from_the_answer(sample: ProjectFolders) -> None:
    with sample.projects() as projects:
        answer = projects.find(FindParams("send invoice total", all_projects=True))
    ranks: dict[str, list[int]] = {}
    for result in answer.results:
        assert result.fused_score == pytest.approx(recomputed_score(answer, result), rel=1e-12)
        project = next(each for each in answer.projects if each.name == result.project)
        confidence = recomputed_confidence(result, project.term_weights, cosine_counts=project.cosine_counts)
        assert result.confidence == pytest.approx(confidence, abs=1e-4)
        for name, contribution in result.contributions.items():
            ranks.setdefault(name, []).append(contribution.rank)
    assert all(len(set(each)) == len(each) for each in ranks.values()), "ranks are among the votes of all projects"


@pytest.mark.acceptance("P1")
def test_best_result_of_an_unrelated_project_is_not_first(sample: ProjectFolders) -> None:
    with sample.projects() as projects:
        answer = projects.find(FindParams("invoice", projects=["lib", "old"]))
        alone = projects.find(FindParams("invoice", projects=["lib"]))
    assert ids(answer)[0] == "old:./old/pay.py::invoice_total"
    assert all(result.fused_score < answer.results[0].fused_score / 1.5 for result in answer.results[1:])
    assert not alone.results or alone.results[0].contributions["semantic"].rank == 1


@pytest.mark.acceptance("P1", "F15")
def test_words_and_filters_are_told_only_where_no_project_has_them(sample: ProjectFolders) -> None:
    with sample.projects() as projects:

        def notice(query: str) -> str:
            return projects.find(FindParams(query, projects=["app", "lib"])).notice

        assert notice("invoice backoff") == ""  # each of the words occurs in one of them
        assert notice("path:lib/ letter") == ""
        assert notice("delivre zzyzx") == "app, lib: delivre, zzyzx occur nowhere here; did you mean deliver?"
        assert notice("invoice lang:klingon") == "app, lib: no file here has 'lang:klingon'; there are: python"


@pytest.mark.acceptance("P1")
def test_an_unknown_project_is_reported_while_the_others_answer(sample: ProjectFolders) -> None:
    with sample.projects() as projects:
        answer = projects.find(FindParams("retry", projects=["lib", "libb"]))
        assert ids(answer)[0] == "lib:./lib/retry.py::retry_with_backoff"
        assert [(fault.project, fault.oracle) for fault in answer.faults] == [("libb", "")]
        assert "did you mean lib?" in answer.faults[0].message
        with pytest.raises(UnknownProject, match="no project is called 'nope'"):
            projects.find(FindParams("retry", projects=["nope"]))


@pytest.mark.acceptance("P1")
def test_broken_project_loses_only_its_own_results(sample: ProjectFolders) -> None:
    (sample.place / "old").rename(sample.place / "hidden")
    (sample.place / "lib" / ".scry").mkdir()
    with sample.projects() as projects:
        answer = projects.find(FindParams("send invoice", all_projects=True))
    assert ids(answer)[0] == "app:./app/billing.py::send_invoice"
    assert [fault.project for fault in answer.faults] == ["old"]
    assert "scry project update old --folder FOLDER" in answer.faults[0].message


@pytest.mark.acceptance("P1", "F10")
def test_order_of_named_projects_does_not_change_results(sample: ProjectFolders) -> None:
    with sample.projects() as projects:
        one = projects.find(FindParams("a failed call", projects=["lib", "old", "app"]))
        other = projects.find(FindParams("a failed call", projects=["app", "lib", "old"]))
    assert [msgspec.json.encode(r) for r in one.results] == [msgspec.json.encode(r) for r in other.results]


@pytest.mark.acceptance("F9")
def test_single_named_project_is_the_only_one_searched(sample: ProjectFolders) -> None:
    with sample.projects() as projects:
        answer = projects.find(FindParams("call", projects=["lib"], limit=3))
        assert {result.project for result in answer.results} == {"lib"}
        here = projects.find(FindParams("call", limit=3))
    assert not any(":./" in doc_id for doc_id in ids(here))
    assert here.projects == []


@pytest.mark.acceptance("P1")
def test_recent_and_orient_search_several_projects(sample: ProjectFolders) -> None:
    with sample.projects() as projects:
        recent = projects.recent(RecentParams(projects=["app", "lib"]))
        assert {result.project for result in recent.results} == {"app", "lib"}
        best = projects.orient(OrientParams(all_projects=True))
        assert {result.project for result in best.results} == {"app", "lib", "old"}
        assert [r.fused_score for r in best.results] == sorted((r.fused_score for r in best.results), reverse=True)
        some = projects.orient(OrientParams("lib", projects=["app", "lib"]))
        assert {result.project for result in some.results} == {"lib"}
        assert [fault.project for fault in some.faults] == ["app"]
        assert ids(projects.orient(OrientParams("lib:./lib")))[0].startswith("lib:./lib/")
        with pytest.raises(BadRequest, match="path"):
            projects.orient(OrientParams("nowhere", projects=["app", "lib"]))
        reason = projects.find(FindParams("what calls retry_with_backoff", reason=True, projects=["app", "lib"]))
        assert all(result.project == "lib" for result in reason.results)


@pytest.mark.acceptance("P1", "F14", "E2")
def test_further_place_of_another_project_is_read_and_used_by_its_name(sample: ProjectFolders) -> None:
    loads = "".join(f"def weigh_parcel_{n}(parcel):\n    return {n}\n\n\n" for n in range(9))
    lib = IndexedProject(sample.place / "lib")
    lib.write({"lib/parcels.py": loads})
    lib.update_index()
    with sample.projects() as projects:
        answer = projects.find(FindParams("weigh parcel", limit=3, projects=["app", "lib"]))
        rank, first = next((r.rank, r) for r in answer.results if r.further)
        place = first.further[0]
        assert place.doc_id == f"lib:./lib/parcels.py::{place.title}"
        detail = projects.detail(DetailParams(answer.query_id, rank, doc_id=place.doc_id))
        assert (detail.state, detail.result.doc_id, detail.result.project) == ("current", place.doc_id, "lib")
        assert detail.result.full
        assert f"def {place.title}(parcel)" in detail.result.full.body
        line = place.location.range.start.line + 1
        copied = projects.use(
            UseParams(answer.query_id, rank, "copy", "act-1", doc_id=place.doc_id), result_clipboard_text
        )
        assert (copied.recorded, copied.text.endswith(f"lib/parcels.py:{line}-{line + 1}")) == (True, True)
        located = projects.locate_result(answer.query_id, rank, place.doc_id)
        assert (located.path, located.line) == (sample.place / "lib" / "lib" / "parcels.py", line)
        assert projects.why(WhyParams(place.doc_id, query_id=answer.query_id)).query == "weigh parcel"


@pytest.mark.acceptance("P1", "D1", "W1")
def test_merged_answer_can_be_explained_shown_used_and_rated(sample: ProjectFolders) -> None:
    with sample.projects() as projects:
        answer = projects.find(FindParams("retry a failed call", projects=["app", "lib"]))
        doc_id, rank = answer.results[0].doc_id, 1
        why = projects.why(WhyParams(doc_id))
        assert (why.status, why.query) == ("indexed", "retry a failed call")
        assert projects.why(WhyParams(doc_id, query_id=answer.query_id)).query == "retry a failed call"
        detail = projects.detail(DetailParams(answer.query_id, rank))
        assert detail.state == "current"
        assert detail.result.full
        assert "retry_with_backoff" in detail.result.full.body
        assert {why.doc_id, why.result and why.result.doc_id} == {doc_id}, "what is named answers with its name"
        assert projects.use(UseParams(answer.query_id, rank, "open", "act-1")).recorded
        assert projects.feedback(FeedbackParams(answer.query_id, "good")).recorded
        assert projects.locate_result(answer.query_id, rank).path == sample.place / "lib" / "lib" / "retry.py"
        sample.git("lib")
        tied = projects.why(WhyParams(doc_id)).lived
        assert tied
        assert [link.doc_id for link in tied.co_changes] == ["lib:./lib/mail.py"]
        graph = projects.detail(DetailParams(answer.query_id, rank)).result.full
        assert graph
        assert graph.graph
        assert [link.doc_id for link in graph.graph.co_changes] == ["lib:./lib/mail.py"]
        near = projects.neighbors(NeighborsParams("lib:./lib/retry.py"))
        assert ids(near) == ["lib:./lib/mail.py"]
        with pytest.raises(BadRequest, match="file"):
            projects.neighbors(NeighborsParams("lib:./nowhere.py"))
        old = projects.status(StatusParams(project="old", languages=True))
        assert (old.files_indexed, old.languages) == (1, {"python": 1})
    with sample.projects(home=None) as elsewhere:
        again = elsewhere.detail(DetailParams(answer.query_id, rank))
        assert again.result.doc_id == doc_id, "whoever kept the answer is found"


@pytest.mark.acceptance("P1")
def test_outside_a_project_a_project_must_be_named(sample: ProjectFolders) -> None:
    with sample.projects(home=None) as projects:
        with pytest.raises(BadRequest, match="registered are: app, lib, old"):
            projects.find(FindParams("retry"))
        with pytest.raises(BadRequest, match="query_id"):
            projects.detail(DetailParams("q_20261121_092600_abcd2345", 1))
        answer = projects.find(FindParams("retry", projects=["lib"]))
        assert answer.results[0].via == ""
        assert projects.use(UseParams(answer.query_id, 1, "agent", "act-2")).recorded


@pytest.mark.acceptance("F9")
def test_single_engine_refuses_other_projects(sample: ProjectFolders) -> None:
    with closing(make_engine_opener("python", start_indexer=False)(sample.place / "app")) as engine:
        with pytest.raises(BadRequest, match="projects"):
            engine.find(FindParams("retry", all_projects=True))
        with pytest.raises(BadRequest, match="projects"):
            engine.recent(RecentParams(linked_projects=True))
        with pytest.raises(BadRequest, match="projects"):
            engine.orient(OrientParams(projects=["lib"]))


def test_broken_registry_is_begun_anew_and_reported(sample: ProjectFolders) -> None:
    path = open_registry().path
    path.write_bytes(b"junk" * 2000)
    with sample.projects() as projects:
        answer = projects.find(FindParams("send invoice", all_projects=True))
        assert ids(answer)[0].endswith("app/billing.py::send_invoice")
        assert "the registry of projects" in answer.notice
        assert "was damaged" in answer.notice
    (kept,) = list_kept_files(path)
    assert kept.path.read_bytes() == b"junk" * 2000


# A project inside another ----------------------------------------------------------------------------------------


def make_inner(sample: ProjectFolders) -> None:
    """Make a project of a folder of app, as of one package of a repository with many."""
    sample.make(
        "app/plugins",
        {
            "mail.py": "def deliver_invoice(order):\n    return order\n\n\n"
            "def send_invoice_by_mail(order):\n    return deliver_invoice(order)\n"
        },
    )
    (sample.place / "app" / "plugins" / "notes.md").write_text(
        "# Invoices by mail\n\nHow an invoice is sent by mail.\n"
    )
    for name in ("app/plugins", "app"):
        IndexedProject(sample.place / name).update_index()


@pytest.mark.acceptance("P1", "F9")
def test_file_of_an_inner_project_is_found_once_in_the_inner_project(sample: ProjectFolders) -> None:
    make_inner(sample)
    with sample.projects() as projects:
        together = projects.find(FindParams("send invoice by mail", projects=["app", "plugins"], limit=20))
        alone = projects.find(FindParams("send invoice by mail", projects=["app"], limit=20))
    assert "app:./plugins/mail.py::send_invoice_by_mail" in ids(alone)
    assert ids(together)[0] == "plugins:./mail.py::send_invoice_by_mail"
    assert not [each for each in ids(together) if each.startswith("app:./plugins/")]
    assert "app:./app/billing.py::send_invoice" in ids(together)
    for name in ("lexical", "semantic"):
        ranks = sorted(each.contributions[name].rank for each in together.results if name in each.contributions)
        assert ranks == list(range(1, len(ranks) + 1)), "the outer project's copy takes no rank"


@pytest.mark.acceptance("P1", "K1")
def test_a_belief_of_an_inner_project_is_found_once(sample: ProjectFolders) -> None:
    belief = "---\nstatement: Letters need a purple stamp.\n---\n\nThe purple stamp is on the letter.\n"
    sample.make("app/plugins", {"mail.py": "def stamp(): pass\n", ".scry/beliefs/stamps.md": belief})
    IndexedProject(sample.place / "app").update_index()
    with sample.projects() as projects:
        together = projects.find(FindParams("purple stamp on the letter", projects=["app", "plugins"], limit=20))
    assert [each for each in ids(together) if "stamps" in each] == ["plugins:belief:stamps"]


@pytest.mark.acceptance("P1", "F8")
def test_why_tells_that_the_inner_project_answers_for_a_file(sample: ProjectFolders) -> None:
    make_inner(sample)
    with sample.projects() as projects:
        answer = projects.find(FindParams("send invoice by mail", projects=["app", "plugins"]))
        outer = "app:./plugins/mail.py::send_invoice_by_mail"
        left = projects.why(WhyParams(outer, query_id=answer.query_id))
        alone = projects.why(WhyParams(outer, "send invoice by mail"))
    assert left.reason == "plugins, a project inside this one that was asked too, answers for this file"
    assert isinstance(left.result, msgspec.UnsetType)
    assert not isinstance(alone.result, msgspec.UnsetType)


@pytest.mark.acceptance("P1", "F8")
def test_why_of_an_answer_of_several_projects_needs_no_registry(sample: ProjectFolders) -> None:
    with sample.projects() as projects:
        answer = projects.find(FindParams("send invoice", projects=["app", "lib"]))
        with closing(sqlite3.connect(open_registry().path)) as database:
            database.execute("PRAGMA user_version = 9999")  # as of a newer Scry
        explained = projects.why(WhyParams("./app/billing.py::send_invoice", query_id=answer.query_id))
    assert explained.status == "indexed"


@pytest.mark.acceptance("P1")
def test_outer_project_answers_for_files_that_the_inner_one_lacks(sample: ProjectFolders) -> None:
    make_inner(sample)
    (sample.place / "app" / "plugins" / "new.py").write_text("def not_read_inside_yet(): pass\n")
    IndexedProject(sample.place / "app").update_index()
    with sample.projects() as projects:
        answer = projects.find(FindParams("not_read_inside_yet", projects=["app", "plugins"]))
    assert ids(answer)[0] == "app:./plugins/new.py::not_read_inside_yet"


@pytest.mark.acceptance("P1", "R1")
def test_files_and_commits_of_an_inner_project_are_listed_once(sample: ProjectFolders) -> None:
    make_inner(sample)
    sample.git("app")
    asked = ["app", "plugins"]
    for root in (sample.place / "app" / "plugins", sample.place / "app"):
        IndexedProject(root).update_index()
        IndexedProject(root).update_graph()
    with sample.projects() as projects:
        answers = {
            "recent": projects.recent(RecentParams(projects=asked)),
            "recent with a query": projects.recent(RecentParams("invoice", projects=asked)),
            "commits": projects.find(FindParams("type:commit all", projects=asked)),
            "orient": projects.orient(OrientParams(projects=asked)),
            "relations": projects.find(FindParams("what calls deliver_invoice", projects=asked, reason=True)),
        }
    for mode, answer in answers.items():
        plain = [doc_id.partition(":")[2].removeprefix("./plugins/").removeprefix("./") for doc_id in ids(answer)]
        assert plain, mode
        assert len(set(plain)) == len(plain), mode
    assert any("mail.py" in each for each in ids(answers["recent"]))


@pytest.mark.acceptance("P1")
def test_project_that_was_renamed_or_named_since_an_answer_is_known_by_its_folder(sample: ProjectFolders) -> None:
    with sample.projects() as projects:
        asked = FindParams("retry with backoff", projects=["app", "lib"])
        before = projects.find(asked)
        [lib] = [each for each in open_registry().list_projects() if each.name == "lib"]
        open_registry().replace("lib", replace(lib, name="tools"))
        after = projects.find(replace(asked, projects=["app", "tools"]))
        [now] = [each.doc_id for each in after.results if each.doc_id.endswith("::retry_with_backoff")]
        assert now == "tools:./lib/retry.py::retry_with_backoff"
        assert projects.why(WhyParams(now, query_id=after.query_id)).status == "indexed"
        [rank] = [each.rank for each in before.results if each.doc_id == "lib:./lib/retry.py::retry_with_backoff"]
        assert projects.detail(DetailParams(before.query_id, rank)).state == "current"
        assert projects.use(UseParams(before.query_id, rank, "jump", "act-1")).recorded


@pytest.mark.acceptance("P1")
def test_question_that_no_project_can_answer_is_refused_as_the_project_refuses_it(sample: ProjectFolders) -> None:
    with sample.projects() as projects:
        with pytest.raises(BadRequest, match="there is no nowhere in this project"):
            projects.orient(OrientParams("nowhere", projects=["lib", " aa "]))
        (sample.place / "old").rename(sample.place / "moved")
        with pytest.raises(BadRequest, match="the folder of old"):
            projects.find(FindParams("invoice", projects=["old"]))


@pytest.mark.acceptance("P1")
def test_open_project_never_hides_a_registered_one_of_its_name(sample: ProjectFolders, tmp_path: Path) -> None:
    other = IndexedProject(tmp_path / "server" / "tool")
    mine = IndexedProject(tmp_path / "client" / "tool")
    for each in (mine, other):
        each.write({"log.py": "def log_in(user):\n    '''Logs the user in.'''\n    return user\n"})
        each.update_index()
    pool = EnginePool(make_engine_opener("python", start_indexer=False))
    with closing(ProjectRouter(pool, HomeWorkspace(pool, mine.root))) as projects:
        projects.find(FindParams("log the user in"))
        add_project(other.root, None, ())
        answer = projects.find(FindParams("log the user in", all_projects=True))
        found = [doc_id for doc_id in ids(answer) if doc_id.endswith("::log_in")]
        assert sorted(found) == ["tool (client):./log.py::log_in", "tool:./log.py::log_in"]
        for doc_id in found:
            explained = projects.why(WhyParams(doc_id, query_id=answer.query_id))
            assert (explained.status, explained.doc_id) == ("indexed", doc_id)


@pytest.mark.acceptance("P1")
def test_registered_project_learns_from_uses_of_its_results(sample: ProjectFolders) -> None:
    asked = "retry a failed call"
    with sample.projects() as projects:
        answer = projects.find(FindParams(asked, projects=["app", "lib"]))
        used = next(each for each in answer.results if each.project == "lib")
        assert projects.use(UseParams(answer.query_id, used.rank, "open", "act-lib")).recorded

    def is_learnt() -> bool:
        with sample.projects() as projects:
            again = projects.find(FindParams(asked, projects=["lib"])).results
        return any("use" in each.contributions for each in again if each.doc_id == used.doc_id)

    eventually(is_learnt, "the use is an evidence in the project of the result")
