"""The ranking pipeline: query -> retrieve -> fusion -> boosts -> results."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.engine.search.boosts import max_boost as max_boost
    from scry.engine.search.document_boosts import MENTIONED_NAME_FACTOR as MENTIONED_NAME_FACTOR
    from scry.engine.search.document_boosts import NAME_IN_QUESTION_FACTOR as NAME_IN_QUESTION_FACTOR
    from scry.engine.search.fusion import WORTHY_SHARE as WORTHY_SHARE
    from scry.engine.search.fusion import PlaceRules as PlaceRules
    from scry.engine.search.fusion import fuse_matches as fuse_matches
    from scry.engine.search.fusion import fused_score_ceiling as fused_score_ceiling
    from scry.engine.search.fusion import rank_with_boosts as rank_with_boosts
    from scry.engine.search.pipeline import BASE_ORACLE_WEIGHTS as BASE_ORACLE_WEIGHTS
    from scry.engine.search.pipeline import Ranking as Ranking
    from scry.engine.search.pipeline import Retrieval as Retrieval
    from scry.engine.search.pipeline import rank_candidates as rank_candidates
    from scry.engine.search.query import INTENT_WEIGHT_FACTORS as INTENT_WEIGHT_FACTORS
    from scry.engine.search.query import detect_intent as detect_intent
    from scry.engine.search.query import parse_query as parse_query
    from scry.engine.search.results import find_hidden_repeats as find_hidden_repeats
else:
    _MODULES = {
        "BASE_ORACLE_WEIGHTS": "pipeline",
        "INTENT_WEIGHT_FACTORS": "query",
        "MENTIONED_NAME_FACTOR": "document_boosts",
        "NAME_IN_QUESTION_FACTOR": "document_boosts",
        "PlaceRules": "fusion",
        "Ranking": "pipeline",
        "Retrieval": "pipeline",
        "WORTHY_SHARE": "fusion",
        "detect_intent": "query",
        "find_hidden_repeats": "results",
        "fuse_matches": "fusion",
        "fused_score_ceiling": "fusion",
        "max_boost": "boosts",
        "parse_query": "query",
        "rank_candidates": "pipeline",
        "rank_with_boosts": "fusion",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
