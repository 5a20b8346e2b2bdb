"""Setting one value keeps the rest of the file as its owner wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest

from scry.core import BadSettings, edit_setting_text, write_setting


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "log = false\n"),
        ("# mine\nmodel = 'x'", "# mine\nmodel = 'x'\nlog = false\n"),
        ("log = true  # for now\nmodel = 'x'\n", "log = false  # for now\nmodel = 'x'\n"),
        ('"log"=true\n', '"log"=false\n'),
        ("# log = true\n", "# log = true\nlog = false\n"),
        ("a = 1\n[table]\nlog = 1\n", "a = 1\nlog = false\n\n[table]\nlog = 1\n"),
        ('x = """\nlog = true\n"""\n', 'x = """\nlog = true\n"""\nlog = false\n'),
        ("log = [ # why\n  1,\n] # end\n", "log = false # end\n"),
    ],
)
def test_edited_value_keeps_its_line_or_gets_a_new_one(before: str, after: str) -> None:
    assert edit_setting_text(before, "log", False) == after


def test_settings_file_is_created_and_symlink_kept(tmp_path: Path) -> None:
    target = tmp_path / "dotfiles" / "config.toml"
    link = tmp_path / "scry" / "config.toml"
    link.parent.mkdir()
    link.symlink_to(target)
    write_setting(link, "log", False)
    target.chmod(0o600)
    write_setting(link, "log", True)
    assert (link.is_symlink(), target.read_text()) == (True, "log = true\n")
    assert target.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in target.parent.iterdir()] == ["config.toml"]


@pytest.mark.parametrize("text", ["log = [\n", "[log]\nx = 1\n", "log.x = 1\n"])
def test_file_that_cannot_be_edited_safely_is_kept(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)
    with pytest.raises(BadSettings, match=r"config\.toml"):
        write_setting(path, "log", False)
    assert path.read_text() == text
