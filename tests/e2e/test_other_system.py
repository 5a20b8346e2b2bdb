"""Scry as it is on a system without Unix sockets, fork and files opened by their folder, such as Windows.

Every process of the test, the indexer included, is told so before it begins.
"""

from __future__ import annotations

import os
import signal
import socket
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from scry.projects import IndexerAddress
from tests.e2e.command_line import CommandLine, doc_ids
from tests.polling import eventually
from tests.processes import is_running

pytestmark = [pytest.mark.slow, pytest.mark.needs("posix")]

_CHOICES = """
import os
from scry.core import platform
del os.pread, os.pwrite
platform.has_unix_sockets = lambda: False
platform.can_fork = lambda: False
platform.CAN_OPEN_BY_FOLDER = False
platform.SHOWS_CHANGES_PER_FOLDER = False
"""


@pytest.fixture
def elsewhere(shop: Path, tmp_path: Path) -> CommandLine:
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(_CHOICES)
    homes = {f"XDG_{kind.upper()}_HOME": str(tmp_path / kind) for kind in ("cache", "data", "config")}
    return CommandLine(shop, {"PYTHONPATH": str(site), **homes})


def test_indexer_at_a_port_answers_those_who_show_its_token(elsewhere: CommandLine, tmp_path: Path) -> None:
    answer = elsewhere.find("where is the cart's total computed")
    assert answer.results
    assert answer.index.state == "ready"
    [file] = (tmp_path / "cache").glob("scry/*/indexer.json")
    address = msgspec.json.decode(file.read_bytes(), type=IndexerAddress)
    assert address.port
    assert len(address.token) == 32
    assert not address.socket
    try:
        with socket.create_connection(("127.0.0.1", address.port), 5) as stranger:
            stranger.sendall(b'{"token":"' + b"0" * 32 + b'"}\n')
            stranger.settimeout(20)
            assert stranger.recv(1000) == b"", "the indexer hangs up on a stranger"
        (elsewhere.folder / "refund.py").write_text("def refund_the_customer(order):\n    return -order.total\n")
        assert "./refund.py::refund_the_customer" in doc_ids(elsewhere.find("refund the customer"))
        assert is_running(address.pid), "the same indexer has read the new file"
    finally:
        with suppress(ProcessLookupError):
            os.kill(address.pid, signal.SIGTERM)
        eventually(lambda: not is_running(address.pid), "the indexer has ended")
