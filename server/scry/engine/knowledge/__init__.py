"""Beliefs, persona notes and memory: recording and browsing them."""
