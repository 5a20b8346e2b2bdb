"""Tests inside source files are known as tests, in the shapes that projects write them in."""

from __future__ import annotations

import pytest

from scry.index.parse.parse import parse

RUST = """//! Extracts parts of a request.
#![forbid(unsafe_code)]

use std::fmt;

/// The state of a handler.
#[derive(Debug, Clone)]
pub struct State(pub u32);

#[cfg(not(test))]
fn production_only() {}

#[cfg(any(test, feature = "testing"))]
pub fn for_both() {}

#[cfg_attr(test, derive(PartialEq))]
pub enum Kind { A }

pub fn tested() -> u32 { 1 }

#[cfg(all(feature = "json", test))]
struct Fixture { value: u32 }

#[cfg(test)]
impl Fixture {
    fn make() -> Self { Fixture { value: 1 } }
}

/// Traits hold.
#[test]
fn traits() {
    assert_send::<State>();
}

#[crate::test]
async fn extracts() {}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
#[should_panic(expected = "poisoned")]
async fn panics() {
    fn helper() {}
}

#[bench]
fn allocates(b: &mut Bencher) {}

#[test_case(1; "one")]
fn cases(value: u32) {}

#[wasm_bindgen_test]
fn in_a_browser() {}

mod tests {
    use super::*;

    const SIZE: usize = 1;
}
"""

VITEST = """export function add(...all: number[]) {
  return all.reduce((a, b) => a + b, 0);
}

const LIMIT = 3;

if (import.meta.vitest) {
  const { it, expect } = import.meta.vitest;

  function sample() {
    return [1, 2];
  }

  it("adds", () => {
    expect(add(...sample())).toBe(3);
  });
}

if (LIMIT > 2) {
  register(add);
}
"""

ELIXIR = """defmodule Plug.Sample do
  def run(conn), do: conn

  test "works" do
    assert run(1) == 1
  end

  describe "run/1" do
    test "halts" do
      assert true
    end
  end
end
"""


def _by_name(path: str, text: str) -> dict[str, bool]:
    return {symbol.name: symbol.is_test for symbol in parse(path, text).symbols if symbol.name}


def test_rust_functions_and_items_for_tests_are_tests() -> None:
    found = _by_name("src/state.rs", RUST)
    code = {"State", "production_only", "for_both", "Kind", "A", "tested"}
    tests = {"Fixture", "value", "impl Fixture", "make", "traits", "extracts", "panics", "helper", "allocates", "cases"}
    tests |= {"in_a_browser", "tests", "SIZE"}
    assert {name for name, is_test in found.items() if is_test} == tests
    assert code <= set(found)


def test_rust_file_for_tests_alone_is_a_test() -> None:
    symbols = parse("src/checks.rs", "#![cfg(test)]\nuse super::*;\n\nfn sample() {}\n").symbols
    assert [symbol.is_test for symbol in symbols] == [True, True]


def test_import_for_tests_and_module_in_another_file_stay_with_the_other_imports() -> None:
    (text, function) = parse("src/lib.rs", "#[cfg(test)]\nuse a::b;\nmod tests;\nuse c;\n\nfn run() {}\n").symbols
    assert (text.kind, text.is_test, text.span.end.line) == ("text", False, 3)
    assert not function.is_test


def test_zig_and_elixir_tests_with_any_name_are_tests() -> None:
    assert _by_name("a.zig", 'fn double() u32 {}\ntest "doubles" {}\ntest double {}\n') == {
        "double": True,  # the last of this name
        "doubles": True,
    }
    assert _by_name("lib/sample.ex", ELIXIR) == {
        "Sample": False,
        "run": False,
        "works": True,
        "run/1": True,
        "halts": True,
    }


def test_vitest_block_in_source_is_a_test_by_itself() -> None:
    symbols = parse("src/add.ts", VITEST).symbols
    assert [(each.name, each.is_test) for each in symbols if each.name] == [
        ("add", False),
        ("LIMIT", False),
        ("sample", True),
    ]
    texts = [(each.own_text.split("\n")[0].strip(), each.is_test) for each in symbols if not each.name]
    assert texts == [
        ("if (import.meta.vitest) {", True),
        ('it("adds", () => {', True),
        ("if (LIMIT > 2) {", False),
    ]


@pytest.mark.parametrize(
    ("block", "is_test"),
    [
        ('    print(parse("a"))\n    print(parse("b"))\n', True),
        ("    import doctest\n\n    doctest.testmod()\n", True),
        ("    unittest.main()\n", True),
        ("    assert parse('a') == 1\n    sys.exit(0)\n", True),
        ("    main()\n", False),
        ("    sys.exit(main())\n", False),
        ("    raise SystemExit(run_module(sys.argv[1:]))\n", False),
        ("    parser = argparse.ArgumentParser()\n    parser.add_argument('file')\n", False),
        ("    asyncio.run(serve())\n", False),
        ("    cli()\n", False),
    ],
)
@pytest.mark.parametrize("condition", ['__name__ == "__main__"', "'__main__' == __name__", '(__name__ == "__main__")'])
def test_python_block_that_tries_out_the_module_is_a_test_and_one_that_starts_the_program_is_not(
    condition: str, block: str, is_test: bool
) -> None:
    text = f"import re\n\n\ndef parse(text):\n    return 1\n\n\nTABLE = 1\nprint(TABLE)\nif {condition}:\n{block}"
    symbols = parse("shop/parse.py", text).symbols
    assert [each.is_test for each in symbols] == ([False] * 4 + [True] if is_test else [False] * len(symbols))
    assert symbols[1].name == "parse"
    assert any(block.splitlines()[-1] in each.own_text for each in symbols)


def test_other_conditions_in_python_are_no_tests() -> None:
    text = 'import sys\n\nif sys.platform == "win32":\n    assert sys.getwindowsversion()\n'
    assert not any(each.is_test for each in parse("shop/system.py", text).symbols)
