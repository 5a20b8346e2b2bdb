"""The command line of the generator.

python -m protocol.generate                              writes every generated file that is not up to date
python -m protocol.generate --check                      fails where one is stale, or breaks with a released schema
python -m protocol.generate --check-compatible SCHEMA    fails where the protocol breaks with that schema.json
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from protocol.generate import outputs, schema
from protocol.generate.compatible import complaints
from protocol.generate.model import Protocol
from protocol.generate.read import read_protocol

RELEASED = Path("protocol/released")
"""A copy of each released schema.json, named by its release."""


def main(arguments: Sequence[str], root: Path = outputs.ROOT) -> int:
    """Run the generator; return the exit status: 0, or 1 with the reasons on stderr."""
    parser = argparse.ArgumentParser(
        "python -m protocol.generate", description="Writes the protocol's generated forms."
    )
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--check", action="store_true", help="write nothing; fail where a file is stale")
    only.add_argument("--check-compatible", type=Path, metavar="SCHEMA", help="an older schema.json to compare with")
    options = parser.parse_args(arguments)
    protocol = read_protocol()
    if options.check_compatible:
        return _report(_breaks_with(options.check_compatible, protocol))
    if options.check:
        return _report(_check(protocol, root))
    for name in outputs.write(protocol, root):
        print(f"wrote {name}")
    return 0


def _check(protocol: Protocol, root: Path) -> list[str]:
    stale = [f"{name} is stale: run `make protocol`" for name in outputs.stale(protocol, root)]
    released = sorted((root / RELEASED).glob("*.json"))
    return stale + [reason for path in released for reason in _breaks_with(path, protocol)]


def _breaks_with(path: Path, protocol: Protocol) -> list[str]:
    try:
        old = schema.parse(path.read_bytes())
    except (OSError, msgspec.DecodeError) as error:
        return [f"{path} can't be read as a schema: {error}"]
    found = complaints(old, schema.build(protocol))
    hint = "raise PROTOCOL in protocol/scry_protocol/version.py, or make the change additive"
    return [f"{path}: {reason}" for reason in found] + ([hint] if found else [])


def _report(reasons: Sequence[str]) -> int:
    for reason in reasons:
        print(reason, file=sys.stderr)
    return 1 if reasons else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
