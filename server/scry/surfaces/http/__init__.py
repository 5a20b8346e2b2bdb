"""Scry over HTTP, for programs on this machine: POST /scry, GET /health, GET /openapi.json.

server    the paths, bound to the router
openapi   the description of the interface, built from the protocol's own schema
"""
