from __future__ import annotations

import pytest
from starlette.datastructures import Headers

from scry.surfaces.serving.replies import HttpError
from scry.surfaces.serving.tokens import reject_foreign_request, require_token

TOKEN = "T" * 43


@pytest.mark.parametrize("host", ["localhost", "LocalHost:50051", "127.0.0.1", "127.0.0.1:9", "[::1]", "[::1]:50051"])
def test_this_machine_is_let_in(host: str) -> None:
    reject_foreign_request(Headers({"host": host}))
    reject_foreign_request(Headers({"host": host, "origin": f"http://{host}"}))


OTHERS = ("", ":", ":80", "example.com", "localhost.example", "127.0.0.1:x", "[::2]", "::1", "localhost@x")


@pytest.mark.parametrize("host", OTHERS)
def test_any_other_is_not(host: str) -> None:
    with pytest.raises(HttpError) as refused:
        reject_foreign_request(Headers({"host": host}))
    assert refused.value.status == 403


@pytest.mark.parametrize("origin", ["", "null", "http://example.com", "https://localhost", "http://localhost:1"])
def test_a_web_page_is_not(origin: str) -> None:
    with pytest.raises(HttpError) as refused:
        reject_foreign_request(Headers({"host": "localhost", "origin": origin}))
    assert refused.value.report.error.code == "foreign_origin"


@pytest.mark.parametrize("shown", [f"Bearer {TOKEN}", f"bearer  {TOKEN} "])
def test_the_token_is_let_in(shown: str) -> None:
    require_token(Headers({"authorization": shown}), TOKEN)


@pytest.mark.parametrize("shown", ["", "Bearer ", TOKEN, f"Basic {TOKEN}", f"Bearer {TOKEN}x", f"Bearer {TOKEN[1:]}"])
def test_nothing_else_is(shown: str) -> None:
    with pytest.raises(HttpError) as refused:
        require_token(Headers({"authorization": shown}), TOKEN)
    assert refused.value.status == 401
    assert TOKEN not in refused.value.report.error.message
