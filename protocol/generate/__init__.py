"""The protocol in the clients' languages, made from `scry_protocol` alone; run as `python -m protocol.generate`."""
