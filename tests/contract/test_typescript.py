"""The TypeScript compiler itself judges every sample against the generated interfaces, all in one run."""

from __future__ import annotations

import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from scry_protocol.methods import METHODS
from scry_protocol.version import PROTOCOL
from tests.contract.samples import BY_NAME, INVALID, ROOT, SAMPLES, VALID, Sample, each

pytestmark = [pytest.mark.slow, pytest.mark.needs("node", "typescript")]

CLIENT = ROOT / "editor" / "vscode"
MODULE = CLIENT / "src" / "generated" / "protocol.js"
TSC = CLIENT / "node_modules" / ".bin" / "tsc"

_DIAGNOSTIC = re.compile(r"(?P<file>\S+)\.ts\(\d+,\d+\): error TS\d+: .*")

Diagnostics = Mapping[str, Sequence[str]]


@pytest.fixture(scope="module")
def diagnostics(tmp_path_factory: pytest.TempPathFactory) -> Diagnostics:
    """Return the compiler's errors, by the file's name without its ending."""
    folder = tmp_path_factory.mktemp("typescript")
    for sample in SAMPLES:
        (folder / f"{file_name(sample)}.ts").write_text(source(sample), encoding="utf-8")
    (folder / "constants.ts").write_text(constants(), encoding="utf-8")
    settings = {"extends": (CLIENT / "tsconfig.json").as_posix(), "include": ["*.ts"]}
    (folder / "tsconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    return compile_folder(folder)


def compile_folder(folder: Path) -> Diagnostics:
    command = [str(TSC), "--project", ".", "--pretty", "false"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)
    errors: dict[str, list[str]] = defaultdict(list)
    for line in run.stdout.splitlines():
        if found := _DIAGNOSTIC.fullmatch(line):
            errors[found["file"]].append(line)
        else:
            assert line.startswith(" "), run.stdout + run.stderr
    assert bool(errors) == bool(run.returncode), run.stdout + run.stderr
    return errors


def file_name(sample: Sample) -> str:
    return sample.id.replace("/", ".")


def source(sample: Sample) -> str:
    """Return a program that is right where the sample is of its type. JSON is TypeScript, too."""
    imported = f'import type {{ Notifications, Requests }} from "{MODULE.as_posix()}";'
    written = f"{imported}\nconst sample = {sample.data.decode().strip()}"
    if sample.newer:  # an assigned variable may have more fields than its type, as a decoded message may
        return f"{written};\nexport const checked: {type_name(sample)} = sample;\n"
    return f"{written} satisfies {type_name(sample)};\nexport {{ sample }};\n"


def type_name(sample: Sample) -> str:
    if BY_NAME[sample.method].result is None:
        return f'Notifications["{sample.method}"]'
    return f'Requests["{sample.method}"]["{sample.role}"]'


def constants() -> str:
    names = " | ".join(f'"{method.name}"' for method in METHODS)
    return f"""\
import {{ type Notifications, PROTOCOL, type Requests, methods }} from "{MODULE.as_posix()}";
export const version: {PROTOCOL} = PROTOCOL;
type Named = (typeof methods)[keyof typeof methods];
export const everyName = null as unknown as Named satisfies {names};
export const everyKey = null as unknown as keyof Requests | keyof Notifications satisfies Named;
export const known = null as unknown as {names} satisfies Named & (keyof Requests | keyof Notifications);
"""


def is_beyond_typescript(sample: Sample) -> bool:
    return "out-of-range" in sample.what or sample.what.endswith("-fraction")


def test_version_and_names_are_the_protocols(diagnostics: Diagnostics) -> None:
    assert diagnostics.get("constants", []) == []


def test_client_compiles() -> None:
    assert compile_folder(CLIENT) == {}


@each(VALID)
def test_valid_sample_has_its_type(diagnostics: Diagnostics, sample: Sample) -> None:
    assert diagnostics.get(file_name(sample), []) == []


@each(sample for sample in INVALID if not is_beyond_typescript(sample))
def test_invalid_sample_does_not_compile(diagnostics: Diagnostics, sample: Sample) -> None:
    assert diagnostics.get(file_name(sample))


@each(sample for sample in INVALID if is_beyond_typescript(sample))
def test_types_miss_only_ranges_and_fractions(diagnostics: Diagnostics, sample: Sample) -> None:
    assert diagnostics.get(file_name(sample), []) == []
