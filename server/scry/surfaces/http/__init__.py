"""Scry over HTTP, for programs on this machine: POST /scry, GET /health, GET /openapi.json.

body      which mode a request asks for, and its params      app      the paths, bound to the projects
openapi   the interface described, made of the protocol's own schema
"""
