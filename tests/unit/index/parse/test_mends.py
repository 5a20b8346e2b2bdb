"""Texts that a grammar finds errors in, or misreads, and whose definitions are read all the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_sitter import Language as Grammar
from tree_sitter import Parser

from scry.index.parse.languages import LANGUAGES, language_of
from scry.index.parse.parse import parse

FILLER = "int filler(int a) {\n  int b = a * 2 + 1;\n  return b > 3 ? b - 3 : b;\n}\n"
"""Text that makes an error wide enough to be mended."""


def _definitions(path: str, text: str) -> set[str]:
    return {
        f"{each.kind} {each.container}.{each.name}" if each.container else f"{each.kind} {each.name}"
        for each in parse(path, text).symbols
        if each.kind != "text"
    }


def _has_errors_left(path: str, text: str) -> tuple[bool, bool]:
    """Return whether the grammar finds errors in a text, and whether it still does in the mended one."""
    language = language_of(path)
    assert language is not None
    assert language.grammar is not None
    parser = Parser(Grammar(language.grammar()))
    data, _ = language.prepare(text.encode())
    before = parser.parse(data).root_node.has_error
    for mend in language.load_mends():
        data = mend(data)
    return before, parser.parse(data).root_node.has_error


CUT_BLOCK = """
static int open_it(int a) {
#ifdef _WIN32
  if (a) {
    return 1;
#else
  if (a > 2) {
    return 2;
#endif
  }
  return 0;
}

"""
CUT_ELSE = """
int read_it(int a) {
#ifdef DIAGNOSTICS
  if (a) {
    return 1;
  }
  else
#endif
  {
    a++;
  }
  return a;
}

"""
CUT_CONDITION = """
int map_it(int a) {
#ifdef _WIN32
  if (a == 0)
#else
  if (a == -1)
#endif
  {
    return 1;
  }
  return call(a,
#ifdef MORE
              1,
#endif
              2);
}

"""
CUT_INITIALISERS = """
class Limiter {
 public:
  Limiter(int most)
      :
#if !defined(NDEBUG)
        most_(most),
#endif
        left_(most) {
  }
  int Left() { return left_; }
};

"""
NEVER = """
int never(int a) {
#if 0
  if (a) {
#else
  while (a) {
#endif
    a--;
  }
  return a;
}

"""


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.c", CUT_BLOCK, "function open_it"),
        ("a.cc", CUT_BLOCK, "function open_it"),
        ("a.c", CUT_ELSE, "function read_it"),
        ("a.c", CUT_CONDITION, "function map_it"),
        ("a.cc", CUT_INITIALISERS, "method Limiter.Left"),
        ("a.c", NEVER, "function never"),
    ],
)
def test_conditional_that_cuts_a_statement_hides_no_definition(path: str, text: str, expected: str) -> None:
    """The class or function itself, and the one behind it, are found."""
    assert {expected, "function filler"} <= _definitions(path, text + FILLER)
    assert _has_errors_left(path, text) == (True, False)


def test_first_branch_that_can_be_read_is_kept() -> None:
    def called(text: str) -> set[str]:
        return {each.name for each in parse("a.c", text + FILLER).references}

    text = "int f(int a) {\n#if A\n  if (one(a)) {\n#else\n  if (two(a)) {\n#endif\n    a++;\n  }\n  return a;\n}\n\n"
    assert {"one"} == called(text) & {"one", "two"}
    assert {"two"} == called(text.replace("#if A", "#if 0")) & {"one", "two"}


def test_conditionals_around_whole_definitions_keep_both_branches() -> None:
    text = f"#ifdef A\nint one(void) {{ return 1; }}\n#else\nint two(void) {{ return 2; }}\n#endif\n{CUT_BLOCK}{FILLER}"
    assert {"function one", "function two", "function open_it"} <= _definitions("a.c", text)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("const char* my_nonnull Name::text(const char* my_nullable a, int b) const", "function Name.text"),
        (
            "template <typename T, MY_ENABLE_IF(!is_named<T>::value)>\nvoid write(Info<T>* a, int& b, const T& c)",
            "function write",
        ),
        ("std::string& get(std::string& a MY_LIFETIME_BOUND)", "function get"),
        ("class LOCKABLE Mutex : public Base<int> { int f(int a)", "class Mutex"),
        ("struct View {\n  MY_CONSTEXPR View(const T& a, int b) : a_(a), b_(b) {}\n  int g(int a)", "method View.View"),
        ("extern template Status Make<1>(View, Place);\nextern template class Numbers<4>;\nint h(int a)", "function h"),
        ('MY_FLAG(bool, verbose, false, "");\nMY_FLAG(int, level, 1, "");\nint i(int a)', "function i"),
        ("class P {\n  int n;\n public:\n  MY_DEFINE_TYPE(P, n)\n  P() = default;\n  int j(int a)", "method P.j"),
    ],
)
def test_macros_of_any_name_hide_no_definition(head: str, expected: str) -> None:
    """Each head stands in a text with a wide error, for only such a text is mended."""
    assert _has_errors_left("a.cc", f"{head} {{ return 2; }}\n{'};' * (head.count('{') - head.count('}'))}\n") == (
        True,
        False,
    )
    end = "};\n" * (head.count("{") - head.count("}"))
    text = f"{head} {{\n  for (; const char* at = next(a); ++a) {{\n    use(at);\n  }}\n  return 2;\n}}\n{end}\n"
    assert expected in _definitions("a.cc", text + CUT_BLOCK + FILLER)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("MY_INLINE list::list(int a, int b) : size(a), b_(b)", "function list.list"),
        ("MY_INLINE my::list<T>::~list()", "function my.list.~list"),
        ("void MY_INLINE list<T>::add(T&& a)", "function list.add"),
        ("MY_TYPE list::first()", "function list.first"),
        ("static MY_TYPE list::last()", "function list.last"),
    ],
)
def test_macros_before_a_qualified_name_are_no_part_of_it(head: str, expected: str) -> None:
    assert _definitions("a.cc", f"{head} {{\n  use(a);\n}}\n") == {expected}


def test_a_macro_that_begins_a_block_hides_no_function() -> None:
    block = "  MY_TRY {\n    for (auto &a : b) {\n      a.join();\n    }\n  }\n  MY_CATCH\n"
    text = f"namespace my {{\nlist::~list() {{\n{block}}}\n}}\n"
    assert "function my.list.~list" in _definitions("a.cc", text + CUT_BLOCK + FILLER)


@pytest.mark.parametrize(
    ("text", "methods"),
    [
        ("#if A\n  void F() { }\n#else\n  void G() { }\n  int b;\n#endif\n", {"F", "G"}),
        ("// Both.\n#if A\n  void F() { }\n#elif B\n  void G() { }\n#else\n  void H() { }\n#endif\n", {"F", "G", "H"}),
        ("#if A\n  void F(int a)\n#else\n  void F(long a)\n#endif\n  { }\n  void G() { }\n", {"F", "G"}),
        ("#if A\n  void F() {\n#else\n  void G() {\n#endif\n  }\n", {"F"}),
        ("#if A\n  void F() { }\n#else\n#if B\n  void G() {\n#else\n  void H() {\n#endif\n  }\n#endif\n", {"F"}),
        ("int a =\n#if A\n  1;\n#else\n  2;\n#endif\n  void F() { }\n", {"F"}),
    ],
)
def test_branches_of_whole_members_are_read_in_csharp(text: str, methods: set[str]) -> None:
    found = _definitions("a.cs", f"class C {{\n{text}}}\n")
    assert {each.removeprefix("method C.") for each in found if each.startswith("method")} == methods


def test_nullability_hides_no_function() -> None:
    """A short text with a small error: such words are blanked always."""
    text = "void Add(Rep* absl_nonnull rep, std::pair<int* absl_nullable, char* _Nonnull> b) {\n  use(rep);\n}\n"
    assert _definitions("a.cc", text) == {"function Add"}
    assert _has_errors_left("a.cc", text) == (False, False)


def test_lines_of_macros_are_told_from_values() -> None:
    text = "int f(int a) {\n  int b = a +\n      MY_OFFSET\n      ;\n  return call(b,\n      MY_LAST\n  );\n}\n"
    (f,) = (each for each in parse("a.cc", text + "\n" + CUT_BLOCK + FILLER).symbols if each.name == "f")
    assert f.own_text + "\n" == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class A {\n  fun f() {\n    val g = suspend { h() }\n  }\n}\n", "class A"),
        ("value class A<out T>\n@B internal constructor(@B val a: Any?) {\n  fun f() {}\n}\n", "class A"),
        ("class A {\n  operator fun f(id: Int) {\n    val b = 1 shl id\n    set = set or b\n  }\n}\n", "class A"),
        ("class A {\n  fun f() {\n    val open: Boolean\n    open = g()\n    if (!open) h()\n  }\n}\n", "class A"),
        ("class A {\n  fun f(suspend: Boolean) {\n    if (suspend) {\n      g()\n    }\n  }\n}\n", "class A"),
        ('class A {\n  fun f() {\n    when {\n      a == $$"" -> {\n      }\n    }\n  }\n}\n', "class A"),
        ("class A {\n  var a: Int = 1\n    get() = field\n    @B set(value) {\n      c()\n    }\n}\n", "class A"),
        ("context(b: B)\nprivate fun C.f() {\n  g()\n}\n\nfun g() {}\n", "function C.f"),
        ("class B {\n  class A<T>\n  private constructor(val a: Any?) {\n    fun f() {}\n  }\n}\n", "class B.A"),
        ("class A\n@C\ninternal constructor(val a: Any?) {\n  fun f() {}\n}\n", "class A"),
        ("interface A { fun f() }\n\nclass B {\n  fun g(): Int = 1\n}\n", "interface A"),
    ],
)
def test_kotlin_that_its_grammar_does_not_know(text: str, expected: str) -> None:
    assert expected in _definitions("a.kt", text)
    assert _has_errors_left("a.kt", text) == (True, False)


MARKED_CLASSES = """
@Mark(Left::class)
@Other
class A

@Mark(Right::class)
@Other
class B

@Mark(Up.Down::class)
class C {
  fun f() {}
}
"""
VIEW = """
fun Card() {
    Row(
        left = {
        },
        middle = {
        },
        right = {
            Button(
                icon = {
                    Image(
                        text = find(
                        ),
                    )
                },
                checked = {
                    Image(
                        text = find(
                        ),
                    )
                },
            )
        },
        colours = Defaults.colours(
            container = if (selected) {
            },
        ),
    )
}
private fun Icon(url: String, modifier: Modifier = Modifier) {
    if (url.isEmpty()) {
        Image(
            modifier = modifier
                .padding(4.dp),
        )
    }
}
@Preview
@Composable
private fun CardPreview() {
    Theme {
        Surface {
            Card(
            )
        }
    }
}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@B\n@C(D.E)\nannotation class A\n", {"class A"}),
        ("@B\nexpect class A\n", {"class A"}),
        ('class A {\n  fun f() {\n    g("a")\n    in1.h()\n    in1.i()\n  }\n}\n', {"class A", "method A.f"}),
        (MARKED_CLASSES, {"class A", "class B", "class C", "method C.f"}),
        (VIEW, {"function Card", "function Icon", "function CardPreview"}),
    ],
)
def test_kotlin_that_its_grammar_takes_for_operators(text: str, expected: set[str]) -> None:
    """A modifier, `fun` or `class` and a name look like an operator and operands, `in1` like `in` and an operand."""
    assert _definitions("a.kt", text) == expected


