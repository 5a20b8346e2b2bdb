"""The indexer process, the only writer of an index, and its clients."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.indexer.embed import AdaptiveBatchSize as AdaptiveBatchSize
    from scry.indexer.embed import embed_missing_documents as embed_missing_documents
    from scry.indexer.embed import embed_missing_notes_of as embed_missing_notes_of
    from scry.indexer.embed import embedder_info as embedder_info
    from scry.indexer.embedding_worker import TimeLeftEstimator as TimeLeftEstimator
    from scry.indexer.embedding_worker import describe_duration as describe_duration
    from scry.indexer.embedding_worker import describe_embedding_progress as describe_embedding_progress
    from scry.indexer.freshness import describe_other_version as describe_other_version
    from scry.indexer.freshness import index_format_version as index_format_version
    from scry.indexer.freshness import is_index_current as is_index_current
    from scry.indexer.freshness import is_newer_format as is_newer_format
    from scry.indexer.freshness import read_outside_rules as read_outside_rules
    from scry.indexer.freshness import remove_fingerprint as remove_fingerprint
    from scry.indexer.freshness import write_fingerprint as write_fingerprint
    from scry.indexer.history_worker import HistoryWorker as HistoryWorker
    from scry.indexer.lifetime import LINGER_S as LINGER_S
    from scry.indexer.lifetime import IndexerLock as IndexerLock
    from scry.indexer.lifetime import linger_seconds as linger_seconds
    from scry.indexer.loop import describe_indexing_failure as describe_indexing_failure
    from scry.indexer.prefetch import Prefetcher as Prefetcher
    from scry.indexer.prefetch import fork_prefetcher as fork_prefetcher
    from scry.indexer.process import normalize_path as normalize_path
    from scry.indexer.protocol import ClientMessage as ClientMessage
    from scry.indexer.protocol import ControlRequest as ControlRequest
    from scry.indexer.protocol import EncodeReply as EncodeReply
    from scry.indexer.protocol import EncodeRequest as EncodeRequest
    from scry.indexer.protocol import EndRequest as EndRequest
    from scry.indexer.protocol import Hello as Hello
    from scry.indexer.protocol import IndexerMessage as IndexerMessage
    from scry.indexer.protocol import InvalidMessage as InvalidMessage
    from scry.indexer.protocol import LineSplitter as LineSplitter
    from scry.indexer.protocol import NewestCommitsRequest as NewestCommitsRequest
    from scry.indexer.protocol import PathsChanged as PathsChanged
    from scry.indexer.protocol import ReplacedMessage as ReplacedMessage
    from scry.indexer.protocol import SettingsOverrides as SettingsOverrides
    from scry.indexer.protocol import StateMessage as StateMessage
    from scry.indexer.protocol import StateRequest as StateRequest
    from scry.indexer.protocol import SyncReply as SyncReply
    from scry.indexer.protocol import SyncRequest as SyncRequest
    from scry.indexer.protocol import Welcome as Welcome
    from scry.indexer.protocol import decode_changed_paths as decode_changed_paths
    from scry.indexer.protocol import decode_client_message as decode_client_message
    from scry.indexer.protocol import decode_indexer_message as decode_indexer_message
    from scry.indexer.protocol import encode_message as encode_message
    from scry.indexer.protocol import make_paths_changed as make_paths_changed
    from scry.indexer.refresh import refresh_index as refresh_index
    from scry.indexer.schedule import MAX_CHANGED_PATHS as MAX_CHANGED_PATHS
    from scry.indexer.schedule import MAX_DEBOUNCE_S as MAX_DEBOUNCE_S
    from scry.indexer.schedule import MAX_PRIORITY_FILES as MAX_PRIORITY_FILES
    from scry.indexer.schedule import MIN_INTERRUPT_INTERVAL_S as MIN_INTERRUPT_INTERVAL_S
    from scry.indexer.schedule import RETRY_AFTER_CHANGE_S as RETRY_AFTER_CHANGE_S
    from scry.indexer.schedule import SAVED_DEBOUNCE_S as SAVED_DEBOUNCE_S
    from scry.indexer.schedule import IndexingTask as IndexingTask
    from scry.indexer.schedule import Schedule as Schedule
    from scry.indexer.server import STATE_PUSH_INTERVAL_S as STATE_PUSH_INTERVAL_S
    from scry.indexer.server import IndexerServer as IndexerServer
    from scry.indexer.status import IndexerStatus as IndexerStatus
    from scry.indexer.watch import file_system_type as file_system_type
    from scry.indexer.watch import why_not_watchable as why_not_watchable
else:
    _MODULES = {
        "AdaptiveBatchSize": "embed",
        "ClientMessage": "protocol",
        "ControlRequest": "protocol",
        "EncodeReply": "protocol",
        "EncodeRequest": "protocol",
        "EndRequest": "protocol",
        "Hello": "protocol",
        "HistoryWorker": "history_worker",
        "IndexerLock": "lifetime",
        "IndexerMessage": "protocol",
        "IndexerServer": "server",
        "IndexerStatus": "status",
        "IndexingTask": "schedule",
        "InvalidMessage": "protocol",
        "LINGER_S": "lifetime",
        "LineSplitter": "protocol",
        "MAX_CHANGED_PATHS": "schedule",
        "MAX_DEBOUNCE_S": "schedule",
        "MAX_PRIORITY_FILES": "schedule",
        "MIN_INTERRUPT_INTERVAL_S": "schedule",
        "NewestCommitsRequest": "protocol",
        "PathsChanged": "protocol",
        "Prefetcher": "prefetch",
        "RETRY_AFTER_CHANGE_S": "schedule",
        "ReplacedMessage": "protocol",
        "SAVED_DEBOUNCE_S": "schedule",
        "STATE_PUSH_INTERVAL_S": "server",
        "Schedule": "schedule",
        "SettingsOverrides": "protocol",
        "StateMessage": "protocol",
        "StateRequest": "protocol",
        "SyncReply": "protocol",
        "SyncRequest": "protocol",
        "TimeLeftEstimator": "embedding_worker",
        "Welcome": "protocol",
        "decode_changed_paths": "protocol",
        "decode_client_message": "protocol",
        "decode_indexer_message": "protocol",
        "describe_duration": "embedding_worker",
        "describe_embedding_progress": "embedding_worker",
        "describe_indexing_failure": "loop",
        "describe_other_version": "freshness",
        "embed_missing_documents": "embed",
        "embed_missing_notes_of": "embed",
        "embedder_info": "embed",
        "encode_message": "protocol",
        "file_system_type": "watch",
        "fork_prefetcher": "prefetch",
        "index_format_version": "freshness",
        "is_index_current": "freshness",
        "is_newer_format": "freshness",
        "linger_seconds": "lifetime",
        "make_paths_changed": "protocol",
        "normalize_path": "process",
        "read_outside_rules": "freshness",
        "refresh_index": "refresh",
        "remove_fingerprint": "freshness",
        "why_not_watchable": "watch",
        "write_fingerprint": "freshness",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
