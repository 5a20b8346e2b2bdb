"""The site builds without a broken link or anchor, loads nothing from the net, and names only what exists."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from cyclopts import CycloptsError
from playwright.sync_api import expect, sync_playwright

from docs.site import reference
from scry.core import SETTING_DEFINITIONS
from scry.surfaces.cli import COMMANDS
from scry.surfaces.cli.app import make_app
from scry.surfaces.cli.upkeep.findings import FINDINGS
from scry_protocol.methods import METHODS
from tests.e2e.vscode.code_server import CHROMIUM, CHROMIUM_ARGS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [
    *(path for path in DOCS.rglob("*.md") if path.name != "acceptance.md"),
    ROOT / "CONTRIBUTING.md",
    ROOT / "README.md",
]


def build(config: Path, target: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "-f", config, "-d", target]
    environ = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=config.parent, env=environ, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("site")
    done = build(ROOT / "mkdocs.yml", target)
    assert done.returncode == 0, done.stdout + done.stderr
    return target


class Loaded(HTMLParser):
    """Collects what a browser loads or follows by itself, and the links."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids.add(found.get("id") or "")
        self.loaded += [found[name] or "" for name in ("src", "srcset", "data") if name in found]
        if tag == "link" and "href" in found:
            self.loaded.append(found["href"] or "")
        if tag == "a" and "href" in found:
            self.links.append(found["href"] or "")


def parsed(page: Path) -> Loaded:
    parser = Loaded()
    parser.feed(page.read_text(encoding="utf-8"))
    return parser


@pytest.mark.slow
def test_site_builds_strictly_and_loads_nothing_from_the_net(site: Path) -> None:
    pages = {path: parsed(path) for path in site.rglob("*.html")}
    assert len(pages) > 130
    foreign = {
        f"{path.name}: {each}" for path, page in pages.items() for each in page.loaded if "//" in each.partition("?")[0]
    }
    assert foreign == set()
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert re.findall(r"(?:@import|url\()\s*[\"']?(?:https?:)?//[^)\"']+", styles) == []


@pytest.mark.slow
def test_every_link_of_the_built_site_leads_to_a_page_and_an_anchor(site: Path) -> None:
    pages = {path.resolve(): parsed(path) for path in site.rglob("*.html")}
    broken: list[str] = []
    for path, page in pages.items():
        for link in page.links:
            target, _, anchor = link.partition("#")
            if "://" in link or link.startswith("mailto:") or path.name == "404.html":
                continue
            place = (path.parent / target.partition("?")[0]).resolve() if target else path
            place = place / "index.html" if place.is_dir() else place
            if not place.exists() or (anchor and place in pages and anchor not in pages[place].ids):
                broken.append(f"{path.relative_to(site.resolve())}: {link}")
    assert broken == []


@pytest.mark.slow
def test_search_of_the_site_finds_pages_without_a_server(site: Path) -> None:
    index = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    assert index.startswith("var __index =")
    for words in ("scry doctor --report", "max_parse_seconds", "reciprocal rank fusion", "index.damaged"):
        assert words in index, words


@pytest.mark.slow
def test_broken_links_images_and_anchors_fail_the_build(tmp_path: Path) -> None:
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[0]
    config = re.sub(r"(hooks|extra_css|extra_javascript): .*\n", "", config)
    (tmp_path / "mkdocs.yml").write_text(config, encoding="utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "ranking.md").write_text("# Ranking\n\nText.\n", encoding="utf-8")
    links = ("[a](nowhere.md)", "[a](ranking.md#no-anchor)", "![a](images/no-image.svg)")
    (tmp_path / "docs" / "index.md").write_text("# Home\n\n" + "\n\n".join(links), encoding="utf-8")
    done = build(tmp_path / "mkdocs.yml", tmp_path / "out")
    assert done.returncode != 0
    assert all(missing in done.stdout + done.stderr for missing in ("nowhere.md", "no-anchor", "no-image.svg"))


@pytest.mark.slow
@pytest.mark.needs("vscode")  # which has Chromium
def test_pages_opened_from_the_disk_search_and_ask_nobody(site: Path) -> None:
    asked: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGS)
        page = browser.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto((site / "ranking-example.html").as_uri())
        first = page.locator(".fusion td code").first
        expect(first).to_have_text("courier/retry.py::call_with_retries")
        page.locator(".fusion input").first.fill("0")
        expect(page.locator(".fusion output").first).to_have_text("0")
        page.locator(".md-search__input").click()  # which starts the search
        page.keyboard.type("planted")
        expect(page.locator(".md-search-result__item").first).to_be_visible(timeout=60_000)
        browser.close()
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:", "about:"))] == []


