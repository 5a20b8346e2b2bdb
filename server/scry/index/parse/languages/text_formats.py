"""Name the text formats that are split without a grammar, so that `lang:yaml` finds them."""

from __future__ import annotations

from scry.index.parse.languages.language import Language

TEXT = Language(name="text", extensions=(".txt",))

TEXT_FORMATS = (
    TEXT,
    Language(name="restructuredtext", extensions=(".rst",)),
    Language(name="asciidoc", extensions=(".adoc", ".asciidoc")),
    Language(name="json", extensions=(".json", ".jsonc", ".json5", ".jsonl", ".webmanifest")),
    Language(name="jupyter", extensions=(".ipynb",)),
    Language(name="yaml", extensions=(".yaml", ".yml")),
    Language(name="toml", extensions=(".toml",), filenames=("Cargo.lock", "poetry.lock", "uv.lock")),
    Language(name="ini", extensions=(".ini", ".cfg", ".conf", ".properties", ".editorconfig")),
    Language(name="xml", extensions=(".xml", ".xsd", ".xsl", ".svg", ".plist", ".csproj", ".props", ".targets")),
    Language(name="html", extensions=(".html", ".htm", ".xhtml")),
    Language(name="vue", extensions=(".vue",)),
    Language(name="svelte", extensions=(".svelte",)),
    Language(name="css", extensions=(".css", ".scss", ".sass", ".less")),
    Language(name="sql", extensions=(".sql",)),
    Language(name="graphql", extensions=(".graphql", ".gql")),
    Language(name="protobuf", extensions=(".proto",)),
    Language(name="cmake", extensions=(".cmake",), filenames=("CMakeLists.txt",)),
    Language(name="make", extensions=(".mk",), filenames=("Makefile", "GNUmakefile", "makefile")),
    Language(name="dockerfile", extensions=(".dockerfile",), filenames=("Dockerfile", "Containerfile")),
)
