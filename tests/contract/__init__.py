"""What every client may rely on: the samples mean the same in Python, JSON Schema, TypeScript and Lua."""
