"""`scry serve`: what programs get over HTTP, from the real process."""

from __future__ import annotations

import json
import signal
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from scry import __version__
from scry.surfaces.serving import load_or_create_token, token_path
from scry_protocol.messages import Answer, Detail, Explanation, Recorded
from scry_protocol.version import PROTOCOL
from tests.e2e.command_line import CommandLine
from tests.e2e.http_server import HttpServer
from tests.polling import eventually
from tests.processes import is_running
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_repository(tmp_path_factory.mktemp("http") / "shop", SHOP)


@pytest.fixture(scope="module")
def server(shop: Path) -> Iterator[HttpServer]:
    with HttpServer(shop) as server:
        server.wait_until_ready()
        yield server


# Answers ----------------------------------------------------------------------------------------------------------


@pytest.mark.acceptance("P2", "F1")
def test_http_answer_equals_the_command_line_byte_for_byte(server: HttpServer, shop: Path) -> None:
    line = CommandLine(shop).run("find", "who mails the receipt", "--json").out
    over_http = server.post(json.dumps({"query": "who mails the receipt"}).encode())
    assert over_http.headers["content-type"] == "application/json"
    assert _without_name(over_http.body) == _without_name(line.encode())


def _without_name(body: bytes) -> bytes:
    """Each answer has a name of its own, and an index that is being watched a state that may be younger."""
    answer = msgspec.json.decode(body, type=Answer)
    assert answer.results
    return msgspec.json.encode(msgspec.structs.replace(answer, query_id="", index=_state_of(answer)))


def _state_of(answer: Answer) -> object:
    return msgspec.structs.replace(answer.index, generation=0, graph="")


@pytest.mark.acceptance("P2")
def test_http_answers_every_mode(server: HttpServer) -> None:
    found = server.ask("find", query="who mails the receipt")
    assert msgspec.convert(found, Answer).results[0].doc_id == "./shop/mail.py::send_receipt"
    assert msgspec.convert(server.ask("orient"), Answer).mode == "orient"
    assert msgspec.convert(server.ask("recent"), Answer).mode == "recent"
    assert msgspec.convert(server.ask("neighbors", file="shop/cart.py", by="dependency"), Answer).mode == "neighbors"
    assert "send_receipt" in msgspec.convert(server.ask("why", doc_id="./shop/mail.py::send_receipt"), Explanation).text
    assert "print(address)" in msgspec.convert(server.ask("detail", query_id=found["query_id"], rank=1), Detail).text
    assert server.ask("status")["files_indexed"] == len(SHOP)
    assert server.ask("beliefs", action="list")["beliefs"] == []
    note = server.ask("remember", text="Small functions.")["notes"][0]
    assert note in server.ask("persona", action="list")["notes"]
    assert server.ask("persona", action="forget", doc_id=note["doc_id"])["notes"][0]["text"] == ""
    assert [each["name"] for each in server.ask("projects", action="list")["projects"]] == ["shop"]
    assert server.ask("memory", action="list")["memories"] == []
    assert server.ask("session", action="list")["sessions"] == []


@pytest.mark.acceptance("E1", "E2", "E3")
def test_questions_uses_and_ratings_are_logged(server: HttpServer, shop: Path) -> None:
    name = server.ask("find", query="what a customer is about to buy")["query_id"]
    server.ask("detail", query_id=name, rank=1)
    act = {"query_id": name, "rank": 2, "how": "agent", "act_id": "act-of-an-agent"}
    assert msgspec.convert(server.ask("use", **act), Recorded).recorded
    assert not msgspec.convert(server.ask("use", **act), Recorded).recorded
    copied = server.ask("use", query_id=name, rank=1, how="copy", act_id="act-of-a-script")
    assert copied["text"] == "shop/cart.py:4-13"
    assert server.ask("feedback", query_id=name, signal="good")["recorded"]
    table = CommandLine(shop).run("log", "--json", "--sql", f"SELECT how, surface FROM usage WHERE query_id = '{name}'")
    assert json.loads(table.out)["rows"] == [["detail", "http"], ["agent", "http"], ["copy", "http"]]


