"""Make targets, files, links, anchors, commands and settings named in the documentation exist."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.site import reference
from scry.surfaces.cli import COMMANDS

ROOT = Path(__file__).parents[2]
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs/architecture.md",
    "docs/decisions/README.md",
    "docs/glossary.md",
    "docs/ranking.md",
    "docs/processes.md",
    "docs/debugging-a-rank.md",
    "docs/quality.md",
    "docs/figures.md",
    "docs/agents.md",
    "docs/events.md",
    "docs/projects.md",
    "docs/memory.md",
    "docs/comparison.md",
    "docs/first-change.md",
    "docs/index.md",
    "docs/recipes.md",
    "docs/start/index.md",
    "docs/start/terminal.md",
    "docs/tutorial/index.md",
    "SECURITY.md",
)

OTHERS = {
    ".git/info/exclude",
    ".scry/config.toml",
    "editor/vscode/dist/scry.vsix",
    "dist/site",
    "editor/vscode/.test",
    "tests/out",
}
"""Files of a user's project, and what is built or installed."""

_LINK = re.compile(r"!?\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_MAKE = re.compile(r"(?:^    |`)make (?P<target>[a-z-]+)", re.MULTILINE)
_FILE = re.compile(r"`(?P<path>[\w.-]+/[\w./-]*\w)`")
_TARGET = re.compile(r"^(?P<target>[a-z-]+):", re.MULTILINE)


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def anchors_of(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_documentation_links_resolve(page: str) -> None:
    for match in _LINK.finditer(text_of(page)):
        target, _, anchor = match["target"].partition("#")
        if target.startswith("https://"):
            continue
        place = (ROOT / page).parent / target if target else ROOT / page
        if os.path.relpath(place, ROOT / "docs") in reference.PAGES:  # which the site alone has
            continue
        assert place.exists(), match.group()
        assert not anchor or anchor in anchors_of(place), match.group()


@pytest.mark.parametrize("page", PAGES)
def test_make_targets_named_in_documentation_exist(page: str) -> None:
    targets = {match["target"] for match in _TARGET.finditer(text_of("Makefile"))}
    assert {match["target"] for match in _MAKE.finditer(text_of(page))} <= targets


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/ranking.md", "docs/processes.md"]
)
def test_files_named_in_documentation_exist(page: str) -> None:
    named = {match["path"] for match in _FILE.finditer(text_of(page))} - OTHERS
    assert not [path for path in named if not any((folder / path).exists() for folder in (ROOT, ROOT / "server/scry"))]


def test_the_readme_begins_with_the_two_commands() -> None:
    text = text_of("README.md")
    assert 0 < text.index("docs/images/find.svg") < text.index("make demo") < text.index("make test")


def test_the_readme_is_short_and_names_commands_that_exist() -> None:
    text = text_of("README.md")
    assert text.count("\n") <= 100
    assert set(re.findall(r"`scry ([a-z]+)", text)) - {"settings"} <= set(COMMANDS)


def test_architecture_page_names_every_package() -> None:
    packages = {path.parent.name for path in (ROOT / "server" / "scry").glob("*/__init__.py")}
    tree = text_of("docs/architecture.md")
    assert not [package for package in packages if not re.search(rf"[│├┌┬] {package} ", tree)]


def test_make_lists_every_target_with_a_description() -> None:
    targets = _TARGET.findall(text_of("Makefile"))
    described = re.findall(r"^([a-z-]+):.* ## \w", text_of("Makefile"), re.MULTILINE)
    assert set(targets) - set(described) == {"fast", "gates", "style", "types", "layers", "generated", "client"}


@pytest.mark.needs("posix")
@pytest.mark.parametrize("with_uv", [False, True])
def test_make_demo_answers_before_it_installs_the_servers_for_agents(with_uv: bool, tmp_path: Path) -> None:
    (tmp_path / "uv").write_text("#!/bin/sh\n")
    (tmp_path / "uv").chmod(0o755)
    folders = [folder for folder in os.environ["PATH"].split(os.pathsep) if not (Path(folder) / "uv").exists()]
    environ = {**os.environ, "PATH": os.pathsep.join([str(tmp_path), *folders] if with_uv else folders)}
    command = ["make", "--no-print-directory", "-n", "demo", f"VENV={tmp_path / 'venv'}", f"PYTHON={sys.executable}"]
    done = subprocess.run(command, cwd=ROOT, env=environ, check=True, capture_output=True, text=True)
    steps = [line for line in done.stdout.splitlines() if re.search(r'--editable|scry find "', line)]
    assert ["--editable ." in steps[0], "scry find" in steps[1], "--editable '.[mcp]'" in steps[2]] == [True] * 3
    assert [line.startswith(str(tmp_path / "uv")) for line in steps if "--editable" in line] == [with_uv, with_uv]


@pytest.mark.needs("posix")
def test_make_setup_compiles_scry_itself(tmp_path: Path) -> None:
    command = ["make", "--no-print-directory", "-n", "setup", f"VENV={tmp_path / 'venv'}", f"PYTHON={sys.executable}"]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    compiled = next(line for line in done.stdout.splitlines() if "compileall" in line).split()
    assert {"server/scry", "protocol/scry_protocol"} <= set(compiled)
