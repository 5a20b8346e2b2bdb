"""`scry serve` among clients that are slow, many, or mean: it stays up, says why, and answers the others."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from scry.surfaces.serving import load_or_create_token
from tests.e2e.http_server import HttpServer
from tests.polling import eventually
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.acceptance("P2")]

PATIENCE = 1.0
LATE = 60.0
"""Seconds after which a test gives up; the server's own patience is a fraction of it."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    shop = make_repository(tmp_path_factory.mktemp("patience") / "shop", SHOP)
    body = "\n".join(f'    """Line {number} of many, to fill an answer."""' for number in range(400))
    for number in range(100):
        (shop / f"long_{number}.py").write_text(f"def receipt_{number}():\n{body}\n")
    with HttpServer(shop, SCRY_HTTP_PATIENCE=str(PATIENCE)) as server:
        server.wait_until_ready()
        yield server


def head(length: int, *, close: bool = False) -> bytes:
    lines = ["POST /scry HTTP/1.1", "Host: localhost", f"Authorization: Bearer {load_or_create_token()}"]
    lines += ["Content-Type: application/json", f"Content-Length: {length}", *(["Connection: close"] if close else [])]
    return "\r\n".join([*lines, "", ""]).encode()


def received(client: socket.socket) -> bytes:
    """Return all bytes until the server closes the connection."""
    client.settimeout(LATE)
    data = b""
    try:
        while part := client.recv(65536):
            data += part
    except ConnectionResetError:
        pass
    return data


def answers_others(server: HttpServer) -> bool:
    return bool(server.ask("find", query="who mails the receipt")["results"])


def test_silent_client_is_disconnected(server: HttpServer) -> None:
    with server.raw() as client:
        assert answers_others(server)
        assert received(client).startswith(b"HTTP/1.1 408 ")


def test_slow_request_head_is_disconnected(server: HttpServer) -> None:
    with server.raw() as client:
        client.settimeout(0.05)
        data = b""
        for byte in (head(0) * 100)[:-4]:
            try:
                client.sendall(bytes([byte]))
                data += client.recv(65536)
            except TimeoutError:
                continue
            except OSError:
                break
            if data:
                break
        assert data.startswith(b"HTTP/1.1 408 ")
    assert answers_others(server)


def test_endless_request_body_is_disconnected(server: HttpServer) -> None:
    with server.raw() as client:
        client.sendall(head(1000) + b'{"query": ')
        data = received(client)
    assert data.startswith(b"HTTP/1.1 408 ")
    assert json.loads(data.partition(b"\r\n\r\n")[2])["error"]["code"] == "too_slow"
    assert answers_others(server)


def test_unread_answer_is_dropped(server: HttpServer) -> None:
    body = json.dumps({"query": "receipt line of many", "limit": 1000, "full": True}).encode()
    assert len(server.post(body).body) * 12 > 8_000_000, "the answers must not fit into the system's buffers"
    before = len(server.log)
    with server.raw() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall((head(len(body)) + body) * 12)
        eventually(
            lambda: any("did not take its answer" in text for text in server.log[before:]), "the connection is dropped"
        )
    assert answers_others(server)


def test_client_disconnect_does_not_affect_others(server: HttpServer) -> None:
    for cut in (10, 60, len(head(20))):
        with server.raw() as client:
            client.sendall((head(20) + b'{"query": "receipt"}')[:cut])
    with server.raw() as client:
        client.sendall(head(20) + b'{"query": "receipt"}')
    assert answers_others(server)


@pytest.mark.parametrize(
    "rubbish", [b"\x00" * 100, b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00", b"GET / HTTP/1.1\r\nA" * 9]
)
def test_invalid_http_gets_an_error_reply_only(server: HttpServer, rubbish: bytes) -> None:
    with server.raw() as client:
        client.sendall(rubbish)
        assert received(client).startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 408 "))
    assert answers_others(server)


def test_a_thousand_idle_connections_block_nobody(server: HttpServer) -> None:
    """Connections beyond the limit get an error; the others are served, and all of them once some have closed."""
    with ExitStack() as stack:
        clients = [stack.enter_context(server.raw()) for _ in range(1000)]
        replies: list[bytes] = []

        def ask(some: list[socket.socket]) -> None:
            for client in some:
                with suppress(OSError):  # it was turned away, and has the reason already
                    client.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                replies.append(received(client))

        threads = [threading.Thread(target=ask, args=(clients[at::20],)) for at in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        statuses = {status: sum(reply.startswith(b"HTTP/1.1 " + status) for reply in replies) for status in STATUSES}
        assert sum(statuses.values()) == 1000, (statuses, {reply[:60] for reply in replies})
        assert statuses[b"200"] > 0
        assert all(b'"busy"' in reply for reply in replies if reply.startswith(b"HTTP/1.1 503"))
    assert answers_others(server)
    assert server.process.poll() is None


STATUSES = (b"200", b"408", b"503")


def test_full_queue_of_requests_is_answered(server: HttpServer) -> None:
    statuses: list[int] = []

    def ask() -> None:
        statuses.append(server.try_to_ask("find", query="who mails the receipt").status)

    threads = [threading.Thread(target=ask) for _ in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [200] * 200
