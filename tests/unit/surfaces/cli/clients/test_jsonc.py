from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scry.surfaces.cli.clients import UnwritableConfig, read_jsonc, remove_member, set_member

PATH = ("servers", "scry")
ENTRY = {"command": "scry", "args": ["mcp"]}


def test_empty_file_gets_the_whole_structure() -> None:
    for text in ("", "\n  ", "\ufeff"):
        assert set_member(text, PATH, ENTRY) == json.dumps({"servers": {"scry": ENTRY}}, indent=2) + "\n"


def test_editing_keeps_other_members_comments_and_layout() -> None:
    text = """{
    // mine
    "inputs": [ 1, 2 ], /* two */
    "servers": {
        "other": { "command": "x" } // keep
    }
}
"""
    assert (
        set_member(text, PATH, {"command": "scry"})
        == """{
    // mine
    "inputs": [ 1, 2 ], /* two */
    "servers": {
        "other": { "command": "x" }, // keep
        "scry": {
            "command": "scry"
        }
    }
}
"""
    )


def test_trailing_comma_and_last_comment_are_kept() -> None:
    text = '{\n\t"servers": {\n\t\t"other": {},\n\t\t// the last word\n\t},\n}\n'
    after = set_member(text, PATH, {"command": "scry"})
    ours = '\t\t"scry": {\n\t\t\t"command": "scry"\n\t\t}\n'
    assert after == '{\n\t"servers": {\n\t\t"other": {},\n\t\t// the last word\n' + ours + "\t},\n}\n"
    assert read_jsonc(after) == {"servers": {"other": {}, "scry": {"command": "scry"}}}


def test_person_keys_in_our_entry_are_kept() -> None:
    text = '{"servers": {"scry": {"command": "old", "env": {"A": "b"}}}}'
    after = json.loads(set_member(text, PATH, ENTRY))
    assert after == {"servers": {"scry": {"command": "scry", "env": {"A": "b"}, "args": ["mcp"]}}}


def test_equal_entry_leaves_the_file_unchanged() -> None:
    text = set_member("", PATH, ENTRY)
    assert set_member(text, PATH, ENTRY) == text


def test_line_ends_are_those_of_the_file() -> None:
    after = set_member('{\r\n  "servers": {}\r\n}\r\n', PATH, ENTRY)
    assert "\n" not in after.replace("\r\n", "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "line 1: there is nothing more, where a name in double quotes or } belongs"),
        ('{"a": 1,\n "b" 2}', "line 2: there is '2', where : belongs"),
        ("{'a': 1}", "line 1: there is"),
        ('{"a": tru}', "line 1: there is"),
        ('{"a": 1} x', "where the end belongs"),
        ('{"a": 01}', "line 1"),
        ('{"a": "\n"}', "line 1"),
        ("[]", "the file is no object"),
        ('{"servers": []}', "servers is no object"),
        ('{"servers": null}', "servers is no object"),
    ],
)
def test_a_file_that_is_broken_is_refused(text: str, words: str) -> None:
    with pytest.raises(UnwritableConfig, match=re.escape(words)):
        set_member(text, PATH, ENTRY)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-999, 999) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)


@given(
    st.dictionaries(st.text(max_size=5), JSON, max_size=4),
    st.sampled_from([None, 2, "\t"]),
    st.sampled_from(["", "// a comment\n", "/* { */ "]),
)
def test_editing_any_json_keeps_its_values(before: dict[str, object], indent: int | str | None, comment: str) -> None:
    """The earlier content is kept, with our member beside it."""
    text = f"{comment}{json.dumps(before, indent=indent)[:-1]}{comment}}}"
    assert read_jsonc(text) == before
    path = ("our servers", "scry")
    assert read_jsonc(set_member(text, path, ENTRY)) == {**before, "our servers": {"scry": ENTRY}}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ('{"servers": {"scry": {"command": "scry"}}}', '{"servers": {}}'),
        ('{"servers": {"scry": {}, "other": {}}}', '{"servers": {"other": {}}}'),
        ('{"servers": {"other": {}, "scry": {}}}', '{"servers": {"other": {}}}'),
        ('{\n  "servers": {\n    "other": {}, // mine\n    "scry": {}\n  }\n}\n', None),
        ('{\n  "servers": {\n    "scry": {},\n    // mine\n    "other": {}\n  }\n}\n', None),
        ('{\n  "servers": {\n    // mine\n    "scry": {\n      "a": 1\n    },\n  }\n}\n', None),
        ('{"servers": {"other": 1}}', '{"servers": {"other": 1}}'),
        ('{"servers": 3}', '{"servers": 3}'),
        ("", ""),
    ],
)
def test_removing_a_member_keeps_the_others_and_their_comments(text: str, left: str | None) -> None:
    after = remove_member(text, PATH)
    assert left in (None, after)
    assert after.count("// mine") == text.count("// mine")
    if text:
        before: Any = read_jsonc(text)
        if isinstance(before["servers"], dict):
            before["servers"].pop("scry", None)
        assert read_jsonc(after) == before


@given(st.dictionaries(st.text(), st.integers()), st.integers(0, 5), st.sampled_from([None, 2]))
def test_removing_undoes_setting(members: dict[str, int], place: int, indent: int | None) -> None:
    others = {name: value for name, value in members.items() if name != "scry"}
    names = list(others)
    names.insert(min(place, len(names)), "scry")
    text = json.dumps({"servers": {name: others.get(name, {"command": "scry"}) for name in names}}, indent=indent)
    assert json.loads(remove_member(text, PATH)) == {"servers": others}
