"""A registry that refuses a whole call for one absent version (apt does) must not cost the others of that call."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from training import download as downloading
from training.download import download
from training.manifest import Package


def _package(name: str) -> Package:
    return Package("npm", name, "1", f"{name}.tgz", hashlib.sha256(name.encode()).hexdigest(), "MIT")


class Registry:
    """Stands for the network: gives nothing to a call that names something it lacks."""

    def __init__(self, lacks: str) -> None:
        self.lacks = lacks
        self.calls: list[list[str]] = []

    def fetch(self, _registry: str, _release: str, batch: Sequence[Package], folder: Path) -> None:
        names = [one.name for one in batch]
        self.calls.append(names)
        if self.lacks not in names:
            for name in names:
                (folder / f"{name}.tgz").write_bytes(name.encode())


def test_missing_package_does_not_stop_other_downloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = Registry("gone")
    monkeypatch.setattr(downloading, "_fetch", registry.fetch)
    with pytest.raises(RuntimeError, match=r"manifest's: npm-gone$"):
        download([_package(name) for name in ("a", "gone", "b")], tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tgz", "b.tgz"]
    assert registry.calls == [["a", "gone", "b"], ["a"], ["gone"], ["b"]]


def test_valid_archives_are_not_downloaded_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = Registry("")
    monkeypatch.setattr(downloading, "_fetch", registry.fetch)
    wanted = [_package("a"), _package("b")]
    download(wanted, tmp_path)
    (tmp_path / "b.tgz").write_bytes(b"damaged")
    download(wanted, tmp_path)
    assert registry.calls == [["a", "b"], ["b"]]
