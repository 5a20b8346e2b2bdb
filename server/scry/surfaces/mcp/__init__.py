"""Scry for agents, over the Model Context Protocol. Only this package knows its SDK, which takes a second to import.

tools       the tools: descriptions for a model that has never seen Scry, schemas, checks of arguments
results     results as structured output and text; resources: the index's state, and views of the log
server      tools and resources bound to the SDK, over standard input and output or HTTP
"""
