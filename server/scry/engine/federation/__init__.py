"""Choose the projects that answer a question, ask them, and merge their answers by rank."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.engine.federation.engine_pool import EnginePool as EnginePool
    from scry.engine.federation.engine_pool import make_engine_opener as make_engine_opener
    from scry.engine.federation.rank_merge import KeyedMatches as KeyedMatches
    from scry.engine.federation.rank_merge import rank_across_projects as rank_across_projects
    from scry.engine.federation.rank_merge import rank_among_all as rank_among_all
    from scry.engine.federation.router import ProjectRouter as ProjectRouter
    from scry.engine.federation.selection import ProjectSelection as ProjectSelection
    from scry.engine.federation.selection import select_projects as select_projects
    from scry.engine.federation.team_browse import browse_team as browse_team
    from scry.engine.federation.team_browse import relate_repositories as relate_repositories
    from scry.engine.federation.team_browse import view_repository as view_repository
    from scry.engine.federation.team_results import TeamAnswer as TeamAnswer
    from scry.engine.federation.team_search import TeamRetrieval as TeamRetrieval
    from scry.engine.federation.team_search import retrieve_from_team as retrieve_from_team
    from scry.engine.federation.workspace import HomeWorkspace as HomeWorkspace
else:
    _MODULES = {
        "EnginePool": "engine_pool",
        "HomeWorkspace": "workspace",
        "KeyedMatches": "rank_merge",
        "ProjectRouter": "router",
        "ProjectSelection": "selection",
        "TeamAnswer": "team_results",
        "TeamRetrieval": "team_search",
        "browse_team": "team_browse",
        "make_engine_opener": "engine_pool",
        "rank_across_projects": "rank_merge",
        "rank_among_all": "rank_merge",
        "relate_repositories": "team_browse",
        "retrieve_from_team": "team_search",
        "select_projects": "selection",
        "view_repository": "team_browse",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
