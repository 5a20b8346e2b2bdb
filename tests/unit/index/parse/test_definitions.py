"""Definitions in languages that are read without a grammar."""

from __future__ import annotations

import pytest

from scry.core import Symbol
from scry.index.parse.languages import language_of
from scry.index.parse.languages.definition_lines import DEFINED_LANGUAGES
from scry.index.parse.parse import parse

PERL = """package Shop;
use strict;

# Adds up the prices.
sub total {
  my $sum = 0;
}

sub _round { int(shift) }
1;

=head1 NAME

Shop - sells
"""
ELISP = """(require 'seq)

(defun shop-total (prices)
  "Add up PRICES.
Rounded."
  (seq-reduce #'+ prices 0))

(defvar shop-open nil)
"""
DART = """/// A cart.
abstract class Cart {
  /// Adds it up.
  int total(List<int> prices) {
    for (final price in prices) {
      add(price);
    }
    return sum(prices);
  }

  Future<void> close() async {
  }
}
"""
FSHARP = """module Shop =
    type Price = int

    /// Adds up.
    let total prices =
        let sum = List.sum prices
        sum
"""


def _found(path: str, text: str) -> list[str]:
    symbols = [symbol for symbol in parse(path, text).symbols if symbol.kind != "text"]
    return [f"{s.kind} {s.container}.{s.name}" if s.container else f"{s.kind} {s.name}" for s in symbols]


