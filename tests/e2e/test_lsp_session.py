"""The sidecar as a process: its start, its streams, its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from scry import __version__
from scry_protocol.version import PROTOCOL
from tests.e2e.lsp_client import LspClient, RpcError, frame
from tests.polling import eventually
from tests.processes import is_running
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_repository(tmp_path_factory.mktemp("session") / "shop", SHOP)


def test_capabilities_name_protocol_version_and_encoding(shop: Path) -> None:
    with LspClient(shop) as client:
        answer = client.initialize(shop, encodings=["utf-16", "utf-8"])
    assert answer["serverInfo"] == {"name": "scry", "version": __version__}
    capabilities = answer["capabilities"]
    assert capabilities["experimental"] == {"scry": {"protocol": PROTOCOL, "version": __version__}}
    assert capabilities["positionEncoding"] == "utf-8"
    assert capabilities["workspaceSymbolProvider"]
    assert capabilities["workspace"]["workspaceFolders"] == {"supported": True, "changeNotifications": True}
    sync = capabilities["textDocumentSync"]
    assert (sync["openClose"], sync["change"], bool(sync["save"])) == (True, 2, True)


def test_default_encoding_is_utf16_and_symbols_can_be_disabled(shop: Path) -> None:
    with LspClient(shop) as client:
        answer = client.initialize(shop, options={"workspace_symbol": False})
        assert answer["capabilities"]["positionEncoding"] == "utf-16"
        assert "workspaceSymbolProvider" not in answer["capabilities"]
        with pytest.raises(RpcError) as refused:
            client.request("workspace/symbol", {"query": "cart"})
        assert refused.value.code == -32601


def test_other_protocol_version_is_refused_with_one_message(shop: Path) -> None:
    with LspClient(shop) as client:
        client.initialize(shop, options={"scry": {"protocol": PROTOCOL + 1}})
        with pytest.raises(RpcError) as refused:
            client.find("cart")
        assert refused.value.code == -32803
        assert f"protocol {PROTOCOL + 1}" in refused.value.message
        with pytest.raises(RpcError):
            client.request("scry/status")
        shown = client.notifications("window/showMessage")
        assert [(message["type"], message["message"]) for message in shown] == [(1, refused.value.message)]
        assert client.shut_down() == 0


BROKEN = {
    "length is no number": b"Content-Length: abc\r\n\r\n",
    "length is negative": b"Content-Length: -5\r\n\r\n",
    "length without end": b"Content-Length: 1000000000000\r\n\r\n",
    "length of over 16 MB": b"Content-Length: 17000000\r\n\r\n" + b'{"q":"' + b"x" * 16_999_992 + b'"}',
    "length over the body's": b'Content-Length: 500\r\n\r\n{"jsonrpc":"2.0","id":"lost","method":"scry/status"}',
    "length under the body's": b'Content-Length: 5\r\n\r\n{"jsonrpc":"2.0","id":"lost","method":"scry/status"}',
    "no header": b'{"jsonrpc":"2.0","id":"lost","method":"scry/status"}\r\n',
    "garbage": bytes(range(256)),
    "no JSON": b"Content-Length: 5\r\n\r\nhello",
    "array": frame([]),
    "number": frame(5),
    "no message": frame({"jsonrpc": "2.0"}),
    "id is an object": frame({"jsonrpc": "2.0", "id": {}, "method": "scry/status"}),
    "deep": b"Content-Length: 200000\r\n\r\n" + b"[" * 200_000,
}


@pytest.fixture(scope="module")
def battered(shop: Path) -> Iterator[LspClient]:
    with LspClient(shop) as client:
        client.initialize(shop)
        yield client


@pytest.mark.parametrize("case", BROKEN)
def test_malformed_frame_is_answered_and_next_request_served(battered: LspClient, case: str) -> None:
    start = len(battered.received)
    battered.raw(BROKEN[case])
    status = battered.request("scry/status", {})
    assert status["state"] in {"starting", "indexing", "ready"}
    error = battered.wait_for(lambda message: "error" in message, start=start)
    assert error["id"] is None
    assert error["error"]["code"] in {-32700, -32600}


def test_header_spelling_variants_are_read(battered: LspClient) -> None:
    body = b'{"jsonrpc":"2.0","id":"%s","method":"scry/status"}'
    for name, head in {b"low": b"content-length: %d\r\n\r\n", b"lf": b"Content-Length: %d\n\n"}.items():
        battered.raw(head % len(body % name) + body % name)
        answer = battered.wait_for(lambda message, name=name: message.get("id") == name.decode())
        assert "result" in answer


def test_session_with_malformed_frames_shuts_down_cleanly(battered: LspClient) -> None:
    assert battered.shut_down() == 0
    assert battered.noise == b""


def test_requests_out_of_order_are_refused(shop: Path) -> None:
    with LspClient(shop) as client:
        with pytest.raises(RpcError) as early:
            client.request("scry/status", {})
        assert early.value.code == -32002
        client.initialize(shop)
        with pytest.raises(RpcError) as again:
            client.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        assert again.value.code == -32600
        with pytest.raises(RpcError) as unknown:
            client.request("scry/nothing", {})
        assert unknown.value.code == -32601
        with pytest.raises(RpcError) as untyped:
            client.request("workspace/symbol", {"words": "no query"})
        assert untyped.value.code == -32602
        client.notify("textDocument/didOpen", {"textDocument": "wrong"})
        client.notify("$/cancelRequest", {"id": 4711})
        unknown_folder = {"event": {"added": [], "removed": [{"uri": "x", "name": "x"}]}}
        client.notify("workspace/didChangeWorkspaceFolders", unknown_folder)
        client.raw(frame({"jsonrpc": "2.0", "id": 4711, "result": None}))
        client.request("shutdown")
        with pytest.raises(RpcError) as late:
            client.request("scry/status", {})
        assert late.value.code == -32600
        client.notify("exit")
        assert client.wait_for_end() == 0


def test_only_frames_reach_standard_output(shop: Path) -> None:
    noisy = (
        "import os, subprocess, threading, time\n"
        "from scry.surfaces.lsp.startup import serve_stdio\n"
        "def shout():\n"
        "    for _ in range(200):\n"
        "        print('noise', flush=True); os.write(1, b'noise'); time.sleep(0.002)\n"
        "    subprocess.run(['echo', 'noise of a child'])\n"
        "    subprocess.run(['cat'])\n"  # would swallow our requests
        "threading.Timer(0.3, shout).start()\n"
        "raise SystemExit(serve_stdio())\n"
    )
    with LspClient(shop, [sys.executable, "-c", noisy]) as client:
        client.initialize(shop)
        for _ in range(50):
            client.request("scry/status", {})
            time.sleep(0.02)
        eventually(lambda: client.errors.count(b"noise") >= 401, "all the noise has reached standard error")
        client.request("scry/status", {})
        assert client.shut_down() == 0
    assert client.noise == b""


def test_standard_error_is_quiet(shop: Path) -> None:
    with LspClient(shop) as client:
        client.initialize(shop)
        client.wait_until_ready()
        with pytest.raises(RpcError):
            client.find("cart", limit=0)
        client.find("cart")
        assert client.shut_down() == 0
    assert client.errors == b""


def test_exit_without_shutdown_has_status_one(shop: Path) -> None:
    with LspClient(shop) as client:
        client.initialize(shop)
        client.notify("exit")
        assert client.wait_for_end() == 1


def test_end_of_input_ends_the_sidecar(shop: Path) -> None:
    with LspClient(shop) as client:
        client.initialize(shop)
        assert client.process.stdin
        client.raw(b"Content-Length: 99\r\n\r\n{")
        client.process.stdin.close()
        assert client.wait_for_end() == 1
    assert client.received[-1]["error"]["code"] == -32700


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signals_end_the_sidecar_cleanly(shop: Path, number: signal.Signals) -> None:
    with LspClient(shop) as client:
        client.initialize(shop)
        client.wait_until_ready()
        client.process.send_signal(number)
        assert client.wait_for_end() == 0
    assert client.errors == b""


def test_sidecar_ends_when_its_output_is_closed(shop: Path) -> None:
    with LspClient(shop) as client:
        client.initialize(shop)
        assert client.process.stdout
        # The read of the listening thread still holds the pipe open: the next frame ends it, the one after fails.
        os.dup2(os.open(os.devnull, os.O_RDONLY), client.process.stdout.fileno())
        for _ in range(20):
            if client.process.poll() is not None:
                break
            try:
                client.post("scry/status", {})
            except BrokenPipeError:
                break
            time.sleep(0.1)
        assert client.wait_for_end() == 1


def test_sidecar_ends_when_its_client_process_dies(shop: Path) -> None:
    editor = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    with LspClient(shop) as client:
        client.initialize(shop, client=editor.pid)
        client.wait_until_ready()
        time.sleep(1.5)
        assert client.process.poll() is None
        editor.kill()
        editor.wait()
        assert client.wait_for_end() == 1


def test_sidecar_ends_when_its_client_is_killed(shop: Path, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    editor = (
        "import pathlib, subprocess, sys, time\n"
        "from tests.e2e.lsp_client import LspClient\n"
        "client = LspClient(pathlib.Path(sys.argv[1]))\n"
        "client.initialize(client.cwd)\n"
        "pathlib.Path(sys.argv[2]).write_text(str(client.process.pid))\n"
        "time.sleep(600)\n"
    )
    here = Path(__file__).parents[2]
    process = subprocess.Popen([sys.executable, "-c", editor, str(shop), str(note)], cwd=here)
    try:
        eventually(lambda: note.exists() and note.read_text(), "the editor has started its sidecar")
        sidecar = int(note.read_text())
        process.kill()
        eventually(lambda: not is_running(sidecar), "the sidecar has ended")
    finally:
        process.kill()
        process.wait()
