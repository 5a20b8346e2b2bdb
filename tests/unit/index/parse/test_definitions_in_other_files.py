"""Definitions in build files, manifests, grammars, schemas and rarer languages, and shared extensions."""

from __future__ import annotations

import pytest

from scry.core import Symbol
from scry.index.parse.parse import parse


def _named(path: str, text: str) -> list[Symbol]:
    return [symbol for symbol in parse(path, text).symbols if symbol.kind != "text"]


@pytest.mark.parametrize(
    ("path", "language", "text", "found"),
    [
        (
            "Makefile",
            "make",
            "CC := gcc\n.PHONY: test\nexport X := y\n\n# Runs the tests.\ntest: deps build\n\tpytest\n\n"
            "%.o: %.c\n\tcc\n\nifdef FOO\nbin/scry:\n\tgo\nendif\ndefine NAME\nx\nendef\n",
            ["section test", "section %.o", "section bin/scry"],
        ),
        (
            "justfile",
            "just",
            "set shell := ['bash']\nalias b := build\n\n# Builds it\nbuild target='x': deps\n"
            "  cargo build\n\n@fmt:\n  cargo fmt\n",
            ["section build", "section fmt"],
        ),
        (
            "a.feature",
            "gherkin",
            "Feature: Shopping\n  As a user\n\n  Background:\n    Given x\n\n  # note\n  @slow\n"
            "  Scenario: Adding a thing\n    When y\n  Scenario Outline: Paying <n>\n    Then z\n",
            ["section Shopping", "section Shopping.Adding a thing", "section Shopping.Paying <n>"],
        ),
        (
            "Dockerfile",
            "dockerfile",
            "FROM python:3.11 AS build\nRUN x\nFROM --platform=x debian as run\nCOPY --from=build / /\n",
            ["section build", "section run"],
        ),
        (
            "a.g4",
            "antlr",
            "grammar X;\n\n// A unit\ncompilationUnit\n    : packageDecl? EOF\n    ;\n"
            "fragment DIGIT : [0-9];\nID: 'a';\n",
            ["function compilationUnit", "function DIGIT", "function ID"],
        ),
        (
            "a.y",
            "yacc",
            "%{\n#include <x>\n%}\n%token A\n%%\nprogram : stmts\n  { $$ = 1; }\n ;\nstmts:\n  %empty\n"
            "  | stmts stmt\n  ;\n%%\nint\nmain(void) {\n}\n",
            ["function program", "function stmts"],
        ),
        (
            "a.nix",
            "nix",
            '{ lib, stdenv }:\nlet\n  version = "1";\n  mk = { name, src }: stdenv.mk { };\n'
            "  id = x: x;\nin {\n  services.nginx = {\n    enable = true;\n  };\n}\n",
            ["function mk", "function id", "function services.nginx"],
        ),
        (
            "a.nu",
            "nushell",
            '# Totals\nexport def --env "str total" [a: int] {\n}\ndef main [] {\n}\n',
            ["function str total", "function main"],
        ),
        (
            "a.odin",
            "odin",
            "package x\n// Adds\ntotal :: proc(a: int) -> int {\n}\nCart :: struct #packed {\n}\n",
            ["function total", "struct Cart"],
        ),
        ("a.jsonnet", "jsonnet", "local f(x) = x + 1;\n{\n  g(y):: y,\n  h: f(1)\n}\n", ["function f", "function g"]),
        (
            "a.rego",
            "rego",
            "package x\nimport future.keywords\n\n# Allows\ndefault allow := false\nallow if {\n"
            "  input.x\n}\ndeny[msg] {\n  msg := 1\n}\nlimit(x) := 3\n",
            ["function allow", "function deny", "function limit"],
        ),
        (
            "a.m",
            "matlab",
            "function [a, b] = total(x)\n% TOTAL  Adds up\n%   more\na = 1;\nend\n\nfunction helper\nend\n",
            ["function total", "function helper"],
        ),
        (
            "b.m",
            "matlab",
            "classdef Cart < handle\n  methods\n    function add(obj, x)\n    end\n  end\nend\n",
            ["class Cart", "method Cart.add"],
        ),
        (
            "c.m",
            "objective-c",
            "#import <X/X.h>\n@implementation Foo\n- (void)bar {\n}\n@end\n",
            ["class Foo", "method Foo.bar"],
        ),
        (
            "a.v",
            "coq",
            "From Coq Require Import List.\n\n(* Adds. *)\nDefinition total (n : nat) := n.\n"
            "Lemma total_zero : total 0 = 0.\nProof.\nQed.\n",
            ["function total", "constant total_zero"],
        ),
        (
            "b.v",
            "vlang",
            "module main\n\n// adds\npub fn total(a int) int {\n}\nfn (mut c Cart) add(x int) {\n}\nstruct Cart {\n}\n",
            ["function total", "function add", "struct Cart"],
        ),
        (
            "c.v",
            "verilog",
            "module top(input a);\n  function foo;\n  endfunction\nendmodule\n",
            ["module top", "function top.foo"],
        ),
        (
            "a.pp",
            "puppet",
            "# A thing\nclass nginx::server(\n  String $a,\n) {\n  include x\n}\ndefine nginx::vhost($x) {\n}\n",
            ["class nginx::server", "function nginx::vhost"],
        ),
        (
            "a.pl",
            "prolog",
            ":- module(x, [y/1]).\n\n% adds\ntotal([], 0).\ntotal([X|Xs], N) :- total(Xs, M), N is M + X.\n",
            ["function total"],
        ),
        ("a.cl", "c", "__kernel void add(__global float* a) {\n  int i = get_global_id(0);\n}\n", ["function add"]),
        (
            "a.cls",
            "apex",
            "/** A cart. */\npublic with sharing class Cart {\n    @AuraEnabled\n"
            "    public static Integer total(List<Integer> x) {\n    }\n}\n",
            ["class Cart", "method Cart.total"],
        ),
        ("l.cls", "tex", "\\NeedsTeXFormat{LaTeX2e}\n\\section{Foo}\nbar\n", ["section Foo"]),
        (
            "a.prisma",
            "prisma",
            "/// A user\nmodel User {\n  id Int @id\n  type Role\n}\nenum Role {\n A\n}\n",
            ["struct User", "enum Role"],
        ),
        (
            "a.capnp",
            "capnproto",
            "struct Person {\n  name @0 :Text;\n  enum T { a @0; }\n}\ninterface X {\n}\n",
            ["struct Person", "enum Person.T", "interface X"],
        ),
        ("a.fbs", "flatbuffers", "table Monster {\n  hp:int;\n}\nrpc_service S {\n}\n", ["struct Monster", "class S"]),
        (
            "a.smithy",
            "smithy",
            "@http(x)\noperation GetCity {\n}\nstructure City {\n}\n",
            ["function GetCity", "struct City"],
        ),
        ("a.wat", "webassembly", "(module\n  (func $add (param $x i32)\n  )\n)\n", ["function $add"]),
        ("a.janet", "janet", '(defn total\n  "Adds up."\n  [a] a)\n', ["function total"]),
        ("a.lfe", "lfe", "(defmodule shop)\n(defun total (a) a)\n", ["module shop", "function total"]),
        (
            "a.s",
            "assembly",
            "    .text\n    .globl foo\n# Copies.\nfoo:\n    ret\n.Lx:\n    nop\nSYM_FUNC_START(bar)\n    ret\n",
            ["function foo", "function bar"],
        ),
        ("a.bat", "batch", "@echo off\n:: comment\n:build\nrem x\ngoto :eof\n", ["function build"]),
        ("a.m4", "autoconf", "# X\nAC_DEFUN([AX_FOO], [\n])\n", ["function AX_FOO"]),
        ("a.inc", "cpp", "#define X 1\nint total(int a) {\n  return a;\n}\n", ["macro X", "function total"]),
        ("b.inc", "php", "<?php\nfunction total($a) {\n}\n", ["function total"]),
        (
            "a.cabal",
            "cabal",
            "name: x\nlibrary\n  exposed: y\nexecutable foo\n  main: x\ntest-suite bar\n  x: y\n",
            ["section foo", "section bar"],
        ),
        ("a.td", "tablegen", "class Inst<bits<4> x> {\n}\ndef ADD : Inst<1>;\n", ["class Inst", "constant ADD"]),
        (
            "a.rbs",
            "rbs",
            "class Cart\n  def total: (Integer) -> Integer\n  def self.make: () -> Cart\nend\n",
            ["class Cart", "method Cart.total", "method Cart.self.make"],
        ),
        (
            "a.robot",
            "robot",
            "*** Settings ***\nLibrary    X\n\n*** Test Cases ***\nUser Can Log In\n    Open    x\n\n"
            "*** Keywords ***\nOpen Page\n    [Arguments]    ${x}\n",
            ["function User Can Log In", "function Open Page"],
        ),
        (
            "a.tla",
            "tla",
            "---- MODULE X ----\nVARIABLES a\n\\* Init\nInit == a = 0\nAdd(x) ==\n  a' = x\n====\n",
            ["function Init", "function Add"],
        ),
        ("a.typ", "typst", "#let total(x) = x\n= Heading\n", ["function total"]),
        ("a.pug", "pug", "mixin card(x)\n  .card= x\n", ["macro card"]),
        ("a.ll", "llvm", "define dso_local i32 @main(i32 %0) {\n}\n", ["function main"]),
        ("a.idr", "idris", "||| Adds\ntotal : Nat -> Nat\ntotal x = x\n", ["function total"]),
        (
            "a.re",
            "reason",
            "let total = (x) => x;\nmodule Cart = {\n  let add = x => x;\n};\n",
            ["function total", "module Cart", "function Cart.add"],
        ),
        (
            "a.thy",
            "isabelle",
            'theory X\nimports Main\nbegin\nfun total :: "nat" where\nlemma total_zero: "x"\nend\n',
            ["module X", "function total", "constant total_zero"],
        ),
        (
            "a.qml",
            "qml",
            "Item {\n  id: root\n  signal clicked(int x)\n  function total(x) {\n  }\n}\n",
            ["field clicked", "function total"],
        ),
        ("a.vy", "vyper", "@external\ndef total(a: uint256) -> uint256:\n    return a\n", ["function total"]),
        (
            "a.move",
            "move",
            "module shop::cart {\n    public fun total(a: u64): u64 {\n    }\n    struct Cart has key {\n    }\n}\n",
            ["module shop::cart", "function shop::cart.total", "struct shop::cart.Cart"],
        ),
        ("a.heex", "eex", '<section id="x">\n<h1>Hello</h1>\n</section>\n', ["section Hello"]),
        (
            "a.bicep",
            "bicep",
            "param location string\nresource stg 'Microsoft.Storage/x@2' = {\n}\n",
            ["field location", "class stg"],
        ),
        ("a.gradle", "groovy", "plugins {\n}\ntask hello(type: X) {\n}\n", ["function hello"]),
        ("a.metal", "cpp", "kernel void add(device float* a [[buffer(0)]]) {\n}\n", ["function add"]),
        (
            "Cart.h",
            "objective-c",
            "#import <X/X.h>\n@class Item;\n@interface Cart : NSObject\n- (void)add:(Item *)item;\n@end\n",
            ["interface Cart", "method Cart.add"],
        ),
        ("cart.h.in", "c", "int total(int a);\n", ["function total"]),
        (
            "a.yaml",
            "yaml",
            "# Web\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  labels:\n    a: b\n  name: web\nspec:\n"
            '  x: y\n---\nkind: "Service"\napiVersion: v1\nmetadata:\n  name: {{ .Values.name }}\n---\n# end\n',
            ["section Deployment web", "section Service"],
        ),
        (
            "a.yml",
            "yaml",
            "{{- if .x }}\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n" + "  a: b\n" * 40,
            ["section ConfigMap web.data", "section ConfigMap web.data"],
        ),
        (
            "tasks.yml",
            "yaml",
            "- name: Install nginx\n  apt:\n    name: nginx\n  when: a\n"
            '- name: "{{ b }}"\n  c: d\n  e: f\n  g: h\n- hosts: all\n  c: d\n  e: f\n  g: h\n',
            ["section Install nginx", "section name", "section hosts"],
        ),
        ("b.yml", "yaml", "kind: none\nweb:\n  a: 1\n  b: 2\n  c: 3\n", ["section web"]),
    ],
)
def test_definitions_are_found(path: str, language: str, text: str, found: list[str]) -> None:
    assert parse(path, text).language == language
    names = [
        f"{each.kind} {each.container}.{each.name}" if each.container else f"{each.kind} {each.name}"
        for each in _named(path, text)
    ]
    assert names == found


@pytest.mark.parametrize(
    ("path", "text", "doc"),
    [
        ("Makefile", "# Runs the tests.\ntest: build\n\tpytest\n", "Runs the tests."),
        ("Makefile", "test: build ## Run the tests\n\tpytest\n", "Run the tests"),
        ("a.m", "function total(x)\n% TOTAL  Adds up\n%   all.\nend\n", "TOTAL  Adds up\n  all."),
        ("a.y", "%token A\n%%\nprogram : stmts\n;\n", ""),
        ("a.robot", "*** Test Cases ***\nUser Can Log In\n    Open    x\n", ""),
        ("a.tla", "\\* Starts.\nInit == a = 0\n", "Starts."),
        ("a.idr", "||| Adds up.\ntotal : Nat -> Nat\n", "Adds up."),
        ("a.mm", "#import <X/X.h>\n@implementation Shop\n@end\n", ""),
    ],
)
def test_comments_of_each_form_are_the_doc_comment(path: str, text: str, doc: str) -> None:
    assert [each.doc for each in _named(path, text)] == [doc]


def test_the_end_of_a_line_of_assignment_is_no_target() -> None:
    assert _named("Makefile", "CC := gcc\nX ::= y\n.PHONY: test\n$(A): b\n") == []
