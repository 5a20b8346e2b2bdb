"""Text to vectors: the bundled static model, or any sentence-transformers model."""

# Written by `python -m tests.gates.faces`: the names that others import from this package, imported when used.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from scry.embedding.attribution import attribute_cosine as attribute_cosine
    from scry.embedding.embedder import Embedder as Embedder
    from scry.embedding.embedder import Passage as Passage
    from scry.embedding.embedder import Vectors as Vectors
    from scry.embedding.static_model import FieldWeights as FieldWeights
    from scry.embedding.static_model import StaticModel as StaticModel
    from scry.embedding.static_model import Tokenizer as Tokenizer
    from scry.embedding.static_model import content_words as content_words
    from scry.embedding.static_model import load_bundled_model as load_bundled_model
    from scry.embedding.static_model import path_text as path_text
    from scry.embedding.static_model import split_words as split_words
    from scry.embedding.transformer_model import TransformerModel as TransformerModel
    from scry.embedding.transformer_model import choose_prefixes as choose_prefixes
    from scry.embedding.transformer_model import find_model as find_model
    from scry.embedding.transformer_model import passage_text as passage_text
else:
    _MODULES = {
        "Embedder": "embedder",
        "FieldWeights": "static_model",
        "Passage": "embedder",
        "StaticModel": "static_model",
        "Tokenizer": "static_model",
        "TransformerModel": "transformer_model",
        "Vectors": "embedder",
        "attribute_cosine": "attribution",
        "choose_prefixes": "transformer_model",
        "content_words": "static_model",
        "find_model": "transformer_model",
        "load_bundled_model": "static_model",
        "passage_text": "transformer_model",
        "path_text": "static_model",
        "split_words": "static_model",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
