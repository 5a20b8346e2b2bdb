"""Read source files from wheels (zip), tarballs and Debian packages (ar), in memory, in a stable order."""

from __future__ import annotations

import io
import re
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_LARGEST = 600_000
_SKIPPED_FOLDER = re.compile(
    r"(?:^|/)(?:_?vendor(?:ed)?|_?vendored_packages|third[_-]?party|3rdparty|node_modules|externals?|extern|deps|contrib|Pods"
    r"|blib2to3|locales?|tests?|__tests__|testing|testdata|test-data|fixtures|specs?|__mocks__|snapshots|bench(?:mark)?s?"
    r"|examples?|dist|build|bundles?|umd|esm|cjs|debian|autom4te\.cache|\.git)/",
    re.IGNORECASE,
)
_SKIPPED_FILE = re.compile(
    r"\.min\.js$|\.bundle\.js$|\.umd\.|_pb2(?:_grpc)?\.py$|\.pb\.(?:go|cc|h)$|_generated|zz_generated|\.d\.[cm]?ts$"
    r"|_test\.\w+$|\.test\.|\.spec\.|Tests?\.(?:java|cs|kt|swift|scala)$|_spec\.rb$|/test_[^/]*\.py$"
)
_SHELL = re.compile(r"#!\s*\S*/(?:env )?(?:ba|k|z|da)?sh\b")
_INSTALLED = re.compile(
    r"^usr/(?:share|lib)/(?:cargo/registry|rustc|gocode/src|lua|php|ruby/vendor_ruby|[\w.+-]+)/(?:[\w-]+-\d[\w.+-]*/)?"
)
_TYPESCRIPT_OUTPUT = re.compile(r"^[^/]+/(?:lib|es|legacy|modules|_esm\d*|_cjs|esnext|commonjs|module)/")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A text file of a package; `path` is relative to the package's root folder."""

    path: str
    text: str


def read_sources(archive: Path, suffixes: frozenset[str]) -> Iterator[SourceFile]:
    """Yield the UTF-8 files with one of the suffixes, without tests, vendored copies, generated and minified files."""
    members = dict(sorted(_members(archive, suffixes)))
    has_source = sum("/src/" in path for path in members) > 3
    for path, data in members.items():
        if has_source and path.endswith(".js") and _TYPESCRIPT_OUTPUT.match(path):
            continue
        text = _decode(data)
        name = mined_path(_within_package(path, archive.suffix), text) if text is not None else ""
        if text is not None and name:
            yield SourceFile(name, text)


def _members(archive: Path, suffixes: frozenset[str]) -> Iterator[tuple[str, bytes]]:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for info in wheel.infolist():
                if is_wanted(info.filename, info.file_size, suffixes):
                    yield info.filename, wheel.read(info)
        return
    data = _debian_data(archive) if archive.suffix == ".deb" else archive.read_bytes()
    with tarfile.open(fileobj=io.BytesIO(data), mode="r|*") as tar:
        for member in tar:
            if member.isfile() and is_wanted(member.name, member.size, suffixes):
                file = tar.extractfile(member)
                yield member.name.removeprefix("./"), file.read() if file else b""


def is_wanted(path: str, size: int, suffixes: frozenset[str]) -> bool:
    """Tell whether a file may be a source file, by its path and size: no test, no vendored and no generated file."""
    if size > _LARGEST or _SKIPPED_FOLDER.search(path) or _SKIPPED_FILE.search(path):
        return False
    file = path.rpartition("/")[2]
    return "." not in file or "." + file.rpartition(".")[2].lower() in suffixes


def mined_path(path: str, text: str) -> str:
    """Return the path under which a text is mined: with `.sh` for a shell script; "" for no source file written by
    hand.
    """
    if not _is_by_hand(text):
        return ""
    if _SHELL.match(text):
        return f"{path}.sh"
    return path if "." in path.rpartition("/")[2] else ""


def _decode(data: bytes) -> str | None:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if _is_by_hand(text) else None


def _is_by_hand(text: str) -> bool:
    """Tell whether a text is long enough, and neither minified nor generated."""
    lines = text.count("\n")
    return lines > 3 and len(text) / lines < 200 and not text.startswith("// Code generated")


def _within_package(path: str, suffix: str) -> str:
    """Return the path without the parts that only say where the package is installed or which version it is."""
    if suffix == ".deb":
        return _INSTALLED.sub("", path)
    return path if suffix == ".whl" else path.partition("/")[2]


def _debian_data(archive: Path) -> bytes:
    """Return the data tarball of a Debian package: an ar archive of headers of 60 bytes, each before its member."""
    content = archive.read_bytes()
    at = len(b"!<arch>\n")
    while at < len(content):
        name, size = content[at : at + 16].strip(), int(content[at + 48 : at + 58])
        if name.startswith(b"data.tar"):
            return content[at + 60 : at + 60 + size]
        at += 60 + size + size % 2
    raise ValueError(f"{archive.name} holds no data")
