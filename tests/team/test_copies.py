"""Of equal contents in several repositories of a team the answer shows one, and says where else it stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from scry.engine.context import RequestContext
from scry.engine.federation import EnginePool, HomeWorkspace, ProjectRouter, make_engine_opener
from scry.store.team import TeamDatabase, TeamReader
from scry.store.team.contents import MAX_NAMED_COPIES
from scry.store.team.lexical import spread_over_documents
from scry.store.team.membership import forget_membership, save_membership
from scry.surfaces.render import render_answer, render_for_model
from scry.surfaces.render.explanation import add_detail_text, add_explanation_text
from scry_protocol import messages
from tests.sample.history import HistoryProject
from tests.team.postgres import PostgresServer, as_role
from tests.team.team_samples import load

pytestmark = [pytest.mark.needs("postgres"), pytest.mark.slow]

PATIENT = RequestContext(team_timeout_s=30.0)
QUESTION = "sum up the weights of pallets"
LIBRARY = '''def sum_weights(pallets):
    """Sum up the weights of pallets."""
    return sum(pallet.weight for pallet in pallets)


def lightest(pallets):
    """Return the pallet of the lowest weight."""
    return min(pallets, key=lambda pallet: pallet.weight)
'''
FORKS = 8


def own_file(number: int) -> Mapping[str, str]:
    text = f'def weigh_truck_{number}(truck):\n    """Weigh truck {number} with its pallets."""\n    return truck\n'
    return {f"own/truck{number}.py": text}


class Team:
    """Forks of a library, an owner who vendors it, and one that clerks may not read; and a person's own copy."""

    def __init__(self, postgres: PostgresServer, folder: Path) -> None:
        self.owner = postgres.create_database()
        self.address = as_role(self.owner, "packer")
        for number in range(FORKS):
            self._load(folder / f"fork{number}", {"weights.py": LIBRARY, **own_file(number)})
        self._load(folder / "vendor", {"third_party/pallets/weights.py": LIBRARY, "main.py": "import third_party\n"})
        self._load(folder / "hidden", {"weights.py": LIBRARY}, "nobody")
        self.home = HistoryProject(folder / "home").init_repository()
        self.home.commit("Say hello", {"hello.py": "def greet():\n    return 'hello'\n"})
        self.home.update_all()
        self.owning = HistoryProject(folder / "owning").init_repository()
        self.owning.commit("Copy the weights", {"copied/weights.py": LIBRARY})
        self.owning.update_all()

    def _load(self, root: Path, files: Mapping[str, str], role: str = "public") -> None:
        project = HistoryProject(root).init_repository()
        project.commit("Weigh pallets", files)
        load(self.owner, project, [role])


