"""A team's repository has the code graph, and answers orient and neighbors, as a local index of it does."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from scry.core import BadRequest, Settings
from scry.core.types import Answer, Document
from scry.engine import DEFAULT_CONTEXT, FindRequest, IndexView, NeighborsRequest, OrientRequest, ProjectIndex
from scry.engine.browse import file_document, list_neighbors
from scry.engine.browse.orient import orient
from scry.engine.explain import DocumentRelations, read_relations
from scry.engine.federation import TeamAnswer, browse_team, relate_repositories, team_browse, view_repository
from scry.engine.graph_query import answer_relation_query, parse_relation_query
from scry.engine.notices import RelationsOfFirstRepositories
from scry.projects import open_project
from scry.store.team import TeamDatabase, TeamReader
from scry.team import load as load_module
from tests.sample.history import HistoryProject
from tests.team.postgres import PostgresServer
from tests.team.team_samples import SHOP, load

pytestmark = [pytest.mark.needs("postgres"), pytest.mark.slow]

ROOT = Path(__file__).parents[2]
NAME = "scry"
SOURCES = ("server/scry/oracles/*.py", "server/scry/core/*.py", "editor/vscode/src/results/*.ts", "docs/*.md")

CALLER = '"""The till."""\n\nfrom shop.cart import total_price\n\n\ndef pay(cart):\n    return total_price(cart)\n'


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> HistoryProject:
    """Return a repository with files of Scry's own, and a history in which some change together."""
    project = HistoryProject(tmp_path_factory.mktemp("sources") / NAME).init_repository()
    files = [path for pattern in SOURCES for path in sorted(ROOT.glob(pattern))]
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in files}
    project.commit(
        "Add the first files", {**texts, ".github x/a.md": "# A\n", "pyproject.toml": '[project]\nname = "scry"\n'}
    )
    for number in range(4):
        changed = {path: f"{text}\n# {number}\n" for path, text in texts.items() if path.endswith(".py")}
        project.commit(f"Change {number}", dict(list(changed.items())[7 * number : 7 * number + 20]))
    return project


@pytest.fixture(scope="module")
def address(postgres: PostgresServer, sources: HistoryProject) -> str:
    address = postgres.create_database()
    load(address, sources)
    return address


@contextmanager
def local_view(project: HistoryProject) -> Generator[IndexView]:
    """Open the local index that a load leaves."""
    index = ProjectIndex(open_project(project.root), Settings(), start_indexer=False)
    try:
        view = index.view(())
        assert view is not None
        yield view
    finally:
        index.close()


@contextmanager
def team_view(address: str, name: str = NAME) -> Generator[IndexView]:
    """Open a repository of a team."""
    with TeamDatabase.open_for_reading(address) as database, database.snapshot():
        reader = TeamReader(database)
        [repository] = [each.repository_id for each in reader.repositories.values() if each.name == name]
        yield view_repository(reader.open(repository))


@pytest.fixture(scope="module")
def local(address: str, sources: HistoryProject) -> Iterator[IndexView]:
    with local_view(sources) as view:
        yield view


@pytest.fixture(scope="module")
def team(address: str) -> Iterator[IndexView]:
    with team_view(address) as view:
        yield view


def all_documents(view: IndexView) -> list[Document]:
    """Return all documents in files, and each file as a whole, by doc_id."""
    files = [file_document(file) for file in view.store.files.files_in_folder("")]
    keys = [key for each in files for key, _ in view.store.documents.doc_keys_in_file(each.path)[1]]
    documents = view.store.documents.get_documents(keys).values()
    return sorted([*documents, *files], key=lambda each: (each.doc_id, each.symbol.kind))


def relations_of(view: IndexView) -> dict[str, DocumentRelations]:
    documents = all_documents(view)
    return {f"{each.doc_id} {each.symbol.kind}": read_relations(each, view.store, view.history) for each in documents}


@pytest.mark.acceptance("T1", "D1")
def test_relations_are_those_of_a_clone(local: IndexView, team: IndexView) -> None:
    expected = relations_of(local)
    assert relations_of(team) == expected
    for name in ("imports", "imported_by", "callers", "callees", "inherits", "inherited_by", "co_changes"):
        assert sum(len(each.lists[name]) for each in expected.values()) > 5, name
    assert {each.note for each in expected.values()} == {""}


def described(answer: Answer) -> list[tuple[object, ...]]:
    return [
        (
            hit.rank,
            hit.document.doc_id,
            hit.document.symbol,
            hit.candidate.fused_score,
            hit.candidate.adjustments,
            hit.structure,
            hit.snippet,
            hit.composite,
            hit.evidence,
            hit.relations,
        )
        for hit in answer.hits
    ]


