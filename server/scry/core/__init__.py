"""Pure values: types, errors, settings, text, clock. Imports nothing of ours."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.core.doc_id import DocId as DocId
    from scry.core.doc_id import file_doc_id as file_doc_id
    from scry.core.doc_id import make_doc_id as make_doc_id
    from scry.core.doc_id import new_query_id as new_query_id
    from scry.core.doc_id import parse_doc_id as parse_doc_id
    from scry.core.doc_id import symbol_doc_id as symbol_doc_id
    from scry.core.errors import BadRequest as BadRequest
    from scry.core.errors import BadSettings as BadSettings
    from scry.core.errors import Busy as Busy
    from scry.core.errors import Cancelled as Cancelled
    from scry.core.errors import IndexDamaged as IndexDamaged
    from scry.core.errors import IndexMissing as IndexMissing
    from scry.core.errors import IndexUnavailable as IndexUnavailable
    from scry.core.errors import LogUnavailable as LogUnavailable
    from scry.core.errors import MemoryUnavailable as MemoryUnavailable
    from scry.core.errors import ModelUnavailable as ModelUnavailable
    from scry.core.errors import ProjectMissing as ProjectMissing
    from scry.core.errors import ProjectRefused as ProjectRefused
    from scry.core.errors import RegistryUnavailable as RegistryUnavailable
    from scry.core.errors import TookTooLong as TookTooLong
    from scry.core.errors import UnknownProject as UnknownProject
    from scry.core.events import FEEDBACK as FEEDBACK
    from scry.core.events import QUERY as QUERY
    from scry.core.events import USE as USE
    from scry.core.events import EventFilter as EventFilter
    from scry.core.events import LogEvent as LogEvent
    from scry.core.files import format_size as format_size
    from scry.core.installation import install_command as install_command
    from scry.core.knowledge import FIRST_DOC_KEYS as FIRST_DOC_KEYS
    from scry.core.knowledge import FIRST_KNOWLEDGE_KEY as FIRST_KNOWLEDGE_KEY
    from scry.core.knowledge import Citation as Citation
    from scry.core.knowledge import KnowledgeDocument as KnowledgeDocument
    from scry.core.knowledge import MalformedNote as MalformedNote
    from scry.core.knowledge import NoteFile as NoteFile
    from scry.core.knowledge import note_store_of as note_store_of
    from scry.core.knowledge import parse_citation as parse_citation
    from scry.core.notices import COMMAND_LINE as COMMAND_LINE
    from scry.core.notices import IndexDamage as IndexDamage
    from scry.core.notices import ModelNotReady as ModelNotReady
    from scry.core.notices import Notice as Notice
    from scry.core.path_kinds import classify_path as classify_path
    from scry.core.path_kinds import families_here as families_here
    from scry.core.path_kinds import platform_of_path as platform_of_path
    from scry.core.path_kinds import superseded_paths as superseded_paths
    from scry.core.path_kinds import version_of_path as version_of_path
    from scry.core.platform import cache_home as cache_home
    from scry.core.platform import config_home as config_home
    from scry.core.platform import data_home as data_home
    from scry.core.projects import ProjectLink as ProjectLink
    from scry.core.projects import RegisteredProject as RegisteredProject
    from scry.core.projects import describe_bad_name as describe_bad_name
    from scry.core.projects import suggest_project_name as suggest_project_name
    from scry.core.settings import BUNDLED_MODEL as BUNDLED_MODEL
    from scry.core.settings import SETTING_DEFINITIONS as SETTING_DEFINITIONS
    from scry.core.settings import SettingDefinition as SettingDefinition
    from scry.core.settings import Settings as Settings
    from scry.core.settings import edit_setting_text as edit_setting_text
    from scry.core.settings import load_settings as load_settings
    from scry.core.settings import parse_setting_text as parse_setting_text
    from scry.core.settings import validate_setting as validate_setting
    from scry.core.settings import write_setting as write_setting
    from scry.core.text import content_terms as content_terms
    from scry.core.text import find_identifiers as find_identifiers
    from scry.core.text import normalize_name as normalize_name
    from scry.core.text import query_terms as query_terms
    from scry.core.text import split_source_lines as split_source_lines
    from scry.core.text import tokenize as tokenize
    from scry.core.types import Adjustment as Adjustment
    from scry.core.types import Candidate as Candidate
    from scry.core.types import DocumentHeader as DocumentHeader
    from scry.core.types import FileEvidence as FileEvidence
    from scry.core.types import FileFault as FileFault
    from scry.core.types import FileStructure as FileStructure
    from scry.core.types import IndexingStage as IndexingStage
    from scry.core.types import IndexState as IndexState
    from scry.core.types import OracleMatch as OracleMatch
    from scry.core.types import ParsedFile as ParsedFile
    from scry.core.types import Point as Point
    from scry.core.types import QueryFilter as QueryFilter
    from scry.core.types import QueryIntent as QueryIntent
    from scry.core.types import SearchQuery as SearchQuery
    from scry.core.types import SkippedFile as SkippedFile
    from scry.core.types import SkipReason as SkipReason
    from scry.core.types import Span as Span
    from scry.core.types import Symbol as Symbol
else:
    _MODULES = {
        "Adjustment": "types",
        "BUNDLED_MODEL": "settings",
        "BadRequest": "errors",
        "BadSettings": "errors",
        "Busy": "errors",
        "COMMAND_LINE": "notices",
        "Cancelled": "errors",
        "Candidate": "types",
        "Citation": "knowledge",
        "DocId": "doc_id",
        "DocumentHeader": "types",
        "FileEvidence": "types",
        "EventFilter": "events",
        "FEEDBACK": "events",
        "FIRST_DOC_KEYS": "knowledge",
        "FIRST_KNOWLEDGE_KEY": "knowledge",
        "FileFault": "types",
        "FileStructure": "types",
        "IndexDamage": "notices",
        "IndexDamaged": "errors",
        "IndexMissing": "errors",
        "IndexState": "types",
        "IndexUnavailable": "errors",
        "IndexingStage": "types",
        "KnowledgeDocument": "knowledge",
        "LogEvent": "events",
        "LogUnavailable": "errors",
        "MalformedNote": "knowledge",
        "MemoryUnavailable": "errors",
        "ModelNotReady": "notices",
        "ModelUnavailable": "errors",
        "NoteFile": "knowledge",
        "Notice": "notices",
        "OracleMatch": "types",
        "ParsedFile": "types",
        "Point": "types",
        "ProjectLink": "projects",
        "ProjectMissing": "errors",
        "ProjectRefused": "errors",
        "QUERY": "events",
        "QueryFilter": "types",
        "QueryIntent": "types",
        "RegisteredProject": "projects",
        "RegistryUnavailable": "errors",
        "SETTING_DEFINITIONS": "settings",
        "SearchQuery": "types",
        "SettingDefinition": "settings",
        "Settings": "settings",
        "SkipReason": "types",
        "SkippedFile": "types",
        "Span": "types",
        "Symbol": "types",
        "TookTooLong": "errors",
        "USE": "events",
        "UnknownProject": "errors",
        "cache_home": "platform",
        "classify_path": "path_kinds",
        "config_home": "platform",
        "content_terms": "text",
        "data_home": "platform",
        "describe_bad_name": "projects",
        "edit_setting_text": "settings",
        "families_here": "path_kinds",
        "file_doc_id": "doc_id",
        "find_identifiers": "text",
        "format_size": "files",
        "install_command": "installation",
        "load_settings": "settings",
        "make_doc_id": "doc_id",
        "new_query_id": "doc_id",
        "normalize_name": "text",
        "note_store_of": "knowledge",
        "parse_citation": "knowledge",
        "parse_doc_id": "doc_id",
        "parse_setting_text": "settings",
        "platform_of_path": "path_kinds",
        "query_terms": "text",
        "split_source_lines": "text",
        "suggest_project_name": "projects",
        "superseded_paths": "path_kinds",
        "symbol_doc_id": "doc_id",
        "tokenize": "text",
        "validate_setting": "settings",
        "version_of_path": "path_kinds",
        "write_setting": "settings",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
