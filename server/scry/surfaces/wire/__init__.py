"""Between JSON and the protocol's messages, for every surface that takes requests. No ranking, no transport.

params      what was asked, decoded and refused by the field's name
errors      an error as programs read it
calls       every mode that a program may ask for, bound to the projects' engines
desk        where they are answered: so many at a time, none for ever
journal     what a server writes of its requests
schema      the protocol's own JSON Schema, as MCP and HTTP describe themselves by it
extras      parts of the package that are installed on demand
"""
