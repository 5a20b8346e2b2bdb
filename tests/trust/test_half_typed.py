"""While somebody types, every state of the file is indexed, and the project stays searchable."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trust.promises import broken_promises
from tests.unit.indexer.test_refresh import IndexSample

TYPED: dict[str, tuple[str, str]] = {
    "python/schedule.py": ("def ", "def retry(job, *, times=3):\n    return [job() for _ in range(times)]\n\n\n"),
    "javascript/router.js": (
        "export const",
        "function redirect(to) {\n  return { to, code: 302, text: `at ${to}` };\n}\n\n",
    ),
    "typescript/store.ts": (
        "export ",
        "export const pick = <T, K extends keyof T>(from: T, key: K): T[K] => from[key];\n\n",
    ),
    "go/cache.go": ("func ", 'func (c *Cache) Len() int {\n\tdefer c.mu.Unlock()\n\treturn len(c.items["all"])\n}\n\n'),
    "rust/ring.rs": (
        "impl",
        "fn take<T: Clone>(ring: &[T], n: usize) -> Vec<T> {\n    ring.iter().take(n).cloned().collect()\n}\n\n",
    ),
    "java/Ledger.java": (
        "public ",
        "class Entry<T extends Number> { T amount; Entry(T amount) { this.amount = amount; } }\n\n",
    ),
    "c/ring_buffer.c": (
        "int ",
        "typedef enum { EMPTY, FULL } ring_state;\nstatic int is_full(const void *p) { return p != 0; }\n\n",
    ),
    "cpp/cache.cc": (
        "namespace",
        "template <typename T> struct Box { T value; auto get() const -> const T& { return value; } };\n\n",
    ),
    "csharp/Formatter.cs": (
        "namespace ",
        'record Pair<T>(T One, T Other) { public override string ToString() => $"{One}"; }\n\n',
    ),
    "ruby/session.rb": ("class ", "def expire(at: nil, &block)\n  block.call(at || @now) unless at.nil?\nend\n\n"),
    "php/Repository.php": (
        "interface ",
        "function pick(array $of, ?string $key = null): mixed { return $of[$key] ?? null; }\n\n",
    ),
    "lua/pick.lua": ("local ", "local function first(of)\n  for _, each in ipairs(of) do return each end\nend\n\n"),
    "kotlin/Channel.kt": (
        "public interface",
        '@Deprecated("old")\nsuspend fun <T> first(of: List<T>, where: (T) -> Boolean): T? = of.firstOrNull(where)\n\n',
    ),
    "swift/Session.swift": (
        "extension ",
        "func first<T>(of all: [T], where ok: (T) -> Bool) -> T? { return all.first { ok($0) } }\n\n",
    ),
    "scala/Chain.scala": ("object ", "def first[T](all: List[T])(ok: T => Boolean): Option[T] = all.find(ok)\n\n"),
    "elixir/conn.ex": ("  def ", "  def first(all, ok) when is_list(all), do: Enum.find(all, &ok.(&1))\n\n"),
    "zig/clap.zig": (
        "pub ",
        "fn first(comptime T: type, all: []const T) ?T { return if (all.len > 0) all[0] else null; }\n\n",
    ),
    "haskell/Parser.hs": (
        "newtype ",
        "first :: (a -> Bool) -> [a] -> Maybe a\nfirst ok of = case filter ok of { [] -> Nothing; x:_ -> Just x }\n\n",
    ),
    "bash/deploy.sh": ("", 'first() {\n  local -a all=("$@"); echo "${all[0]:-none}"\n}\n\n'),
}
"""Of a sample of each language: the start of the line before which a definition is typed, and the definition."""

DEFINED = frozenset("first retry redirect pick Len take Entry is_full Box Pair expire".split())
"""The names that are typed."""

SAMPLES = Path(__file__).parent.parent / "golden" / "files"


def _keystrokes(name: str) -> list[str]:
    """Return the text after each key."""
    before, typed = TYPED[name]
    text = (SAMPLES / name).read_text(encoding="utf-8")
    place = text.index(f"\n{before}") + 1
    return [text[:place] + typed[:count] + text[place:] for count in range(len(typed) + 1)]


def _keystrokes_at_the_end(name: str) -> list[str]:
    """Return the text after each key, where nothing stands behind the cursor."""
    typed = TYPED[name][1]
    text = (SAMPLES / name).read_text(encoding="utf-8")
    return [text + typed[:count] for count in range(len(typed) + 1)]


@pytest.mark.slow
@pytest.mark.parametrize("name", TYPED)
def test_every_state_of_a_file_keeps_every_promise(name: str) -> None:
    path = name.rpartition("/")[2]
    for text in (*_keystrokes(name), *_keystrokes_at_the_end(name)):
        assert broken_promises(path, text.encode()) == [], text


@pytest.mark.slow
@pytest.mark.parametrize("name", TYPED)
def test_the_project_stays_searchable_at_every_key(name: str, tmp_path: Path) -> None:
    sample = IndexSample(tmp_path / "project")
    path = name.rpartition("/")[2]
    sample.write("other.py", "def found_all_the_while():\n    pass\n")
    sample.update_index()
    for text in _keystrokes(name):
        sample.write(path, text)
        assert sample.update_index(path).state == "ready"
        assert len(sample.store.lexical.search(["found"], 10)) >= 1
        assert len(sample.names()) == len(set(sample.names()))
    assert sample.store.files.faults(9) == []
    assert any(name.rpartition("::")[2].rpartition(".")[2] in DEFINED for name in sample.names())
