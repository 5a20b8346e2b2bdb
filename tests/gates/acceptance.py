"""The acceptance items and the tests that prove them: a pytest plugin that refuses unknown ids, and docs/acceptance.md.

python -m tests.gates.acceptance            writes docs/acceptance.md, which git ignores, from the tests' markers
python -m tests.gates.acceptance --check    fails and names the items that no test proves
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.gates.items import CHAPTERS, IDS, Chapter, Item

PAGE = Path(__file__).parents[2] / "docs" / "acceptance.md"

_HEAD = """\
# Acceptance items

Every acceptance item, and the tests that show it on the real engine. Written from the tests' markers by
`make acceptance`. *In part* says what an item asks for that is not there yet.
"""


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", "acceptance(*ids): the acceptance items that this test proves")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Stop the run where a marker names an item that does not exist."""
    wrong = [f"{item.nodeid}: no acceptance item {name!r}" for item in items for name in _ids(item) if name not in IDS]
    if wrong:
        raise pytest.UsageError("\n".join(wrong))


class Collector:
    """Pytest plugin that collects the tests of every item: id -> test names in order, parametrised ones once."""

    def __init__(self) -> None:
        self.tests: dict[str, dict[str, None]] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: Sequence[pytest.Item]) -> None:
        """Read the markers of all collected tests."""
        for item in items:
            for name in _ids(item):
                self.tests.setdefault(name, {})[item.nodeid.partition("[")[0]] = None


def _ids(item: pytest.Item) -> list[str]:
    return [str(name) for mark in item.iter_markers("acceptance") for name in mark.args]


def collect() -> dict[str, list[str]]:
    """Collect all tests, run none. Raises SystemExit with pytest's output where collection fails."""
    collector = Collector()
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        code = pytest.main(["--collect-only", "-qq", str(PAGE.parents[1] / "tests")], plugins=[collector])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise SystemExit(output.getvalue())
    return {name: sorted(tests) for name, tests in collector.tests.items()}


def unproved(tests: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the ids of the items that no test names, in the order of the page."""
    return [item.id for chapter in CHAPTERS for item in chapter.items if not tests.get(item.id)]


def page(tests: Mapping[str, Sequence[str]]) -> str:
    """Return the text of docs/acceptance.md."""
    return _HEAD + "".join(_chapter(chapter, tests) for chapter in CHAPTERS)


def _chapter(chapter: Chapter, tests: Mapping[str, Sequence[str]]) -> str:
    rows = "".join(_row(item, tests.get(item.id, ())) for item in chapter.items)
    return f"\n## {chapter.title}\n\n| Item | What | Status | Tests |\n|---|---|---|---|\n{rows}"


def _row(item: Item, tests: Sequence[str]) -> str:
    names = "<br>".join(f"`{name.removeprefix('tests/')}`" for name in tests)
    return f"| {item.id} | {item.title} | {_status(item, tests)} | {names} |\n"


def _status(item: Item, tests: Sequence[str]) -> str:
    if not tests:
        return "not yet"
    return f"in part; not yet: {item.missing}" if item.missing else "proved"


def main(arguments: Sequence[str]) -> int:
    """Write the page, or with --check name the items without a test. Return the exit status."""
    tests = collect()
    if "--check" not in arguments:
        PAGE.write_text(page(tests), encoding="utf-8")
        return 0
    for name in (missing := unproved(tests)):
        print(f"no test proves the acceptance item {name}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