def _symbol(path: str, text: str, name: str) -> Symbol:
    return next(symbol for symbol in parse(path, text).symbols if symbol.name == name)


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        (
            "a.adb",
            "package body Shop is\n   procedure Sell (X : Item) is\n   begin\n   end Sell;\nend Shop;\n",
            ["module Shop", "function Shop.Sell"],
        ),
        (
            "a.ads",
            "package Shop is\n   overriding function Total (X : Cart) return Price;\n"
            '   function "+" (X, Y : Cart) return Cart;\n   Closed : exception;\n'
            "   procedure Internal (X : Cart);\n   protected type Till is\n   end Till;\nend Shop;\n",
            [
                "module Shop",
                "function Shop.Total",
                "function Shop.+",
                "type Shop.Closed",
                "function Shop.Internal",
                "type Shop.Till",
            ],
        ),
        (
            "a.gpr",
            "project Shop is\n   package Compiler is\n   end Compiler;\nend Shop;\n",
            ["module Shop", "module Shop.Compiler"],
        ),
        ("a.awk", "function total(a) {\n}\n", ["function total"]),
        (
            "a.clj",
            "(ns shop.core)\n\n(defn- ^:private total [a]\n  a)\n(def ^{:x 1} open 1)\n",
            ["module shop.core", "function total", "variable open"],
        ),
        ("a.clj", "(s/defn total [a] a)\n(s/def ::cart map?)\n", ["function total", "variable ::cart"]),
        ("CMakeLists.txt", "project(shop)\nadd_library(cart cart.c)\n", ["section cart"]),
        ("a.cmake", "macro( add_shop NAME)\nendmacro()\nFUNCTION(b)\n", ["macro add_shop", "function b"]),
        (
            "a.coffee",
            "class Shop\n  total: (a, b) ->\n    a\nopen = -> 1\n",
            ["class Shop", "method Shop.total", "function open"],
        ),
        ("a.cr", "abstract class Shop\n  def self.open?\n  end\nend\n", ["class Shop", "method Shop.self.open?"]),
        (
            "a.pyx",
            "cdef class Shop:\n    cpdef int total(self):\n        pass\n    def open(self):\n        pass\n",
            ["class Shop", "method Shop.open"],
        ),
        (
            "a.d",
            "class Shop {\n  int total(int a) {\n    if (a) {\n    }\n  }\n}\n",
            ["class Shop", "method Shop.total"],
        ),
        ("a.dart", DART, ["class Cart", "method Cart.total", "method Cart.close"]),
        (
            "a.dart",
            "class Cart {\n  const Cart({super.key});\n  const Cart.empty([\n  ]);\n  int get total => 1;\n"
            "  set total(int a) {\n  }\n  static T of<T extends Cart>(Context c) => c.find();\n}\n",
            ["class Cart", *(f"method Cart.{name}" for name in ("Cart", "Cart.empty", "total", "total", "of"))],
        ),
        ("a.dart", "Widget build() {\n  f(\n    const Box(\n      1,\n    ),\n  );\n}\n", ["function build"]),
        ("a.el", ELISP, ["function shop-total", "variable shop-open"]),
        (
            "a.elm",
            "module Shop exposing (..)\n\ntype alias Price = Int\n\ntotal : List Int -> Int\n"
            "total prices =\n    let\n        sum : Int\n",
            ["module Shop", "type Price", "function total"],
        ),
        (
            "a.erl",
            "-module(shop).\n\n-spec total(list()) -> integer().\ntotal([]) -> 0;\ntotal([A|B]) ->\n    sum(A).\n",
            ["function total"],
        ),
        (
            "a.erl",
            "-type price() :: integer().\n-record(cart, {a}).\n-define(MAX, 1).\n-callback open() -> ok.\n",
            ["type price", "struct cart", "macro MAX", "method open"],
        ),
        ("a.fish", "function shop-total --description x\nend\n", ["function shop-total"]),
        (
            "a.f90",
            "module shop\ncontains\n  pure real(8) FUNCTION total(a)\n  end function total\nend module\n",
            ["module shop", "function shop.total"],
        ),
        (
            "a.f90",
            "submodule(shop) cart\n  type, public :: till\n  end type\n  type(till) :: a\n"
            "  interface operator(+)\n  end interface\ncontains\n  double precision function total()\n  end function\n",
            ["module cart", "struct cart.till", "interface cart.operator(+)", "function cart.total"],
        ),
        ("a.fypp", "subroutine shop${ii}$_total(a)\nend subroutine\n", ["function shop${ii}$_total"]),
        ("a.f90", "pure module function total(a)\nend function\nmodule shop\n", ["function total", "module shop"]),
        ("a.fs", "let private Key = 1\nlet open' = 2\n", ["function Key", "function open'"]),
        ("a.ml", "let open Shop in\nlet module S = Shop in\nlet total = 1\n", ["function total"]),
        ("a.fs", FSHARP, ["module Shop", "type Shop.Price", "function Shop.total"]),
        ("a.gd", "class_name Shop\nstatic func total(a):\n\tpass\n", ["class Shop", "function total"]),
        ("a.gleam", "pub fn total(a) {\n}\n\npub opaque type Shop {\n}\n", ["function total", "type Shop"]),
        ("a.glsl", "float total(float a)\n{\n  return sum(a);\n}\n", ["function total"]),
        ("a.graphql", "type Shop @key {\n}\nextend type Shop {\n}\n", ["type Shop", "type Shop"]),
        (
            "a.groovy",
            "class Shop {\n  def total(a) {\n    println(a)\n    new Sum(a) {\n    }\n  }\n}\n",
            ["class Shop", "method Shop.total"],
        ),
        ("a.tf", 'resource "aws_shop" "main" {\n}\nvariable "open" {}\n', ["class aws_shop.main", "variable open"]),
        (
            "a.hx",
            "class Shop {\n  public static inline function total(a) {}\n}\n",
            ["class Shop", "method Shop.total"],
        ),
        (
            "a.jl",
            "abstract type Shop end\n@inline function total!(a)\nend\nsum(a) = a\nx = sum(a)\n",
            ["type Shop", "function total!", "function sum"],
        ),
        (
            "a.jl",
            "total(a; b=1)::Int = a\n@inline Base.sum(a::Cart) = 1\n"
            "open(a::Cart,\n     b) = 1\nprintln(a,\n        b)\n",
            ["function total", "function Base.sum", "function open"],
        ),
        (
            "a.lean",
            "theorem total_pos (a : Nat) : a = a := rfl\nnoncomputable def total' := 1\n",
            ["constant total_pos", "function total'"],
        ),
        (
            "a.lisp",
            "(defmethod total ((a shop)) a)\n(defstruct (cart (:x y)) z)\n",
            ["function total", "struct cart"],
        ),
        ("a.nim", "proc total*(a: int): int =\n  discard\n", ["function total"]),
        ("a.m", "@implementation Shop\n\n- (int)total:(int)a {\n}\n\n@end\n", ["class Shop", "method Shop.total"]),
        (
            "a.ml",
            "module type S = sig\n  val total : int\nend\n\nlet rec total a =\n  let sum = a in\n"
            "  sum\nand other = 1\n\ntype 'a shop = 'a list\n",
            ["module S", "function S.total", "function total", "function other", "type shop"],
        ),
        (
            "a.ml",
            "module Cart = struct\n  let total a =\n    let sum = a in\n    sum\nend\n\nlet ( + ) a b = a\n"
            "type +'a shop = A\nand till = B\n\ntype nonrec cart = cart\nlet cart = 1\n",
            [
                "module Cart",
                "function Cart.total",
                "function +",
                "type shop",
                "type till",
                "type cart",
                "function cart",
            ],
        ),
        ("a.nim", "type\n  Cart*[T] = ref object\n    a: int\n", ["type Cart"]),
        (
            "a.pas",
            "unit Shop;\nclass function TShop.Total(a: Integer): Integer;\n",
            ["module Shop", "function TShop.Total"],
        ),
        ("a.pl", PERL, ["module Shop", "function total", "function _round", "section NAME"]),
        ("a.ps1", "Function Get-Total {\n}\n", ["function Get-Total"]),
        ("a.pro", "total([], 0).\ntotal([A|B], C) :-\n    sum(A, C).\n", ["function total"]),
        (
            "a.proto",
            "service Shop {\n  rpc Total (A) returns (B);\n}\nmessage Cart {\n}\n",
            ["class Shop", "method Shop.Total", "class Cart"],
        ),
        (
            "a.R",
            "total <- function(a, b) {\n}\nShop <- R6::R6Class('Shop')\nx <- total(1)\n",
            ["function total", "function Shop"],
        ),
        ("a.raku", "class Shop {\n    multi method total($a) {\n    }\n}\n", ["class Shop", "method Shop.total"]),
        ("a.scm", "(define (total a)\n  a)\n(define-record-type shop x)\n", ["function total", "struct shop"]),
        (
            "a.sol",
            "abstract contract Shop {\n  function total(uint a) public {}\n}\n",
            ["class Shop", "method Shop.total"],
        ),
        ("a.sml", "structure Shop = struct\n  fun total a = a\nend\n", ["module Shop", "function Shop.total"]),
        ("a.bzl", "def shop_library(name):\n    pass\n", ["function shop_library"]),
        ("a.tcl", "proc ::shop::total {a} {\n}\n", ["function shop::total"]),
        ("a.thrift", "struct Cart {\n}\nservice Shop {\n}\n", ["struct Cart", "class Shop"]),
        (
            "a.vala",
            "public class Shop : Object {\n    public int total (int a) {\n    }\n}\n",
            ["class Shop", "method Shop.total"],
        ),
        (
            "a.sv",
            "module shop #(parameter A = 1) (\n);\n  function automatic int total(int a);\n  endfunction\nendmodule\n",
            ["module shop", "function shop.total"],
        ),
        ("a.vhd", "entity Shop is\nend Shop;\narchitecture rtl of Shop is\n", ["module Shop", "module rtl"]),
        ("a.vim", "function! s:total(a) abort\nendfunction\n", ["function s:total"]),
        (
            "a.vb",
            "Public Class Shop\n    Private Shared Function Total(a As Integer) As Integer\n"
            "    End Function\nEnd Class\n",
            ["class Shop", "method Shop.Total"],
        ),
        ("a.vim", "command! -nargs=0 -bar ShopOpen call s:open()\n", ["function ShopOpen"]),
        ("a.wgsl", "struct Shop {\n}\nfn total(a: f32) -> f32 {\n}\n", ["struct Shop", "function total"]),
    ],
)
def test_definitions_are_found(path: str, text: str, found: list[str]) -> None:
    language = language_of(path)
    assert language is not None
    assert language.name in DEFINED_LANGUAGES
    assert _found(path, text) == found


