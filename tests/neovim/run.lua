-- nvim --headless -u init.lua -l run.lua FILE: runs the cases of a file; the exit status is 1 if one fails.

require("mini.test").setup({ silent = true })
MiniTest.run_file(_G.arg[1], { execute = { reporter = MiniTest.gen_reporter.stdout({ quit_on_finish = true }) } })
