"""A belief is written inside of an existing project alone, on evidence inside of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from scry.core import BadRequest
from scry.core.errors import ProjectMissing
from scry.engine.knowledge.belief_commands import NewBelief, write_belief
from tests.sample.project import SampleProject

BELIEF = NewBelief("Totals are cents")


@pytest.fixture
def shop(tmp_path: Path) -> SampleProject:
    sample = SampleProject(tmp_path / "shop")
    sample.write({"a.py": "one\ntwo\n"})
    return sample


def test_belief_does_not_recreate_a_moved_project(shop: SampleProject, tmp_path: Path) -> None:
    project = shop.project
    shop.root.rename(tmp_path / "moved")
    with pytest.raises(ProjectMissing, match="is not there"):
        write_belief(BELIEF, project)
    assert not shop.root.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege")
@pytest.mark.parametrize("linked", [".scry", ".scry/beliefs"])
def test_nothing_is_created_through_a_link_out_of_the_project(shop: SampleProject, tmp_path: Path, linked: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (shop.root / linked).parent.mkdir(exist_ok=True)
    (shop.root / linked).symlink_to(outside)
    with pytest.raises(BadRequest, match="leads out of the project"):
        write_belief(BELIEF, shop.project)
    assert list(outside.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege")
def test_evidence_behind_a_link_out_of_the_project_is_not_read(shop: SampleProject, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("x\n" * 7)
    (shop.root / "link.txt").symlink_to(tmp_path / "outside.txt")
    (shop.root / "inner.txt").symlink_to(shop.root / "a.py")
    with pytest.raises(BadRequest, match=r"evidence: link\.txt:999: there is no file"):
        write_belief(NewBelief("x", evidence=["link.txt:999"]), shop.project)
    with pytest.raises(BadRequest, match="has only 3 lines"):
        write_belief(NewBelief("x", evidence=["inner.txt:999"]), shop.project)


@pytest.mark.parametrize("name", ["x" * 300, "x/" * 3000, "a\0b"], ids=["long name", "long path", "NUL"])
def test_evidence_that_no_file_can_have_is_refused(shop: SampleProject, name: str) -> None:
    for citation in (name, f"{name}:3"):
        with pytest.raises(BadRequest, match="evidence: "):
            write_belief(NewBelief("x", evidence=[citation]), shop.project)
