"""Changes to texts that their grammars find errors in, named by the languages; see `Language.load_mends`."""
