"""orient, recent and neighbors through the real sidecar and the real command line: the same answers on both."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.lsp_client import LspClient, RpcError
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = pytest.mark.slow

MODES: tuple[tuple[str, dict[str, Any], tuple[str, ...]], ...] = (
    ("orient", {"path": "shop"}, ("shop",)),
    ("orient", {}, ()),
    ("recent", {}, ()),
    ("recent", {"query": "receipt", "limit": 3}, ("receipt", "--limit", "3")),
    ("neighbors", {"file": "shop/mail.py"}, ("--file", "shop/mail.py")),
    ("neighbors", {"file": "shop/mail.py", "by": "dependency"}, ("--file", "shop/mail.py", "--by", "dependency")),
)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_repository(tmp_path_factory.mktemp("modes") / "shop", SHOP)


@pytest.fixture(scope="module")
def editor(shop: Path) -> Iterator[LspClient]:
    with LspClient(shop) as client:
        client.initialize(shop)
        client.wait_until_ready()
        yield client


def command(root: Path, *words: str) -> dict[str, Any]:
    run = subprocess.run(
        [sys.executable, "-m", "scry", *words, "--json"], cwd=root, capture_output=True, text=True, check=False
    )
    answer: dict[str, Any] = json.loads(run.stdout)
    assert run.returncode == (1 if answer.get("results") == [] else 0), run.stderr
    return answer


@pytest.mark.acceptance("O1", "R1", "N1", "J1")
@pytest.mark.parametrize(("mode", "params", "words"), MODES)
def test_editor_and_command_line_answer_alike(
    editor: LspClient, shop: Path, mode: str, params: dict[str, Any], words: tuple[str, ...]
) -> None:
    there, here = editor.request(f"scry/{mode}", params), command(shop, mode, *words)
    assert there["mode"] == here["mode"] == mode
    assert list(there) == list(here)
    assert [result["doc_id"] for result in there["results"]] == [result["doc_id"] for result in here["results"]]
    assert there["results"] or mode == "neighbors"


@pytest.mark.acceptance("O1", "N1")
def test_missing_target_error_names_the_field(editor: LspClient) -> None:
    for method, params, field in (
        ("scry/orient", {"path": "nowhere"}, "path"),
        ("scry/orient", {"path": "file:///etc"}, "path"),
        ("scry/neighbors", {"file": "shop"}, "file"),
        ("scry/find", {"query": "where is x", "reason": True}, "query"),
    ):
        with pytest.raises(RpcError) as refused:
            editor.request(method, params)
        assert refused.value.code == -32602
        assert refused.value.message.startswith(f"{field}: ")


@pytest.mark.acceptance("N1")
def test_find_with_a_file_returns_its_neighbors(shop: Path) -> None:
    assert command(shop, "find", "--file", "shop/mail.py")["mode"] == "neighbors"
