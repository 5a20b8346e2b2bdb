"""How many questions `scry serve` answers in a second, and how long each takes, from 1, 8 and 64 clients at once.

Figures are reported. Asserted is that no answer is wrong, and that many clients don't bring the server down: with 64 of
them it still answers at least half as many questions as with 8.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import pytest

import scry
from scry.surfaces.serving import load_or_create_token
from tests.e2e.http_server import HttpServer
from tests.sample.project import make_repository

pytestmark = [pytest.mark.bench, pytest.mark.timeout(600), pytest.mark.acceptance("P2")]

QUESTIONS = (
    "where are the ranks of several oracles fused",
    "how is a file left out of the index",
    "IndexStore",
    "what happens when the log can't be written",
    "read a commit's patch",
    "words of an identifier",
    "lock that ends with its holder",
    "TookTooLong",
)
CLIENTS = (1, 8, 64)
SECONDS = 8.0


@dataclass(frozen=True)
class Load:
    """Figures of many clients that send queries one after another. processor: seconds of the server process."""

    clients: int
    seconds: float
    processor: float
    times: list[float]

    @property
    def rate(self) -> float:
        return len(self.times) / self.seconds

    def __str__(self) -> str:
        p99 = quantiles(self.times, n=100)[-1] * 1000
        p50 = median(self.times) * 1000
        each = self.processor / len(self.times) * 1000
        figures = f"{self.rate:6.0f} requests/s, p50 {p50:6.1f} ms, p99 {p99:6.1f} ms, processor {each:5.1f} ms each"
        return f"{self.clients:3} clients: {figures}"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    """About a copy of Scry's own source."""
    root = tmp_path_factory.mktemp("bench") / "project"
    shutil.copytree(Path(scry.__file__).parent, root / "source", ignore=shutil.ignore_patterns("__pycache__", "*.npz"))
    make_repository(root, {})
    with HttpServer(root) as server:
        server.wait_until_ready()
        yield server


def test_http_load_of_parallel_clients(server: HttpServer) -> None:
    wanted = {question: found(server.ask("find", query=question)) for question in QUESTIONS}
    loads = [asyncio.run(ask_from(server, clients, wanted)) for clients in CLIENTS]
    print()
    for load in loads:
        print(load)
    assert loads[2].rate > loads[1].rate / 2


def found(answer: dict[str, Any]) -> list[object]:
    """All of an answer but its name."""
    assert answer["results"]
    return [answer["query"], answer["results"], answer["faults"], answer["scoring"]]


async def ask_from(server: HttpServer, clients: int, wanted: dict[str, list[object]]) -> Load:
    """Asks for some seconds; every answer must be the one that a single client gets."""
    began, processor = time.perf_counter(), processor_seconds(server)
    until = began + SECONDS
    asked = await asyncio.gather(*(ask_again_and_again(server, number, until) for number in range(clients)))
    seconds, processor = time.perf_counter() - began, processor_seconds(server) - processor
    times = [each for client_times, _ in asked for each in client_times]
    for _, bodies in asked:
        for body in bodies:
            answer = json.loads(body)
            assert found(answer) == wanted[answer["query"]]
    return Load(clients, seconds, processor, times)


async def ask_again_and_again(server: HttpServer, number: int, until: float) -> tuple[list[float], list[bytes]]:
    """Send queries on one connection; return the seconds of each answer, and the answers."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    times: list[float] = []
    bodies: list[bytes] = []
    while time.perf_counter() < until:
        writer.write(request(QUESTIONS[(number + len(times)) % len(QUESTIONS)]))
        began = time.perf_counter()
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        bodies.append(await reader.readexactly(length))
        times.append(time.perf_counter() - began)
        assert head.startswith(b"HTTP/1.1 200 "), bodies[-1]
    writer.close()
    return times, bodies


def processor_seconds(server: HttpServer) -> float:
    """Return what the server has used of the processor, whatever else the machine does."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def request(question: str) -> bytes:
    body = json.dumps({"query": question}).encode()
    lines = ("POST /scry HTTP/1.1", "Host: localhost", f"Authorization: Bearer {load_or_create_token()}")
    more = ("Content-Type: application/json", f"Content-Length: {len(body)}", "", "")
    return "\r\n".join((*lines, *more)).encode() + body