@pytest.mark.parametrize("path", ["", "server/scry/core", "server/scry/core/types.py", "editor", "docs/"])
@pytest.mark.acceptance("T1", "O1")
def test_orient_is_that_of_a_clone(path: str, local: IndexView, team: IndexView) -> None:
    request = OrientRequest(path, 40)
    expected = orient(request, ROOT, local, DEFAULT_CONTEXT)
    assert described(orient(request, ROOT, team, DEFAULT_CONTEXT)) == described(expected)
    assert expected.hits


@pytest.mark.parametrize("by", ["cochange", "dependency", "similar"])
@pytest.mark.parametrize(
    "file",
    ["server/scry/core/types.py", "server/scry/oracles/temporal.py", "./server/scry/core/doc_id.py::parse_doc_id"],
)
@pytest.mark.acceptance("T1", "N1")
def test_neighbors_are_those_of_a_clone(file: str, by: str, local: IndexView, team: IndexView) -> None:
    request = replace(NeighborsRequest(file, 30), by=by)
    expected = list_neighbors(request, ROOT, local, DEFAULT_CONTEXT)
    assert described(list_neighbors(request, ROOT, team, DEFAULT_CONTEXT)) == described(expected)
    assert len(expected.hits) > 2


def test_neighbors_of_a_line_are_those_of_a_clone(local: IndexView, team: IndexView) -> None:
    request = NeighborsRequest("server/scry/core/doc_id.py", 10, "similar", line=60)
    expected = list_neighbors(request, ROOT, local, DEFAULT_CONTEXT)
    assert described(list_neighbors(request, ROOT, team, DEFAULT_CONTEXT)) == described(expected)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (OrientRequest("src", 5), "name a repository of the team"),
        (OrientRequest("nowhere:./src", 5), "no repository nowhere"),
        (OrientRequest(f"{NAME}:./srver", 5), "did you mean server"),
        (NeighborsRequest(f"{NAME}:./server/scry", 5), "is a folder"),
        (NeighborsRequest("", 5, belief="cents"), "its detail shows what it reaches"),
    ],
)
def test_bad_paths_are_told(address: str, request_: OrientRequest | NeighborsRequest, message: str) -> None:
    with (
        TeamDatabase.open_for_reading(address) as database,
        database.snapshot(),
        pytest.raises(BadRequest, match=message),
    ):
        browse_team(request_, DEFAULT_CONTEXT, TeamReader(database))


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        (f"{NAME}:./server/scry/core", "server/scry/core"),
        (f"scry-team:///{NAME}/4f2a/server/scry/core", "server/scry/core"),
        (f"scry-team:/{NAME}/4f2a/.github%20x", ".github x"),
        (f"{NAME}:", ""),
    ],
)
def test_repository_is_named_before_the_path_or_by_a_uri(address: str, path: str, folder: str) -> None:
    with TeamDatabase.open_for_reading(address) as database, database.snapshot():
        [answer] = browse_team(OrientRequest(path, 5), DEFAULT_CONTEXT, TeamReader(database))
    assert answer.answer.question.text == f"{NAME}:./{folder}"
    assert answer.answer.hits
    assert {hit.document.path.startswith(folder) for hit in answer.answer.hits} == {True}


# Loading --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def shop(tmp_path: Path) -> HistoryProject:
    project = HistoryProject(tmp_path / "shop").init_repository()
    project.commit("Open the shop", {**SHOP, "shop/till.py": CALLER})
    return project


ROWS = "SELECT path, callers, packed FROM scry.code_graph ORDER BY path"


def test_increments_equal_a_fresh_load(postgres: PostgresServer, shop: HistoryProject) -> None:
    address = postgres.create_database()
    load(address, shop)
    places = "SELECT path, xmin::text FROM scry.code_graph"
    before = dict(postgres.execute(places, address))
    shop.commit("Pay twice", {"shop/till.py": f"{CALLER}\n\ndef pay_twice(cart):\n    return 2 * total_price(cart)\n"})
    load(address, shop)
    assert dict(postgres.execute(places, address)) != before
    again = dict(postgres.execute(places, address))
    shop.git("mv", "shop/stock.py", "shop/warehouse.py")
    shop.commit("Move the stock")
    load(address, shop)
    assert dict(postgres.execute(places, address)) == again, "rows without a change stay"
    (shop.root / "shop/till.py").unlink()
    shop.commit("Close the till", {"README.md": "# Shop\n"})
    load(address, shop)
    fresh = postgres.create_database()
    load(fresh, shop)
    assert postgres.execute(ROWS, address) == postgres.execute(ROWS, fresh)


