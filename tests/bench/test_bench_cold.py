"""A cold index, from the start of `scry lsp` to `ready`, beside the peer's index in memory in the same run.

    SCRY_BENCH_REPOS=<a folder of work trees> SCRY_BENCH_MANIFEST=<repos.json> SCRY_PEER=<an environment with semble>
    SCRY_PEER_SCRIPT=<peer.py> make bench

The manifest names each tree's folder (`name`) and the part of it that is opened (`benchmark_root`). Every file is read
once before a tree's turn, so that neither waits for a disk: the peer, which comes second, would find them cached.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from tests.e2e.lsp_client import LspClient, Message
from tests.e2e.test_many_processes import indexers
from tests.polling import eventually

REPOS, MANIFEST, PEER, SCRIPT = (
    os.environ.get(name) for name in ("SCRY_BENCH_REPOS", "SCRY_BENCH_MANIFEST", "SCRY_PEER", "SCRY_PEER_SCRIPT")
)
"""Read while the tests are collected: later no variable of Scry's is left in the environment."""

MOST_OF_THE_PEER = 1.5
PATIENCE_S = 600.0

pytestmark = [
    pytest.mark.bench,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(not (REPOS and MANIFEST and PEER and SCRIPT), reason="see the head of this file"),
]


def seconds_to_ready(root: Path, home: Path) -> float:
    """Every file's words and vectors can be searched and are on disk; the history comes after that."""
    places = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CACHE", "DATA", "CONFIG", "STATE")}
    places["SCRY_INDEXER_LINGER"] = "1"
    start = time.perf_counter()
    home.mkdir(parents=True)
    with LspClient(home, environ=places) as client:  # not in the tree, whose modules `python -m` would take for its own
        client.initialize(root)
        client.wait_for(says_ready, PATIENCE_S)  # as an editor hears it: to ask fifty times a second costs it a tenth
        taken = time.perf_counter() - start
        assert client.request("scry/status", {})["state"] == "ready"
        client.shut_down()
    eventually(
        lambda: not indexers(root), "the indexer has ended", patience_s=PATIENCE_S
    )  # its history would be read while the next one is measured
    return taken


def says_ready(message: Message) -> bool:
    return message.get("method") == "scry/statusChanged" and message["params"]["status"]["state"] == "ready"


def read_once(root: Path) -> None:
    """Read all files of a tree, so that the operating system caches them."""
    for path in root.rglob("*"):
        if path.is_file() and not path.is_symlink():
            path.read_bytes()


def peer_seconds(folder: Path) -> float:
    command = [f"{PEER}/bin/python", str(SCRIPT), "--repos", str(REPOS), "--model", str(folder / "model")]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["index_sum_ms"] / 1e3


def test_cold_index_compares_with_the_peer_in_memory(tmp_path: Path) -> None:
    taken: dict[str, float] = {}
    for repository in json.loads(Path(str(MANIFEST)).read_text(encoding="utf-8")):
        root = Path(str(REPOS)) / repository["name"] / (repository["benchmark_root"] or "")
        if root.is_dir():
            read_once(root)
            taken[repository["name"]] = seconds_to_ready(root, tmp_path / repository["name"])
    peer = peer_seconds(tmp_path)
    ours = sum(taken.values())
    print("\n" + "\n".join(f"{name:20} {1e3 * seconds:7.0f} ms" for name, seconds in taken.items()))
    print(f"sum {ours:.1f} s, the peer's {peer:.1f} s, ratio {ours / peer:.2f}; load {os.getloadavg()[0]:.1f}")
    assert ours < MOST_OF_THE_PEER * peer
