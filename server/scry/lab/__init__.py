"""Evaluation of the engine: metrics over a set of queries, ablations, and comparisons of runs.

Nothing here ranks, stores an answer or writes to the log.
"""
