"""Parse Ruby, with rake files and gem specifications."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scry.index.parse.languages.language import METHOD_AND_FUNCTION_KINDS, Language, NameResolution, strip_quotes
from scry.index.parse.languages.project_files import ProjectFiles, resolve_relative

_QUERY = """
(module name: [(constant) (scope_resolution)] @name) @definition.module
(class name: [(constant) (scope_resolution)] @name) @definition.class
(method name: (_) @name) @definition.function
(singleton_method name: (_) @name) @definition.function
(assignment left: (constant) @name) @definition.constant
(assignment left: (scope_resolution name: (constant) @name)) @definition.constant
(assignment left: (constant) @name
  right: (call receiver: (constant) @_made method: (identifier) @_new block: (_) @body)
  (#any-of? @_made "Struct" "Class" "Data" "Module") (#any-of? @_new "new" "define")) @definition.class
(call !receiver method: (identifier) @_attribute arguments: (argument_list (simple_symbol) @name)
  (#any-of? @_attribute "attr_reader" "attr_writer" "attr_accessor" "mattr_accessor" "cattr_accessor" "class_attribute"
   "mattr_reader" "cattr_reader" "thread_mattr_accessor")) @declaration.field
(call !receiver method: (identifier) @_define arguments: (argument_list . (simple_symbol) @name)
  (#any-of? @_define "define_method" "alias_method" "delegate" "scope")) @definition.method
(call method: (identifier) @_task
  arguments: (argument_list . [(simple_symbol) @name (string) @name
  (pair key: (_) @name)]) block: (_)
  (#any-of? @_task "task" "namespace")) @definition.function
(alias name: (_) @name) @definition.method
(call !receiver arguments: (argument_list . (method))) @wrapper
(call !receiver arguments: (argument_list . (singleton_method))) @wrapper

(comment) @comment
(call !receiver method: (identifier) @_require
  (#any-of? @_require "require" "require_relative" "load" "autoload" "require_dependency")) @import

(call method: (identifier) @reference.call)
(call receiver: (constant) @reference.class method: (identifier) @_new (#eq? @_new "new"))
(class superclass: (superclass [(constant) @reference.implementation
  (scope_resolution name: (constant) @reference.implementation)]))
(call !receiver method: (identifier) @_mixin arguments: (argument_list [(constant) @reference.implementation
  (scope_resolution name: (constant) @reference.implementation)])
  (#any-of? @_mixin "include" "extend" "prepend"))
(scope_resolution name: (constant) @reference.type)
"""

_REQUIRE = re.compile(
    r"(require_relative|require_dependency|require|load|autoload)\b[\s(]*(?::\w+\s*,\s*)?(?:File\.\w+\(.*?)?[\"']([^\"'#]+)[\"']"
)


def _grammar() -> object:
    import tree_sitter_ruby

    return tree_sitter_ruby.language()


def _read_name(name: str) -> str:
    """Return a name without its marks: `:x` gives "x", `"a b"` gives "a b"."""
    return strip_quotes(name.lstrip(":"))


def _read_container(qualifier: str) -> str:
    return qualifier.replace("::", ".").strip()


def _read_import(text: str) -> Iterable[str]:
    """Return the required path: `require_relative "a"` gives "./a", `require "a/b"` and `autoload :B, "a/b"` give
    "a/b".
    """
    match = _REQUIRE.match(text)
    if not match:
        return ()
    return (f"./{match[2]}" if match[1] == "require_relative" else match[2],)


def _resolve(path: str, name: str, files: ProjectFiles) -> Iterable[str]:
    """Resolve a relative path beside the file; any other below a folder on the load path, by the end of the path."""
    file_name = name if name.endswith((".rb", ".rake", ".ru")) else name + ".rb"
    if name.startswith("."):
        return files.first_existing((resolve_relative(path, file_name),))
    if not files.has_word(file_name.partition("/")[0].partition(".")[0]):
        return ()
    return (
        files.first_existing((f"lib/{file_name}", file_name))
        or files.find_by_suffix(f"lib/{file_name}")
        or _resolve_on_load_path(file_name, files)
    )


def _resolve_on_load_path(file_name: str, files: ProjectFiles) -> Iterable[str]:
    """Resolve by the end of the path, unless the name is one word, such as that of a library of the system."""
    return files.find_by_suffix(file_name) if "/" in file_name else ()


LANGUAGE = Language(
    name="ruby",
    extensions=(".rb", ".rake", ".gemspec", ".ru", ".podspec", ".jbuilder"),
    filenames=("Rakefile", "Gemfile", "Guardfile", "Podfile", "Vagrantfile", "Fastfile", "Capfile", "Brewfile"),
    interpreters=("ruby", "jruby", "rake"),
    grammar=_grammar,
    query=_QUERY,
    read_name=_read_name,
    read_container=_read_container,
    read_import=_read_import,
    name_resolution=NameResolution(
        imports_all_names=True,
        implicit_self=True,
        outer_members=False,
        external_members=True,
        partial_types=True,
        members=METHOD_AND_FUNCTION_KINDS | {"field"},
        accessors=(".", "::"),
        self_field_prefix="@",
    ),
    resolve=_resolve,
    entry_paths=r"(^|/)config\.ru$|^(bin|exe)/[^/]+$",
    entry_text=r"if\s+__FILE__\s*==\s*\$(?:0|PROGRAM_NAME)|if\s+\$(?:0|PROGRAM_NAME)\s*==\s*__FILE__",
)
