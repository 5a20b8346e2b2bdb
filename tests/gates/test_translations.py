"""Tests of the translations of the VS Code extension, and of the check itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scry.core.settings import SETTING_DEFINITIONS
from tests.gates.translations import missing_manifest_translations, missing_translations, read_manifest


@pytest.mark.acceptance("C1")
def test_every_text_of_the_extension_is_translated() -> None:
    assert missing_translations() == []
    assert missing_manifest_translations() == []


def test_missing_translations_are_found(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    lines = [
        'vscode.l10n.t("Found {0}", 1);',
        'show({ title: "Bare words", id: "no.title" });',
        "new Error(`No ${x} here`);",
    ]
    source = "\n".join(lines)
    (tmp_path / "src" / "a.ts").write_text(source, encoding="utf-8")
    bundle = tmp_path / "bundle.json"
    bundle.write_text('{"Left over": "Übrig"}', encoding="utf-8")
    assert missing_translations(tmp_path / "src", bundle) == [
        'a.ts:2: "Bare words" is not translated',
        "a.ts:3: `No ${x} here` is not translated",
        "bundle.json: 'Found {0}' has no translation",
        "bundle.json: 'Left over' is no text of the extension",
    ]
    (tmp_path / "src" / "a.ts").write_text('vscode.l10n.t("Found {0}", 1);', encoding="utf-8")
    bundle.write_text('{"Found {0}": "Gefunden"}', encoding="utf-8")
    assert missing_translations(tmp_path / "src", bundle) == ["bundle.json: 'Found {0}' has other placeholders"]


def test_missing_manifest_translations_are_found(tmp_path: Path) -> None:
    manifest = {"contributes": {"commands": [{"title": "%find%"}, {"title": "Bare"}]}}
    (tmp_path / "package.json").write_text(json.dumps(manifest), encoding="utf-8")
    (tmp_path / "package.nls.json").write_text('{"find": "Find"}', encoding="utf-8")
    (tmp_path / "package.nls.de.json").write_text('{"old": "Alt"}', encoding="utf-8")
    assert missing_manifest_translations(tmp_path) == [
        "package.json: 'Bare' is not translated",
        "package.nls.de.json: find is missing",
        "package.nls.de.json: old is left over",
    ]


@pytest.mark.acceptance("C1", "S1")
def test_every_setting_of_the_sidecar_is_a_setting_of_the_extension() -> None:
    properties = read_manifest()["contributes"]["configuration"]["properties"]
    for name, definition in SETTING_DEFINITIONS.items():
        first, *rest = name.split("_")
        shown = properties["scry." + first + "".join(part.capitalize() for part in rest)]
        assert shown["scope"] == ("window" if definition.allowed_in_project else "machine"), name
        if name != "model":  # its text also says what is needed for a model of the hub
            assert shown["markdownDescription"] == definition.meaning
            default = definition.default
            assert shown["default"] == (list(default) if isinstance(default, tuple) else default)
        assert (shown.get("minimum"), shown.get("maximum")) == (definition.minimum, definition.maximum), name


@pytest.mark.acceptance("C1")
def test_no_key_is_taken_outside_the_picker() -> None:
    for binding in read_manifest()["contributes"]["keybindings"]:
        assert binding["when"].startswith(("scry.pickerOpen && inQuickOpen", "scry.completing && inQuickOpen"))
