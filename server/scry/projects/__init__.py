"""A project's identity, its places on disk, and the registry of projects."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.projects.disk_usage import DiskItemKind as DiskItemKind
    from scry.projects.disk_usage import disk_size as disk_size
    from scry.projects.disk_usage import list_all_items as list_all_items
    from scry.projects.disk_usage import list_cache_items as list_cache_items
    from scry.projects.disk_usage import list_index_items as list_index_items
    from scry.projects.disk_usage import list_project_items as list_project_items
    from scry.projects.disk_usage import remove_items as remove_items
    from scry.projects.indexer_address import ADDRESS_FILE as ADDRESS_FILE
    from scry.projects.indexer_address import IndexerAddress as IndexerAddress
    from scry.projects.indexer_address import connect_to as connect_to
    from scry.projects.indexer_address import open_listening_socket as open_listening_socket
    from scry.projects.indexer_address import publish_address as publish_address
    from scry.projects.indexer_address import read_address as read_address
    from scry.projects.indexer_address import remove_address as remove_address
    from scry.projects.project import Project as Project
    from scry.projects.project import create_data_folder as create_data_folder
    from scry.projects.project import find_project_root as find_project_root
    from scry.projects.project import head_commit as head_commit
    from scry.projects.project import open_project as open_project
    from scry.projects.project import project_key as project_key
    from scry.projects.project import read_owner_file as read_owner_file
    from scry.projects.project import write_owner_file as write_owner_file
    from scry.projects.registration import add_project as add_project
    from scry.projects.registration import describe_unknown_project as describe_unknown_project
    from scry.projects.registration import open_registry as open_registry
    from scry.projects.registration import remove_project as remove_project
    from scry.projects.registration import update_project as update_project
else:
    _MODULES = {
        "ADDRESS_FILE": "indexer_address",
        "DiskItemKind": "disk_usage",
        "IndexerAddress": "indexer_address",
        "Project": "project",
        "add_project": "registration",
        "connect_to": "indexer_address",
        "create_data_folder": "project",
        "describe_unknown_project": "registration",
        "disk_size": "disk_usage",
        "find_project_root": "project",
        "head_commit": "project",
        "list_all_items": "disk_usage",
        "list_cache_items": "disk_usage",
        "list_index_items": "disk_usage",
        "list_project_items": "disk_usage",
        "open_listening_socket": "indexer_address",
        "open_project": "project",
        "open_registry": "registration",
        "project_key": "project",
        "publish_address": "indexer_address",
        "read_address": "indexer_address",
        "read_owner_file": "project",
        "remove_address": "indexer_address",
        "remove_items": "disk_usage",
        "remove_project": "registration",
        "update_project": "registration",
        "write_owner_file": "project",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
