"""Render answers, explanations and states as text, Markdown and HTML."""
