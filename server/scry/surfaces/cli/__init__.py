"""The command line: `scry "<question>"` and the commands beside it, one file each.

run         from an argv to an exit status               commands   the table of commands
plain       a question without options                   app        the parser, for all else
options     options that several commands have           opening    the engine of the project that a command means
asking      options of those that ask                    answering  a question is asked, and its answer shown
output      what goes to standard output and error        colours   whether and how text is coloured
progress    a progress bar, for those who wait

`find` is what people wait for: nothing that it does not need is imported on its way.
"""
