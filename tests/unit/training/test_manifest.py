from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from training.download import download
from training.manifest import Package, load_manifest

COPYLEFT = re.compile(r"GPL|MPL|EPL|CDDL", re.IGNORECASE)
OWN = Package("pypi", "sender", "1.0", "sender-1.0.whl", hashlib.sha256(b"sender").hexdigest(), "MIT")


def test_every_package_is_pinned() -> None:
    packages = load_manifest()
    assert len(packages) > 900
    assert all(re.fullmatch(r"[0-9a-f]{64}", one.sha256) and one.version and one.file for one in packages)
    assert {one.registry for one in packages} == {"pypi", "npm", "debian", "debian-source"}
    assert max(Counter(one.key for one in packages).values()) == 1


def test_every_package_has_a_permissive_licence() -> None:
    for one in load_manifest():
        choices = re.split(r"\s+or\s+|/", one.licence.strip("()"), flags=re.IGNORECASE)
        assert any(not COPYLEFT.search(choice) for choice in choices), (one.key, one.licence)


def test_forty_to_eighty_packages_are_held_out() -> None:
    held = [one for one in load_manifest() if one.held_out]
    assert 40 <= len(held) <= 80


def test_package_part_is_its_subfolder() -> None:
    part = replace(OWN, part="lib/mix/")
    rest = replace(OWN, without=("lib/mix/",))
    assert [part.includes(path) for path in ("lib/mix/a.ex", "lib/b.ex")] == [True, False]
    assert [rest.includes(path) for path in ("lib/mix/a.ex", "lib/b.ex")] == [False, True]
    assert OWN.includes("lib/mix/a.ex")
    assert part.key == "pypi-sender-lib+mix"


def test_valid_archive_is_not_downloaded_again(tmp_path: Path) -> None:
    (tmp_path / OWN.file).write_bytes(b"sender")
    download([OWN], tmp_path)
    assert (tmp_path / OWN.file).read_bytes() == b"sender"


def test_an_unknown_registry_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unknown registry nowhere"):
        download([replace(OWN, registry="nowhere")], tmp_path)
