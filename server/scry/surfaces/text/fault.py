"""What could not answer, in words for a person."""

from __future__ import annotations

from scry_protocol.messages import Fault


def describe_fault(fault: Fault) -> str:
    """Which oracle or project could not answer, and why: `semantic of lib could not answer: …`."""
    if not fault.oracle:
        return f"{fault.project} could not be asked: {fault.message}"
    of = f" of {fault.project}" if fault.project else ""
    return f"{fault.oracle}{of} could not answer: {fault.message}"
