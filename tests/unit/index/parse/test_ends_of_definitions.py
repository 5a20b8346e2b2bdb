"""Where definitions end in languages that are read without a grammar, and what becomes of the text behind them."""

from __future__ import annotations

import pytest

from scry.index.parse.parse import parse

JULIA = """function total(a)
    sum(a)
end

@testset "total" begin
    @test total([1, 2]) == 3 && total([1, 2, 3]) == 6
    for a in 1:3
        @test total([a]) == a
    end
end
"""
PERL = """sub total {
  return 1;
}

is total(1), 1, 'the total of one price is that price, and no other one';
is total(2), 2, 'the same holds for the next one';
"""
R = """total <- function(
  prices
) {
  sum(prices)
}
# The number of prices in this shop, which is never below the number of carts.
prices <- c(1, 2, 3)
stopifnot(total(prices) == 6)
"""
ELISP = """(defun total (a)
  a)

;; Keys of the shop, which are those of all other shops in this street.
(define-key shop-map (kbd "C-t") #'total)
"""
NIM = """proc total(a: int,
           b: int): int =
  a + b

echo "the total is ", total(1, 2), " and not any other number that is known"
"""
TCL = """proc total {a} {
    return $a
}
set prices [list 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20]
puts [total $prices]
"""
FORTRAN = """subroutine total(a)
if (a > 1) then
  b = 1
end if
c = 2
end subroutine total
"""
DART = """class Cart {
  int total() {
    return 1;
  }

  final int price = 1;
}

final cart = Cart.of('a name that is long enough for a chunk of its own');
"""


def _ends(path: str, text: str) -> dict[str, int]:
    """Return the numbers of the last lines of the definitions."""
    return {each.name: each.span.end.line + 1 for each in parse(path, text).symbols if each.kind != "text"}


@pytest.mark.parametrize(
    ("path", "text", "end"),
    [
        ("a.jl", JULIA, 3),
        ("a.t", PERL, 3),
        ("a.R", R, 5),
        ("a.el", ELISP, 2),
        ("a.nim", NIM, 3),
        ("a.tcl", TCL, 3),
        ("a.f90", FORTRAN, 6),
    ],
)
def test_a_definition_ends_where_it_is_closed(path: str, text: str, end: int) -> None:
    assert _ends(path, text)["total"] == end


@pytest.mark.parametrize(("path", "text"), [("a.jl", JULIA), ("a.t", PERL), ("a.R", R), ("a.el", ELISP)])
def test_the_text_behind_a_definition_is_a_chunk(path: str, text: str) -> None:
    total, chunk = parse(path, text).symbols
    assert (total.name, chunk.kind) == ("total", "text")
    behind = text.split("\n", total.span.end.line + 1)[-1].strip()
    assert behind.startswith(chunk.own_text)
    assert len(behind) - len(chunk.own_text) < 20  # lines of `end` alone


def test_fields_behind_a_method_are_of_the_class() -> None:
    cart, total, chunk = parse("a.dart", DART).symbols
    assert cart.own_text == "class Cart {\nfinal int price = 1;\n}"
    assert total.own_text == "int total() {\n    return 1;\n  }"
    assert chunk.own_text.startswith("final cart")


def test_a_few_characters_behind_a_definition_are_no_chunk() -> None:
    (total,) = parse("a.pl", "sub total {\n  1;\n}\n1;\n").symbols
    assert total.own_text == "sub total {\n  1;\n}\n1;"


@pytest.mark.parametrize(
    ("path", "text", "ends"),
    [
        ("a.pm", "has a => (\n  is => 'ro',\n);\nsub b;\nsub c { 1 }\n", {"a": 3, "b": 4, "c": 5}),
        ("a.jl", "struct A end\nb(x) =\n    x\nmodule C\nend\n", {"A": 1, "b": 3, "C": 5}),
        ("a.sv", "function int f(\n  int a\n);\n  return a;\nendfunction\n", {"f": 5}),
        ("a.pas", "procedure A(b: Integer);\nbegin\n  c;\nend;\n", {"A": 4}),
        ("a.m", "@implementation A\n- (void)b {\n}\n- (void)c {\n}\n@end\n", {"A": 6, "b": 3, "c": 5}),
        ("a.proto", "message A {\n  enum B {\n    C = 0;\n  }\n  int32 d = 1;\n}\n", {"A": 6, "B": 4}),
        ("a.adb", "procedure A is\n   procedure B is null;\nbegin\n   B;\nend A;\n", {"A": 5, "B": 2}),
    ],
)
def test_definitions_of_each_form_end(path: str, text: str, ends: dict[str, int]) -> None:
    assert _ends(path, text) == ends
