"""What a path says about a file, by its whole words alone: never `latest.py` or `contest/`."""

from __future__ import annotations

import re
from functools import lru_cache

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
    "node_modules": VENDORED,
    "bower_components": VENDORED,
    "site-packages": VENDORED,
    "pods": VENDORED,
    "carthage": VENDORED,
    "dist": GENERATED,
    "generated": GENERATED,
    "__generated__": GENERATED,
    "gen": GENERATED,
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
"""What package managers write. It is left out of an index (`scry.index.ignore`): 71 of 100 documents of a whole clone
of Redux were such entries, which stood in the way of what a question is about, by meaning and by words. Who takes one
back finds it among what is generated."""

_TEST_SUFFIX = re.compile(
    r"([a-z0-9]+(Test|Tests|TestCase|Spec|Specs|IT)|Tests?)\.(java|kt|kts|scala|groovy|swift|cs|php|hs)$"
)
_NAME_PATTERNS = (
    (TEST, re.compile(r"(test|tests|conftest|test_.+|.+[_-](test|tests|spec|unittest|bench|benchmark))\.\w+$")),
    (TEST, re.compile(r".+[._-](test|tests|spec|specs|test-d|bench|e2e|cy)\.[cm]?[jt]sx?$")),
    (
        GENERATED,
        re.compile(r".+([_.]pb2(_grpc)?\.pyi?|\.pb\.(go|cc|h)|\.pb\.gw\.go|_generated\.\w+|\.generated\.\w+)$"),
    ),
    (
        GENERATED,
        re.compile(r".+(\.min\.(js|css)|\.g\.(cs|dart)|\.designer\.cs|\.freezed\.dart|\.(js|css)\.map|\.snap)$"),
    ),
    (GENERATED, re.compile(r"zz_generated.+\.go$")),
    (GENERATED, re.compile(f"({'|'.join(re.escape(name.lower()) for name in LOCK_FILES)})$")),
    (DECLARATION, re.compile(r".+(\.d\.[cm]?ts|\.pyi)$")),
    (DOCUMENTATION, re.compile(r".+\.(md|mdx|markdown|rst|adoc|asciidoc|org|tex|texi)$")),
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
    """The kinds of a POSIX path relative to the project; empty for ordinary source."""
    *folders, name = path.split("/")
    found = {_FOLDER_KINDS[folder.lower()] for folder in folders if folder.lower() in _FOLDER_KINDS}
    lower = name.lower()
    found |= {kind for kind, pattern in _NAME_PATTERNS if pattern.match(lower)}
    if _TEST_SUFFIX.search(name):
        found.add(TEST)
    return frozenset(found)
