"""The sidecar: JSON-RPC frames on standard input and output, as every LSP editor speaks them.

stdio -> guard -> envelope -> protocol -> server -> folders -> engine, and back through landing and protocol to stdio.
Only this package knows pygls. Importing it costs a third of a second, so nothing outside imports it but `scry lsp`.
"""
