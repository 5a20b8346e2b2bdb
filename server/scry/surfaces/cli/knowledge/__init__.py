"""Commands for what people and teams write down: belief, persona, memory, observe, hook and session."""