@pytest.mark.acceptance("P2")
def test_health_needs_no_token_and_reveals_no_projects(server: HttpServer) -> None:
    reply = server.send("GET", "/health")
    assert (reply.status, reply.json) == (200, {"status": "ok", "version": __version__, "protocol": PROTOCOL})


@pytest.mark.acceptance("P1", "P2")
def test_unknown_project_is_404_alone_and_a_fault_among_others(server: HttpServer, tmp_path: Path) -> None:
    root = make_repository(tmp_path / "mill", {"mill.py": "def grind_flour():\n    pass\n"})
    assert CommandLine(root).run("project", "add").status == 0
    reply = server.try_to_ask("find", query="flour", projects=["nowhere"])
    assert (reply.status, reply.error["code"], reply.error["field"]) == (404, "unknown_project", "projects")
    assert CommandLine(root).run("index").status == 0
    answer = server.ask("find", query="grind flour", projects=["mill", "nowhere"])
    assert [result["doc_id"] for result in answer["results"]][:1] == ["mill:./mill.py::grind_flour"]
    assert [fault["project"] for fault in answer["faults"]] == ["nowhere"]


# Refused requests -------------------------------------------------------------------------------------------------


@pytest.mark.acceptance("P2")
@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b"", "body"),
        (b"{", "body"),
        (b"[]", "body"),
        (b'"find"', "body"),
        (b"\xff\xfe", "body"),
        (b'{"query": NaN}', "body"),
        (b"[" * 100_000, "body"),
        (b"{}", "query"),
        (b'{"query": ""}', "query"),
        (b'{"query": 1}', "query"),
        (b'{"query": "x", "limit": 0}', "limit"),
        (b'{"query": "x", "limit": 1001}', "limit"),
        (b'{"query": "x", "limit": 1.5}', "limit"),
        (b'{"query": "x", "types": ["nothing"]}', "types"),
        (b'{"query": "x", "colour": "red"}', "colour"),
        (b'{"mode": "index", "action": "rebuild"}', "mode"),
        (b'{"mode": ["find"]}', "mode"),
        (b'{"mode": "why", "doc_id": ""}', "doc_id"),
        (b'{"mode": "detail", "query_id": "q_20200101_000000_aaaaaaaa", "rank": 1}', "query_id"),
        (b'{"mode": "feedback", "query_id": "x", "signal": "great"}', "signal"),
        (b'{"mode": "projects", "action": "add"}', "action"),
        (b'{"mode": "projects", "action": "add", "folder": "/srv/shop", "name": "shop"}', "action"),
        (b'{"mode": "believe", "statement": "x", "evidence": ["%s"]}' % (b"x" * 300), "evidence"),
        (b'{"mode": "observe", "kind": "note", "text": "x", "status": 9223372036854775808}', "status"),
        (b'{"mode": "neighbors", "file": "a.py", "by": "similar", "line": 18446744073709551616}', "line"),
        (b'{"mode": "observe", "kind": "note", "text": "\\u0000"}', "text"),
        (b'{"mode": "memory", "action": "forget", "ids": ["\\ud800"]}', "ids"),
        (b'{"mode": "persona", "action": "forget", "doc_id": "\\ud800"}', "doc_id"),
    ],
)
def test_malformed_request_is_refused_by_field_name(server: HttpServer, body: bytes, field: str) -> None:
    reply = server.post(body)
    assert (reply.status, reply.error["code"]) == (400, "bad_request"), reply
    assert reply.error["field"].partition("[")[0] == field
    assert reply.error["message"].startswith(f"{reply.error['field']}: ")


@pytest.mark.acceptance("P2")
def test_registration_is_refused_with_the_command_that_does_it(server: HttpServer, shop: Path) -> None:
    for folder in (shop, shop / "shop"):
        reply = server.post(json.dumps({"mode": "projects", "action": "add", "folder": str(folder)}).encode())
        assert reply.error["message"] == "action: add is for editors; to register a project: scry project add FOLDER"