def test_graph_that_cannot_be_made_costs_itself(
    postgres: PostgresServer, shop: HistoryProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = postgres.create_database()

    def fail(*_: object) -> None:
        raise RuntimeError("no memory is left")

    with monkeypatch.context() as patch:
        patch.setattr(load_module, "update_graph", fail)
        report = load(address, shop)
    assert report.faults == {"code graph": "graph: RuntimeError: no memory is left"}
    assert report.documents > 5
    with team_view(address, "shop") as view:
        [document] = view.store.documents.find_by_doc_id("./shop/cart.py::total_price")
        relations = read_relations(document, view.store, view.history)
        assert relations.lists["callers"] == ()
        assert "still being made" in relations.note
    load(address, shop)
    with team_view(address, "shop") as view:
        [document] = view.store.documents.find_by_doc_id("./shop/cart.py::total_price")
        relations = read_relations(document, view.store, view.history)
        assert [each.doc_id for each in relations.lists["callers"]] == ["./shop/till.py::pay"]
        assert relations.note == ""


def test_damaged_row_costs_itself(postgres: PostgresServer, shop: HistoryProject) -> None:
    address = postgres.create_database()
    load(address, shop)
    postgres.execute("UPDATE scry.code_graph SET packed = 'damaged' WHERE path = 'shop/cart.py'", address)
    with team_view(address, "shop") as view:
        [called] = view.store.documents.find_by_doc_id("./shop/cart.py::total_price")
        [calling] = view.store.documents.find_by_doc_id("./shop/till.py::pay")
        assert [each.doc_id for each in read_relations(calling, view.store, None).lists["callees"]] == [called.doc_id]
        relations = read_relations(called, view.store, None)
        assert relations.lists["callers"] == ()
        assert "may be missing" in relations.note


# Relational questions -------------------------------------------------------------------------------------------------


def relate(address: str, query: str) -> list[TeamAnswer]:
    """Return the answers of the repositories of a team."""
    request = FindRequest(query, 30, mode="reason")
    with TeamDatabase.open_for_reading(address) as database, database.snapshot():
        return relate_repositories(request, parse_relation_query(query), (), TeamReader(database))


@pytest.mark.parametrize(
    "query",
    [
        "what calls parse_doc_id",
        "what is called by consult and is defined by temporal.py",
        "what imports server/scry/core/doc_id.py and not what calls parse_doc_id",
        "subclasses of ScryError transitively",
        "what uses server/scry/core/types.py",
        "what changes with server/scry/oracles/temporal.py",
        "members of Document",
    ],
)
@pytest.mark.acceptance("T1", "N3")
def test_relational_answers_are_those_of_a_clone(query: str, address: str, local: IndexView) -> None:
    request = FindRequest(query, 30, mode="reason")
    expected = answer_relation_query(request, parse_relation_query(query), local, DEFAULT_CONTEXT)
    [found] = relate(address, query)
    assert [(*each[:3], hit.proof) for each, hit in zip(described(found.answer), found.answer.hits, strict=True)] == [
        (*each[:3], hit.proof) for each, hit in zip(described(expected), expected.hits, strict=True)
    ]
    assert expected.hits
    assert found.answer.notices == expected.notices


def test_first_of_many_repositories_answer(
    postgres: PostgresServer, shop: HistoryProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are named by their number, and can be asked by name."""
    address = postgres.create_database()
    load(address, shop)
    mill = HistoryProject(tmp_path / "mill").init_repository()
    mill.commit("Open the mill", {**SHOP, "shop/till.py": CALLER})
    load(address, mill)
    query = "what calls total_price"
    assert [each.repository.name for each in relate(address, query)] == ["mill", "shop"]
    monkeypatch.setattr(team_browse, "MAX_REPOSITORIES", 1)
    [answer] = relate(address, query)
    assert answer.repository.name == "mill"
    assert RelationsOfFirstRepositories(1, 2) in answer.answer.notices
    [answer] = relate(address, "what calls shop:./shop/cart.py::total_price")
    assert answer.repository.name == "shop"
    assert [hit.document.doc_id for hit in answer.answer.hits] == ["./shop/till.py::pay"]
    assert not answer.answer.notices
    assert relate(address, "what calls total_price and is called by reserve_nothing") == []
