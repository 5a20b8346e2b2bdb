"""`scry serve` against its own OpenAPI document: schemathesis asks what it allows, and what it does not."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scry.surfaces.http import build_openapi_document
from scry.surfaces.serving import PROGRAM_OPERATIONS, load_or_create_token
from tests.e2e.http_server import HttpServer
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.acceptance("P2")]

EXAMPLES = 150

NOT_CHECKED = "positive_data_acceptance"
"""A schema can't say which answers, documents and folders there are, so what it allows may still be refused."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    world = tmp_path_factory.mktemp("contract")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(world / "data"))  # what is made up and remembered here is not for other tests
        with HttpServer(make_repository(world / "shop", SHOP)) as server:
            server.wait_until_ready()
            yield server


@pytest.mark.timeout(300)
def test_schemathesis_finds_no_contract_violation(server: HttpServer, tmp_path: Path) -> None:
    (tmp_path / "schemathesis.toml").write_text("")  # whatever settings lie in the folders above do not count
    command = [Path(sys.executable).with_name("schemathesis"), "run", f"http://127.0.0.1:{server.port}/openapi.json"]
    command += ["--header", f"Authorization: Bearer {load_or_create_token()}", "--checks", "all"]
    command += ["--exclude-checks", NOT_CHECKED, "--seed", "20261121", "--max-examples", str(EXAMPLES)]
    command += ["--continue-on-failure", "--no-color"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert re.search(r"\d+ passed|No issues found", done.stdout), done.stdout[-2000:]
    assert server.process.poll() is None
    assert not [text for text in server.log if "Traceback" in text]


def test_served_openapi_document_is_made_from_the_protocol(server: HttpServer) -> None:
    assert server.get("/openapi.json").json == build_openapi_document()


def test_openapi_document_names_every_mode() -> None:
    schemas = build_openapi_document()["components"]["schemas"]
    modes = [schema["properties"]["mode"]["const"] for name, schema in schemas.items() if name.endswith("Request")]
    assert modes == list(PROGRAM_OPERATIONS)
    assert all(not schema["additionalProperties"] for name, schema in schemas.items() if name.endswith("Request"))
