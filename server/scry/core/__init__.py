"""Pure values: types, errors, settings, text, clock. Imports nothing of ours."""
