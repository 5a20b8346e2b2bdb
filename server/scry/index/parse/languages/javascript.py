"""Parse JavaScript with JSX, in ES modules and CommonJS."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from scry.core.types import Binding
from scry.index.parse.languages.language import FILE_SCOPE, METHOD_AND_FUNCTION_KINDS, Language, NameResolution
from scry.index.parse.languages.project_files import ProjectFiles, parent_folders, resolve_relative

_FUNCTION = "[(arrow_function) (function_expression) (generator_function)]"
_NAMED_KEY = "[(property_identifier) (string) (private_property_identifier)]"
_OBJECT = f"(object (pair key: {_NAMED_KEY} @name value: {_FUNCTION}) @definition.function)"

DEFINITIONS = f"""
(program (if_statement condition: (parenthesized_expression (member_expression) @_condition)
  (#eq? @_condition "import.meta.vitest")) @test)
(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(method_definition name: {_NAMED_KEY} @name) @definition.method
(export_statement) @wrapper

(lexical_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function body: (statement_block)) (function_expression) (generator_function)])
  @definition.function) @wrapper
(variable_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function body: (statement_block)) (function_expression) (generator_function)])
  @definition.function) @wrapper
(lexical_declaration (variable_declarator name: (identifier) @name value: (class)) @definition.class) @wrapper

(program (lexical_declaration (variable_declarator name: (identifier) @name value: (arrow_function))
  @definition.function) @wrapper)
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name value: (arrow_function))
  @definition.function)))

(program (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @definition.constant)
  @wrapper)
(program (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @definition.variable) @wrapper)
(program (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable) @wrapper)
(program (export_statement
  (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @definition.constant)))
(program (export_statement
  (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @definition.variable)))
