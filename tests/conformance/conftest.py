"""Two projects in a world of their own, and all ways in open on one of them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from scry.core import ProjectLink, Settings
from scry.core.events import QUERY, USE, LogEvent
from scry.engine.activity.learning import learn_from_log
from scry.engine.response import remember_persona_note
from scry.projects import add_project, open_project
from scry.store.events import EventLog
from scry_protocol.messages import RememberParams
from tests.conformance.ways import Ways
from tests.sample.files import SEARCHED_SHOP
from tests.sample.knowledge import BELIEFS
from tests.sample.project import make_repository

POST = {
    "post/letter.py": '"""Letters."""\n\n\ndef deliver(letter):\n    """Delivers a letter."""\n    return letter\n',
    "post/office.py": "from post import letter\n\n\ndef open_office():\n    return letter.deliver(None)\n",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a project that learns from another one; both registered, in a registry that no other test sees."""
    place = tmp_path_factory.mktemp("conformance")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("DATA", "CACHE", "CONFIG"):
            patch.setenv(f"XDG_{name}_HOME", str(place / name.lower()))
        for role in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{role}_DATE", "2026-03-01T12:00:00Z")  # so long ago that minutes change no words
        add_project(make_repository(place / "post", POST), None, ())
        shop = make_repository(place / "shop", {**SEARCHED_SHOP, **BELIEFS})
        remember_persona_note(RememberParams("Ranks are fused, never raw scores", domains=["ranking"]), Settings())
        add_project(shop, None, [ProjectLink("learns_from", "post")])
        use_a_result(open_project(shop).data)
        yield shop


def use_a_result(data: Path) -> None:
    """Log a question of an earlier day, and the use of a result of it; and learn from that."""
    then, name = int((time.time() - 90_000) * 1000), "q_20260101_000000_aaaaaaaa"
    asked = json.dumps({"mode": "find", "query": "which invoice totals are paid", "results": []})
    used = json.dumps({"rank": 3, "result_used": "./shop/pay.ts::payInvoice", "how": "jump"})
    with closing(EventLog.open(data, lambda: data.mkdir(parents=True, exist_ok=True))) as log:
        log.append([LogEvent(QUERY, then, asked, name), LogEvent(USE, then, used, name, "an act")])
    learn_from_log(data, until_done=True)


@pytest.fixture(scope="module")
def ways(shop: Path) -> Iterator[Ways]:
    with Ways(shop, shop.parent / "scry.sock") as ways:
        ways.line.ask("find", {"query": "letter", "projects": ["post"]})  # brings its index up to date
        ways.wait_until_ready("post")
        yield ways
