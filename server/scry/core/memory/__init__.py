"""Memory: recorded work, failures and decisions. Pure values and the rules for them.

types      work sessions, pieces of work, memories
masking    secrets, masked before anything is stored
summary    search terms of a memory, and summaries made without a model
purpose    the purpose of a query for memory
ranking    four signals and their weights, and the reason of a rank in words
"""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.core.memory.masking import MAX_LINE_LENGTH as MAX_LINE_LENGTH
    from scry.core.memory.masking import mask_secrets as mask_secrets
    from scry.core.memory.purpose import RecallPurpose as RecallPurpose
    from scry.core.memory.purpose import parse_memory_query as parse_memory_query
    from scry.core.memory.ranking import DEFAULT_SIGNAL_WEIGHTS as DEFAULT_SIGNAL_WEIGHTS
    from scry.core.memory.ranking import HALF_LIFE_MS as HALF_LIFE_MS
    from scry.core.memory.ranking import MAX_REASON_LENGTH as MAX_REASON_LENGTH
    from scry.core.memory.ranking import SCOPE_SIGNALS as SCOPE_SIGNALS
    from scry.core.memory.ranking import RecallContext as RecallContext
    from scry.core.memory.ranking import RecalledMemory as RecalledMemory
    from scry.core.memory.ranking import explain_recall as explain_recall
    from scry.core.memory.ranking import main_signal as main_signal
    from scry.core.memory.ranking import rank_memories as rank_memories
    from scry.core.memory.ranking import term_rarity as term_rarity
    from scry.core.memory.secret_names import MASK as MASK
    from scry.core.memory.summary import summarize_work as summarize_work
    from scry.core.memory.types import CAPTURED_KINDS as CAPTURED_KINDS
    from scry.core.memory.types import MEMORY_KINDS as MEMORY_KINDS
    from scry.core.memory.types import Memory as Memory
    from scry.core.memory.types import MemoryKind as MemoryKind
    from scry.core.memory.types import MemoryScope as MemoryScope
    from scry.core.memory.types import Observation as Observation
else:
    _MODULES = {
        "CAPTURED_KINDS": "types",
        "DEFAULT_SIGNAL_WEIGHTS": "ranking",
        "HALF_LIFE_MS": "ranking",
        "MASK": "secret_names",
        "MAX_LINE_LENGTH": "masking",
        "MAX_REASON_LENGTH": "ranking",
        "MEMORY_KINDS": "types",
        "Memory": "types",
        "MemoryKind": "types",
        "MemoryScope": "types",
        "Observation": "types",
        "RecallContext": "ranking",
        "RecallPurpose": "purpose",
        "RecalledMemory": "ranking",
        "SCOPE_SIGNALS": "ranking",
        "explain_recall": "ranking",
        "main_signal": "ranking",
        "mask_secrets": "masking",
        "parse_memory_query": "purpose",
        "rank_memories": "ranking",
        "summarize_work": "summary",
        "term_rarity": "ranking",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
