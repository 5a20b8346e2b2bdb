"""Check the translations of the VS Code extension: each text that a person sees has one, and none is left over.

English stands in the sources (`vscode.l10n.t("…")`) and in `package.nls.json`; German, in
`l10n/bundle.l10n.de.json` and `package.nls.de.json`, is the language that proves that nothing is left out.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

CLIENT = Path(__file__).parents[2] / "editor" / "vscode"

_TRANSLATE = frozenset({"t", "vscode.l10n.t"})

_SHOWN_PROPERTIES = frozenset(
    {"title", "placeHolder", "placeholder", "prompt", "tooltip", "label", "description", "openLabel", "name", "remark"}
)
"""Properties whose value a person reads."""

_SHOWN_ARGUMENTS = frozenset(
    {
        "showInformationMessage",
        "showWarningMessage",
        "showErrorMessage",
        "setStatusBarMessage",
        "tell",
        "ask",
        "confirm",
    }
    | {"Error", "Problem", "choose", "showNotice", "section", "report", "TreeItem"}
)
"""Functions and classes whose arguments a person reads."""

_WORD = re.compile(r"[^\W\d_]{3,}")
_PLACEHOLDER = re.compile(r"\{\d+\}")
_KEY = re.compile(r"%([\w.]+)%")
_NAMES = frozenset({"Scry", "Why", "JSON Lines"})
"""Texts that are the same in every language."""

_MANIFEST_TEXTS = frozenset(
    {"title", "description", "markdownDescription", "name", "contents", "altText", "displayName"}
)


def missing_translations(
    sources: Path = CLIENT / "src", bundle: Path = CLIENT / "l10n/bundle.l10n.de.json"
) -> list[str]:
    """Return a line for each text without a translation, each translation without a text, and each bare text."""
    known = cast("dict[str, str]", json.loads(bundle.read_text(encoding="utf-8")))
    texts: set[str] = set()
    wrong: list[str] = []
    for file in sorted(sources.rglob("*.ts")):
        if "generated" in file.parts:
            continue
        root = _parse(file.read_bytes())
        place = file.relative_to(sources).as_posix()
        for node in _walk(root):
            if _is_translated(node):
                texts.add(_translated_text(node, place))
            elif _is_bare(node):
                wrong.append(f"{place}:{node.start_point.row + 1}: {_source(node)} is not translated")
    wrong += [f"{bundle.name}: {text!r} has no translation" for text in sorted(texts - known.keys())]
    wrong += [f"{bundle.name}: {text!r} is no text of the extension" for text in sorted(known.keys() - texts)]
    return wrong + [
        f"{bundle.name}: {text!r} has other placeholders" for text in known if not _agree(text, known[text])
    ]


def missing_manifest_translations(client: Path = CLIENT) -> list[str]:
    """Return a line for each text of package.json that is bare, and each key that a language lacks or has too many."""
    raw = json.loads((client / "package.json").read_text(encoding="utf-8"))
    keys = set(_KEY.findall(json.dumps(raw, ensure_ascii=False)))
    bare = [text for text in _manifest_texts(raw["contributes"]) if not _KEY.fullmatch(text) and text not in _NAMES]
    wrong = [f"package.json: {text!r} is not translated" for text in bare]
    for name in ("package.nls.json", "package.nls.de.json"):
        texts = json.loads((client / name).read_text(encoding="utf-8"))
        wrong += [f"{name}: {key} is missing" for key in sorted(keys - texts.keys())]
        wrong += [f"{name}: {key} is left over" for key in sorted(texts.keys() - keys)]
    return wrong


def read_manifest(client: Path = CLIENT) -> dict[str, Any]:
    """Return package.json with the English texts in the place of their keys."""
    texts = json.loads((client / "package.nls.json").read_text(encoding="utf-8"))
    raw = (client / "package.json").read_text(encoding="utf-8")
    return json.loads(_KEY.sub(lambda match: json.dumps(texts[match[1]])[1:-1], raw))


def _parse(source: bytes) -> Node:
    return Parser(Language(tree_sitter_typescript.language_typescript())).parse(source).root_node


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _walk(child)


def _source(node: Node) -> str:
    return (node.text or b"").decode()


def _is_translated(node: Node) -> bool:
    function = node.child_by_field_name("function") if node.type == "call_expression" else None
    return function is not None and _source(function) in _TRANSLATE


def _translated_text(call: Node, place: str) -> str:
    arguments = call.child_by_field_name("arguments")
    first = arguments.named_children[0] if arguments else None
    if first is None or first.type != "string":
        raise AssertionError(f"{place}:{call.start_point.row + 1}: only a literal can be translated")
    return str(ast.literal_eval(_source(first)))


def _is_bare(node: Node) -> bool:
    """Return whether a literal with words is read by a person as it stands."""
    if node.type not in ("string", "template_string") or not _has_words(node):
        return False
    parent = node.parent
    while parent is not None and parent.type in ("ternary_expression", "binary_expression", "parenthesized_expression"):
        if any(child.type in ("===", "!==") for child in parent.children):
            return False
        node, parent = parent, parent.parent
    if parent is None:
        return False
    if parent.type == "pair":
        key = parent.child_by_field_name("key")
        return key is not None and _source(key) in _SHOWN_PROPERTIES and parent.child_by_field_name("value") == node
    if parent.type != "arguments" or parent.parent is None or parent.named_children[0] != node:
        return False
    called = parent.parent.child_by_field_name("function") or parent.parent.child_by_field_name("constructor")
    return called is not None and _source(called).rsplit(".", 1)[-1] in _SHOWN_ARGUMENTS


def _has_words(node: Node) -> bool:
    if node.type == "string":
        text = _source(node)[1:-1]
    else:
        text = " ".join(_source(child) for child in node.named_children if child.type == "string_fragment")
    text = re.sub(r"\$\([\w~-]+\)|Scry|status", "", text)
    return _WORD.search(text) is not None and _source(node)[1:-1] not in _NAMES


def _agree(text: str, translation: str) -> bool:
    return sorted(_PLACEHOLDER.findall(text)) == sorted(_PLACEHOLDER.findall(translation))


def _manifest_texts(value: object) -> Iterator[str]:
    if isinstance(value, list):
        for each in cast("list[object]", value):
            yield from _manifest_texts(each)
    elif isinstance(value, dict):
        for key, each in cast("dict[str, object]", value).items():
            if isinstance(each, str) and key in _MANIFEST_TEXTS:
                yield each
            else:
                yield from _manifest_texts(each)