@pytest.mark.acceptance("P2", "M1")
def test_memory_that_is_off_is_a_503_without_a_time_to_retry(shop: Path) -> None:
    with HttpServer(shop, SCRY_MEMORY="false") as server:
        server.wait_until_ready()
        reply = server.post(b'{"mode": "session", "action": "start", "intent": "a search"}')
        assert (reply.status, reply.error["code"]) == (503, "memory_unavailable")
        assert "scry memory on" in reply.error["message"]
        assert "retry-after" not in {name.lower() for name in reply.headers}


@pytest.mark.acceptance("P2")
@pytest.mark.parametrize(
    ("shown", "code"),
    [
        ({}, "no_token"),
        ({"Authorization": "Bearer wrong"}, "wrong_token"),
        ({"Authorization": "Basic c2NyeTpzY3J5"}, "wrong_token"),
        ({"Authorization": "Bearer töken"}, "wrong_token"),
    ],
)
def test_a_missing_or_wrong_token_is_401(server: HttpServer, shown: dict[str, str], code: str) -> None:
    for reply in (server.send("POST", "/scry", b"{}", **shown), server.send("GET", "/openapi.json", None, **shown)):
        assert (reply.status, reply.error["code"]) == (401, code)
        assert str(token_path()) in reply.error["message"]
        assert reply.headers["www-authenticate"] == 'Bearer realm="scry"'
        assert load_or_create_token() not in reply.body.decode()


@pytest.mark.acceptance("P2")
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example", ""]
)
def test_a_foreign_host_is_403_token_or_not(server: HttpServer, host: str) -> None:
    reply = server.post(b'{"query": "x"}', Host=host)
    assert (reply.status, reply.error["code"]) == (403, "foreign_host")
    assert server.send("GET", "/health", Host=host).status == 403


@pytest.mark.acceptance("P2")
@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:3000", "https://localhost"])
def test_web_page_origin_is_403(server: HttpServer, origin: str) -> None:
    reply = server.post(b'{"query": "x"}', Origin=origin, Host=f"localhost:{server.port}")
    assert (reply.status, reply.error["code"]) == (403, "foreign_origin")


def test_every_spelling_of_localhost_is_accepted(server: HttpServer) -> None:
    for host in (f"localhost:{server.port}", "LOCALHOST", "[::1]:9000", "127.0.0.1"):
        assert server.get("/openapi.json", Host=host, Origin=f"http://{host}").status == 200


@pytest.mark.acceptance("P2")
def test_oversized_request_is_413(server: HttpServer) -> None:
    largest = json.dumps({"query": "x" * (1024 * 1024 - 100)}).encode()
    assert server.post(largest).status == 200
    reply = server.post(largest + b" " * 200)
    assert (reply.status, reply.error["code"]) == (413, "too_large")
    with server.raw() as client:  # one that waits for leave to send gets the reply instead
        head = f"POST /scry HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {load_or_create_token()}\r\n"
        client.sendall(f"{head}Content-Length: 999999999999\r\nExpect: 100-continue\r\n\r\n".encode())
        assert client.recv(65536).startswith(b"HTTP/1.1 413 ")


@pytest.mark.acceptance("P2")
def test_oversized_body_without_declared_size_is_413(server: HttpServer) -> None:
    connection = server.connection()
    chunks = (b" " * 65_536 for _ in range(40))
    headers = {**server.token(), "Content-Type": "application/json"}
    connection.request("POST", "/scry", chunks, headers, encode_chunked=True)
    assert connection.getresponse().status == 413


@pytest.mark.parametrize(
    ("method", "path", "status"), [("GET", "/scry", 405), ("POST", "/health", 405), ("GET", "/", 404)]
)
def test_unknown_paths_and_methods_are_refused(server: HttpServer, method: str, path: str, status: int) -> None:
    reply = server.send(method, path, None, **server.token())
    assert reply.status == status
    assert reply.error["message"]
    assert status != 405 or reply.headers["allow"]


