"""Name the formats and languages that are split without a grammar, so that `lang:yaml` and `lang:erlang` find them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from scry.core.path_kinds import DOCUMENT_LANGUAGES
from scry.index.parse.languages import python
from scry.index.parse.languages.import_lines import with_imports
from scry.index.parse.languages.language import Language

TEXT = Language(name="text", extensions=DOCUMENT_LANGUAGES["text"])

_DOCUMENTS = tuple(
    Language(name=name, extensions=extensions)
    for name, extensions in DOCUMENT_LANGUAGES.items()
    if name not in ("markdown", "text")
)

SIGNS_OF_LANGUAGES = {
    "apex": (
        ("tex", r"^[ \t]*\\(?:NeedsTeXFormat|ProvidesClass|ProvidesPackage|LoadClass)"),
        ("visual-basic", r"^VERSION 1\.0 CLASS|^Attribute VB_Name"),
    ),
    "fsharp": (("glsl", r"^#version[ \t]|\bvoid[ \t]+main[ \t]*\("),),
    "lisp": (("c", r"\b(?:__kernel|kernel[ \t]+void|get_global_id)\b"),),
    "objective-c": (
        ("objective-c", r"^[ \t]*(?:#(?:import|include|define|if|pragma)\b|@\w)"),
        ("matlab", r"^[ \t]*(?:function\b|classdef\b|%)"),
    ),
    "pascal": (
        ("pascal", r"^[ \t]*(?i:unit|program|library|uses|interface|begin)\b"),
        ("puppet", r"^[ \t]*(?:class|define|node|include)[ \t]+['\"\w:]"),
    ),
    "perl": (
        ("perl", r"^[ \t]*(?:use|package|sub|my|our)[ \t]"),
        ("prolog", r"^:-|^[a-z]\w*\(.*:-"),
    ),
    "verilog": (
        ("verilog", r"^[ \t]*end(?:module|package|class|interface)\b"),
        ("coq", r"^[ \t]*(?:Require|Lemma|Theorem|Definition|Fixpoint|Inductive|From[ \t]+\w+[ \t]+Require)\b"),
        ("vlang", r"^(?:pub[ \t]+)?(?:fn|struct|enum|const|import)\b"),
    ),
}
"""For each language that shares an extension (`.m`, `.v`): languages, with the pattern of a line that shows each.

The first one whose line a text has is its language.
"""


@cache
def signs_of_languages(extension_of: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the languages that share an extension of a language, each with the pattern of a line that shows it."""
    return tuple((name, re.compile(sign, re.MULTILINE)) for name, sign in SIGNS_OF_LANGUAGES[extension_of])


def _detect_by_lines(extension_of: str) -> Callable[[str], str | None]:
    """Return the function that names the language of a text with an extension of a language, None for that one."""

    def detect(text: str) -> str | None:
        return next((name for name, sign in signs_of_languages(extension_of) if sign.search(text)), None)

    return detect


_DATA_FORMATS = (
    Language(name="csv", extensions=(".csv", ".tsv")),
    Language(name="diff", extensions=(".diff", ".patch")),
    Language(name="gettext", extensions=(".po", ".pot")),
    Language(name="json", extensions=(".json", ".jsonc", ".json5", ".jsonl", ".ndjson", ".geojson", ".webmanifest")),
    Language(
        name="jupyter",
        extensions=(".ipynb",),
        name_resolution=python.LANGUAGE.name_resolution,
        resolve=python.LANGUAGE.resolve,
    ),
    Language(name="yaml", extensions=(".yaml", ".yml")),
    Language(name="toml", extensions=(".toml",), filenames=("Cargo.lock", "poetry.lock", "uv.lock")),
    Language(
        name="ini",
        extensions=(".ini", ".cfg", ".conf", ".properties", ".desktop", ".service", ".socket", ".timer"),
        filenames=(".editorconfig", ".gitconfig", ".gitmodules", ".npmrc"),
    ),
    Language(
        name="xml",
        extensions=(
            *(".xml", ".xsd", ".xsl", ".xslt", ".rng", ".wsdl", ".svg", ".plist", ".resx", ".nuspec"),
            *(".csproj", ".fsproj", ".vbproj", ".vcxproj", ".props", ".targets"),
            *(".xaml", ".axaml", ".xib", ".storyboard", ".ui", ".wxs", ".xlf", ".xliff", ".resw"),
            *(".xcscheme", ".xcworkspacedata", ".aml", ".slnx"),
        ),
    ),
    Language(name="html", extensions=(".html", ".htm", ".xhtml")),
    Language(name="css", extensions=(".css", ".scss", ".sass", ".less")),
    Language(name="sql", extensions=(".sql", ".psql", ".pgsql", ".plsql", ".ddl")),
    Language(name="graphql", extensions=(".graphql", ".gql")),
    Language(name="protobuf", extensions=(".proto",)),
    Language(name="cmake", extensions=(".cmake",), filenames=("CMakeLists.txt",)),
    Language(name="make", extensions=(".mk", ".mak"), filenames=("Makefile", "GNUmakefile", "makefile")),
    Language(name="dockerfile", extensions=(".dockerfile",), filenames=("Dockerfile", "Containerfile")),
)

