"""Imports of the languages that are read without a grammar, by their lines, and what follows from them."""

from __future__ import annotations

import pytest

from scry.index.graph import compute_structures, extract_file_imports, resolve_imports
from scry.index.parse.languages.import_lines import IMPORTING_LANGUAGES
from scry.index.parse.parse import parse

SAMPLES: dict[str, tuple[dict[str, str], dict[str, set[str]]]] = {
    "ada": (
        {
            "src/main.adb": "with Ada.Text_IO; use Ada.Text_IO;\nwith Shop.Cart, Shop.Prices;\nprocedure Main is\n",
            "src/shop-cart.ads": "limited with Shop.Prices;\n",
            "src/shop-prices.adb": "",
        },
        {
            "src/main.adb": {"src/shop-cart.ads", "src/shop-prices.adb"},
            "src/shop-cart.ads": {"src/shop-prices.adb"},
        },
    ),
    "agda": (
        {"src/Shop/Cart.agda": "open import Shop.Prices using (sum)\n", "src/Shop/Prices.agda": ""},
        {"src/Shop/Cart.agda": {"src/Shop/Prices.agda"}},
    ),
    "antlr": (
        {"CartParser.g4": "options { tokenVocab=CartLexer; }\nimport Common, Missing;\n", "Common.g4": "", "x.txt": ""},
        {"CartParser.g4": {"Common.g4"}},
    ),
    "assembly": (
        {"arch/start.s": '#include "defs.h"\n.include "macros.s"\n', "arch/defs.h": "", "arch/macros.s": ""},
        {"arch/start.s": {"arch/defs.h", "arch/macros.s"}},
    ),
    "batch": (
        {"build.bat": "@echo off\ncall tools\\env.bat x64\n@call %~dp0test.cmd\n", "tools/env.bat": "", "test.cmd": ""},
        {"build.bat": {"tools/env.bat", "test.cmd"}},
    ),
    "bicep": (
        {"main.bicep": "module store './parts/store.bicep' = {\n}\n", "parts/store.bicep": ""},
        {"main.bicep": {"parts/store.bicep"}},
    ),
    "cairo": ({"src/lib.cairo": "pub mod cart;\n", "src/cart.cairo": ""}, {"src/lib.cairo": {"src/cart.cairo"}}),
    "capnproto": (
        {"a/cart.capnp": 'using Price = import "price.capnp".Price;\n', "a/price.capnp": ""},
        {"a/cart.capnp": {"a/price.capnp"}},
    ),
    "chapel": (
        {"src/main.chpl": "use Cart;\nprivate import Prices.total;\n", "src/Cart.chpl": "", "src/Prices.chpl": ""},
        {"src/main.chpl": {"src/Cart.chpl", "src/Prices.chpl"}},
    ),
    "clojure": (
        {
            "src/shop/core.clj": (
                "(ns shop.core\n  (:require [clojure.string :as str]\n            [shop.cart-total :as total]\n"
                "            shop.missing)\n  (:use shop.prices))\n(let [[a.b c] x] a)\n"
            ),
            "src/shop/cart_total.cljc": "(ns shop.cart-total (:require shop.prices))\n",
            "src/shop/prices.clj": "",
        },
        {
            "src/shop/core.clj": {"src/shop/cart_total.cljc", "src/shop/prices.clj"},
            "src/shop/cart_total.cljc": {"src/shop/prices.clj"},
        },
    ),
    "cobol": (
        {
            "src/MAIN.cbl": "       COPY CARTREC.\n       COPY 'prices'.\n",
            "copy/cartrec.cpy": "",
            "copy/prices.cpy": "",
        },
        {"src/MAIN.cbl": {"copy/cartrec.cpy", "copy/prices.cpy"}},
    ),
    "coffeescript": (
        {
            "src/app.coffee": "cart = require './cart'\nimport { sum } from './prices'\n",
            "src/cart.coffee": "",
            "src/prices.js": "",
        },
        {"src/app.coffee": {"src/cart.coffee", "src/prices.js"}},
    ),
    "coq": (
        {
            "theories/Cart.v": "From Shop Require Import Prices Lists.\nRequire Import Shop.Base.\nLemma a : True.\n",
            "theories/Prices.v": "Definition p := 1.\n",
            "theories/Shop/Base.v": "Definition b := 1.\n",
        },
        {"theories/Cart.v": {"theories/Prices.v", "theories/Shop/Base.v"}},
    ),
    "crystal": (
        {
            "src/shop.cr": 'require "json"\nrequire "./cart"\nrequire "./parts/*"\n',
            "src/cart.cr": "",
            "src/parts/a.cr": "",
            "src/parts/b.cr": "",
        },
        {"src/shop.cr": {"src/cart.cr", "src/parts/a.cr", "src/parts/b.cr"}},
    ),
    "cython": (
        {"shop/cart.pyx": "from shop.prices cimport total\ncimport numpy\n", "shop/prices.pxd": ""},
        {"shop/cart.pyx": {"shop/prices.pxd"}},
    ),
    "d": (
        {
            "source/app.d": "import std.stdio;\nimport shop.cart : Cart;\npublic import shop;\n",
            "source/shop/cart.d": "",
            "source/shop/package.d": "",
        },
        {"source/app.d": {"source/shop/cart.d", "source/shop/package.d"}},
    ),
    "dart": (
        {
            "packages/cart/lib/cart.dart": (
                "import 'dart:async';\nimport 'package:flutter/material.dart';\nimport 'package:prices/src/sum.dart';\n"
                "export 'src/total.dart'\n    if (dart.library.io) 'src/total_io.dart';\npart 'cart.g.dart';\n"
            ),
            "packages/cart/lib/cart.g.dart": "part of 'cart.dart';\n",
            "packages/cart/lib/material.dart": "",
            "packages/cart/lib/src/total.dart": 'import "package:cart/cart.dart";\n',
            "packages/cart/lib/src/total_io.dart": "",
            "packages/prices/lib/src/sum.dart": "",
        },
        {
            "packages/cart/lib/cart.dart": {
                "packages/prices/lib/src/sum.dart",
                "packages/cart/lib/src/total.dart",
                "packages/cart/lib/src/total_io.dart",
                "packages/cart/lib/cart.g.dart",
            },
            "packages/cart/lib/cart.g.dart": {"packages/cart/lib/cart.dart"},
            "packages/cart/lib/src/total.dart": {"packages/cart/lib/cart.dart"},
        },
    ),
    "dhall": ({"a/cart.dhall": "let p = ../price.dhall\nin p\n", "price.dhall": ""}, {"a/cart.dhall": {"price.dhall"}}),
    "elisp": (
        {
            "shop.el": "(require 'cl-lib)\n(require 'shop-cart)\n(load \"prices.el\")\n",
            "shop-cart.el": "",
            "prices.el": "",
        },
        {"shop.el": {"shop-cart.el", "prices.el"}},
    ),
    "elm": (
        {"src/Main.elm": "import Html exposing (div)\nimport Shop.Cart as Cart\n", "src/Shop/Cart.elm": ""},
        {"src/Main.elm": {"src/Shop/Cart.elm"}},
    ),
    "erlang": (
        {
            "src/shop.erl": '-include("shop.hrl").\n-behaviour(seller).\ntotal() -> cart:total(1), lists:sum([]).\n',
            "src/cart.erl": "total(X) -> X.\n",
            "src/seller.erl": "",
            "include/shop.hrl": "",
        },
        {"src/shop.erl": {"include/shop.hrl", "src/seller.erl", "src/cart.erl"}},
    ),
    "fennel": (
        {"src/main.fnl": "(local cart (require :shop.cart))\n", "src/shop/cart.fnl": ""},
        {"src/main.fnl": {"src/shop/cart.fnl"}},
    ),
    "fish": ({"a/main.fish": "source $dir/cart.fish\n", "a/cart.fish": ""}, {"a/main.fish": {"a/cart.fish"}}),
    "flatbuffers": ({"a/cart.fbs": 'include "price.fbs";\n', "a/price.fbs": ""}, {"a/cart.fbs": {"a/price.fbs"}}),
    "fortran": (
        {
            "src/main.f90": "  USE Cart, ONLY: total\n  use, intrinsic :: iso_c_binding\n  include 'dims.inc'\n",
            "src/cart.f90": "module cart\n",
            "src/dims.inc": "",
        },
        {"src/main.f90": {"src/cart.f90", "src/dims.inc"}},
    ),
    "gdscript": (
        {
            "scenes/shop.gd": 'extends "res://scenes/base.gd"\nconst Cart = preload("res://cart/cart.gd")\n',
            "scenes/base.gd": "",
            "cart/cart.gd": "",
        },
        {"scenes/shop.gd": {"scenes/base.gd", "cart/cart.gd"}},
    ),
    "gleam": (
        {"src/main.gleam": "import shop/cart\n", "src/shop/cart.gleam": ""},
        {"src/main.gleam": {"src/shop/cart.gleam"}},
    ),
    "glsl": ({"a/x.frag": '#include "light.glsl"\n', "a/light.glsl": ""}, {"a/x.frag": {"a/light.glsl"}}),
    "groovy": (
        {
            "build.gradle": "apply from: 'gradle/jars.gradle'\n",
            "gradle/jars.gradle": "",
            "src/main/groovy/net/Shop.groovy": "import net.cart.Cart\nimport static net.cart.Prices.total\n",
            "src/main/groovy/net/cart/Cart.groovy": "",
            "src/main/java/net/cart/Prices.java": "",
        },
        {
            "build.gradle": {"gradle/jars.gradle"},
            "src/main/groovy/net/Shop.groovy": {
                "src/main/groovy/net/cart/Cart.groovy",
                "src/main/java/net/cart/Prices.java",
            },
        },
    ),
    "haxe": ({"src/Main.hx": "import shop.Cart;\n", "src/shop/Cart.hx": ""}, {"src/Main.hx": {"src/shop/Cart.hx"}}),
    "hcl": (
        {
            "live/main.tf": 'module "cart" {\n  source = "../modules/cart"\n}\n',
            "modules/cart/main.tf": "",
            "modules/cart/vars.tf": "",
        },
        {"live/main.tf": {"modules/cart/main.tf", "modules/cart/vars.tf"}},
    ),
    "hlsl": ({"a/x.hlsl": '#include "light.hlsl"\n', "a/light.hlsl": ""}, {"a/x.hlsl": {"a/light.hlsl"}}),
    "idris": (
        {"src/Main.idr": "import public Shop.Cart\n", "src/Shop/Cart.idr": ""},
        {"src/Main.idr": {"src/Shop/Cart.idr"}},
    ),
    "isabelle": (
        {"a/Cart.thy": 'theory Cart\n  imports Main Prices "../Base"\nbegin\n', "a/Prices.thy": "", "Base.thy": ""},
        {"a/Cart.thy": {"a/Prices.thy", "Base.thy"}},
    ),
    "janet": (
        {"src/main.janet": "(import ./cart :as c)\n", "src/cart.janet": ""},
        {"src/main.janet": {"src/cart.janet"}},
    ),
    "jsonnet": (
        {"a/main.jsonnet": "local cart = import 'cart.libsonnet';\n", "a/cart.libsonnet": ""},
        {"a/main.jsonnet": {"a/cart.libsonnet"}},
    ),
    "julia": (
        {"src/Shop.jl": 'module Shop\nusing Test\ninclude("cart/total.jl")\nend\n', "src/cart/total.jl": ""},
        {"src/Shop.jl": {"src/cart/total.jl"}},
    ),
    "lean": ({"Main.lean": "import Shop.Cart\n", "Shop/Cart.lean": ""}, {"Main.lean": {"Shop/Cart.lean"}}),
    "lex": ({"a/scan.l": '%{\n#include "scan.h"\n%}\n', "a/scan.h": ""}, {"a/scan.l": {"a/scan.h"}}),
    "mojo": (
        {"main.mojo": "from shop.cart import total\n", "shop/cart.mojo": ""},
        {"main.mojo": {"shop/cart.mojo"}},
    ),
    "nim": (
        {
            "src/main.nim": (
                "import std/[os, times], shop/[cart, missing]\nimport shop/order as o\nfrom ./prices import sum\n"
            ),
            "src/shop/cart.nim": "",
            "src/shop/order.nim": "",
            "src/shop/os.nim": "",
            "src/prices.nim": "",
        },
        {"src/main.nim": {"src/shop/cart.nim", "src/shop/order.nim", "src/prices.nim"}},
    ),
    "nix": (
        {
            "flake.nix": "{ imports = [ ./modules ./host.nix ]; x = import ./lib/cart.nix; url = github:a/b; }\n",
            "modules/default.nix": "{ y = ../host.nix; }\n",
            "host.nix": "",
            "lib/cart.nix": "",
        },
        {"flake.nix": {"modules/default.nix", "host.nix", "lib/cart.nix"}, "modules/default.nix": {"host.nix"}},
    ),
    "noir": (
        {"src/main.nr": "mod cart;\nmod prices;\n", "src/cart.nr": "", "src/prices/mod.nr": ""},
        {"src/main.nr": {"src/cart.nr", "src/prices/mod.nr"}},
    ),
    "nushell": (
        {"main.nu": "use cart.nu total\nsource lib/x.nu\n", "cart.nu": "", "lib/x.nu": ""},
        {"main.nu": {"cart.nu", "lib/x.nu"}},
    ),
    "objective-c": (
        {
            "App/Cart.m": '#import "Cart.h"\n#import <Shop/Price.h>\n@implementation Cart\n@end\n',
            "App/Cart.h": "",
            "Shop/Price.h": "",
        },
        {"App/Cart.m": {"App/Cart.h", "Shop/Price.h"}},
    ),
    "ocaml": (
        {
            "src/shop.ml": "open Base\nlet total = Cart_total.sum (Shop_types.Price.of_int 1)\nlet x = List.map\n",
            "src/cart_total.ml": "let sum x = x\n",
            "src/cart_total.mli": "(** {!Cart_total.sum} *)\nval sum : int -> int\n",
            "lib/base.ml": "let y = List.length\n",
            "lib/list.ml": "",
            "types/shop_types.ml": "",
        },
        {"lib/base.ml": {"lib/list.ml"}, "src/shop.ml": {"lib/base.ml", "src/cart_total.ml", "types/shop_types.ml"}},
    ),
    "odin": (
        {"src/main.odin": 'import "core:fmt"\nimport cart "../cart"\n', "cart/a.odin": "", "cart/b.odin": ""},
        {"src/main.odin": {"cart/a.odin", "cart/b.odin"}},
    ),
    "pascal": (
        {"shop.pas": "unit shop;\ninterface\nuses\n  SysUtils, Cart,\n  Prices;\n", "cart.pas": "", "Prices.pas": ""},
        {"shop.pas": {"cart.pas", "Prices.pas"}},
    ),
    "perl": (
        {
            "lib/Shop.pm": "use strict;\nuse Shop::Cart qw(total);\nuse parent -norequire, 'Shop::Base';\n",
            "lib/Shop/Cart.pm": "use base qw(Shop::Base);\n",
            "lib/Shop/Base.pm": "",
        },
        {"lib/Shop.pm": {"lib/Shop/Cart.pm", "lib/Shop/Base.pm"}, "lib/Shop/Cart.pm": {"lib/Shop/Base.pm"}},
    ),
    "powershell": (
        {
            "shop.ps1": ". $PSScriptRoot\\lib\\cart.ps1\nImport-Module ./prices.psm1\nusing module .\\prices.psm1\n",
            "lib/cart.ps1": "",
            "prices.psm1": "",
        },
        {"shop.ps1": {"lib/cart.ps1", "prices.psm1"}},
    ),
    "prolog": (
        {"shop.pro": ":- use_module(cart).\n:- use_module(library(lists)).\n", "cart.pro": ""},
        {"shop.pro": {"cart.pro"}},
    ),
    "protobuf": (
        {"api/shop.proto": 'import public "api/cart.proto";\nimport "google/any.proto";\n', "api/cart.proto": ""},
        {"api/shop.proto": {"api/cart.proto"}},
    ),
    "purescript": (
        {"src/Main.purs": "import Prelude\nimport Shop.Cart (total)\n", "src/Shop/Cart.purs": ""},
        {"src/Main.purs": {"src/Shop/Cart.purs"}},
    ),
    "qml": (
        {
            "ui/Main.qml": 'import QtQuick\nimport "parts"\nimport "cart.js" as Cart\n',
            "ui/parts/A.qml": "",
            "ui/cart.js": "",
        },
        {"ui/Main.qml": {"ui/parts/A.qml", "ui/cart.js"}},
    ),
    "r": (
        {"R/shop.r": "source('cart.r')\nsys.source(file = \"R/prices.r\")\n", "R/cart.r": "", "R/prices.r": ""},
        {"R/shop.r": {"R/cart.r", "R/prices.r"}},
    ),
    "racket": (
        {"shop/main.rkt": '#lang racket\n(require racket/list "cart.rkt")\n', "shop/cart.rkt": ""},
        {"shop/main.rkt": {"shop/cart.rkt"}},
    ),
    "raku": (
        {"lib/Shop.rakumod": "use v6;\nuse Shop::Cart;\n", "lib/Shop/Cart.rakumod": ""},
        {"lib/Shop.rakumod": {"lib/Shop/Cart.rakumod"}},
    ),
    "reason": (
        {"src/Shop.res": "open Cart\nlet t = Prices.sum(1)\n", "src/Cart.res": "", "src/Prices.re": ""},
        {"src/Shop.res": {"src/Cart.res", "src/Prices.re"}},
    ),
    "robot": (
        {
            "tests/shop.robot": "*** Settings ***\nResource    cart.resource\nLibrary    lib/Prices.py\n",
            "tests/cart.resource": "",
            "lib/Prices.py": "",
        },
        {"tests/shop.robot": {"tests/cart.resource", "lib/Prices.py"}},
    ),
    "scheme": (
        {"a/main.scm": '(use-modules (shop cart))\n(load "prices.scm")\n', "shop/cart.scm": "", "a/prices.scm": ""},
        {"a/main.scm": {"shop/cart.scm", "a/prices.scm"}},
    ),
    "solidity": (
        {
            "src/Shop.sol": (
                'import "./Cart.sol";\nimport {\n  Price\n} from "../lib/Price.sol";\n'
                'import "@shop/contracts/Base.sol";\n'
            ),
            "src/Cart.sol": "",
            "lib/Price.sol": "",
            "contracts/Base.sol": "",
        },
        {"src/Shop.sol": {"src/Cart.sol", "lib/Price.sol", "contracts/Base.sol"}},
    ),
    "starlark": (
        {
            "app/BUILD": 'load("//tools/build:defs.bzl", "x")\nload(":local.bzl", "y")\nload("@rules//a:b.bzl", "z")\n',
            "tools/build/defs.bzl": "",
            "app/local.bzl": "",
        },
        {"app/BUILD": {"tools/build/defs.bzl", "app/local.bzl"}},
    ),
    "tablegen": ({"a/X.td": 'include "Base.td"\n', "a/Base.td": ""}, {"a/X.td": {"a/Base.td"}}),
    "tcl": ({"a/main.tcl": "source [file join $dir cart.tcl]\n", "a/cart.tcl": ""}, {"a/main.tcl": {"a/cart.tcl"}}),
    "thrift": ({"a/shop.thrift": 'include "cart.thrift"\n', "a/cart.thrift": ""}, {"a/shop.thrift": {"a/cart.thrift"}}),
    "tla": (
        {"Shop.tla": "EXTENDS Naturals, Cart\nP == INSTANCE Prices\n", "Cart.tla": "", "Prices.tla": ""},
        {"Shop.tla": {"Cart.tla", "Prices.tla"}},
    ),
    "typst": ({"main.typ": '#import "cart.typ": total\n', "cart.typ": ""}, {"main.typ": {"cart.typ"}}),
    "verilog": (
        {
            "rtl/top.sv": '`include "defs.svh"\nimport cart_pkg::*;\nmodule top;\nendmodule\n',
            "rtl/defs.svh": "",
            "rtl/cart_pkg.sv": "import base_pkg::*;\npackage cart_pkg;\nendpackage\n",
            "rtl/base_pkg.sv": "",
        },
        {"rtl/top.sv": {"rtl/defs.svh", "rtl/cart_pkg.sv"}, "rtl/cart_pkg.sv": {"rtl/base_pkg.sv"}},
    ),
    "vhdl": (
        {"rtl/top.vhd": "use work.Cart_Pkg.all;\n", "rtl/cart_pkg.vhd": ""},
        {"rtl/top.vhd": {"rtl/cart_pkg.vhd"}},
    ),
    "vim": (
        {
            "plugin/shop.vim": "runtime macros/x.vim\ncall shop#cart#total(1)\n",
            "autoload/shop/cart.vim": "function! shop#cart#total(x)\nendfunction\n",
            "macros/x.vim": "",
        },
        {"plugin/shop.vim": {"autoload/shop/cart.vim", "macros/x.vim"}},
    ),
    "vyper": (
        {"src/Shop.vy": "from src import Cart\nimport src.Cart as C\n", "src/Cart.vy": ""},
        {"src/Shop.vy": {"src/Cart.vy"}},
    ),
    "yacc": ({"a/gram.y": '%{\n#include "gram.h"\n%}\n', "a/gram.h": ""}, {"a/gram.y": {"a/gram.h"}}),
}


