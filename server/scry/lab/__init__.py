"""Judges the engine from outside: figures over a set of questions, what each part is worth, what a change moved.

Nothing here ranks, keeps an answer or writes to the log.
"""
