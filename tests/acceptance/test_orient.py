"""The mode orient, on a generated repository with a real history."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest

from scry.core import BadRequest
from scry_protocol import messages
from tests.sample.indexed import IndexedProject, doc_ids

FILES = {
    "README.md": "# Harbor\n\nSends letters and tries again when that fails.\n",
    "main.py": 'from harbor.send import send\n\nif __name__ == "__main__":\n    send("x")\n',
    "harbor/__init__.py": '"""Sends letters."""\n',
    "harbor/clock.py": (
        '# Copyright 2026 Somebody\n\n"""Tells the time. Everything asks it."""\n\n\ndef now():\n    return 0\n'
    ),
    "harbor/send.py": (
        'from harbor.clock import now\n\n\ndef send(letter):\n    """Sends a letter."""\n    return now()\n'
    ),
    "harbor/retry.py": "from harbor.clock import now\n\n\nclass Retry:\n    pass\n\n\ndef again():\n    return now()\n",
    "harbor/quiet.py": "from harbor.clock import now\n\n\ndef rest():\n    return now()\n",
    "harbor/README.md": "# The harbor package\n\nHow it is laid out.\n",
    "harbor/deep/odd name #1.py": "def odd():\n    pass\n",
    "tests/test_send.py": "from harbor.send import send\n\n\ndef test_send():\n    assert send('x') == 0\n",
    ".gitignore": "*.log\n",
    "debug.log": "x\n",
}


@pytest.fixture(scope="module")
def harbor(tmp_path_factory: pytest.TempPathFactory) -> IndexedProject:
    """Return a clock that everything imports, a file that changes often,
    a quiet one, and tests that change often too.
    """
    sample = IndexedProject(tmp_path_factory.mktemp("work") / "harbor").init_repository()
    sample.write(FILES)
    sample.commit("Open the harbor")
    for number in range(6):
        changed = {"harbor/retry.py": FILES["harbor/retry.py"] + f"\nWAIT = {number}\n"}
        sample.write(changed | {"tests/test_send.py": FILES["tests/test_send.py"] + f"\nN = {number}\n"})
        sample.git("commit", "-qam", f"Wait longer {number}")
    sample.update_index()
    sample.update_graph()
    return sample


def orient(sample: IndexedProject, path: str = ".", limit: int = 10) -> messages.Answer:
    return sample.ask(lambda engine: engine.orient(messages.OrientParams(path=path, limit=limit)))


@pytest.mark.acceptance("O1", "J1")
def test_orient_lists_files_only_most_important_first(harbor: IndexedProject) -> None:
    answer = orient(harbor)
    assert answer.mode == "orient"
    assert {result.kind for result in answer.results} == {"file"}
    found = doc_ids(answer)
    assert found[0] == "./README.md"
    assert set(found[1:4]) == {"./main.py", "./harbor/__init__.py", "./harbor/clock.py"}
    assert found.index("./harbor/retry.py") < found.index("./harbor/quiet.py")
    assert found.index("./harbor/quiet.py") < found.index("./tests/test_send.py")


@pytest.mark.acceptance("O1")
def test_score_parts_are_shown_and_reproduce_the_score(harbor: IndexedProject) -> None:
    for path in (".", "harbor", "tests"):
        for result in orient(harbor, path).results:
            parts = result.annotations.composite
            assert parts
            assert [part.name for part in parts] == [
                "importers",
                "callers",
                "centrality",
                "entry_point",
                "activity",
                "commits",
            ]
            score = 0.0
            for part in parts:
                assert 0 <= part.value <= 1
                assert part.reason
                score += part.weight * part.value
            for adjustment in result.adjustments:
                score *= adjustment.factor
            assert result.fused_score == score
            assert 0 <= score <= 1
            assert sum(part.weight for part in parts) == pytest.approx(1)


@pytest.mark.acceptance("O1")
def test_reasons_state_the_measured_values(harbor: IndexedProject) -> None:
    results = {result.doc_id: result for result in orient(harbor).results}
    clock = {part.name: part.reason for part in results["./harbor/clock.py"].annotations.composite or []}
    assert clock["importers"] == "3 importers"
    assert clock["callers"] == "3 callers"
    assert clock["commits"] == "1 commit"
    retry = {part.name: part.reason for part in results["./harbor/retry.py"].annotations.composite or []}
    assert retry["activity"] == "7 commits in 90 days"
    test = results["./tests/test_send.py"]
    assert [adjustment.name for adjustment in test.adjustments] == ["test_path"]


BAKERY = {
    "pyproject.toml": '[project]\nname = "bakery"\n',
    "src/bakery/__init__.py": "from .oven import Bakery as Bakery\nfrom .dough import knead as knead\n",
    "src/bakery/cli.py": "from . import types\nfrom bakery import Bakery\n\n\ndef main():\n    Bakery()\n",
    "src/bakery/types.py": "Loaf = str\n",
    "src/bakery/dough.py": "from . import types\n\n\ndef knead(water):\n    return water\n",
    "src/bakery/oven.py": "from . import types\nfrom .dough import knead\n\n\nclass Bakery:\n    def bake(self):\n"
    "        return knead(1)\n",
    "src/bakery/shelf.py": "from . import types\nfrom .dough import knead\n\n\ndef put():\n    return knead(2)\n",
    **{
        f"tests/test_{number}.py": "from bakery import Bakery\n\n\n"
        + "".join(f"def test_{case}():\n    assert Bakery().bake()\n\n\n" for case in range(6))
        for number in range(6)
    },
}


@pytest.mark.acceptance("O1")
def test_main_module_comes_first_by_its_callers_and_its_name(tmp_path: Path) -> None:
    """`types.py` is imported by more files of the package than `oven.py`, whose class is imported from the package."""
    bakery = IndexedProject(tmp_path / "bread").init_repository()
    bakery.write(BAKERY)
    bakery.commit("Open the bakery")
    bakery.update_index()
    pending = {part.name: part.reason for part in orient(bakery).results[0].annotations.composite or []}
    assert pending["callers"] == "0 callers, the graph is still being made"
    bakery.update_graph()
    answer = orient(bakery, "src/bakery")
    assert doc_ids(answer)[0] == "./src/bakery/oven.py"
    parts = {part.name: part for part in answer.results[0].annotations.composite or []}
    assert parts["callers"].reason == "37 callers"
    assert parts["entry_point"].reason == "defines Bakery, which its package is named after"
    bakery.write({"src/bakery/shelf.py": "class Bakery:\n    pass\n"})
    bakery.update_index()
    again = next(each for each in orient(bakery, "src/bakery").results if each.doc_id == "./src/bakery/oven.py")
    reasons = {part.name: part.reason for part in again.annotations.composite or []}
    assert reasons["entry_point"] == "no place to begin", "two files define Bakery"


@pytest.mark.acceptance("O1")
@pytest.mark.parametrize(
    ("manifest", "text"),
    [
        ("go.mod", "module example.invalid/baker/bakery/v5 // ours\n\ngo 1.22\n"),
        ("package.json", '{"name": "@bakers/bakery", "version": "1.0.0"}'),
        ("Cargo.toml", '[package]\nname = "bakery"\n'),
        ("pyproject.toml", "[project\nname = 1"),
        ("package.json", "[" * 50_000),
    ],
)
def test_project_is_named_by_its_manifest(tmp_path: Path, manifest: str, text: str) -> None:
    bakery = IndexedProject(tmp_path / "x").init_repository()
    code = {"go.mod": "bakery.go", "package.json": "index2.js", "Cargo.toml": "oven.rs"}.get(manifest, "oven.py")
    source = {".go": "package bakery\n\ntype Bakery struct{}\n", ".rs": "pub struct Bakery;\n"}
    bakery.write({manifest: text, code: source.get(code[-3:], "class Bakery {}\n")})
    bakery.commit("Open")
    bakery.update_index()
    reasons = [part.reason for each in orient(bakery).results for part in each.annotations.composite or []]
    assert ("defines Bakery, which its package is named after" in reasons) == ("bakery" in text)


FERRY = {
    "package.json": '{"name": "ferry", "main": "index.js"}',
    "index.js": "import ferry from './lib/ferry.js'\nexport default ferry\n",
    "lib/ferry.js": "import { load } from './cargo.js'\nexport default function make() {\n  return load()\n}\n",
    "lib/cargo.js": "export function load() {\n  return 1\n}\nexport function weigh() {\n  return load()\n}\n",
    "lib/rope.js": "import { load } from './cargo.js'\nexport function tie() {\n  return load()\n}\n",
    "lib/adapters/adapters.js": "import { load } from '../cargo.js'\nexport const known = [load]\n",
    "lib/ferry.md": "# Ferry\n",
    "docs/ferry.js": "load()\n",
    "test/ferry.js": "import ferry from '../index.js'\nferry()\n",
}


@pytest.mark.acceptance("O1")
def test_file_with_the_name_of_its_package_is_where_to_begin(tmp_path: Path) -> None:
    """Nobody calls `lib/ferry.js`, and it defines nothing that is named after the package."""
    ferry = IndexedProject(tmp_path / "boats").init_repository()
    ferry.write(FERRY)
    ferry.commit("Cast off")
    ferry.update_index()
    ferry.update_graph()

    def named(folder: str) -> list[str]:
        marked = "has the name of its package"
        results = orient(ferry, folder).results
        return [r.doc_id for r in results if marked in [part.reason for part in r.annotations.composite or []]]

    assert named(".") == named("lib") == ["./lib/ferry.js"]
    assert named("lib/adapters") == ["./lib/adapters/adapters.js"]
    assert doc_ids(orient(ferry, "lib"))[0] == "./lib/ferry.js"


@pytest.mark.acceptance("O1")
def test_each_file_has_a_one_line_summary(harbor: IndexedProject) -> None:
    summaries = {result.doc_id: result.snippet for result in orient(harbor).results}
    assert summaries["./README.md"] == "Harbor — Sends letters and tries again when that fails."
    assert summaries["./harbor/clock.py"] == "Tells the time. Everything asks it."
    assert summaries["./harbor/send.py"] == "send: Sends a letter."
    assert summaries["./harbor/retry.py"] == "defines Retry, again, WAIT"


SPONSORED = """<div align="center">