def _imported(texts: dict[str, str]) -> dict[str, set[str]]:
    files = {path: extract_file_imports(path, parse(path, text)) for path, text in texts.items()}
    return {path: set(targets) for path, targets in resolve_imports(files).items()}


@pytest.mark.parametrize("language", sorted(SAMPLES))
def test_import_names_files_of_the_project(language: str) -> None:
    texts, expected = SAMPLES[language]
    assert language in {parse(path, text).language for path, text in texts.items()}
    assert _imported(texts) == expected


def test_each_language_that_imports_has_a_sample() -> None:
    assert SAMPLES.keys() == IMPORTING_LANGUAGES


def test_file_without_grammar_is_rated_by_its_importers() -> None:
    texts = {f"lib/user{number}.dart": "import 'cart.dart';\n" for number in range(8)}
    texts |= {
        "lib/cart.dart": "class Cart {}\n",
        "bin/main.dart": "void main() {\n}\n",
        "README.md": "import 'cart.dart'\n",
    }
    files = {path: extract_file_imports(path, parse(path, text)) for path, text in texts.items()}
    structures = compute_structures(files, resolve_imports(files))
    assert (structures["lib/cart.dart"].importers, structures["lib/cart.dart"].centrality) == (8, "high")
    assert structures["bin/main.dart"].flags == ("entry_point",)
    assert structures["README.md"].centrality == "low"


def test_same_extension_imports_as_its_text_says() -> None:
    texts = {
        "a/main.pl": ":- use_module(cart).\nbuy(X) :- sell(X).\n",
        "a/cart.pl": "sell(X).\n",
        "b/run.pl": "use Cart;\nsub run { }\n",
        "b/Cart.pm": "package Cart;\n",
    }
    assert _imported(texts) == {"a/main.pl": {"a/cart.pl"}, "b/run.pl": {"b/Cart.pm"}}


def test_bare_name_of_two_files_names_none_but_that_beside() -> None:
    texts = {
        "a/path.ml": "",
        "b/c/path.ml": "",
        "b/c/x.ml": "let p = Path.of_string\n",
        "d/y.ml": "let p = Path.of_string\n",
    }
    assert _imported(texts) == {"b/c/x.ml": {"b/c/path.ml"}}


def test_list_of_many_names_is_bounded() -> None:
    text = "{\n" + "".join(f"  ./part{number}.nix\n" for number in range(5_000)) + "}\n"
    assert len(parse("all.nix", text).imports) == 2_000
