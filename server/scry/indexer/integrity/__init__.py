"""Seal what can be made again, and look after what can't."""
