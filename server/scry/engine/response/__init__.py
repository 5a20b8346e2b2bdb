"""Convert domain values into wire messages, and render notices."""
