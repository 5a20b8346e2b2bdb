"""The command line: `scry "<question>"` and the commands beside it, one file each.

app         the table of commands, and from an argv to an exit status
options     options that several commands have           opening    the engine of the project that a command means
output      what goes to standard output and error        colours   whether and how text is coloured
progress    a progress bar, for those who wait

`find` is what people wait for: nothing that it does not need is imported on its way.
"""
