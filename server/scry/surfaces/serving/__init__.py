"""Modules that the servers share: methods (the table), params, schema, projects, limits, tokens, replies, server."""
