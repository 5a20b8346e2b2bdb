"""Answers are sent as one frame each, with any content."""

from __future__ import annotations

import json

import pytest

from scry.surfaces.lsp import ScryServer
from scry_protocol.messages import Recorded


class Written:
    """A writer that keeps what it is given."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.data = b""

    def write(self, data: bytes) -> None:
        """Keep these bytes too."""
        self.data += data

    def close(self) -> None:
        """Nothing more will come."""


@pytest.mark.parametrize("note", ["plain", "ünïcode 漢字 😀", "half a pair: \udc00"])
def test_an_answer_is_one_frame(note: str) -> None:
    server = ScryServer(lambda status: None)
    writer = Written()
    server.connection.set_writer(writer)
    answer = Recorded("q_20261121_092600_abcd2345", recorded=True, note=note)
    server.connection._send_response(7, answer)  # pyright: ignore[reportPrivateUsage]
    head, _, body = writer.data.partition(b"\r\n\r\n")
    assert f"Content-Length: {len(body)}".encode() in head
    sent = json.loads(body)
    assert (sent["jsonrpc"], sent["id"], sent["result"]["note"]) == ("2.0", 7, note)
