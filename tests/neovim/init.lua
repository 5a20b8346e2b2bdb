-- The configuration of every Neovim that a test drives: the plugin, and beside it what the test names.
-- NEOVIM_PLUGINS: folders to add, separated by colons. TEST_COMMAND: the sidecar, as JSON; unset: found by itself.

local here = vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, "S").source:sub(2)))
vim.opt.runtimepath:prepend(vim.fs.normalize(here .. "/../../editor/neovim"))
for folder in (os.getenv("NEOVIM_PLUGINS") or ""):gmatch("[^:]+") do
  vim.opt.runtimepath:append(folder)
end
package.path = here .. "/?.lua;" .. package.path

vim.o.swapfile = false
vim.o.termguicolors = true
vim.g.loaded_python3_provider = 0 -- Neovim looks for it with the first Python file, for seconds

local command = os.getenv("TEST_COMMAND")
if command then
  require("scry.config").defaults.cmd = vim.json.decode(command)
  require("scry.config").values.cmd = vim.json.decode(command)
end
