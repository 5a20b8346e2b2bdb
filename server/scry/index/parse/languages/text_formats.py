"""Name the formats and languages that are split without a grammar, so that `lang:yaml` and `lang:erlang` find them."""

from __future__ import annotations

from scry.core.path_kinds import DOCUMENT_LANGUAGES
from scry.index.parse.languages import python
from scry.index.parse.languages.language import Language

TEXT = Language(name="text", extensions=DOCUMENT_LANGUAGES["text"])

_DOCUMENTS = tuple(
    Language(name=name, extensions=extensions)
    for name, extensions in DOCUMENT_LANGUAGES.items()
    if name not in ("markdown", "text")
)

_DATA_FORMATS = (
    Language(name="json", extensions=(".json", ".jsonc", ".json5", ".jsonl", ".webmanifest")),
    Language(
        name="jupyter",
        extensions=(".ipynb",),
        name_resolution=python.LANGUAGE.name_resolution,
        resolve=python.LANGUAGE.resolve,
    ),
    Language(name="yaml", extensions=(".yaml", ".yml")),
    Language(name="toml", extensions=(".toml",), filenames=("Cargo.lock", "poetry.lock", "uv.lock")),
    Language(name="ini", extensions=(".ini", ".cfg", ".conf", ".properties", ".editorconfig")),
    Language(name="xml", extensions=(".xml", ".xsd", ".xsl", ".svg", ".plist", ".csproj", ".props", ".targets")),
    Language(name="html", extensions=(".html", ".htm", ".xhtml")),
    Language(name="css", extensions=(".css", ".scss", ".sass", ".less")),
    Language(name="sql", extensions=(".sql",)),
    Language(name="graphql", extensions=(".graphql", ".gql")),
    Language(name="protobuf", extensions=(".proto",)),
    Language(name="cmake", extensions=(".cmake",), filenames=("CMakeLists.txt",)),
    Language(name="make", extensions=(".mk",), filenames=("Makefile", "GNUmakefile", "makefile")),
    Language(name="dockerfile", extensions=(".dockerfile",), filenames=("Dockerfile", "Containerfile")),
)

_OTHER_LANGUAGES = (
    Language(name="ada", extensions=(".adb", ".ads")),
    Language(name="assembly", extensions=(".asm", ".s")),
    Language(name="awk", extensions=(".awk",), interpreters=("awk", "gawk", "mawk")),
    Language(name="batch", extensions=(".bat", ".cmd")),
    Language(name="clojure", extensions=(".clj", ".cljs", ".cljc", ".edn"), interpreters=("bb", "clojure")),
    Language(name="cobol", extensions=(".cob", ".cbl", ".cpy")),
    Language(name="coffeescript", extensions=(".coffee",), interpreters=("coffee",)),
    Language(name="crystal", extensions=(".cr",), interpreters=("crystal",)),
    Language(name="d", extensions=(".d", ".di"), interpreters=("rdmd",)),
    Language(name="dart", extensions=(".dart",), interpreters=("dart",)),
    Language(name="elisp", extensions=(".el",), interpreters=("emacs",)),
    Language(name="elm", extensions=(".elm",)),
    Language(name="erlang", extensions=(".erl", ".hrl", ".escript", ".yrl", ".xrl"), interpreters=("escript",)),
    Language(name="fennel", extensions=(".fnl",), interpreters=("fennel",)),
    Language(name="fish", extensions=(".fish",), interpreters=("fish",)),
    Language(name="fortran", extensions=(".f", ".for", ".f77", ".f90", ".f95", ".f03", ".f08")),
    Language(name="fsharp", extensions=(".fs", ".fsi", ".fsx")),
    Language(name="gleam", extensions=(".gleam",)),
    Language(name="glsl", extensions=(".glsl", ".vert", ".frag", ".comp", ".geom")),
    Language(name="groovy", extensions=(".groovy", ".gradle", ".gvy"), filenames=("Jenkinsfile",)),
    Language(name="haxe", extensions=(".hx",)),
    Language(name="hcl", extensions=(".hcl", ".tf", ".tfvars")),
    Language(name="hlsl", extensions=(".hlsl", ".fx")),
    Language(name="julia", extensions=(".jl",), interpreters=("julia",)),
    Language(name="lean", extensions=(".lean",)),
    Language(name="lisp", extensions=(".lisp", ".lsp", ".cl", ".asd"), interpreters=("sbcl",)),
    Language(name="meson", extensions=(), filenames=("meson.build", "meson_options.txt", "meson.options")),
    Language(name="nim", extensions=(".nim", ".nims", ".nimble"), interpreters=("nim",)),
    Language(name="nix", extensions=(".nix",)),
    Language(name="objective-c", extensions=(".m", ".mm")),
    Language(name="ocaml", extensions=(".ml", ".mli", ".mll", ".mly"), interpreters=("ocaml",)),
    Language(name="odin", extensions=(".odin",)),
    Language(name="pascal", extensions=(".pas", ".pp", ".dpr", ".lpr")),
    Language(name="perl", extensions=(".pl", ".pm", ".t", ".psgi", ".xs"), interpreters=("perl",)),
    Language(name="powershell", extensions=(".ps1", ".psm1", ".psd1"), interpreters=("pwsh",)),
    Language(name="prolog", extensions=(".pro", ".prolog"), interpreters=("swipl",)),
    Language(name="purescript", extensions=(".purs",)),
    Language(name="r", extensions=(".r",), interpreters=("Rscript",)),
    Language(name="racket", extensions=(".rkt",), interpreters=("racket",)),
    Language(name="raku", extensions=(".raku", ".rakumod", ".p6", ".pm6"), interpreters=("raku",)),
    Language(name="reason", extensions=(".re", ".rei", ".res", ".resi")),
    Language(name="scheme", extensions=(".scm", ".ss", ".sld"), interpreters=("guile", "chicken", "csi")),
    Language(name="solidity", extensions=(".sol",)),
    Language(name="standard-ml", extensions=(".sml",)),
    Language(name="starlark", extensions=(".bzl", ".star"), filenames=("BUILD", "BUILD.bazel", "WORKSPACE")),
    Language(name="tcl", extensions=(".tcl",), interpreters=("tclsh", "wish")),
    Language(name="thrift", extensions=(".thrift",)),
    Language(name="vala", extensions=(".vala", ".vapi")),
    Language(name="verilog", extensions=(".v", ".vh", ".sv", ".svh")),
    Language(name="vhdl", extensions=(".vhd", ".vhdl")),
    Language(name="vim", extensions=(".vim",), filenames=(".vimrc", "_vimrc", "vimrc")),
    Language(name="visual-basic", extensions=(".vb", ".bas", ".vbs")),
    Language(name="wgsl", extensions=(".wgsl",)),
)
"""Languages whose files are code, read without a grammar."""

TEXT_FORMATS = (TEXT, *_DOCUMENTS, *_DATA_FORMATS, *_OTHER_LANGUAGES)
