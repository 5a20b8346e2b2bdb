"""Read and resolve imports in languages that are read without a grammar, by the lines that name other files.

A row of a table for each language says how a name is written and which endings its file may have. A name in a comment
or a string may be taken for an import; it counts only where the project has such a file.

OCaml, Erlang and Vim name a module where they use it (`Cart.total`, `cart:total(`, `cart#total(`): such a use is an
import.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, partial
from itertools import islice
from posixpath import splitext

from msgspec import Struct
from msgspec.structs import replace

from scry.index.parse.languages import c
from scry.index.parse.languages.language import MAX_IMPORT_LENGTH, Language
from scry.index.parse.languages.project_files import ProjectFiles, parent_folders, resolve_relative


class ImportRule(Struct, frozen=True):
    """How a language names other files.

    pattern: of a place that names some, with the names in its groups. endings: what may follow a name, the likeliest
    first. folder_files: the extension of the files that are meant where a name is a folder's. is_module: names are
    modules (`a.b`, `a::b`) whose parts mirror folders, or parts of a file's name with `joint` between them.
    has_members: the last part of such a name may be something in the file. is_caseless: files may be written in small
    letters, whatever the name. is_list: a group holds several names. is_near: a name without a folder is that of a file
    beside or at the root, and else of a library.
    """

    pattern: str
    endings: tuple[str, ...] = ("",)
    folder_files: str = ""
    joint: str = "/"
    is_module: bool = False
    has_members: bool = False
    is_caseless: bool = False
    is_list: bool = False
    is_near: bool = False


_QUOTED = r"[\"']([^\"'\n]{1,300})[\"']"
_MODULE = r"([A-Z]\w*(?:\.\w+){0,20})"
_INCLUDE = r"^[ \t]*(?:[#.%][ \t]*)?(?:include|import)[ \t]*(\"[^\"\n]{1,300}\"|<[^<>\n]{1,300}>)"
_RELATIVE = r"(?<![\w./-])(\.{1,2}/[\w.+-]{1,100}(?:/[\w.+-]{1,100}){0,20})"
_PYTHON = r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+c?import\b|c?import[ \t]+([\w.]+))"
_OCAML_MODULE = (
    r"\b(?:open!?|include)[ \t]+([A-Z][\w']*(?:\.[A-Z][\w']*){0,9})"
    r"|\b(?<![.'])([A-Z][\w']{0,80}(?:\.[A-Z][\w']{0,80}){0,9})\.[a-z_({\[]"
)

_INCLUDING = ("assembly", "glsl", "hlsl", "lex", "objective-c", "tablegen", "yacc")
"""Languages that include files as C does."""

_RULES: Mapping[str, ImportRule] = {
    "ada": ImportRule(
        r"^[ \t]*(?:(?:limited|private)[ \t]+){0,2}[Ww]ith[ \t]+(\w[\w., \t]*);",
        (".ads", ".adb"),
        joint="-",
        is_module=True,
        is_caseless=True,
        is_list=True,
    ),
    "agda": ImportRule(rf"^[ \t]*(?:open[ \t]+)?import[ \t]+{_MODULE}", (".agda", ".lagda.md"), is_module=True),
    "antlr": ImportRule(r"^[ \t]*(?:import[ \t]+|tokenVocab[ \t]*=[ \t]*)(\w[\w, \t]*);", (".g4",), is_list=True),
    "batch": ImportRule(r"(?i:\bcall)[ \t]+\"?(?:%~dp0)?\\?([\w.\\/-]{1,200})", ("", ".bat", ".cmd")),
    "bicep": ImportRule(r"^[ \t]*(?:module|import)\b[^'\n]{0,200}'([^'\n]{1,300})'"),
    "cairo": ImportRule(r"^[ \t]*(?:pub[ \t]+)?mod[ \t]+(\w+)[ \t]*;", (".cairo",), is_near=True),
    "capnproto": ImportRule(r"\bimport[ \t]+\"([^\"\n]{1,300})\""),
    "chapel": ImportRule(
        r"^[ \t]*(?:(?:public|private)[ \t]+)?(?:use|import)[ \t]+([\w.]+)",
        (".chpl",),
        is_module=True,
        has_members=True,
    ),
    "clojure": ImportRule(
        r"\[([A-Za-z][\w*+!?-]*(?:\.[\w*+!?-]+){1,20})(?=[\s\]])|\[([A-Za-z][\w*+!?.-]*)[ \t]+:(?:as|refer)\b"
        r"|\((?::require(?:-macros)?|:use|require|use)[ \t]+['(\[]{0,3}([A-Za-z][\w*+!?.-]*)",
        (".clj", ".cljc", ".cljs"),
        is_module=True,
    ),
    "cobol": ImportRule(r"\b(?i:COPY)[ \t]+[\"']?([\w.-]{1,100})", (".cpy", ".cbl", ".cob", ""), is_caseless=True),
    "coffeescript": ImportRule(
        rf"\brequire[ \t(]{{0,4}}{_QUOTED}|^[ \t]*(?:import|export)\b[^\"'\n]{{0,200}}{_QUOTED}",
        ("", ".coffee", ".js", "/index.coffee"),
    ),
    "coq": ImportRule(
        r"\bRequire[ \t]+(?:(?:Import|Export)[ \t]+)?([A-Za-z_][\w. \t]*)", (".v",), is_module=True, is_list=True
    ),
    "crystal": ImportRule(rf"^[ \t]*require[ \t]+{_QUOTED}", (".cr", ""), ".cr", is_near=True),
    "cython": ImportRule(_PYTHON, (".pxd", ".pyx", ".py", "/__init__.py"), is_module=True, has_members=True),
    "d": ImportRule(
        r"^[ \t]*(?:(?:public|private|static)[ \t]+){0,2}import[ \t]+(?:\w+[ \t]*=[ \t]*)?([\w.]+)",
        (".d", ".di", "/package.d"),
        is_module=True,
    ),
    "dart": ImportRule(
        rf"^[ \t]*(?:import|export|part(?:[ \t]+of)?)[ \t]+{_QUOTED}"
        rf"|^[ \t]*if[ \t]*\([\w.= \t]{{1,100}}\)[ \t]*{_QUOTED}"
    ),
    "dhall": ImportRule(_RELATIVE),
    "elisp": ImportRule(r"\(require[ \t]+'([\w+/-]+)|\(load(?:-file)?[ \t]+\"([^\"\n]{1,300})\"", (".el", "")),
    "elm": ImportRule(rf"^import[ \t]+{_MODULE}", (".elm",), is_module=True),
    "erlang": ImportRule(
        r"^-include(?:_lib)?\([ \t]*\"([^\"\n]{1,300})\"|^-behaviou?r\([ \t]*([a-z]\w*)"
        r"|(?<![\w'@.:?#])([a-z]\w{0,80}):[a-z]\w{0,80}\(",
        ("", ".erl"),
    ),
    "fennel": ImportRule(
        r"\((?:require|import-macros)\b[^:\"\n]{0,100}[:\"]([\w./-]+)", (".fnl", ".lua"), is_module=True
    ),
    "fish": ImportRule(r"^[ \t]*(?:source|\.)[ \t]+\"?(?:\$\w+/)?([\w./-]+\.fish)"),
    "flatbuffers": ImportRule(r"^[ \t]*include[ \t]+\"([^\"\n]{1,300})\""),
    "fortran": ImportRule(
        r"^[ \t]*(?i:use)(?:[ \t]*,[ \t]*\w+[ \t]*::|[ \t]*::)?[ \t]+(\w+)"
        r"|^[ \t]*(?:#[ \t]*)?(?i:include)[ \t]+[\"']([^\"'\n]{1,300})[\"']",
        (".f90", ".F90", ".fypp", ".fpp", ".f", ".f95", ".f03", ".f08", ""),
        is_caseless=True,
    ),
    "gdscript": ImportRule(rf"(?:\b(?:pre)?load\([ \t]*|^extends[ \t]+){_QUOTED}"),
    "gleam": ImportRule(r"^import[ \t]+([\w/]+)", (".gleam",)),
    "groovy": ImportRule(
        rf"^[ \t]*import[ \t]+(?:static[ \t]+)?([\w.]+)|^[ \t]*apply[ \t(]+from:[ \t]*{_QUOTED}",
        (".groovy", ".java", ".kt", ""),
        is_module=True,
        has_members=True,
    ),
    "haxe": ImportRule(r"^[ \t]*(?:import|using)[ \t]+([\w.]+)", (".hx",), is_module=True, has_members=True),
    "hcl": ImportRule(r"^[ \t]*(?:config_path|source)[ \t]*=[ \t]*\"(\.{1,2}/[^\"\n]{0,300})\"", ("",), ".tf"),
    "idris": ImportRule(rf"^[ \t]*import[ \t]+(?:public[ \t]+)?{_MODULE}", (".idr",), is_module=True),
    "isabelle": ImportRule(r"^[ \t]*imports[ \t]+([\w\"./ \t~-]+)", (".thy",), is_list=True),
    "janet": ImportRule(r"\((?:import|use)[ \t]+([\w./-]+)", (".janet",)),
    "jsonnet": ImportRule(rf"\bimport(?:str|bin)?[ \t(]{{0,4}}{_QUOTED}"),
    "julia": ImportRule(r"^[ \t]*(?:\w+\.)?include\([ \t]*(?:\w+,[ \t]*)?\"([^\"\n]{1,300})\""),
    "lean": ImportRule(
        rf"^[ \t]*(?:(?:public|meta)[ \t]+){{0,2}}import[ \t]+(?:all[ \t]+)?{_MODULE}", (".lean",), is_module=True
    ),
    "mojo": ImportRule(_PYTHON, (".mojo", "/__init__.mojo", ".py"), is_module=True, has_members=True),
    "nim": ImportRule(
        r"^[ \t]*from[ \t]+([\w./]+)|^[ \t]*(?:import|include|export)[ \t]+"
        r"([\w./, \t\[\]]+?)(?:[ \t](?:as|except)\b|[ \t]?#|$)",
        (".nim", ""),
        is_list=True,
        is_near=True,
    ),
    "nix": ImportRule(_RELATIVE, ("", "/default.nix")),
    "noir": ImportRule(r"^[ \t]*(?:pub(?:\(crate\))?[ \t]+)?mod[ \t]+(\w+)[ \t]*;", (".nr", "/mod.nr"), is_near=True),
    "nushell": ImportRule(r"^[ \t]*(?:export[ \t]+)?(?:use|source)[ \t]+\"?([\w./-]+)", ("", ".nu", "/mod.nu")),
    "ocaml": ImportRule(
        _OCAML_MODULE, (".ml", ".mli", ".mll", ".mly"), is_module=True, has_members=True, is_caseless=True
    ),
    "odin": ImportRule(r"^[ \t]*import[ \t]+(?:\w+[ \t]+)?\"(?:\w+:)?([^\":\n]{1,300})\"", ("",), ".odin"),
    "pascal": ImportRule(r"^[ \t]*(?i:uses)\b([^;]{1,1000})", (".pas", ".pp", ".lpr"), is_caseless=True, is_list=True),
    "perl": ImportRule(
        r"^[ \t]*(?:use|require|no)[ \t]+([A-Z]\w*(?:::\w+){0,20})"
        r"|^[ \t]*(?:use[ \t]+(?:parent|base)|extends|with)[ \t]+(?:-norequire[ \t]*,[ \t]*)?"
        r"(?:qw[(/])?[ \t\"']*([\w:, \t\"']+)",
        (".pm", ".pl"),
        is_module=True,
        is_list=True,
    ),
    "powershell": ImportRule(
        r"(?i:^[ \t]*(?:\.|import-module|using[ \t]+module))[ \t]+[\"']?(?:\$PSScriptRoot[\\/])?([\w.\\/-]{1,200})",
        ("", ".psm1", ".ps1", ".psd1"),
    ),
    "prolog": ImportRule(
        r"\b(?:use_module|consult|ensure_loaded|include|reexport)\([ \t]*(?:library\()?'?([\w./-]+)",
        (".pl", ".pro", ".prolog", ""),
        is_near=True,
    ),
    "protobuf": ImportRule(rf"^[ \t]*import[ \t]+(?:(?:public|weak)[ \t]+)?{_QUOTED}"),
    "purescript": ImportRule(rf"^import[ \t]+{_MODULE}", (".purs",), is_module=True),
    "qml": ImportRule(r"^[ \t]*import[ \t]+\"([^\"\n]{1,300})\"", ("",), ".qml"),
    "r": ImportRule(rf"\b(?:sys\.)?source\([ \t]*(?:file[ \t]*=[ \t]*)?{_QUOTED}"),
    "racket": ImportRule(r"\"([\w./-]{1,200}\.rkt)\""),
    "raku": ImportRule(
        r"^[ \t]*(?:use|need|require)[ \t]+([A-Z][\w-]*(?:::[\w-]+){0,20})", (".rakumod", ".pm6"), is_module=True
    ),
    "reason": ImportRule(_OCAML_MODULE, (".res", ".re", ".resi", ".rei"), is_module=True, has_members=True),
    "robot": ImportRule(r"^(?:Resource|Library|Variables)(?: {2,}|\t)[ \t]*([\w./${}-]{1,200})"),
    "scheme": ImportRule(
        r"\"([\w./-]{1,200}\.(?:scm|ss|sld))\""
        r"|(?:#:use-module|\(use-modules|\(import)[ \t]+\(([\w-]+(?: [\w-]+){0,9})\)",
        ("", ".scm", ".sld", ".ss"),
    ),
    "solidity": ImportRule(rf"^[ \t]*(?:import\b|\}}[ \t]*from\b)[^\"';\n]{{0,300}}{_QUOTED}"),
    "starlark": ImportRule(r"\bload\(\s{0,20}\"([^\"\n]{1,300})\""),
    "tcl": ImportRule(r"^[ \t]*source[ \t]+(?:\[file[ \t]+join[^\]\n]{0,100}[ \t])?[\"{]?([\w./-]{1,200}\.tcl)"),
    "thrift": ImportRule(rf"^[ \t]*(?:cpp_)?include[ \t]+{_QUOTED}"),
    "tla": ImportRule(r"^[ \t]*EXTENDS[ \t]+([\w, \t]+)|\bINSTANCE[ \t]+(\w+)", (".tla",), is_list=True),
    "typst": ImportRule(r"\b(?:import|include)[ \t]+\"([^\"\n]{1,300})\""),
    "verilog": ImportRule(
        r"^[ \t]*`include[ \t]+\"([^\"\n]{1,300})\"|^[ \t]*import[ \t]+(\w+)::", ("", ".sv", ".svh", ".v", ".vh")
    ),
    "vhdl": ImportRule(r"^[ \t]*(?i:use[ \t]+work)\.(\w+)", (".vhd", ".vhdl"), is_caseless=True),
    "vim": ImportRule(
        r"^[ \t]*(?:source|so|runtime!?|ru|import(?:[ \t]+autoload)?)[ \t]+[\"']?([\w./-]{1,200}\.vim)"
        r"|\b(?<![#:])([A-Za-z]\w{0,80}(?:#\w{1,80}){0,9})#\w{1,80}\(",
        ("", ".vim"),
    ),
    "vyper": ImportRule(_PYTHON, (".vy", ".vyi"), is_module=True, has_members=True),
    **dict.fromkeys(_INCLUDING, ImportRule(_INCLUDE)),
}

IMPORTING_LANGUAGES = frozenset(_RULES)

_MAIN_FUNCTIONS: Mapping[str, str] = {
    "clojure": "-main",
    **dict.fromkeys(("chapel", "d", "dart", "elm", "gleam", "idris", "mojo", "odin", "purescript"), "main"),
}
"""The function with which a program begins."""

_MAX_IMPORTS = 2_000
"""Names that a file imports at most: a longer list is data."""

_OCAML_LIBRARY = frozenset(
    "Arg Array Atomic Bool Buffer Bytes Char Complex Condition Digest Domain Dynarray Effect Either Ephemeron"
    " Filename Float Format Fun Gc Hashtbl In_channel Int Int32 Int64 Lazy Lexing List Map Marshal Mutex Nativeint"
    " Obj Option Out_channel Parsing Printexc Printf Queue Random Result Scanf Semaphore Seq Set Stack Stdlib Str"
    " String Sys Thread Type Uchar Unit Unix Weak".split()
)
"""Modules of the standard library. One of the project with such a name is meant only from files beside it."""

_SEPARATORS = re.compile(r"[,\s\"'\[\]]+")
_PARTS = re.compile(r"::|[./]")
_NIM_GROUP = re.compile(r"([\w./]{1,200})\[([\w, \t]*)\]")


@cache
def import_pattern(language: str) -> re.Pattern[str]:
    """Return the pattern of the places in one of IMPORTING_LANGUAGES that name other files."""
    return re.compile(_RULES[language].pattern, re.MULTILINE)


def with_imports(language: Language) -> Language:
    """Return a language with what finds and resolves its imports, where it is one of IMPORTING_LANGUAGES."""
    name = language.name
    if name not in _RULES:
        return language
    return replace(
        language,
        find_imports=partial(find_imports, name),
        resolve=c.resolve if name in _INCLUDING else partial(_resolve, name),
        entry_symbols=frozenset({_MAIN_FUNCTIONS[name]} if name in _MAIN_FUNCTIONS else ()),
    )


def find_imports(language: str, text: str) -> tuple[str, ...]:
    """Return the names that a text imports, in order, each once. language: one of IMPORTING_LANGUAGES."""
    return tuple(islice(dict.fromkeys(_iter_imports(language, text)), _MAX_IMPORTS))


def _iter_imports(language: str, text: str) -> Iterator[str]:
    is_list = _RULES[language].is_list
    for match in import_pattern(language).finditer(text):
        written = next(filter(None, match.groups()), "")
        if language == "nim":  # `std/[os, strutils]`
            written = _NIM_GROUP.sub(_spell_out, written)
        for name in _SEPARATORS.split(written) if is_list else (written,):
            if name.strip("./ ") and len(name) <= MAX_IMPORT_LENGTH:
                yield name.replace("\\", "/").rstrip(".")


def _resolve(language: str, path: str, name: str, files: ProjectFiles) -> Iterable[str]:
    """Return the files that a name means; see `Language.resolve`."""
    rule = _RULES[language]
    if language == "dart" and name.startswith("package:"):
        return _resolve_dart_package(path, name.removeprefix("package:"), files)
    if language in ("ocaml", "reason") and (module := name.partition(".")[0]):
        beside = resolve_relative(path, _decapitalise(module) if language == "ocaml" else module)
        if beside == splitext(path)[0]:  # an interface and its own module
            return ()
        if module in _OCAML_LIBRARY:
            return files.first_existing(beside + ending for ending in rule.endings)
    if rule.is_module and "/" not in name:
        found = _resolve_module(rule, path, name.replace("-", "_") if language == "clojure" else name, files)
        if found or "" not in rule.endings:
            return found
    return _resolve_path(rule, path, _as_path(language, name), files)


def _as_path(language: str, name: str) -> str:
    """Return a name that a language writes otherwise as a path."""
    if language == "vim":
        return name.replace("#", "/")
    if language == "scheme":
        return name.replace(" ", "/")
    if language == "solidity" and name.startswith("@"):  # `@shop/contracts/Cart.sol`, of the package `@shop/contracts`
        return name.partition("/")[2]
    if language == "starlark":  # `//tools/build:defs.bzl`, `:defs.bzl`
        return name.removeprefix("//").replace(":", "/").lstrip("/")
    return name.removeprefix("res://")  # the root of a project in GDScript


def _resolve_path(rule: ImportRule, path: str, name: str, files: ProjectFiles) -> tuple[str, ...]:
    """Resolve a path beside the file, from the root, then by its end; one that begins with a dot beside the file."""
    is_relative = name.startswith(("./", "../"))
    for spelling in _spellings(name.lstrip("/"), is_caseless=rule.is_caseless):
        stems = [resolve_relative(path, spelling), "" if is_relative else spelling]
        found = files.first_existing(stem + ending for stem in stems if stem for ending in rule.endings)
        is_near = is_relative or (rule.is_near and "/" not in spelling)
        if not found and not is_near and files.has_word(spelling.rpartition("/")[2].partition(".")[0]):
            found = _find_by_suffixes(spelling, rule.endings, files)
        if not found and rule.folder_files and (folder := resolve_relative(path, spelling.rstrip("*").rstrip("/"))):
            found = files.list_folder(folder, rule.folder_files)
        if found:
            return found
    return ()


def _resolve_module(rule: ImportRule, path: str, name: str, files: ProjectFiles) -> tuple[str, ...]:
    """Resolve a module beside the file, then by the end of a path; with members, by less and less of its name."""
    spellings = [
        [part for part in _PARTS.split(spelling) if part] for spelling in _spellings(name, is_caseless=rule.is_caseless)
    ]
    most = len(spellings[0])
    for count in range(most, 0 if rule.has_members else most - 1, -1):
        for parts in spellings:
            stem = rule.joint.join(parts[:count])
            if files.has_word(stem.rpartition("/")[2]):
                beside = resolve_relative(path, stem)
                found = files.first_existing(beside + ending for ending in rule.endings)
                if found := found or _find_by_suffixes(stem, rule.endings, files):
                    return found
    return ()


def _find_by_suffixes(stem: str, endings: Iterable[str], files: ProjectFiles) -> tuple[str, ...]:
    """Return the file whose path ends so; of a bare name only where no other file has it."""
    names = [stem + ending for ending in endings]
    if "/" not in names[0]:
        return files.find_only(names)
    return next((found for name in names if (found := files.find_by_suffix(name))), ())


def _resolve_dart_package(path: str, name: str, files: ProjectFiles) -> tuple[str, ...]:
    """Resolve `cart/src/total.dart` below `lib` of the folder `cart`, or of a folder around the file.

    A file directly in the `lib` around is meant only where `lib/cart.dart` shows that this is the package `cart`.
    """
    package, _, rest = name.partition("/")
    found = files.find_by_suffix(f"{package}/lib/{rest}") if files.has_word(package) else ()
    for folder in () if found else parent_folders(path):
        lib = f"{folder}/lib" if folder else "lib"
        if "/" in rest or f"{lib}/{package}.dart" in files:
            found = found or files.first_existing((f"{lib}/{rest}",))
    return found


def _spellings(name: str, *, is_caseless: bool) -> tuple[str, ...]:
    """Return a name as it is written, and how its file may be written: its parts, or all of it, in small letters."""
    if not is_caseless:
        return (name,)
    return tuple(dict.fromkeys((name, ".".join(map(_decapitalise, name.split("."))), name.lower())))


def _spell_out(group: re.Match[str]) -> str:
    return ", ".join(group[1] + each.strip() for each in group[2].split(","))


def _decapitalise(name: str) -> str:
    return name[:1].lower() + name[1:]
