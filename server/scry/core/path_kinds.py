"""Classify a path by its words: tests, vendored code, platforms, versions, entry files.

Only whole words count: never `latest.py` or `contest/`. Pure.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

from scry.core.platform import SYSTEM

TEST = "test"
VENDORED = "vendored"
GENERATED = "generated"
EXAMPLE = "example"
DECLARATION = "declaration"
DOCUMENTATION = "documentation"
CONFIGURATION = "configuration"
SUPERSEDED = "superseded"

_FOLDER_KINDS = {
    "test": TEST,
    "tests": TEST,
    "__tests__": TEST,
    "__mocks__": TEST,
    "spec": TEST,
    "specs": TEST,
    "testdata": TEST,
    "test-data": TEST,
    "test_data": TEST,
    "fixtures": TEST,
    "__fixtures__": TEST,
    "e2e": TEST,
    "test-utils": TEST,
    "androidtest": TEST,
    "jvmtest": TEST,
    "commontest": TEST,
    "nativetest": TEST,
    "jstest": TEST,
    "jmh": TEST,
    "bench": TEST,
    "benches": TEST,
    "benchmark": TEST,
    "benchmarks": TEST,
    "vendor": VENDORED,
    "vendored": VENDORED,
    "_vendor": VENDORED,
    "third_party": VENDORED,
    "third-party": VENDORED,
    "thirdparty": VENDORED,
    "3rdparty": VENDORED,
    "3rd_party": VENDORED,
    "3rd-party": VENDORED,
    "node_modules": VENDORED,
    "bower_components": VENDORED,
    "site-packages": VENDORED,
    "pods": VENDORED,
    "carthage": VENDORED,
    "dist": GENERATED,
    "generated": GENERATED,
    "__generated__": GENERATED,
    "gen": GENERATED,
    "single_include": GENERATED,
    "singleheader": GENERATED,
    "amalgamation": GENERATED,
    "__snapshots__": GENERATED,
    "docsets": GENERATED,
    "example": EXAMPLE,
    "examples": EXAMPLE,
    "demo": EXAMPLE,
    "demos": EXAMPLE,
    "sample": EXAMPLE,
    "samples": EXAMPLE,
    "playground": EXAMPLE,
    "docs_src": EXAMPLE,
    "doc": DOCUMENTATION,
    "docs": DOCUMENTATION,
    "documentation": DOCUMENTATION,
    "website": DOCUMENTATION,
    "guides": DOCUMENTATION,
    "man": DOCUMENTATION,
    "deprecated": SUPERSEDED,
    "legacy": SUPERSEDED,
    "obsolete": SUPERSEDED,
    "attic": SUPERSEDED,
    ".github": CONFIGURATION,
    ".circleci": CONFIGURATION,
    ".vscode": CONFIGURATION,
    ".idea": CONFIGURATION,
    ".ci": CONFIGURATION,
}
"""Folder names, lower-case. Benchmarks count as tests: both use the code rather than being it."""

_KINDS_AT_THE_TOP = {"deps": VENDORED, "extern": VENDORED, "t": TEST}
"""Folders that say this at the top of a project alone: further down `deps` often holds the project's own code. Tests of
Perl, of git and of celery stand in `t`."""

LOCK_FILES = (
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "bun.lockb",
    "deno.lock",
    "Cargo.lock",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "pixi.lock",
    "Pipfile.lock",
    "conda-lock.yml",
    "Gemfile.lock",
    "composer.lock",
    "go.sum",
    "go.work.sum",
    "mix.lock",
    "rebar.lock",
    "Podfile.lock",
    "Package.resolved",
    "Cartfile.resolved",
    "pubspec.lock",
    "packages.lock.json",
    "gradle.lockfile",
    "stack.yaml.lock",
    "flake.lock",
    ".terraform.lock.hcl",
)
"""Files that package managers write. They are left out of an index (index.scan.ignore_rules): 71 of 100 documents of a
whole clone of Redux were such entries, which outranked better documents by meaning and by words. A project that
includes one again finds it classified as generated."""

DOCUMENT_LANGUAGES = {
    "markdown": (".md", ".markdown", ".mdx", ".mkd", ".rmd", ".qmd"),
    "restructuredtext": (".rst", ".rest"),
    "asciidoc": (".adoc", ".asciidoc"),
    "org": (".org",),
    "tex": (".tex", ".latex"),
    "texinfo": (".texi", ".texinfo"),
    "textile": (".textile",),
    "rdoc": (".rdoc",),
    "pod": (".pod",),
    "roff": (".1", ".2", ".3", ".4", ".5", ".6", ".7", ".8", ".man", ".mdoc", ".roff"),
    "text": (".txt", ".text"),
}
"""The languages whose files are documents, with their extensions; files of every other language are code. A file of no
known language is read as `text`."""

_PROSE_EXTENSIONS = "|".join(
    sorted({each[1:] for name, extensions in DOCUMENT_LANGUAGES.items() if name != "text" for each in extensions})
)
"""As `DOCUMENT_LANGUAGES` without plain text, which is often data."""

_TEST_SUFFIX = re.compile(
    r"((?<=[a-z0-9])(Test|Tests|TestCase|Spec|Specs|IT)|Tests?)\.(java|kt|kts|scala|groovy|swift|cs|fs|vb|mm?|php|hs)$"
)
_TEST_FOLDER = re.compile(r"([A-Za-z0-9]Tests|[a-z0-9]Test|[._-][Tt]ests|\.Test)$")
"""Folders whose last word is "tests": `src/UnitTests`, `Json.Tests`, `unit-tests`, `smokeTest`. Not `tokio-test`:
packages that help to write tests are often named so."""

_NAME_PATTERNS = (
    (TEST, re.compile(r"(test|tests|conftest|test_.+|.+[_-](test|tests|spec|unittest|bench|benchmark))\.\w+$")),
    (TEST, re.compile(r".+[._-](test|tests|spec|specs|test-d|bench|e2e|cy)\.[cm]?[jt]sx?$")),
    (TEST, re.compile(r".+(\.t|\.tests?\.ps1|_suite\.erl)$")),
    (
        GENERATED,
        re.compile(r".+([_.]pb2(_grpc)?\.pyi?|\.pb\.(go|cc|h)|\.pb\.gw\.go|_generated\.\w+|\.generated\.\w+)$"),
    ),
    (
        GENERATED,
        re.compile(
            r".+(\.min\.(js|css)|\.g\.(cs|dart|swift|kt|java|h|mm?|cc|cpp)|\.designer\.(cs|vb)"
            r"|\.(freezed|mocks|gr)\.dart|\.(js|css)\.map|\.snap)$"
        ),
    ),
    (GENERATED, re.compile(r"zz_generated.+\.go$")),
    (GENERATED, re.compile(f"({'|'.join(map(re.escape, map(str.lower, LOCK_FILES)))})$")),
    (DECLARATION, re.compile(r".+(\.d\.[cm]?ts|\.pyi)$")),
    (DOCUMENTATION, re.compile(rf".+\.({_PROSE_EXTENSIONS})$")),
    (
        DOCUMENTATION,
        re.compile(
            r"(readme|manual|changelog|changes|news|license|licence|copying|authors|contributing|notice)"
            r"(\.(txt|text|html?|rdoc|textile|pod))?$"
        ),
    ),
    (
        CONFIGURATION,
        re.compile(r".+\.(toml|ini|cfg|conf|yaml|yml|properties|editorconfig|csproj|props|targets|plist)$"),
    ),
    (
        CONFIGURATION,
        re.compile(r"\.[^/]+rc(\.[a-z]+)?$|.+\.config\.[cm]?[jt]s$|(package|tsconfig[^/]*|composer)\.json$"),
    ),
    (CONFIGURATION, re.compile(r"\.(git|docker|npm|eslint|prettier)(ignore|attributes|modules|keep)$")),
    (CONFIGURATION, re.compile(r"(setup\.py|setup\.cfg|noxfile\.py|tox\.ini|dockerfile|makefile|gemfile|go\.mod)$")),
)


@lru_cache(maxsize=50_000)
def classify_path(path: str) -> frozenset[str]:
    """Return the kinds of a POSIX path relative to the project; empty for ordinary source."""
    *folders, name = path.split("/")
    kinds = {_FOLDER_KINDS[folder.lower()] for folder in folders if folder.lower() in _FOLDER_KINDS}
    if folders and (kind := _KINDS_AT_THE_TOP.get(folders[0].lower())):
        kinds.add(kind)
    lower = name.lower()
    kinds |= {kind for kind, pattern in _NAME_PATTERNS if pattern.match(lower)}
    if TEST not in kinds and (_TEST_SUFFIX.search(name) or any(map(_TEST_FOLDER.search, folders))):
        kinds.add(TEST)
    return frozenset(kinds)


PLATFORM_FAMILY_WORDS: Mapping[str, Sequence[str]] = {
    "windows": ("windows", "win", "win32", "win64", "winnt", "mingw", "msvc"),
    "macos": ("macos", "darwin", "osx", "apple"),
    "linux": ("linux", "gnu"),
    "bsd": ("bsd", "freebsd", "openbsd", "netbsd", "dragonfly"),
    "other": ("sunos", "solaris", "illumos", "aix", "os390", "zos", "ibmi", "haiku", "hpux", "qnx", "cygwin", "vms"),
    "unix": ("unix", "posix"),
}
"""Families of operating systems, each with the words that name it in paths and queries."""

_FAMILY_OF = {word: family for family, words in PLATFORM_FAMILY_WORDS.items() for word in words}
_FAMILIES_BY_PLATFORM = {
    "win32": frozenset({"windows"}),
    "darwin": frozenset({"macos", "unix", "bsd"}),
    "linux": frozenset({"linux", "unix"}),
}
_PATH_WORD = re.compile(r"[a-z]+\d*")
_PLATFORM_PLACEHOLDER = "*"


def families_here(platform: str = SYSTEM) -> frozenset[str]:
    """Return the families that a platform (by default this one) belongs to; empty for an unknown one."""
    return _FAMILIES_BY_PLATFORM.get(platform, frozenset({"unix"}) if "bsd" in platform else frozenset[str]())


@lru_cache(maxsize=50_000)
def platform_of_path(path: str) -> tuple[str, str] | None:
    """Return the family of systems that a path names, and the path up to there with a gap for the name.

    `src/win/tcp.c` gives ("windows", "src/*"), `net/dial_windows.go` ("windows", "net/dial_*"); None for most paths. A
    name alone may mean something else (`ui/windows/`): only beside another name in the same gap it means a system.
    """
    offset = 0
    for part in path.lower().split("/"):
        stem = part.partition(".")[0]
        for match in _PATH_WORD.finditer(stem):
            family = _FAMILY_OF.get(match.group())
            whole = match.group() == stem or (match.start() > 0 and match.end() == len(stem))
            if family and whole:
                return family, path[: offset + match.start()].lower() + _PLATFORM_PLACEHOLDER
        offset += len(part) + 1
    return None


_VERSION_FOLDER = re.compile(r"(?:^|(?<=/))v(\d{1,3})/")


@lru_cache(maxsize=50_000)
def version_of_path(path: str) -> tuple[int, str] | None:
    """Return the version that a folder in a path names, and the path without it; None for most paths.

    `api/v1/users.go` gives (1, "api/users.go").
    """
    match = _VERSION_FOLDER.search(path)
    return (int(match[1]), path[: match.start()] + path[match.end() :]) if match else None


def superseded_paths(paths: Iterable[str]) -> frozenset[str]:
    """Return the paths of which a newer version is among them: `api/v1/users.go` beside `api/v2/users.go`.

    A path that names no version is newer than version 1 of the same; beside later ones it may be either.
    """
    all_paths = frozenset(paths)
    versions: dict[str, dict[int, str]] = defaultdict(dict)
    for path in all_paths:
        if version := version_of_path(path):
            versions[version[1]][version[0]] = path
    return frozenset(
        {
            path
            for rest, paths_by_version in versions.items()
            for version, path in paths_by_version.items()
            if version < max(paths_by_version) or (version == 1 and rest in all_paths)
        }
    )


_SCRIPT_ENTRY_FILES = frozenset(
    {f"index.{module}{language}s{x}" for module in ("", "c", "m") for language in "jt" for x in ("", "x")}
)
_ENTRY_FILES = _SCRIPT_ENTRY_FILES | {"lib.rs", "mod.rs", "__init__.py", "doc.go", "package-info.java", "init.lua"}
_README = re.compile(r"readme(\.\w+)?$", re.IGNORECASE)


def is_entry_file(path: str, folders: Collection[str]) -> bool:
    """Return whether a file is the entry of its folder (`__init__.py`) or of a sibling folder (`click.py`, `click/`).

    folders: all that hold files.
    """
    return path[path.rfind("/") + 1 :] in _ENTRY_FILES or sibling_folder(path) in folders


def sibling_folder(path: str) -> str:
    """Return the path of the folder whose entry the file would be; no valid path where there can be none."""
    name, dot = path.rfind("/") + 1, path.rfind(".")
    return path[:dot] if dot > name else "/"


def is_readme(path: str) -> bool:
    """Return whether a file is a readme."""
    return _README.match(path, path.rfind("/") + 1) is not None
