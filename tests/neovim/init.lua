-- The configuration of every Neovim that a test drives. NEOVIM_PLUGINS: folders of further plugins, separated by
-- colons. TEST_COMMAND: the sidecar's command as JSON; unset: the plugin searches for it.

local here = vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, "S").source:sub(2)))
vim.opt.runtimepath:prepend(vim.fs.normalize(here .. "/../../editor/neovim"))
for folder in (os.getenv("NEOVIM_PLUGINS") or ""):gmatch("[^:]+") do
  vim.opt.runtimepath:append(folder)
end
package.path = here .. "/?.lua;" .. package.path

vim.o.swapfile = false
vim.o.termguicolors = true
vim.g.loaded_python3_provider = 0 -- the search for it takes seconds with the first Python file

local command = os.getenv("TEST_COMMAND")
if command then
  require("scry.config").defaults.cmd = vim.json.decode(command)
  require("scry.config").values.cmd = vim.json.decode(command)
end