@pytest.fixture(scope="module")
def team(postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Team:
    postgres.execute("CREATE ROLE packer LOGIN")
    return Team(postgres, tmp_path_factory.mktemp("team"))


def router_in(project: HistoryProject, team: Team) -> Iterator[ProjectRouter]:
    save_membership(team.address)
    pool = EnginePool(make_engine_opener("test", start_indexer=False))
    with closing(ProjectRouter(pool, HomeWorkspace(pool, project.root))) as router:
        yield router
    forget_membership()


@pytest.fixture
def router(team: Team) -> Iterator[ProjectRouter]:
    yield from router_in(team.home, team)


@pytest.fixture
def owner_router(team: Team) -> Iterator[ProjectRouter]:
    yield from router_in(team.owning, team)


def find(router: ProjectRouter, **params: object) -> messages.Answer:
    values: dict[str, object] = {"query": QUESTION, "team": True, **params}
    return router.find(messages.FindParams(**values), PATIENT)  # type: ignore[arg-type]


def of_library(answer: messages.Answer) -> list[messages.ResultItem]:
    return [each for each in answer.results if each.doc_id.endswith("weights.py::sum_weights")]


@pytest.mark.acceptance("T1")
def test_content_of_many_repositories_stands_once(router: ProjectRouter) -> None:
    answer = find(router)
    assert answer.faults == []
    [only] = of_library(answer)
    assert only.rank == 1
    assert only.copies == FORKS  # seven further forks and the vendored copy, but not what is hidden
    assert len(only.also_in) == MAX_NAMED_COPIES
    others = sorted({f"fork{number}" for number in range(FORKS)} - {only.project})
    assert [each.project for each in only.also_in] == others[:MAX_NAMED_COPIES]
    assert only.also_in[0].doc_id == f"{others[0]}:./weights.py::sum_weights"
    assert only.evidence.endswith(f"also in {FORKS} repositories")


def test_full_answer_has_as_many_results_as_asked_for(router: ProjectRouter) -> None:
    for limit in (1, 3, 10):
        answer = find(router, limit=limit)
        assert len(answer.results) == limit
        assert [each.rank for each in answer.results] == list(range(1, limit + 1))
        contents = [each.doc_id.partition("weights.py::")[2] for each in answer.results if "weights.py" in each.doc_id]
        assert len(contents) == len(set(contents))


def test_vendored_copy_is_named_with_its_path(router: ProjectRouter, team: Team) -> None:
    with TeamDatabase.open_for_reading(team.address) as database, database.snapshot():
        reader = TeamReader(database)
        by_name = {info.name: reader.open(each) for each, info in reader.repositories.items()}
        [key] = by_name["fork0"].documents.doc_keys_by_id(["./weights.py::lightest"]).values()
        repository = by_name["fork0"].info.repository_id
        copies = reader.read_copies({repository: [key]})[repository, key]
    assert copies.count == FORKS
    answer = find(router, query="path:third_party sum up weights")
    [vendored] = of_library(answer)
    assert vendored.doc_id == "vendor:./third_party/pallets/weights.py::sum_weights"
    assert vendored.copies == FORKS


def test_why_says_that_another_copy_stands(router: ProjectRouter) -> None:
    answer = find(router)
    [only] = of_library(answer)
    folded = only.also_in[0].doc_id
    explained = router.why(messages.WhyParams(folded, QUESTION), PATIENT)
    assert explained.reason == f"the answer shows {only.doc_id} instead, which has the same content and ranks better"
    assert explained.result
    assert explained.result.copies == FORKS
    assert only.doc_id in add_explanation_text(explained).text
    standing = router.why(messages.WhyParams(only.doc_id, QUESTION), PATIENT)
    assert standing.reason == ""
    own = next(each for each in answer.results if "own/truck" in each.doc_id)
    assert router.why(messages.WhyParams(own.doc_id, QUESTION), PATIENT).reason == ""


def test_local_copy_stands_and_names_those_of_the_team(owner_router: ProjectRouter) -> None:
    answer = find(owner_router)
    [only] = of_library(answer)
    assert only.doc_id == "owning:./copied/weights.py::sum_weights"
    assert only.commit == ""
    assert only.copies == FORKS + 1
    assert len(only.also_in) == MAX_NAMED_COPIES
    assert {each.project for each in only.also_in} <= {"vendor", *(f"fork{number}" for number in range(FORKS))}


def test_local_file_of_the_same_name_with_another_text_folds_nothing(owner_router: ProjectRouter, team: Team) -> None:
    changed = LIBRARY.replace("pallet.weight for", "pallet.kilos for")
    team.owning.commit("Weigh in kilos", {"copied/weights.py": changed})
    team.owning.update_all()
    local, of_team = sorted(of_library(find(owner_router)), key=lambda each: each.commit)
    assert (local.copies, of_team.copies) == (0, FORKS)


def test_copies_are_shown_on_every_surface(router: ProjectRouter) -> None:
    answer = find(router)
    rank = of_library(answer)[0].rank
    lines = "\n".join("".join(span.text for span in line) for line in render_answer(answer, explain=True))
    for text in (lines, render_for_model(answer, explain=True)):
        assert f"also in {FORKS} repositories" in text
        assert f"Also in: {of_library(answer)[0].also_in[0].doc_id}" in text
    detail = add_detail_text(router.detail(messages.DetailParams(answer.query_id, rank)))
    assert f"The same content is in {FORKS} other repositories" in detail.text
    assert "and 3 more" in detail.text


def test_documents_are_spread_over_few_repositories_first() -> None:
    assert spread_over_documents([(-3.0, [5, 4]), (-2.0, [4, 6]), (-1.0, [7])]) == [4, 7, 5, 6]
    assert spread_over_documents([(-3.0, [5]), (-1.0, [4]), (-2.0, [6])]) == [5, 6, 4]
