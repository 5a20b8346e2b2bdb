"""The only code that speaks SQL, tantivy or vectors on disk."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.store.answers import ANSWERS_FILE as ANSWERS_FILE
    from scry.store.answers import MAX_ANSWERS as MAX_ANSWERS
    from scry.store.answers import AnswerStore as AnswerStore
    from scry.store.blobs import BlobCache as BlobCache
    from scry.store.blobs import read_cached_blob as read_cached_blob
    from scry.store.blobs import split_into_batches as split_into_batches
    from scry.store.graph import Confidence as Confidence
    from scry.store.graph import Edge as Edge
    from scry.store.graph import EdgeKind as EdgeKind
    from scry.store.graph_store import DEFINITION_DTYPE as DEFINITION_DTYPE
    from scry.store.graph_store import IDENTITY_HASH_BYTES as IDENTITY_HASH_BYTES
    from scry.store.graph_store import pack_definitions as pack_definitions
    from scry.store.graph_store import unpack_definitions as unpack_definitions
    from scry.store.lexical import LexicalEntry as LexicalEntry
    from scry.store.lexical import LexicalIndex as LexicalIndex
    from scry.store.registry import RegistryStore as RegistryStore
    from scry.store.vector_sets import FULL_LENGTH_LINES as FULL_LENGTH_LINES
    from scry.store.vector_sets import EmbedderInfo as EmbedderInfo
    from scry.store.vector_sets import EmbedderMismatch as EmbedderMismatch
    from scry.store.vector_sets import VectorSet as VectorSet
    from scry.store.vector_sets import VectorSets as VectorSets
    from scry.store.vectors import MAX_QUANTIZED as MAX_QUANTIZED
    from scry.store.vectors import MIN_SCALE as MIN_SCALE
    from scry.store.vectors import FloatRows as FloatRows
    from scry.store.vectors import VectorFile as VectorFile
    from scry.store.vectors import pack_blocks as pack_blocks
    from scry.store.vectors import quantize as quantize
    from scry.store.vectors import rotate as rotate
    from scry.store.vectors import unpack_block as unpack_block
else:
    _MODULES = {
        "ANSWERS_FILE": "answers",
        "AnswerStore": "answers",
        "BlobCache": "blobs",
        "Confidence": "graph",
        "DEFINITION_DTYPE": "graph_store",
        "Edge": "graph",
        "EdgeKind": "graph",
        "EmbedderInfo": "vector_sets",
        "EmbedderMismatch": "vector_sets",
        "FloatRows": "vectors",
        "IDENTITY_HASH_BYTES": "graph_store",
        "LexicalEntry": "lexical",
        "LexicalIndex": "lexical",
        "MAX_ANSWERS": "answers",
        "MAX_QUANTIZED": "vectors",
        "FULL_LENGTH_LINES": "vector_sets",
        "MIN_SCALE": "vectors",
        "RegistryStore": "registry",
        "VectorFile": "vectors",
        "VectorSet": "vector_sets",
        "VectorSets": "vector_sets",
        "pack_blocks": "vectors",
        "pack_definitions": "graph_store",
        "quantize": "vectors",
        "read_cached_blob": "blobs",
        "rotate": "vectors",
        "split_into_batches": "blobs",
        "unpack_block": "vectors",
        "unpack_definitions": "graph_store",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
