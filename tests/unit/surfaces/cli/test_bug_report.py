"""The file of `scry doctor --report` holds what a bug report needs, and nothing that names a person or a project."""

from __future__ import annotations

import getpass
import re
import socket
from pathlib import Path

import pytest

from scry.core import BadRequest
from scry.core.memory import mask_secrets
from scry.store.registry import RegisteredProject, RegistryStore
from scry.surfaces.cli.upkeep.bug_report import HEADING, make_report, write_report
from scry.surfaces.cli.upkeep.doctor import run_checks
from scry.surfaces.cli.upkeep.findings import FINDINGS, CheckResult
from tests.sample.indexed import IndexedProject
from tests.strangers.secret_shapes import secret_shapes

PROJECT, OTHER, PERSON = "moonlight-merger", "Project Falcon", "wilhelmina"
DEEP, ODD, TOP = "secretive/acquisition.py", "secretive/the plan.py", "payroll.py"


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> IndexedProject:
    """Return a project in the home folder of a person, indexed, with secrets wherever a report could take one from."""
    home = tmp_path / PERSON
    for name in ("CACHE", "DATA", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / f".{name.lower()}"))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    sample = IndexedProject(home / PROJECT)
    sample.write({DEEP: "def buy():\n    return 1\n", ODD: "x = 1\n", TOP: "y = 2\n"})
    sample.write({".scry/config.toml": 'ignore = ["falcon-*"]\nmodel = "/srv/falcon"\n'})
    sample.update_index()
    RegistryStore(home / ".data" / "scry").add(RegisteredProject(OTHER, home / "code" / "falcon-core"))
    return sample


def plant(sample: IndexedProject, *lines: str) -> None:
    (sample.project.cache / "indexer.log").write_text("\n".join(lines) + "\n", encoding="utf-8")


def report(sample: IndexedProject, *checks: CheckResult) -> str:
    return make_report(sample.root, checks or [FINDINGS["index.none"].at("there is none yet")])


def test_no_planted_secret_is_in_the_report(sample: IndexedProject) -> None:
    """Those of one line that the mask knows, in the log and in a finding; a finding is one line."""
    lines = [each for each in secret_shapes() if "\n" not in each.text]
    shapes = [each for each in lines if each.secret not in mask_secrets(each.text).text]
    assert len(shapes) > 150
    for start in range(0, len(shapes), 60):
        part = shapes[start : start + 60]
        plant(sample, *(f"2026-11-23 07:00:00 WARNING {each.text}" for each in part))
        found = [FINDINGS["history.unreadable"].at(each.text) for each in part]
        text = report(sample, *found)
        assert [each.text for each in part if each.secret in text] == []


LINES = (
    f"reading {DEEP} failed",
    f"./{DEEP}::buy (parse: LookupError)",
    f"./{ODD} (permission denied)",
    f"{TOP}: KeyError: 'the falcon flies at noon'",
    f"project {PROJECT}, {OTHER} and falcon-core",
    "connecting to postgresql://ada@db.falcon.example/team",
    "git fetch git@forge.falcon.example:acquisition/payroll.git",
    f"/home/{PERSON}/{PROJECT}/secretive of {PERSON.upper()}",
)


def test_names_and_paths_are_replaced(sample: IndexedProject) -> None:
    plant(sample, *LINES, f'  File "{sample.root}/{DEEP}", line 3')
    text = report(sample, *map(FINDINGS["settings.ignored"].at, LINES)).casefold()
    names = (PROJECT, "falcon", PERSON, "acquisition", "payroll", "secretive", "the plan", str(sample.root))
    assert [line for line in text.splitlines() for name in names if name.casefold() in line] == []


def test_report_of_all_checks_names_nobody_and_keeps_what_helps(sample: IndexedProject) -> None:
    plant(sample, "Traceback (most recent call last):", f'  File "{Path(re.__file__)}", line 7, in compile')
    (sample.root / TOP).write_text("y = 3\n")
    checks = list(run_checks(sample.root, force=True))
    text = report(sample, *checks)
    for name in (PROJECT, "falcon", PERSON, str(sample.root), getpass.getuser() * (len(getpass.getuser()) > 2)):
        assert not name or not re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE), name
    assert socket.gethostname() not in text
    assert all(f"{check.level:5}{check.name:12}" in text for check in checks)
    assert "settings.ignored" in text
    assert "ignore = 1 of them (file)" in text
    assert "model = bundled (default)" in text
    assert "learn_weights = ask (default)" in text
    assert "<project>" in text
    assert "-> correct it, or take it out" in text
    assert re.search(r'File "<python>/.*re/__init__.py", line 7', text) or "<python>" in text


def test_file_keeps_its_number(sample: IndexedProject) -> None:
    plant(sample, f"./{DEEP} failed", f"./{TOP} failed", f"again ./{DEEP}")
    numbers = re.findall(r"<file-(\d)>", report(sample))
    assert numbers == ["1", "2", "1"]


def test_only_an_earlier_report_is_replaced(sample: IndexedProject, tmp_path: Path) -> None:
    path = tmp_path / "out.md"
    assert write_report(path, sample.root, []) == path
    assert path.read_text().startswith(HEADING)
    assert path.stat().st_mode & 0o077 == 0
    write_report(path, sample.root, [])
    path.write_text("a letter")
    with pytest.raises(BadRequest, match="is no report"):
        write_report(path, sample.root, [])
    with pytest.raises(BadRequest, match="can't be written"):
        write_report(path / "inside", sample.root, [])
    assert path.read_text() == "a letter"


def test_report_without_a_project_or_an_index(tmp_path: Path) -> None:
    text = make_report(tmp_path / "nowhere", [])
    assert "## Log of the indexer\n\n```text\nnothing" in text
