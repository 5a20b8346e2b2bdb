"""Check, save, back up and restore the files that can't be made again."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.store.precious.backups import is_backup_due as is_backup_due
    from scry.store.precious.backups import list_backups as list_backups
    from scry.store.precious.backups import make_backup as make_backup
    from scry.store.precious.backups import restore_backup as restore_backup
    from scry.store.precious.file import PreciousFile as PreciousFile
    from scry.store.precious.salvage import describe_file_damage as describe_file_damage
    from scry.store.precious.salvage import ensure_intact as ensure_intact
    from scry.store.precious.salvage import list_kept_files as list_kept_files
else:
    _MODULES = {
        "PreciousFile": "file",
        "describe_file_damage": "salvage",
        "ensure_intact": "salvage",
        "is_backup_due": "backups",
        "list_backups": "backups",
        "list_kept_files": "salvage",
        "make_backup": "backups",
        "restore_backup": "backups",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