def commands_in(page: Path) -> Iterator[str]:
    """Yield the commands of listings: lines that begin with scry, after a prompt or an indent."""
    in_console = False
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            in_console = line == "```console"
        prompt = "$ " if in_console else "    "
        text = line.removeprefix(prompt).strip()
        if line.startswith(prompt) and re.match(r"scry(?= [a-z\"-])", text):
            text = re.split(r"\s+#\s|\s{2,}|\s\|\s|\s>\s", text)[0]
            if "…" not in text.replace('"…"', "") and "=" not in text.partition(" ")[0]:
                yield text


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_commands_in_listings_are_understood_by_the_parser(page: Path) -> None:
    app = make_app()
    wrong: list[str] = []
    for command in commands_in(page):
        words = shlex.split(command)[1:]
        words = words if words[0] in COMMANDS or words[0] in ("--help", "--version") else ["find", *words]
        try:
            app.parse_args(words, print_error=False, exit_on_error=False)
        except CycloptsError as error:
            wrong.append(f"{command}: {error}")
    assert wrong == []


def test_commands_of_listings_are_found() -> None:
    assert len(list(commands_in(DOCS / "tutorial" / "index.md"))) > 15
    assert len(list(commands_in(DOCS / "recipes.md"))) > 10


def test_reference_names_every_definition() -> None:
    pages = reference.pages()
    for name in COMMANDS:
        assert f"\n## {name}\n" in pages["reference/commands.md"], name
    assert re.findall(r"^\| `(\w+)` \|", pages["reference/settings.md"], re.MULTILINE) == list(SETTING_DEFINITIONS)
    assert re.findall(r"^### (\w+\.\w+)$", pages["faq.md"], re.MULTILINE) == list(FINDINGS)
    protocol = (ROOT / "protocol" / "generated" / "protocol.md").read_text(encoding="utf-8")
    assert [method.name for method in METHODS if f"\n## {method.name}\n" not in protocol] == []


SECURITY_PAGES = ("SECURITY.md", "docs/trust.md")
_TEST = re.compile(r"`(?P<file>tests/[\w/]+\.py|…)(?:::(?P<name>test_\w+))?`")


@pytest.mark.parametrize("page", SECURITY_PAGES)
def test_tests_that_hold_a_promise_exist(page: str) -> None:
    """`…` stands for a file that the same section names."""
    missing: list[str] = []
    texts = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    for match in _TEST.finditer((ROOT / page).read_text(encoding="utf-8")):
        path = ROOT / match["file"]
        text = texts if match["file"] == "…" else path.read_text(encoding="utf-8") if path.is_file() else ""
        if not text or (match["name"] and f"def {match['name']}(" not in text):
            missing.append(match.group())
    assert missing == []


def test_every_threat_has_a_test_or_says_that_it_is_not_prevented() -> None:
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", (ROOT / "SECURITY.md").read_text(encoding="utf-8"), re.MULTILINE)
    threats = [(what, held) for what, held in rows if held != "test" and not set(held) <= set("-")]
    assert len(threats) > 30
    assert [
        what for what, held in threats if "`tests/" not in held and held not in ("not prevented", "by design")
    ] == []
