"""`scry learn` as a person runs it: fits, shows, applies, switches off, resets (U2)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scry.projects import open_project
from tests.acceptance.test_learn import log_jumps
from tests.e2e.command_line import CommandLine
from tests.sample.files import SHOP
from tests.sample.project import make_repository

pytestmark = [pytest.mark.slow, pytest.mark.acceptance("U2")]


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    for name in ("DATA", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    return CommandLine(make_repository(tmp_path / "shop", SHOP))


def test_weights_are_proposed_applied_shown_switched_off_and_reset(shop: CommandLine) -> None:
    early = shop.run("learn")
    assert early.status == 0
    assert "0 jumps of the 300 from which on weights are fitted" in early.out
    log_jumps(open_project(shop.folder).data, 400)
    proposed = shop.run("learn")
    assert "Weights of 400 jumps" in proposed.out
    assert "are proposed; scry learn apply lets them rank" in proposed.out
    assert "surely a gain" in proposed.out
    assert shop.find("where is the cart printed").scoring.exponents == {}
    applied = json.loads(shop.run("learn", "apply", "--json").out)
    assert applied["state"] == "ranking"
    assert applied["oracles"]["lexical"] > 1 > applied["oracles"]["semantic"]
    answer = shop.find("where is the cart printed")
    assert answer.scoring.weights["lexical"] == applied["oracles"]["lexical"]
    assert answer.scoring.exponents == applied["adjustments"]
    assert "learnt from your jumps" in shop.run("find", "where is the cart printed", "--explain").out
    assert "learnt from your jumps" in shop.run("why", answer.results[0].doc_id, "where is the cart printed").out
    assert json.loads(shop.run("learn", "show", "--json").out) == applied
    switched_off = shop.run("learn", "off")
    assert "are off; the defaults rank" in switched_off.out
    assert shop.find("where is the cart printed").scoring.exponents == {}
    assert json.loads(shop.run("learn", "show", "--json").out)["state"] == "off"
    assert "are removed" in shop.run("learn", "reset").out
    assert json.loads(shop.run("learn", "show", "--json").out)["state"] == "none"
    assert shop.run("learn", "off").status == 2


def test_a_log_that_is_off_teaches_nothing_and_says_so(shop: CommandLine) -> None:
    log_jumps(open_project(shop.folder).data, 400)
    shop.run("log", "off")
    refused = shop.run("learn", "apply")
    assert refused.status == 2
    assert "nothing is learnt: the log is off (scry log on)" in refused.err
    assert "nothing is learnt" in shop.run("learn", SCRY_LOG="true", SCRY_LEARN="false").err