_TEMPLATES = (
    Language(name="eex", extensions=(".eex", ".heex", ".leex")),
    Language(name="ejs", extensions=(".ejs",)),
    Language(name="erb", extensions=(".erb", ".rhtml")),
    Language(name="freemarker", extensions=(".ftl", ".ftlh")),
    Language(name="go-template", extensions=(".tmpl", ".gotmpl", ".gohtml")),
    Language(name="haml", extensions=(".haml",)),
    Language(name="handlebars", extensions=(".hbs", ".handlebars", ".mustache")),
    Language(name="jinja", extensions=(".jinja", ".jinja2", ".j2")),
    Language(name="jsp", extensions=(".jsp", ".jspf", ".jspx")),
    Language(name="liquid", extensions=(".liquid",)),
    Language(name="mako", extensions=(".mako",)),
    Language(name="pug", extensions=(".pug", ".jade")),
    Language(name="razor", extensions=(".cshtml", ".razor", ".vbhtml")),
    Language(name="slim", extensions=(".slim",)),
    Language(name="twig", extensions=(".twig",)),
    Language(name="velocity", extensions=(".vm", ".vtl")),
)
"""Languages of templates, which are code: most of them are pages that programs fill in."""

_OTHER_LANGUAGES = (
    Language(name="ada", extensions=(".adb", ".ads", ".gpr")),
    Language(name="agda", extensions=(".agda",)),
    Language(name="antlr", extensions=(".g4",)),
    Language(name="apex", extensions=(".cls", ".trigger", ".apex"), detect_other_language=_detect_by_lines("apex")),
    Language(name="assembly", extensions=(".asm", ".s", ".nasm")),
    Language(name="autoconf", extensions=(".m4", ".ac"), filenames=("configure.in",)),
    Language(name="automake", extensions=(".am",)),
    Language(name="awk", extensions=(".awk",), interpreters=("awk", "gawk", "mawk")),
    Language(name="batch", extensions=(".bat", ".cmd")),
    Language(name="bicep", extensions=(".bicep",)),
    Language(name="cabal", extensions=(".cabal",)),
    Language(name="cairo", extensions=(".cairo",)),
    Language(name="capnproto", extensions=(".capnp",)),
    Language(name="chapel", extensions=(".chpl",)),
    Language(name="clojure", extensions=(".clj", ".cljs", ".cljc", ".edn"), interpreters=("bb", "clojure")),
    Language(name="cobol", extensions=(".cob", ".cbl", ".cpy")),
    Language(name="coffeescript", extensions=(".coffee",), interpreters=("coffee",)),
    Language(name="coq", extensions=()),
    Language(name="crystal", extensions=(".cr",), interpreters=("crystal",)),
    Language(name="cue", extensions=(".cue",)),
    Language(name="cython", extensions=(".pyx", ".pxd", ".pxi")),
    Language(name="d", extensions=(".d", ".di"), interpreters=("rdmd",)),
    Language(name="dart", extensions=(".dart",), interpreters=("dart",)),
    Language(name="dhall", extensions=(".dhall",)),
    Language(name="elisp", extensions=(".el",), interpreters=("emacs",)),
    Language(name="elm", extensions=(".elm",)),
    Language(name="erlang", extensions=(".erl", ".hrl", ".escript", ".yrl", ".xrl"), interpreters=("escript",)),
    Language(name="fennel", extensions=(".fnl",), interpreters=("fennel",)),
    Language(name="fish", extensions=(".fish",), interpreters=("fish",)),
    Language(name="flatbuffers", extensions=(".fbs",)),
    Language(name="fortran", extensions=(".f", ".for", ".f77", ".f90", ".f95", ".f03", ".f08", ".fpp", ".fypp")),
    Language(name="fsharp", extensions=(".fs", ".fsi", ".fsx"), detect_other_language=_detect_by_lines("fsharp")),
    Language(name="gdscript", extensions=(".gd",)),
    Language(name="gherkin", extensions=(".feature",)),
    Language(name="gleam", extensions=(".gleam",)),
    Language(name="glsl", extensions=(".glsl", ".vert", ".frag", ".comp", ".geom")),
    Language(name="graphviz", extensions=(".dot", ".gv")),
    Language(name="groovy", extensions=(".groovy", ".gradle", ".gvy"), filenames=("Jenkinsfile",)),
    Language(name="haxe", extensions=(".hx",)),
    Language(name="hcl", extensions=(".hcl", ".tf", ".tfvars")),
    Language(name="hlsl", extensions=(".hlsl", ".fx")),
    Language(name="idris", extensions=(".idr",)),
    Language(name="isabelle", extensions=(".thy",)),
    Language(name="janet", extensions=(".janet",)),
    Language(name="jsonnet", extensions=(".jsonnet", ".libsonnet")),
    Language(name="julia", extensions=(".jl",), interpreters=("julia",)),
    Language(
        name="just", extensions=(".just",), filenames=("justfile", "Justfile", ".justfile"), interpreters=("just",)
    ),
    Language(name="lean", extensions=(".lean",)),
    Language(name="lex", extensions=(".l", ".lex", ".flex")),
    Language(name="lfe", extensions=(".lfe",)),
    Language(
        name="lisp",
        extensions=(".lisp", ".lsp", ".cl", ".asd"),
        interpreters=("sbcl",),
        detect_other_language=_detect_by_lines("lisp"),
    ),
    Language(name="llvm", extensions=(".ll", ".mlir")),
    Language(name="matlab", extensions=()),
    Language(name="meson", extensions=(), filenames=("meson.build", "meson_options.txt", "meson.options")),
    Language(name="mojo", extensions=(".mojo",)),
    Language(name="move", extensions=(".move",)),
    Language(name="nim", extensions=(".nim", ".nims", ".nimble"), interpreters=("nim",)),
    Language(name="nix", extensions=(".nix",)),
    Language(name="noir", extensions=(".nr",)),
    Language(name="nushell", extensions=(".nu",), interpreters=("nu",)),
    Language(name="objective-c", extensions=(".m", ".mm"), detect_other_language=_detect_by_lines("objective-c")),
    Language(name="ocaml", extensions=(".ml", ".mli", ".mll", ".mly"), interpreters=("ocaml",)),
    Language(name="odin", extensions=(".odin",)),
    Language(
        name="pascal", extensions=(".pas", ".pp", ".dpr", ".lpr"), detect_other_language=_detect_by_lines("pascal")
    ),
    Language(
        name="perl",
        extensions=(".pl", ".pm", ".t", ".psgi", ".xs"),
        interpreters=("perl",),
        detect_other_language=_detect_by_lines("perl"),
    ),
    Language(name="pony", extensions=(".pony",)),
    Language(name="powershell", extensions=(".ps1", ".psm1", ".psd1"), interpreters=("pwsh",)),
    Language(name="prisma", extensions=(".prisma",)),
    Language(name="prolog", extensions=(".pro", ".prolog"), interpreters=("swipl",)),
    Language(name="puppet", extensions=()),
    Language(name="purescript", extensions=(".purs",)),
    Language(name="qml", extensions=(".qml",)),
    Language(name="r", extensions=(".r",), interpreters=("Rscript",)),
    Language(name="racket", extensions=(".rkt",), interpreters=("racket",)),
    Language(name="raku", extensions=(".raku", ".rakumod", ".p6", ".pm6"), interpreters=("raku",)),
    Language(name="rbs", extensions=(".rbs",)),
    Language(name="reason", extensions=(".re", ".rei", ".res", ".resi")),
    Language(name="rego", extensions=(".rego",)),
    Language(name="robot", extensions=(".robot",)),
    Language(name="scheme", extensions=(".scm", ".ss", ".sld"), interpreters=("guile", "chicken", "csi")),
    Language(name="smithy", extensions=(".smithy",)),
    Language(name="solidity", extensions=(".sol",)),
    Language(name="standard-ml", extensions=(".sml",)),
    Language(name="starlark", extensions=(".bzl", ".star"), filenames=("BUILD", "BUILD.bazel", "WORKSPACE")),
    Language(name="tablegen", extensions=(".td",)),
    Language(name="tcl", extensions=(".tcl",), interpreters=("tclsh", "wish")),
    Language(name="thrift", extensions=(".thrift",)),
    Language(name="tla", extensions=(".tla",)),
    Language(name="typst", extensions=(".typ",)),
    Language(name="vala", extensions=(".vala", ".vapi")),
    Language(
        name="verilog", extensions=(".v", ".vh", ".sv", ".svh"), detect_other_language=_detect_by_lines("verilog")
    ),
    Language(name="vhdl", extensions=(".vhd", ".vhdl")),
    Language(name="vim", extensions=(".vim",), filenames=(".vimrc", "_vimrc", "vimrc")),
    Language(name="visual-basic", extensions=(".vb", ".bas", ".vbs")),
    Language(name="vlang", extensions=(".vsh",)),
    Language(name="vyper", extensions=(".vy",)),
    Language(name="webassembly", extensions=(".wat", ".wast")),
    Language(name="wgsl", extensions=(".wgsl",)),
    Language(name="yacc", extensions=(".y", ".yy", ".ypp")),
)
"""Languages whose files are code, read without a grammar."""

TEMPLATE_LANGUAGES = frozenset(each.name for each in _TEMPLATES)

TEXT_FORMATS = (TEXT, *_DOCUMENTS, *map(with_imports, (*_DATA_FORMATS, *_TEMPLATES, *_OTHER_LANGUAGES)))
