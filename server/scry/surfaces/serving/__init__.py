"""What the servers share: params, schema, calls, limits, tokens, replies."""
