"""The language server (the sidecar): JSON-RPC frames on standard input and output.

startup -> process -> framing -> protocol -> server -> session -> engine.federation.router, and back through locations
and protocol to framing. Only this package knows pygls. Importing it costs a third of a second, so nothing outside
imports it but `scry lsp`.
"""