### [Buy our terminal](https://example.invalid)

Try it today.

</div>

# Crane

Lifts containers off ships.

## Use
"""


@pytest.mark.acceptance("O1")
def test_readme_summary_skips_sponsors_before_the_first_heading(tmp_path: Path) -> None:
    crane = IndexedProject(tmp_path / "crane").init_repository()
    crane.write({"README.md": SPONSORED})
    crane.commit("Lift")
    crane.update_index()
    assert orient(crane).results[0].snippet == "Crane — Lifts containers off ships."


@pytest.mark.acceptance("O1")
def test_readme_summary_skips_the_table_of_contents(tmp_path: Path) -> None:
    crane = IndexedProject(tmp_path / "crane").init_repository()
    title = "### <a href='x'><img alt='Logo' />All in one</a>"
    rest = "Lifts whatever there is.\n\n## Table of contents\n\n- Use\n- Care\n"
    crane.write({"README.md": f"{title}\n\n{rest}"})
    crane.commit("Lift")
    crane.update_index()
    assert orient(crane).results[0].snippet == "All in one — Lifts whatever there is."


@pytest.mark.acceptance("O1")
def test_readme_summary_takes_the_words_above_all_headings(tmp_path: Path) -> None:
    crane = IndexedProject(tmp_path / "crane").init_repository()
    above = (
        "[![build\nstatus](https://x.invalid/a.svg)](https://x.invalid)\n\nThanks to all sponsors of this crane.\n\n"
    )
    above += "> A crane that lifts `big_containers` off ships.\n\nMore about it.\n\n"
    crane.write({"README.md": above + "## Features\n\n- Lifts.\n"})
    crane.commit("Lift")
    crane.update_index()
    assert orient(crane).results[0].snippet == "A crane that lifts big_containers off ships."


ROPE = """package crane;

