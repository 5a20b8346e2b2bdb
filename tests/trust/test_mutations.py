"""2,000 damaged texts of every language and format, and texts that no person writes, cost nothing but themselves."""

from __future__ import annotations

import os
import random
from contextlib import suppress
from pathlib import Path

import pytest

from scry.index.parse.captures import MIN_SAMPLED_BYTES, NotParsed, run_query
from scry.index.parse.languages import language_of
from tests.trust.mutations import mutate
from tests.trust.promises import broken_promises, check_text
from tests.trust.sources import sample_files

SEED = os.environ.get("TRUST_SEED") or str(random.SystemRandom().randrange(10**6))
"""New in every run; TRUST_SEED repeats one."""

COUNT, SHARDS = 2000, 8


@pytest.mark.slow
@pytest.mark.parametrize("shard", range(SHARDS))
def test_no_mutation_breaks_a_promise(shard: int) -> None:
    files = sample_files()
    broken: dict[str, list[str]] = {}
    for number in range(shard, COUNT, SHARDS):
        path = files[number % len(files)]
        seed = f"{SEED} {number} {path.name}"
        if found := broken_promises(path.name, mutate(path.read_bytes(), seed)):
            broken[seed] = found
    assert not broken, f"TRUST_SEED={SEED}; make trust SEED={SEED} reduces and keeps what it finds"


@pytest.mark.parametrize("name", ["a.py", "a.js", "a.md", "a.json", "a.ipynb", "a.yaml", "a.sql", "a.ex"])
@pytest.mark.parametrize("text", ["\ud800", "a\udfff: b\n", "\ud83d def x\n", "\ud800" * 3000])
def test_lone_surrogates_are_text(name: str, text: str) -> None:
    assert check_text(name, text) == []


NAMES = [f"{chr(97 + number % 26)}{number * 7919 % 65521:x}" for number in range(20_000)]
"""Names without a pattern, so that no text is taken for one that repeats itself."""

HOSTILE = {
    "calls": ("{}(\n", ")"),
    "blocks": ("{{ {};\n", "}"),
    "conditions": ("if ({}) {{\n", "}\n"),
    "classes": ("class {} {{\n", "}\n"),
    "functions": ("function {}() {{\n", "}\n"),
    "methods": ("def {}(a)\n", "end\n"),
    "modules": ("module {}\n", "end\n"),
    "lambdas": ("{} =>\n", ""),
    "types": ("{}<\n", ">"),
    "lists": ("[{},\n", "]"),
    "comments": ("// {}\n", ""),
    "remarks": ("# {}\n", ""),
    "words": ("{} \n", ""),
    "sums": ("{} +\n", ""),
}
HOSTILE_CASES = [
    *((ending, "calls") for ending in "js ts java cs c go rs rb lua kt swift scala ex sh".split()),
    *(("java", shape) for shape in ("classes", "lambdas", "blocks", "types")),
    *(("js", shape) for shape in ("functions", "lists", "conditions")),
    *(("c", shape) for shape in ("lambdas", "comments", "classes")),
    *(("rb", shape) for shape in ("methods", "modules")),
    *(("py", shape) for shape in ("remarks", "sums")),
    *((ending, "words") for ending in ("lua", "ex", "hs")),
    ("cs", "types"),
    ("cpp", "types"),
]
"""Each took over 20 s once, ended the process, or took over 600 MB."""


@pytest.mark.slow
@pytest.mark.parametrize(("ending", "shape"), HOSTILE_CASES)
def test_no_shape_of_text_keeps_the_indexer_busy(ending: str, shape: str) -> None:
    opening, closing = HOSTILE[shape]
    text = "".join(opening.format(name) for name in NAMES) + closing * len(NAMES)
    assert broken_promises(f"a.{ending}", text.encode()) == []


@pytest.mark.parametrize("ending", ["java", "c"])
def test_text_too_short_for_a_sample_takes_bounded_time(ending: str) -> None:
    text = "".join(HOSTILE["lambdas"][0].format(name) for name in NAMES)[: MIN_SAMPLED_BYTES - 1]
    assert broken_promises(f"a.{ending}", text.encode()) == []


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["java", "cs"])
def test_nested_type_arguments_do_not_end_the_process(ending: str) -> None:
    for depth in (90, 2_000, 60_000):
        opened = "<\n".join(NAMES[number % len(NAMES)] for number in range(depth))
        text = f"class X {{\n  {opened}{'>' * depth} x;\n}}\n"
        assert broken_promises(f"a.{ending}", text.encode()) == []


def _memory() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


KEPT = {
    "text that the parser reads again and again": ("a.lua", "".join(f"{name} \n" for name in NAMES[:2500]), 6),
    "definitions": ("a.py", "".join(f"def {name}():\n    return {name}\n\n\n" for name in NAMES[:2000]), 60),
}
"""By kind: a path, a text, and how often it is parsed. They left 80 and 9 MB once."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", KEPT)
def test_parsing_leaves_no_memory_behind(kind: str) -> None:
    path, text, times = KEPT[kind]
    language = language_of(path)
    assert language
    used: list[int] = []
    for _ in range(times + 1):
        with suppress(NotParsed):
            run_query(language, text.encode(), 60.0, any_shape=True)
        used.append(_memory())
    assert used[-1] - used[0] < 5_000_000