def test_comments_above_are_the_doc_comment() -> None:
    total = _symbol("a.pl", PERL, "total")
    assert (total.doc, total.signature) == ("Adds up the prices.", "sub total")
    assert total.own_text.startswith("sub total {")
    assert (total.span.start.line, total.name_span.start.line, total.span.end.line) == (3, 4, 6)


@pytest.mark.parametrize(
    ("path", "text", "name", "doc"),
    [
        ("a.el", ELISP, "shop-total", "Add up PRICES.\nRounded."),
        ("a.dart", DART, "Cart", "A cart."),
        ("a.jl", '"""\n    total(a)\n\nAdds up.\n"""\nfunction total(a)\nend\n', "total", "total(a)\n\nAdds up."),
        ("a.ml", "(* Adds\n   up. *)\nlet total a = a\n", "total", "Adds\nup."),
        ("a.R", "#' Add up\n#'\n#' All.\n#' @param a x\ntotal <- function(a) a\n", "total", "Add up\n\nAll."),
        ("a.f90", "! Adds up.\nsubroutine total()\n", "total", "Adds up."),
        ("a.groovy", "/*\n Adds up.\n*/\n@Pure\nclass Total {\n}\n", "Total", "Adds up."),
        ("a.lua.pm", "# x\n\nsub total {}\n", "total", ""),
        ("a.ads", "procedure Total;\n--  Adds up.\nprocedure Open;\n--  Opens.\n", "Total", "Adds up."),
        ("a.ads", "procedure Total;\n--  Adds up.\nprocedure Open;\n--  Opens.\n", "Open", "Opens."),
        ("a.mli", "val total :\n  int -> int\n(** Adds\n    up. *)\n\nval open_ : int\n", "total", "Adds\nup."),
        ("a.mli", "val total : int\n(** Opens. *)\nval open_ : int\n", "open_", "Opens."),
        ("a.mli", "val total : int\n(** Opens. *)\nval open_ : int\n", "total", ""),
        ("a.adb", "--  Adds up.\nprocedure Total is\nbegin\nend Total;\n", "Total", "Adds up."),
    ],
)
def test_doc_comments_of_each_form_are_read(path: str, text: str, name: str, doc: str) -> None:
    assert _symbol(path, text, name).doc == doc


def test_a_definition_holds_its_own_text_and_spans_those_inside() -> None:
    cart, total, _ = (symbol for symbol in parse("a.dart", DART).symbols if symbol.kind != "text")
    assert (cart.span.start.line, cart.span.end.line) == (0, 12)
    assert cart.own_text == "abstract class Cart {\n}"
    assert "return sum(prices);" in total.own_text


def test_headings_in_perl_are_read_without_markup() -> None:
    assert _found("a.pm", "=head2 C<add>\n\n=head2 L<put|Shop/put>\n") == ["section add", "section put"]


def test_a_file_without_definitions_is_text() -> None:
    assert [symbol.kind for symbol in parse("a.pl", "print 1;\n").symbols] == ["text"]


def test_the_place_of_a_name_counts_bytes() -> None:
    total = _symbol("a.jl", "# é\nfunction größe(a)\nend\n", "größe")
    assert (total.name_span.start.line, total.name_span.start.utf8, total.name_span.end.utf8) == (1, 9, 16)


def test_a_long_line_defines_nothing() -> None:
    assert _found("a.pl", f"sub total {{ {'x' * 400} }}\n") == []
