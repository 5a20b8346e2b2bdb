"""Hooks of mkdocs: add the generated pages and those that lie outside of docs, and adapt their links.

A link to a file of the repository that is no page becomes plain text, so that the site has no link that leads nowhere.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path, PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
for folder in (ROOT, ROOT / "server", ROOT / "protocol"):  # mkdocs runs hooks without this repository on its path
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

from docs.site import reference  # noqa: E402

OUTSIDE = {
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    "security.md": "SECURITY.md",
    "reference/protocol.md": "protocol/generated/protocol.md",
    "reference/schema.json": "protocol/generated/schema.json",
    "assets/site.css": "docs/site/assets/site.css",
    "assets/fusion.js": "docs/site/assets/fusion.js",
    "assets/iframe-worker.js": "docs/site/assets/iframe-worker.js",
}
"""Files of the site that lie outside of its folder -> their place in the repository."""

_ORIGINS = {**OUTSIDE, "index.md": "docs/index.md"}
_PAGES = {origin: page for page, origin in OUTSIDE.items()}
_LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")
_FENCE = re.compile(r"^(?:```|~~~)", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are no files of docs."""
    for name, origin in OUTSIDE.items():
        files.append(File.generated(config, name, abs_src_path=str(ROOT / origin)))
    for name, text in reference.pages().items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Adapt the links of a page, outside of its listings."""
    name = page.file.src_uri
    parts = _FENCE.split(markdown)
    for at in range(0, len(parts), 2):
        parts[at] = _LINK.sub(lambda match: _adapted(match, name, files), parts[at])
    return "```".join(parts)


def _adapted(match: re.Match[str], page: str, files: Files) -> str:
    """Return a link as it has to be on the site."""
    target, anchor_sign, anchor = match["target"].partition("#")
    if not target or "://" in target:
        return match.group()
    origin = _ORIGINS.get(page, f"docs/{page}")
    place = os.path.normpath(PurePosixPath(origin).parent / target)
    wanted = _PAGES.get(place) or place.removeprefix("docs/")
    if files.get_file_from_path(wanted) is None and place not in _PAGES:
        if page not in _ORIGINS and (ROOT / place).exists() is False:
            return match.group()  # mkdocs reports it
        return match["text"]
    relative = os.path.relpath(wanted, PurePosixPath(page).parent)
    return f"{match['image']}[{match['text']}]({relative}{anchor_sign}{anchor})"
