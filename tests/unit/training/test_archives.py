from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from training.archives import read_sources

CODE = "def send(path):\n    data = read(path)\n    return put(data)\n\n\nsend('a')\n"
SUFFIXES = frozenset({".py", ".js"})
FILES = {
    "sender-1.0/src/send.py": CODE,
    "sender-1.0/src/binary.py": "\udcff" * 9,
    "sender-1.0/tests/test_send.py": CODE,
    "sender-1.0/_vendor/other.py": CODE,
    "sender-1.0/dist/send.min.js": CODE,
    "sender-1.0/long.js": "x" * 5000 + "\n" * 5,
    "sender-1.0/notes.txt": CODE,
    "sender-1.0/bin/send": "#!/usr/bin/env bash\nsend() {\n  put\n}\nsend\n",
    "sender-1.0/bin/other": "#!/usr/bin/perl\nsend();\nsend();\nsend();\n",
}


def tarball(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:xz") as tar:
        for name, text in files.items():
            data = text.encode("utf-8", "surrogateescape")
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def ar(members: dict[str, bytes]) -> bytes:
    content = b"!<arch>\n"
    for name, data in members.items():
        head = f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(data):<10}`\n".encode()
        content += head + data + b"\n" * (len(data) % 2)
    return content


def test_a_tarball_gives_its_own_readable_source(tmp_path: Path) -> None:
    archive = tmp_path / "sender.orig.tar.xz"
    archive.write_bytes(tarball(FILES))
    found = {source.path: source.text for source in read_sources(archive, SUFFIXES)}
    assert found == {"src/send.py": CODE, "bin/send.sh": FILES["sender-1.0/bin/send"]}


def test_a_wheel_keeps_its_paths(tmp_path: Path) -> None:
    archive = tmp_path / "sender-1.0-py3-none-any.whl"
    with zipfile.ZipFile(archive, "w") as wheel:
        wheel.writestr("sender/send.py", CODE)
    assert [source.path for source in read_sources(archive, SUFFIXES)] == ["sender/send.py"]


def test_a_debian_package_forgets_where_it_is_installed(tmp_path: Path) -> None:
    archive = tmp_path / "python3-sender_1.0_all.deb"
    data = tarball({"./usr/lib/python3/sender/send.py": CODE})
    archive.write_bytes(ar({"debian-binary": b"2.0", "control.tar.xz": b"abc", "data.tar.xz": data}))
    assert [source.path for source in read_sources(archive, SUFFIXES)] == ["sender/send.py"]


def test_a_debian_package_without_data_is_an_error(tmp_path: Path) -> None:
    archive = tmp_path / "empty_1.0_all.deb"
    archive.write_bytes(ar({"debian-binary": b"2.0\n"}))
    with pytest.raises(ValueError, match="holds no data"):
        list(read_sources(archive, SUFFIXES))
