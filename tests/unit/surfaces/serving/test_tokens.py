from __future__ import annotations

import stat
import threading
from pathlib import Path

import pytest
from starlette.datastructures import Headers

from scry.core import BadSettings
from scry.surfaces.serving import (
    HttpError,
    load_or_create_token,
    matches_token,
    reject_foreign_request,
    require_token,
    token_path,
)


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def test_token_is_created_on_first_use_and_private() -> None:
    token = load_or_create_token()
    assert len(token) >= 40
    assert stat.S_IMODE(token_path().stat().st_mode) == 0o600
    assert load_or_create_token() == token
    assert [each.name for each in token_path().parent.iterdir()] == [token_path().name]


def test_concurrent_callers_get_the_same_token() -> None:
    tokens: set[str] = set()
    threads = [threading.Thread(target=lambda: tokens.add(load_or_create_token())) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(tokens) == 1


def test_token_readable_by_others_is_refused() -> None:
    load_or_create_token()
    token_path().chmod(0o644)
    with pytest.raises(BadSettings, match="others can read the token"):
        load_or_create_token()


@pytest.mark.parametrize("content", ["", "short", "two words that are long enough", "ü" * 40])
def test_invalid_token_file_is_refused(content: str) -> None:
    load_or_create_token()
    token_path().write_text(content)
    with pytest.raises(BadSettings, match="holds no token"):
        load_or_create_token()


def test_token_is_compared_in_full() -> None:
    assert matches_token("a" * 40, "a" * 40)
    assert not matches_token("a" * 39, "a" * 40)
    assert not matches_token("ä\udcff", "a" * 40)


TOKEN = "T" * 43


@pytest.mark.parametrize("host", ["localhost", "LocalHost:50051", "127.0.0.1", "127.0.0.1:9", "[::1]", "[::1]:50051"])
def test_localhost_is_accepted(host: str) -> None:
    reject_foreign_request(Headers({"host": host}))
    reject_foreign_request(Headers({"host": host, "origin": f"http://{host}"}))


OTHERS = ("", ":", ":80", "example.com", "localhost.example", "127.0.0.1:x", "[::2]", "::1", "localhost@x")


@pytest.mark.parametrize("host", OTHERS)
def test_foreign_host_is_refused(host: str) -> None:
    with pytest.raises(HttpError) as refused:
        reject_foreign_request(Headers({"host": host}))
    assert refused.value.status == 403


@pytest.mark.parametrize("origin", ["", "null", "http://example.com", "https://localhost", "http://localhost:1"])
def test_web_page_origin_is_refused(origin: str) -> None:
    with pytest.raises(HttpError) as refused:
        reject_foreign_request(Headers({"host": "localhost", "origin": origin}))
    assert refused.value.report.error.code == "foreign_origin"


@pytest.mark.parametrize("shown", [f"Bearer {TOKEN}", f"bearer  {TOKEN} "])
def test_valid_token_is_accepted(shown: str) -> None:
    require_token(Headers({"authorization": shown}), TOKEN)


@pytest.mark.parametrize("shown", ["", "Bearer ", TOKEN, f"Basic {TOKEN}", f"Bearer {TOKEN}x", f"Bearer {TOKEN[1:]}"])
def test_invalid_token_is_refused(shown: str) -> None:
    with pytest.raises(HttpError) as refused:
        require_token(Headers({"authorization": shown}), TOKEN)
    assert refused.value.status == 401
    assert TOKEN not in refused.value.report.error.message
