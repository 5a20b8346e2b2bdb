---By `vim.ui.select`: always there, and whatever a person put in its place. One question, one list.

local actions = require("scry.actions")
local entry = require("scry.entry")
local notify = require("scry.notify")

---@type scry.Picker
local M = { name = "select" }

function M.is_there()
  return true
end

---Cells that a list's own numbers take up.
local NUMBERS = 6

---Lines of the screen that Neovim's own list needs beside its entries.
local BESIDE = 4

---Whether `vim.ui.select` is Neovim's own: all entries at once, so that the best ones scroll away where there are more
---than lines, and numbers before them that are not aligned.
---@return boolean
local function is_plain()
  return debug.getinfo(vim.ui.select, "S").source:find("vim/ui.lua", 1, true) ~= nil
end

---@param source scry.Source
---@param found scry.Found
---@param query string
local function choose(source, found, query)
  local plain = is_plain()
  local hits = plain and vim.list_slice(found.hits, 1, math.max(1, vim.o.lines - BESIDE)) or found.hits
  local lines = entry.lines(hits, vim.o.columns - NUMBERS)
  local texts = {} ---@type table<scry.Hit, string>
  for index, hit in ipairs(hits) do
    local indent = plain and #tostring(#hits) - #tostring(index) or 0
    texts[hit] = (" "):rep(indent) .. entry.text(lines[index])
  end
  vim.ui.select(hits, {
    prompt = ("%s: %s (%s)"):format(source.title, query, found.header),
    kind = "scry",
    format_item = function(hit)
      return texts[hit]
    end,
    preview_item = function(hit)
      local buffer = vim.api.nvim_create_buf(false, true)
      vim.bo[buffer].bufhidden = "wipe"
      return require("scry.preview").item(buffer, hit)
    end,
  }, function(hit)
    if hit then
      actions.run(nil, hit, hits, query)
    end
  end)
end

---@param source scry.Source
---@param query string
local function ask(source, query)
  source.ask(query, function(failure, found)
    if failure then
      notify.error(failure.message)
    elseif #found.hits == 0 then
      notify.info(found.notice ~= "" and found.notice or "nothing found.")
    else
      choose(source, found, query)
    end
  end)
end

function M.open(source)
  if source.query ~= "" or not source.live or source.blank then
    return ask(source, source.query)
  end
  vim.ui.input({ prompt = source.title .. ": " }, function(query)
    if query and query:match("%S") then
      ask(source, query)
    end
  end)
end

return M
