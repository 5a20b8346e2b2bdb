"""The contract of all clients: samples mean the same in Python, JSON Schema, TypeScript and Lua."""