public class Rope {
    private int length;

    public Rope(int length) {
        this.length = length;
    }

    public void pull() {
    }

    private void tear() {
    }

    public void loosen() {
    }
}
"""


@pytest.mark.acceptance("O1")
def test_file_of_one_undocumented_class_is_summarized_by_its_methods(tmp_path: Path) -> None:
    crane = IndexedProject(tmp_path / "crane").init_repository()
    crane.write({"src/Rope.java": ROPE})
    crane.commit("Lift")
    crane.update_index()
    assert orient(crane).results[0].snippet == "defines Rope with pull, loosen"


WINCH = """module Crane
  module Winch
    class Rope
    end

    class Hook
    end
  end
end
"""


@pytest.mark.acceptance("O1")
def test_file_summary_enters_the_enclosing_module(tmp_path: Path) -> None:
    crane = IndexedProject(tmp_path / "crane").init_repository()
    said = WINCH.replace("module Winch", "# Pulls what hangs on it.\n  module Winch")
    crane.write({"lib/winch.rb": WINCH, "lib/crane/winch.rb": said})
    crane.commit("Lift")
    crane.update_index()
    summaries = {result.doc_id: result.snippet for result in orient(crane).results}
    assert summaries == {
        "./lib/winch.rb": "defines Rope, Hook",
        "./lib/crane/winch.rb": "Winch: Pulls what hangs on it.",
    }


@pytest.mark.acceptance("O1")
def test_file_summary_names_its_subject_once(tmp_path: Path) -> None:
    crane = IndexedProject(tmp_path / "crane").init_repository()
    crane.write({"server.go": "package crane\n\n// Server serves ships.\ntype Server struct{}\n"})
    crane.commit("Serve")
    crane.update_index()
    assert orient(crane).results[0].snippet == "Server serves ships."


QUEUE = """/* Copyright Somebody. */
#include <stdlib.h>

