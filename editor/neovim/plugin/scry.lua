-- Defines the command and the <Plug> mappings. Nothing else of the plugin is loaded before its first use.

if vim.g.loaded_scry then
  return
end
vim.g.loaded_scry = true

if vim.fn.has("nvim-0.10") == 0 then
  vim.api.nvim_create_user_command("Scry", function()
    vim.notify("Scry needs Neovim 0.10 or newer.", vim.log.levels.ERROR)
  end, { nargs = "*" })
  return
end

vim.api.nvim_create_user_command("Scry", function(call)
  require("scry.commands").run(call)
end, {
  nargs = "*",
  bang = true,
  range = true,
  desc = "Scry: search inside the editor",
  complete = function(lead, line, cursor)
    return require("scry.commands").complete(lead, line, cursor)
  end,
})

-- fzf-lua and snacks get a picker of their own, `:FzfLua scry` and `Snacks.picker.scry()`, when they are loaded.
for module, adapter in pairs({ ["fzf-lua"] = "fzf_lua", ["snacks.picker"] = "snacks" }) do
  local function load()
    package.preload[module], package.loaded[module] = nil, nil
    local ok, loaded = pcall(require, module)
    if not ok then
      package.preload[module] = load -- it may be installed later
      error(loaded, 0)
    end
    require("scry.pickers." .. adapter).register(loaded)
    return loaded
  end
  if type(package.loaded[module]) == "table" then
    vim.schedule(function()
      require("scry.pickers." .. adapter).register(package.loaded[module])
    end)
  else
    package.preload[module] = load
  end
end

---@param name string
---@param modes string|string[]
---@param desc string
---@param run fun()
local function map(name, modes, desc, run)
  vim.keymap.set(modes, "<Plug>(scry-" .. name .. ")", run, { desc = "Scry: " .. desc })
end

map("find", "n", "where is X?", function()
  require("scry").find()
end)
map("find-word", { "n", "x" }, "find the word under the cursor, or the selection", function()
  require("scry").find_word()
end)
map("recent", "n", "what changed lately?", function()
  require("scry").recent()
end)
map("orient", "n", "what matters in this folder?", function()
  require("scry").orient()
end)
map("neighbors", "n", "what belongs to this file?", function()
  require("scry").neighbors()
end)
map("why", "n", "why is this a result?", function()
  require("scry").why()
end)
map("detail", "n", "the result in full", function()
  require("scry").detail()
end)
map("find-folder", "n", "where is X, in the folder of this file?", function()
  require("scry").find({ within = "folder" })
end)
map("find-neighbors", "n", "where is X, among the neighbors of this file?", function()
  require("scry").find({ within = "neighbors" })
end)
map("related", "n", "what calls, imports and changes with this?", function()
  require("scry").related()
end)
map("next", "n", "go to the next result", function()
  require("scry").next()
end)
map("previous", "n", "go to the previous result", function()
  require("scry").previous()
end)
map("history", "n", "ask an earlier question again", function()
  require("scry").history()
end)
map("good", "n", "the last answer was good", function()
  require("scry").rate("good")
end)
map("bad", "n", "the last answer was bad", function()
  require("scry").rate("bad")
end)
