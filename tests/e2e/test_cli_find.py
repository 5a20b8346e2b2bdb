"""`scry find` on a real project: what it prints, for people, programs and language models."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import jsonschema
import msgspec
import pytest

from scry.surfaces.cli.questions import find as command
from scry.surfaces.cli.questions import question_options as asking
from scry_protocol.messages import Answer, FindParams
from tests.e2e.command_line import CommandLine, doc_ids
from tests.e2e.lsp_client import LspClient
from tests.sample.files import SMALL_SHOP
from tests.sample.indexer import IndexerProject, open_indexer_project
from tests.sample.project import make_repository

pytestmark = pytest.mark.slow

SCHEMA = Path(__file__).parents[2] / "protocol" / "generated" / "schema.json"
MOST_ARGUMENT_BYTES = 131_071
"""Linux takes no longer argument; a text of 1 MB comes over LSP."""


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IndexerProject]:
    with open_indexer_project(tmp_path_factory.mktemp("find") / "shop") as sample:
        sample.write_file(
            "shop/retry.py", '"""Tries again."""\n\nRETRY_LIMIT = 3\n\n\ndef retry(send):\n    """Sends again."""\n'
        )
        sample.write_file(
            "web/status.ts", "export class StatusBar {\n  /** Draws the status. */\n  draw(): void {}\n}\n"
        )
        sample.write_file(
            "tests/test_cart.py", "from shop.cart import add_to_cart\n\n\ndef test_add_to_cart():\n    pass\n"
        )
        sample.write_file("i18n/検索.py", 'def 融合():\n    """検索順位の融合 🎉"""\n')
        sample.write_file("evil.py", 'def paint():\n    """Paints \x1b[31mred\x1b[0m \u202egnirts\u202c."""\n')
        sample.git("init", "-q")
        sample.commit()
        yield sample


@pytest.fixture
def scry(sample: IndexerProject) -> CommandLine:
    return CommandLine(sample.root)


def same(answer: Answer) -> bytes:
    """Return an answer without its query id, and without the state of the code graph, which is completed meanwhile."""
    index = msgspec.structs.replace(answer.index, graph="")
    return msgspec.json.encode(msgspec.structs.replace(answer, query_id="", index=index))


@pytest.mark.acceptance("W1")
def test_why_says_that_the_document_comes_before_the_question(scry: CommandLine) -> None:
    found = scry.run("why", "where is the retry", "shop/retry.py")
    assert (found.status, found.out) == (2, "")
    assert found.err.rstrip().endswith("such as: scry why shop/retry.py 'where is the retry'")
    assert "There is none" in scry.run("why", "./shop/no such.py", "retry").out


@pytest.mark.acceptance("F1")
def test_find_command_name_is_optional(scry: CommandLine) -> None:
    with_word = msgspec.json.decode(scry.run("find", "add to cart", "--json").out, type=Answer)
    assert same(scry.find("add to cart")) == same(with_word)
    assert doc_ids(with_word)[0] == "./shop/cart.py::add_to_cart"


@pytest.mark.acceptance("F1")
def test_words_need_no_quotes(scry: CommandLine) -> None:
    assert same(scry.find("add", "to", "cart")) == same(scry.find("add to cart"))


@pytest.mark.acceptance("F1")
def test_command_name_after_two_dashes_is_a_query(scry: CommandLine) -> None:
    answer = msgspec.json.decode(scry.run("find", "--json", "--", "status").out, type=Answer)
    assert answer.query == "status"
    assert "./web/status.ts::StatusBar" in doc_ids(answer)
    assert "StatusBar" in scry.run("--", "status").out
    assert scry.run("status").out.startswith(str(scry.folder))


@pytest.mark.acceptance("F1", "F10")
def test_command_line_and_editor_give_the_same_answer(scry: CommandLine) -> None:
    queries = ("add to cart", "RETRY_LIMIT", "検索順位", "draw the status", "send it back")
    on_the_command_line = [msgspec.json.decode(scry.run(query, "--json").out, type=Answer) for query in queries]
    with LspClient(scry.folder) as editor:
        editor.initialize(scry.folder)
        editor.wait_until_ready()
        for query, ours in zip(queries, on_the_command_line, strict=True):
            assert ours.results
            assert same(ours) == same(msgspec.convert(editor.find(query), Answer))
        editor.shut_down()


@pytest.mark.acceptance("F10")
def test_hash_seeds_explaining_and_not_waiting_change_nothing(scry: CommandLine) -> None:
    outcomes = {
        same(msgspec.json.decode(scry.run("shop", "--json", *words, PYTHONHASHSEED=seed).out, type=Answer))
        for words, seed in (((), "1"), (("--explain",), "2"), (("--no-wait",), "3"))
    }
    assert len(outcomes) == 1


@pytest.mark.acceptance("J7", "J1", "J2")
def test_json_output_is_one_schema_valid_object(scry: CommandLine) -> None:
    done = scry.run("find", "add to cart", "--json")
    assert (done.status, done.err) == (0, "")
    assert done.out.count("\n") == 1
    pairs: list[tuple[str, Any]] = json.loads(done.out, object_pairs_hook=list)
    assert tuple(name for name, _ in pairs) == Answer.__struct_fields__
    schema = json.loads(SCHEMA.read_bytes())
    jsonschema.validate(json.loads(done.out), {**schema, "$ref": "#/$defs/Answer"})


@pytest.mark.acceptance("F8a")
@pytest.mark.parametrize(
    "query",
    [
        "multi-agent",
        "don't",
        "20.04",
        "AND",
        "OR NOT (",
        '"',
        "*",
        "a* ~2 ^3 [x TO y]",
        "field:value",
        "😀",
        "検索",
        "融",
        "\u202e\x1b[2J",
        "lang:",
        "é\u0301",
    ],
)
def test_odd_questions_are_literal_text(scry: CommandLine, query: str) -> None:
    assert scry.find(query).query == query


@pytest.mark.acceptance("F8a")
@pytest.mark.parametrize("query", ["-", "-x", "--limit", "-path:tests retry", "--"])
def test_options_after_two_dashes_are_query_text(scry: CommandLine, query: str) -> None:
    done = scry.run("find", "--json", "--", query)
    assert done.err == ""
    found = json.loads(done.out)
    assert (found["query"], done.status) == (query, 0 if found["results"] else 1)


@pytest.mark.acceptance("F8a")
def test_undecodable_argument_bytes_are_accepted(scry: CommandLine) -> None:
    assert scry.find(b"cart \xff\xfe").query == "cart \ufffd\ufffd"


@pytest.mark.acceptance("F8a")
def test_the_longest_question_that_a_command_line_takes(scry: CommandLine) -> None:
    # A NUL can't be in an argument at all; like a longer text it can only come over LSP.
    query = ("add_to_cart " * (MOST_ARGUMENT_BYTES // 12 + 1))[:MOST_ARGUMENT_BYTES]
    answer = scry.find(query)
    assert answer.query == query
    assert doc_ids(answer)[0] == "./shop/cart.py::add_to_cart"


def test_texts_repeat_only_the_beginning_of_a_long_question(scry: CommandLine) -> None:
    asked = scry.find("add_to_cart " * 4000)
    commands = (("detail", asked.query_id, "1"), ("why", "shop/cart.py", "--query-id", asked.query_id), ("log",))
    for words in commands:
        done = scry.run(*words)
        assert done.status == 0, done
        assert max(map(len, done.out.splitlines())) < 600, words
        assert "…" in done.out


def test_excluding_filter_stands_where_other_words_do(scry: CommandLine) -> None:
    everywhere = scry.find("add_to_cart", "--limit", "100")
    assert any(doc_id.startswith("./tests/") for doc_id in doc_ids(everywhere))
    wanted = doc_ids(scry.find("add_to_cart -path:tests", "--limit", "100"))
    for words in (("-path:tests", "add_to_cart"), ("-path:tests add_to_cart",), ("add_to_cart", "-path:tests", "--")):
        assert doc_ids(scry.find(*words[:1], "--limit", "100", *words[1:])) == wanted, words
    for name in ("lang", "type", "source", "domain"):
        assert scry.run("find", f"-{name}:none", "add_to_cart").status == 0
    assert scry.run("recent", "-type:commit", "add_to_cart").status == 0


@pytest.mark.acceptance("W1")
def test_why_reads_a_file_from_the_current_folder(scry: CommandLine) -> None:
    inside = CommandLine(scry.folder / "shop", scry.environ)
    for place in ("cart.py", "./cart.py", "cart.py:1", "cart.py::add_to_cart", "shop/cart.py", "./shop/cart.py:1"):
        assert inside.run("why", place, "add_to_cart").out.startswith("./shop/cart.py"), place
    assert "There is none" in inside.run("why", "cart.py:one", "add_to_cart").out


@pytest.mark.acceptance("F9")
def test_limit_and_score_and_type_are_exact(scry: CommandLine) -> None:
    everything = scry.find("shop cart retry status pay", "--limit", "1000")
    assert len(everything.results) > 4
    assert doc_ids(scry.find("shop cart retry status pay", "--limit", "3")) == doc_ids(everything)[:3]
    floor = everything.results[2].confidence
    assert floor
    above = scry.find("shop cart retry status pay", "--min-score", str(floor), "--limit", "1000")
    assert doc_ids(above) == [each.doc_id for each in everything.results if (each.confidence or 0) >= floor]
    assert {each.content_type for each in scry.find("shop", "--type", "doc").results} == {"doc"}


@pytest.mark.acceptance("F9", "F7")
def test_the_intent_can_be_set(scry: CommandLine) -> None:
    assert scry.find("cart", "--intent", "rationale").intent == "rationale"


@pytest.mark.acceptance("F9")
@pytest.mark.parametrize(
    ("words", "field"),
    [
        (("--limit", "0", "x"), "limit"),
        (("--limit", "3.7", "x"), "limit"),
        (("--limit", "many", "x"), "limit"),
        (("--limit", "1001", "x"), "limit"),
        (("--min-score", "1.1", "x"), "min_score"),
        (("--min-score", "nan", "x"), "min_score"),
        (("--type", "poem", "x"), "type"),
        (("--intent", "idle", "x"), "intent"),
        (("--source", "internet", "x"), "source"),
        (("--colour", "blue", "x"), "arguments"),
        (("--format", "llm", "x"), "format"),
        (("find",), "query"),
        (("find", "  "), "query"),
    ],
)
def test_invalid_find_options_are_refused_by_name(scry: CommandLine, words: tuple[str, ...], field: str) -> None:
    done = scry.run(*words, "--json")
    assert done.status == 2
    error = json.loads(done.out)["error"]
    assert (error["code"], error["field"]) == ("bad_request", field)
    assert done.err == f"scry: {error['message']}\n"


def test_command_line_choices_are_those_of_the_wire() -> None:
    wire = get_type_hints(FindParams)
    assert set(get_args(command.IntentOption)) | {type(None)} == {
        each for part in get_args(wire["intent"]) for each in (get_args(part) or (part,))
    }
    assert get_args(wire["types"]) == (asking.ContentType,)


@pytest.mark.acceptance("X1", "J5")
def test_each_result_is_printed_on_one_line(scry: CommandLine) -> None:
    done = scry.run("where is the retry limit")
    assert done.err == ""
    head, *lines = done.out.splitlines()
    assert re.fullmatch(r"q_\d{8}_\d{6}_[a-z2-7]{8,}  \d+ results", head)
    results = [line for line in lines if not line.startswith("     ")]
    place = r"\[(code|doc)\] \./\S.*|\[commit\] commit:[0-9a-f]{10}"
    shape = re.compile(
        rf"(\d+)\. (?:{place})  "
        r"\(0\.(?:\d\d|0+\d)( \| weak)?( \| (sem|lex|temp) #\d+)*( \| [a-z ]+ x0\.\d+)?( \| imp \d+)?\)"
    )
    assert [int(match[1]) for line in results if (match := shape.fullmatch(line))] == [*range(1, len(results) + 1)]
    assert results[0].startswith("1. [code] ./shop/retry.py::")


@pytest.mark.acceptance("X1", "J4")
def test_importers_are_counted_in_the_line(scry: CommandLine) -> None:
    assert re.search(r"\./shop/cart\.py::add_to_cart  \(.*\| imp 2\)", scry.run("add_to_cart").out)


@pytest.mark.acceptance("X1")
def test_printed_path_and_line_open_the_result_from_any_folder(scry: CommandLine) -> None:
    for folder in (scry.folder, scry.folder / "shop", scry.folder / "web"):
        lines = CommandLine(folder, scry.environ).run("retry", "--limit", "3").out.splitlines()
        path, line = lines[lines.index(next(each for each in lines if "retry.py::retry " in each)) + 1].split(":")[:2]
        assert (folder / path.strip()).read_text().splitlines()[int(line) - 1].startswith("def retry")
    below_its_comment = scry.run("draw the status", "--limit", "3").out
    assert "web/status.ts:3: draw(): void" in below_its_comment


def test_exit_status_without_results_is_1(scry: CommandLine) -> None:
    for words in (
        ("add_to_cart lang:cobol",),
        ("recent", "add_to_cart lang:cobol"),
        ("find", "--reason", "what calls retry"),
    ):
        done = scry.run(*words)
        assert (done.status, done.err) == (1, ""), words
        assert scry.run(*words, "--json").status == 1
    assert scry.run("add_to_cart").status == 0


def test_mistyped_command_is_searched_and_told(scry: CommandLine) -> None:
    for words in (("statsu",), ("statsu", "--explain")):
        done = scry.run(*words)
        assert "the command is scry status" in done.err
        assert done.out.startswith("q_")
    assert "the command is scry orient" in scry.run("orint", ".").err, "the next word is a path"
    assert scry.run("orint", "carts").err == ""
    assert "the option is scry --help" in scry.run("help").err
    assert scry.run("statsu", "--json").err == "scry: this searched for the word statsu; the command is scry status\n"


@pytest.mark.acceptance("X2")
def test_explain_shows_raw_scores_with_their_units(scry: CommandLine) -> None:
    text = scry.run("find", "add_to_cart", "--explain").out
    assert re.search(r'\n     Lexical: #1 \(\d+\.\d BM25\) matched: "', text)
    assert re.search(r"\n     Structural: 2 importers, (high|medium|low) centrality, low activity, not test\n", text)
    assert re.search(r"\n     Adjusted: x\d", text)
    assert "test_cart" in text
    assert re.search(r"centrality, low activity, test\n", text)


@pytest.mark.acceptance("J7")
def test_prompt_format_for_language_models(scry: CommandLine) -> None:
    text = scry.run("retry", "--format", "llm").out
    assert text.count("## ") == 1
    assert "\n## Project Knowledge\n" in text
    assert re.search(r"\n1\. \[code\] \./shop/retry\.py::\S+ \(.*\) at shop/retry\.py:\d+(-\d+)?\n   - ", text)


@pytest.mark.acceptance("X1")
def test_indexed_text_does_not_act_on_the_terminal(scry: CommandLine) -> None:
    for words in (("paint",), ("paint", "--explain"), ("paint", "--format", "llm")):
        text = scry.run(*words).out
        assert "./evil.py::paint" in text
        assert "\\x1b[31mred" in text
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_colours_follow_terminal_and_environment(scry: CommandLine) -> None:
    plain = scry.run("retry", "--limit", "1").out
    assert "\x1b" not in plain
    coloured = scry.run("retry", "--limit", "1", FORCE_COLOR="1").out
    assert "\x1b[" in coloured
    uncoloured = re.sub(r"\x1b\[[\d;]*m", "", coloured)
    assert uncoloured.splitlines()[1:] == plain.splitlines()[1:]
    assert "\x1b" not in scry.run("retry", FORCE_COLOR="1", NO_COLOR="1").out


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "POSIX"])
def test_find_works_in_any_locale(scry: CommandLine, locale: str) -> None:
    done = scry.run("検索順位".encode(), LC_ALL=locale, PYTHONIOENCODING="latin-1")
    assert done.status == 0, done.err
    assert json.loads(scry.run("検索順位".encode(), "--json", LC_ALL=locale, PYTHONIOENCODING="latin-1").out)["results"]


def test_standard_error_stays_empty_and_the_project_untouched(scry: CommandLine, sample: IndexerProject) -> None:
    assert scry.run("cart").err == ""
    assert sample.git("status", "--porcelain", "--ignored") == ""


@pytest.mark.parametrize(
    "words",
    [
        ("neighbors", "shop/checkout.py", "--by", "dependency"),
        ("find", "--reason", "what imports shop/cart.py"),
        ("orient", "shop"),
    ],
)
def test_question_about_code_waits_for_the_graph(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = CommandLine(make_repository(tmp_path / "new", SMALL_SHOP)).run(*words, "--json")
    answer = msgspec.json.decode(done.out, type=Answer)
    assert answer.results
    assert (answer.notice, answer.index.graph) == ("", "ready")
