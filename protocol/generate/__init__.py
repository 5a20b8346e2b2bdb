"""The generator of the protocol's forms in the clients' languages; run as `python -m protocol.generate`."""
