"""What was done, what failed, what was decided: the values of memory, and all that is decided about them. Pure.

types                   sessions, pieces of work, memories
masking, secret_forms   secrets, taken out before anything is kept
words                   by which words a memory is found
purpose                 what a question wants of memory
ranking                 four signals and their weights
reason                  why a memory has its place, in words
digest                  a summary, made without a model
"""
