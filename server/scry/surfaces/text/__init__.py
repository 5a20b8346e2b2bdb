"""Answers and states as text, for every surface that shows text. Pure: from the wire's messages to lines.

printable   makes foreign text safe to show          width     cuts and wraps by what characters take up on a screen
line        a line as pieces with a style            state     what is to be said of an index
results     one line a result, for a person (X1)     explain   the figures behind a result (X2)
prompt      grouped by kind, for a language model (J7)   clipboard what a copied result is on the clipboard
"""
