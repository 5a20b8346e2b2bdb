-- The configuration of `make try-neovim`: a few keys and settings, as a user's own configuration might have them.

local here = vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, "S").source:sub(2)))
vim.opt.runtimepath:prepend(vim.fs.dirname(here))
for _, plugin in ipairs({ "neovim-telescope", "neovim-plenary" }) do
  vim.opt.runtimepath:append(vim.fs.normalize(vim.env.VIMRUNTIME .. "/../../" .. plugin))
end

vim.g.mapleader = " "
vim.g.loaded_python3_provider = 0
vim.o.termguicolors = true
vim.o.swapfile = false
vim.o.number = true
vim.o.statusline = "%f %m%=%{v:lua.require'scry'.statusline()}  %l:%c "
require("telescope").setup({
  defaults = { layout_config = { width = 0.95, height = 0.9 }, sorting_strategy = "ascending" },
})

for keys, name in pairs({
  ["<Leader>f"] = "find",
  ["<Leader>*"] = "find-word",
  ["<Leader>r"] = "recent",
  ["<Leader>o"] = "orient",
  ["<Leader>n"] = "neighbors",
  ["<Leader>w"] = "why",
}) do
  vim.keymap.set("n", keys, "<Plug>(scry-" .. name .. ")")
end

vim.api.nvim_create_autocmd("VimEnter", {
  callback = function()
    local lines = {
      "Space f  find: type a question",
      "Space *  find the word under the cursor",
      "Space r  what changed lately",
      "Space o  what matters in this folder",
      "Space n  what belongs to this file",
      "Space w  why: at a place that Scry led to",
      "",
      "In the picker: <Enter> jump  <M-w> why  <M-d> in full  <M-y> copy  <M-g> good  <M-b> bad",
      "               <M-f> further places of the file  <C-q> quickfix",
      ":help scry tells the rest. This note goes with q.",
    }
    require("scry.float").open("```\n" .. table.concat(lines, "\n") .. "\n```", "Scry in Neovim")
  end,
})
