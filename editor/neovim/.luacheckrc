std = "luajit"
cache = false
max_line_length = 120
read_globals = { "vim", "MiniTest" }
exclude_files = { "**/generated/*" }

-- Options are set by assignment.
globals = { "vim.bo", "vim.wo", "vim.b", "vim.o", "vim.g", "vim.opt", "vim.ui" }