def test_haskell_names_with_primes_are_no_characters() -> None:
    text = "f :: Parser ()\nf = do\n  notFollowedBy (char '\\n')\n\ng' :: Parser Text\ng' = h 'a'\n"
    assert _definitions("a.hs", text) == {"function f", "function g'"}
    assert _has_errors_left("a.hs", text) == (True, False)


@pytest.mark.parametrize(
    "line",
    [
        "#if os(Linux)\n    case .b:\n      c()\n#endif",
        "case .success():\n      c()",
        "default:\n      // Nothing to do.\n      ()",
    ],
)
def test_swift_that_its_grammar_does_not_know(line: str) -> None:
    switch = f"    switch a {{\n    case .x:\n      d()\n    {line}\n    }}\n"
    attempt = "    do {\n      try e()\n    } catch {\n      ()\n    }\n"
    functions = (f"  func {name}() {{\n{switch}{attempt}  }}\n" for name in "fgh")
    text = "extension Handle {\n" + "\n".join(functions) + "}\n"
    assert {"method Handle.f", "method Handle.g", "method Handle.h"} <= _definitions("a.swift", text)
    assert _has_errors_left("a.swift", text) == (True, False)


# fmt: off
_PIECES = st.sampled_from([
    "#if A\n", "#if 0\n", "#else\n", "#elif B\n", "#endif\n", "{", "}", "(", ")", "f(a", ";\n", "\r\n", "if (a)",
    "MY_MACRO(a)\n", "* a b,", "template <T, MY_M(a)>", "// é {\n", "/* (", "*/", '"{', "'", 'R"(', "\\\n",
    "class A\n\n@B", "annotation class A", "in1", "suspend {", "open(", "set = 1", '$$"', "fun f() }", "case .a():\n",
    "  ()\n", "#error(\n", "class A\nconstructor(", "A_B a::a(", "  A_B {\n",
])
# fmt: on


@given(st.lists(_PIECES, max_size=40).map("".join))
def test_offsets_stay_the_same(text: str) -> None:
    """Places in a text that was changed for the grammar are places in the text itself."""
    data = text.encode()
    for language in LANGUAGES:
        prepared, blanked = language.prepare(data)
        assert len(prepared) == len(data)
        assert all(0 <= start <= end <= len(data) for start, end in blanked)
        for mend in language.load_mends():
            assert len(mend(prepared)) == len(data)
