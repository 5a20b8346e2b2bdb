"""What was done, what failed, what was decided in a project: `memory.sqlite` in its data folder.

migrations  its tables                          store       noting, and what is kept of sessions
rows        values from rows and back           sessions    which session something belongs to
recall      what a question finds in it         forget      taking out for good
shelf       what of it stands beside code       reader      looking at it
"""
