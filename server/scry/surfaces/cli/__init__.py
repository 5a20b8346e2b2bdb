"""The command line: `scry "<question>"` and the commands beside it, one file for each group of commands.

run               from an argv to an exit status; asks a plain question without the option parser
commands          table of the commands, each imported on demand
app               the option parser, shell completion
options           options of many commands         question_options  options of the commands that ask a question
answering         asks a question, prints the answer
engines           finds the project that a command means and opens its engine
output            JSON, text and errors on standard output and error
progress          progress bars on standard error
clients/          configuration files of agents' clients, for `scry mcp install`

People wait for `find`: a module on its way imports nothing that it does not need.
"""