/* Older systems do not have it. */
#define QUEUE_MAX 4

static void grow(void);

int queue_add(int job) {
  return job;
}

/* Never called twice. */
int queue_end(void) {
  return 0;
}

int queue_len(void) {
  return 0;
}

static void grow(void) {
}
"""


@pytest.mark.acceptance("O1")
def test_c_file_summary_skips_macros_and_dotfiles_come_last(tmp_path: Path) -> None:
    store = IndexedProject(tmp_path / "store").init_repository()
    for number in range(9):
        store.write({".mailmap": f"A{number} <a@b.c>\n", "queue.c": QUEUE + "\n" * (9 - number)})
        store.commit(f"Count {number}")
    store.update_index()
    first, second = orient(store).results
    assert (first.doc_id, second.doc_id) == ("./queue.c", "./.mailmap")
    assert first.snippet == "defines queue_add, queue_end, queue_len, grow, QUEUE_MAX"
    assert [adjustment.name for adjustment in second.adjustments] == ["configuration_path"]


@pytest.mark.acceptance("O1")
def test_folder_path_is_accepted_in_every_spelling(harbor: IndexedProject) -> None:
    root = harbor.root.resolve()
    expected = doc_ids(orient(harbor, "harbor"))
    assert expected[0] == "./harbor/README.md"
    assert all(doc_id.startswith("./harbor/") for doc_id in expected)
    for written in ("harbor/", "./harbor", "./harbor/", "harbor//", "tests/../harbor", str(root / "harbor")):
        assert doc_ids(orient(harbor, written)) == expected
    assert doc_ids(orient(harbor, (root / "harbor").as_uri())) == expected
    assert doc_ids(orient(harbor, "")) == doc_ids(orient(harbor, ".")) == doc_ids(orient(harbor, str(root)))


@pytest.mark.acceptance("O1")
@pytest.mark.parametrize("written", ["harbor/retry.py", "./harbor/retry.py", "harbor/retry.py/", "file"])
def test_orient_of_a_file_gives_its_summary_and_rank(harbor: IndexedProject, written: str) -> None:
    asked = (harbor.root.resolve() / "harbor/retry.py").as_uri() if written == "file" else written
    answer = orient(harbor, asked)
    assert doc_ids(answer) == ["./harbor/retry.py"]
    place = doc_ids(orient(harbor, "harbor")).index("./harbor/retry.py") + 1
    assert answer.notice == f"harbor/retry.py is #{place} of the 7 files in harbor"
    whole = next(result for result in orient(harbor, "harbor").results if result.rank == place)
    assert answer.results[0].fused_score == whole.fused_score


def test_names_with_odd_characters_are_read(harbor: IndexedProject) -> None:
    uri = harbor.root.resolve().as_uri() + "/" + quote("harbor/deep/odd name #1.py")
    assert doc_ids(orient(harbor, uri)) == doc_ids(orient(harbor, "harbor/deep/odd name #1.py"))


@pytest.mark.acceptance("O1")
@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("..", "outside of the project"),
        ("../../etc/passwd", "outside of the project"),
        ("/etc/passwd", "outside of the project"),
        ("file:///etc/passwd", "outside of the project"),
        ("https://example.invalid/harbor", "not the URI of a file"),
        ("harbor\0", "NUL"),
        ("habor", "did you mean harbor?"),
        ("src/retry.py", "did you mean harbor/retry.py?"),
        ("nowhere", "there is no nowhere in this project"),
        ("debug.log", "is not indexed: ignored (.gitignore line 1)"),
    ],
)
def test_missing_path_is_refused_by_name(harbor: IndexedProject, path: str, words: str) -> None:
    with pytest.raises(BadRequest) as refused:
        orient(harbor, path)
    assert refused.value.field == "path"
    assert words in str(refused.value)


def test_limit_truncates_the_same_order(harbor: IndexedProject) -> None:
    every = orient(harbor, limit=1000).results
    assert len(every) == len(FILES) - 1
    for limit in range(1, len(every)):
        assert [(r.doc_id, r.fused_score) for r in orient(harbor, limit=limit).results] == [
            (r.doc_id, r.fused_score) for r in every[:limit]
        ]


def test_tests_are_not_lowered_in_a_test_folder(harbor: IndexedProject) -> None:
    assert orient(harbor, "tests").results[0].adjustments == []


ROUTER = '''alias Web.Conn

defmodule Web.Router do
  @moduledoc ~S"""
  Leads a request to its page.
  """

  def match(conn), do: conn
end

defimpl Inspect, for: Web.Router do
  def inspect(router, _), do: router
end
'''
BADGES = "# Web\n\n[![Build](https://a.b/c.svg)](https://a.b/c)\n![hex](https://a.b/d.svg)\n\nPages for everyone.\n"


@pytest.mark.acceptance("O1")
def test_summary_enters_namespaces_and_skips_badges(tmp_path: Path) -> None:
    web = IndexedProject(tmp_path / "web").init_repository()
    web.write({"lib/web/router.ex": ROUTER, "README.md": BADGES})
    web.commit("Begin")
    web.update_index()
    assert {result.doc_id: result.snippet for result in orient(web).results} == {
        "./README.md": "Web — Pages for everyone.",
        "./lib/web/router.ex": "Router: Leads a request to its page.",
    }


@pytest.mark.acceptance("F11")
def test_orient_reports_a_missing_index_or_history(tmp_path: Path) -> None:
    plain = IndexedProject(tmp_path / "plain")
    plain.write({"a.py": "def pay():\n    pass\n"})
    empty = orient(plain)
    assert empty.results == []
    assert empty.notice.startswith("Nothing could be searched yet: the index is still to be made")
    plain.update_index()
    parts = {part.name: part.reason for part in orient(plain).results[0].annotations.composite or []}
    assert parts["commits"] == "no history is known"


def test_orient_of_an_empty_project_is_empty(tmp_path: Path) -> None:
    plain = IndexedProject(tmp_path / "empty")
    plain.root.mkdir()
    plain.update_index()
    answer = orient(plain)
    assert answer.results == []
    assert "nothing to search" in answer.notice


def test_a_folder_that_is_not_read_yet_is_no_error(tmp_path: Path) -> None:
    sample = IndexedProject(tmp_path / "half")
    sample.write({"read/a.py": "def a():\n    pass\n", "later/b.py": "def b():\n    pass\n"})
    sample.update_index(frozenset({"read"}))
    answer = orient(sample, "later")
    assert (answer.results, answer.index.state) == ([], "starting")
    assert answer.notice
    with pytest.raises(BadRequest, match="there is no nowhere in this project that is indexed yet"):
        orient(sample, "nowhere")


def test_an_unfinished_code_graph_is_told(tmp_path: Path) -> None:
    sample = IndexedProject(tmp_path / "young")
    sample.write({"a.py": "from b import b\n\n\ndef a():\n    b()\n", "b.py": "def b():\n    pass\n"})
    sample.update_index()
    before = orient(sample)
    assert "the code graph is still being made: callers and importers may be missing" in before.notice
    assert before.index.graph == "pending"
    sample.update_graph()
    after = orient(sample)
    assert (after.notice, after.index.graph) == ("", "ready")