(program (export_statement (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable)))
((variable_declarator value: (call_expression function: (identifier) @_require)) @skip (#eq? @_require "require"))
((variable_declarator value: (member_expression object: (call_expression function: (identifier) @_require))) @skip
  (#eq? @_require "require"))
((variable_declarator value: (call_expression arguments: (arguments
  (call_expression function: (identifier) @_require)))) @skip (#eq? @_require "require"))

(expression_statement (assignment_expression
  left: (member_expression object: (_) @container property: (property_identifier) @name)
  right: [(arrow_function body: (statement_block)) (function_expression) (generator_function)])
  @definition.function) @wrapper
(expression_statement (assignment_expression
  left: (member_expression object: (_) @container property: (property_identifier) @name) right: (class))
  @definition.class) @wrapper
((program (expression_statement (assignment_expression
  left: (member_expression object: (_) @container @_exports property: (property_identifier) @name))
  @definition.constant) @wrapper) (#any-of? @_exports "exports" "module.exports"))
((assignment_expression right: (call_expression function: (identifier) @_require)) @skip (#eq? @_require "require"))

(export_statement "default" @name value: [(arrow_function) (function_expression) (generator_function)])
  @definition.function
(export_statement "default" @name value: (class)) @definition.class
(expression_statement (assignment_expression right: (function_expression name: (identifier) @name))
  @definition.function)

(program (_ (variable_declarator value: {_OBJECT})))
(program (export_statement (lexical_declaration (variable_declarator value: {_OBJECT}))))
(program (export_statement value: {_OBJECT}))
(program (expression_statement (assignment_expression right: {_OBJECT})))
"""

REFERENCES = """
(comment) @comment
(decorator) @attribute

(import_statement source: (string) @import)
(export_statement source: (string) @import)
(import_statement) @binding
(export_statement source: (string)) @binding
((variable_declarator value: (call_expression function: (identifier) @_require)) @binding (#eq? @_require "require"))
((variable_declarator value: (member_expression object: (call_expression function: (identifier) @_require))) @binding
  (#eq? @_require "require"))
((call_expression function: (identifier) @_require arguments: (arguments . (string) @import))
  (#eq? @_require "require"))
(call_expression function: (import) arguments: (arguments . (string) @import))

(call_expression function: [(identifier) @reference.call
  (member_expression property: [(property_identifier) (private_property_identifier)] @reference.call)])
(new_expression constructor: [(identifier) @reference.class
  (member_expression property: (property_identifier) @reference.class)])
"""

JSX = """
((jsx_opening_element name: (identifier) @reference.call) (#match? @reference.call "^[A-Z]"))
((jsx_self_closing_element name: (identifier) @reference.call) (#match? @reference.call "^[A-Z]"))
"""

_QUERY = (
    DEFINITIONS
    + REFERENCES
    + JSX
    + f"""
(class_declaration name: (identifier) @name) @definition.class
(field_definition property: {_NAMED_KEY} @name value: {_FUNCTION}) @definition.method
(field_definition property: {_NAMED_KEY} @name) @declaration.field
(class_heritage [(identifier) @reference.implementation
  (member_expression property: (property_identifier) @reference.implementation)])
"""
)

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
_FROM = re.compile(r"(?:import|export)(?=\s)(.*?)\bfrom\s*[\"']([^\"']+)[\"']", re.DOTALL)
_REQUIRE = re.compile(r"(.*?)=\s*require\s*\(\s*[\"']([^\"']+)[\"']\s*\)(?:\.([\w$]+))?", re.DOTALL)

NAME_RESOLUTION = NameResolution(family="javascript", default_scope=FILE_SCOPE, members=METHOD_AND_FUNCTION_KINDS)

_SCRIPT = r"\.(js|mjs|cjs|jsx|ts|mts|cts|tsx)$"
ENTRY_PATHS = (
    rf"(^|/)(bin/[^/]+|(main|cli|server|app){_SCRIPT})|^((packages|apps|libs)/[^/]+/)?((src|lib)/)?index{_SCRIPT}"
)
"""An index file starts a package only at its top; deeper ones just collect their folder."""

_ENDINGS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".d.ts", ".json", ".vue", ".svelte")
_ROOT_ALIASES = ("@/", "~/")
"""What bundlers' configurations mostly call the root of a package's sources; no package has such a name."""

_COMPILED = re.compile(r"\.[mc]?jsx?$")


def _grammar() -> object:
    import tree_sitter_javascript

    return tree_sitter_javascript.language()


def read_container(qualifier: str) -> str:
    """Return the container: `Foo.prototype` gives "Foo"; `exports`, `module.exports` and `this` qualify nothing."""
    plain = re.sub(r"\s+", "", qualifier).removesuffix(".prototype").removeprefix("module.exports")
    plain = re.sub(r"^(exports|module|this|self|window|globalThis)(\.|$)", "", plain.removeprefix("."))
    return plain if re.fullmatch(r"[\w$.]+", plain) else ""


def read_import(text: str) -> Iterable[str]:
    """Return the module of an import, as written between the quotes."""
    return (text[1:-1],)


def read_bindings(text: str) -> Iterator[Binding]:
    """Yield the bindings of an import.

    Forms: `import a, { b as c } from "./x"`, `import * as n from …`, `export { b } from …`, `const { b: c } =
    require(…)`. An import does not show the name of a default export in its module: it is looked up by its local name.
    """
    plain = _COMMENT.sub(" ", text) if "/*" in text or "\n" in text else text
    if match := _FROM.match(plain):
        clause = match[1].strip()
        is_of_types = clause.startswith("type") and clause[4:5].isspace()
        return _named_bindings(clause[4:] if is_of_types else clause, match[2], " as ")
    if match := _REQUIRE.match(plain):
        return _named_bindings(match[1], match[2], ":", match[3] or "")
    return iter(())


def _named_bindings(clause: str, source: str, renames: str, member: str = "") -> Iterator[Binding]:
    outer, brace, inner = clause.partition("{")
    for part in outer.split(","):
        name = part.strip()
        if name.startswith("*"):
            local = name.rpartition(" as ")[2].strip()
            yield Binding("*", source, "*") if local == "*" else Binding(local, source)
        elif re.fullmatch(r"[\w$]+", name):
            yield Binding(name, source, member or "default")
    for part in inner.partition("}")[0].split(",") if brace else ():
        exported, _, local = part.strip().removeprefix("type ").partition(renames)
        if re.fullmatch(r"[\w$]+", exported.strip()):
            yield Binding(local.partition("=")[0].strip() or exported.strip(), source, exported.strip())


def resolve(path: str, name: str, files: ProjectFiles) -> Iterable[str]:
    """Resolve relative modules, and packages of the project itself: as written, with any extension, or a folder's index
    file.

    `./a.js` may be a.ts. A package is known by the package.json among the manifests; its sources in `src` come before
    what stands for them at its top. `@/a` and `~/a` are paths below the nearest folder above, or its `src`, that has
    them.
    """
    plain = name.partition("?")[0]
    if name.startswith("."):
        target = resolve_relative(path, plain)
        return files.first_existing(_candidate_paths(target)) if target or plain.strip("./") == "" else ()
    if plain.startswith(_ROOT_ALIASES):
        inner = plain[2:]
        above = (posixpath.join(folder, start, inner) for folder in parent_folders(path) for start in ("", "src"))
        held = (each for each in above if files.has_stem(each) or files.has_stem(posixpath.splitext(each)[0]))
        return files.first_existing(candidate for target in held for candidate in _candidate_paths(target))
    words = plain.split("/")
    count = 2 if plain.startswith("@") else 1
    folder = files.node_packages.get("/".join(words[:count]))
    if folder is None:
        return ()
    inner = "/".join(words[count:])
    targets = (posixpath.join(folder, start, inner).rstrip("/") for start in ("src", ""))
    return files.first_existing(candidate for target in targets for candidate in _candidate_paths(target))


def _candidate_paths(plain: str) -> Iterator[str]:
    yield plain
    for ending in _ENDINGS:
        yield plain + ending
    stem = _COMPILED.sub("", plain)
    if stem != plain:
        for ending in _ENDINGS:
            yield stem + ending
    for ending in _ENDINGS:
        yield f"{plain}/index{ending}" if plain else f"index{ending}"


LANGUAGE = Language(
    name="javascript",
    extensions=(".js", ".mjs", ".cjs", ".jsx"),
    filenames=("Jakefile",),
    interpreters=("node", "nodejs", "bun"),
    grammar=_grammar,
    query=_QUERY,
    read_container=read_container,
    read_import=read_import,
    read_bindings=read_bindings,
    name_resolution=NAME_RESOLUTION,
    resolve=resolve,
    entry_paths=ENTRY_PATHS,
)