@pytest.mark.acceptance("F9")
def test_query_string_parameters_are_refused(server: HttpServer) -> None:
    reply = server.send("POST", "/scry?limit=1", b'{"query": "x"}', **server.token(), Content_Type="application/json")
    assert (reply.status, reply.error["field"]) == (400, "url")


def test_form_content_type_is_415(server: HttpServer) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        assert server.post(b'{"query": "x"}', Content_Type=kind).status == 415


# Where it listens -------------------------------------------------------------------------------------------------


@pytest.mark.acceptance("P2")
def test_token_is_created_once_and_private(server: HttpServer) -> None:
    assert stat.S_IMODE(token_path().stat().st_mode) == 0o600
    assert len(load_or_create_token()) >= 40
    assert load_or_create_token() not in server.hello
    assert load_or_create_token() not in "".join(server.log)


@pytest.mark.acceptance("P2")
def test_unix_socket_is_private_and_needs_no_token(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "shop", SHOP)
    place = tmp_path / "s.sock"
    with HttpServer(root, "--socket", str(place)) as server:
        assert stat.S_IMODE(place.stat().st_mode) == 0o600
        server.wait_until_ready()
        assert server.ask("find", query="who mails the receipt")["results"]
        second = CommandLine(root).run("serve", "--socket", str(place))
        assert (second.status, "another server listens" in second.err) == (2, True)
        assert server.end() == 0
    assert not place.exists()


def test_a_socket_that_a_killed_server_left_is_taken_over(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "shop", SHOP)
    place = tmp_path / "s.sock"
    with HttpServer(root, "--socket", str(place)) as server:
        server.process.kill()
        server.process.wait()
    assert place.exists()
    with HttpServer(root, "--socket", str(place)) as server:
        assert server.get("/health").status == 200


def test_a_port_that_is_taken_is_a_clear_error(server: HttpServer, shop: Path) -> None:
    done = CommandLine(shop).run("serve", "--port", str(server.port))
    assert done.status == 2
    assert done.err.startswith(f"scry: port: {server.port} can't be had")


def test_regular_file_is_not_replaced_by_a_socket(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    done = CommandLine(tmp_path).run("serve", "--socket", "notes.txt")
    assert (done.status, (tmp_path / "notes.txt").read_text()) == (2, "mine")


# The journal, and the end -----------------------------------------------------------------------------------------


def test_server_log_has_no_query_text_unless_enabled(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "shop", SHOP)
    for options, wanted in (((), False), (("--log-queries",), True)):
        with HttpServer(root, *options) as server:
            server.ask("find", query="secret\x1b[31m plan")
            eventually(lambda server=server: any("find 200" in text for text in server.log), "a line in the journal")
            assert server.end() == 0
        journal = "\n".join(server.log)
        assert ("secret" in journal) == wanted
        assert "\x1b" not in journal


@pytest.mark.acceptance("P2", "E4")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_terminated_server_finishes_open_requests(tmp_path: Path, number: int) -> None:
    root = make_repository(tmp_path / "shop", SHOP)
    with HttpServer(root) as server:
        server.wait_until_ready()
        answers: list[int] = []
        ready = threading.Barrier(9)

        def ask() -> None:
            ready.wait()
            answers.append(server.try_to_ask("find", query="who mails the receipt").status)

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        ready.wait()
        eventually(lambda: len(answers) > 0, "the first answer")
        assert server.end(number) == 0
        for thread in threads:
            thread.join(10)
    assert answers.count(200) >= 1
    assert not is_running(server.process.pid)
    logged = CommandLine(root).run("log", "--json", "--sql", "SELECT count(*) FROM queries WHERE mode = 'find'")
    assert json.loads(logged.out)["rows"] == [[answers.count(200)]]
