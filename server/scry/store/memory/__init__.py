"""The memory of a project: observations, failures and decisions, in `memory.sqlite` of its data folder.

schema      tables and rows                     store       recording and forgetting
sessions    sessions and pieces of work         postings    words and candidates of a query
search      ranking, memories as results        reader      listing
"""
