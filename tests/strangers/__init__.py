"""An untrusted repository, in everything that it can say."""
