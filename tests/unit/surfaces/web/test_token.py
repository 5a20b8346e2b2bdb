from __future__ import annotations

import stat
import threading
from pathlib import Path

import pytest

from scry.core.errors import BadSettings
from scry.surfaces.serving.tokens import load_or_create_token, matches_token, token_path


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def test_it_is_made_on_first_use_for_this_person_alone() -> None:
    token = load_or_create_token()
    assert len(token) >= 40
    assert stat.S_IMODE(token_path().stat().st_mode) == 0o600
    assert load_or_create_token() == token
    assert [each.name for each in token_path().parent.iterdir()] == [token_path().name]


def test_all_who_ask_at_once_get_the_same() -> None:
    tokens: set[str] = set()
    threads = [threading.Thread(target=lambda: tokens.add(load_or_create_token())) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(tokens) == 1


def test_one_that_others_can_read_is_refused() -> None:
    load_or_create_token()
    token_path().chmod(0o644)
    with pytest.raises(BadSettings, match="others can read the token"):
        load_or_create_token()


@pytest.mark.parametrize("content", ["", "short", "two words that are long enough", "ü" * 40])
def test_what_is_no_token_is_refused(content: str) -> None:
    load_or_create_token()
    token_path().write_text(content)
    with pytest.raises(BadSettings, match="holds no token"):
        load_or_create_token()


def test_it_is_compared_as_a_whole() -> None:
    assert matches_token("a" * 40, "a" * 40)
    assert not matches_token("a" * 39, "a" * 40)
    assert not matches_token("ä\udcff", "a" * 40)
