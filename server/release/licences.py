"""Licences and bill of materials of all that is shipped: the default install, and the packages in the VS Code bundle.

pip-licenses and cyclonedx-py read a clean environment that holds the wheel and what it depends on; the packages in the
bundle are those that editor/vscode/scripts/licences.mjs found in it.
"""

from __future__ import annotations

import json
import subprocess
import uuid
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

_RULE = "-" * 80


class Package(NamedTuple):
    """A package that is shipped or installed with Scry: its registry, name, version, licence and licence text."""

    registry: str
    name: str
    version: str
    licence: str
    text: str


def installed_packages(tools: Path, environment: Path) -> list[Package]:
    """Return the Python packages of an environment. tools: folder of pip-licenses; environment: its interpreter."""
    options = ["--format=json", "--with-license-file", "--no-license-path", "--with-system", "--from=mixed"]
    listed = _run([tools / "pip-licenses", f"--python={environment}", *options])
    rows = json.loads(listed)
    return [Package("pypi", row["Name"], row["Version"], row["License"], row["LicenseText"].strip()) for row in rows]


def bundled_packages(listing: Path) -> list[Package]:
    """Return the npm packages whose code is in the VS Code bundle."""
    rows = json.loads(listing.read_text(encoding="utf-8"))
    return [Package("npm", row["name"], row["version"], row["licence"], row["text"]) for row in rows]


def licence_text(packages: Sequence[Package]) -> str:
    """Return the licences of all packages as one text. Raises ValueError where a package names no licence."""
    unknown = [package.name for package in packages if package.licence in ("", "UNKNOWN")]
    if unknown:
        raise ValueError(f"no licence is known of {', '.join(unknown)}")
    parts = ["Licences of what is shipped and installed with Scry.\n"]
    for registry, name, version, licence, text in sorted(packages):
        has_text = text and text != "UNKNOWN"
        parts.append(f"{_RULE}\n{name} {version} ({registry}): {licence}\n")
        parts.append(f"{text}\n" if has_text else "(the package holds no text of its licence)\n")
    return "\n".join(parts)


def write_bill_of_materials(
    tools: Path, environment: Path, bundled: Sequence[Package], version: str, epoch: int, path: Path
) -> None:
    """Write the CycloneDX bill of materials: the environment by cyclonedx-py, and the packages of the bundle.

    epoch: the time and the seed of the serial number, so that the same release has the same bytes.
    """
    options = ["--output-reproducible", "--spec-version", "1.6", "--output-format", "JSON"]
    document: dict[str, Any] = json.loads(_run([tools / "cyclonedx-py", "environment", *options, environment]))
    document["metadata"]["timestamp"] = datetime.fromtimestamp(epoch, timezone.utc).isoformat()
    document["serialNumber"] = uuid.uuid5(uuid.NAMESPACE_URL, f"scry-{version}-{epoch}").urn
    document["metadata"]["component"] = {"type": "application", "name": "scry", "version": version, "bom-ref": "scry"}
    for component in document["components"]:  # not the place on this machine that the wheel was installed from
        references = component.get("externalReferences", [])
        component["externalReferences"] = [each for each in references if not each["url"].startswith("file:")]
    document["components"] += [_component(package) for package in bundled]
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")


def _component(package: Package) -> dict[str, Any]:
    purl = f"pkg:npm/{package.name.replace('@', '%40')}@{package.version}"
    return {
        "type": "library",
        "bom-ref": purl,
        "name": package.name,
        "version": package.version,
        "purl": purl,
        "licenses": [{"license": {"id": package.licence}}],
    }


def _run(command: Sequence[str | Path]) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, encoding="utf-8").stdout
