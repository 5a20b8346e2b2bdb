"""Scry for agents, over the Model Context Protocol. Only this package knows its SDK, which takes a second to import.

tools       what a model is offered, in words for one that has never seen Scry
arguments   what a model asked for, checked          schemas     the tools' schemas, made of the protocol's own
results     answers as structured output and text    resources   the index's state, and views of the log
server      all of it, bound to the SDK              serve       over standard input and output, or over HTTP
"""
