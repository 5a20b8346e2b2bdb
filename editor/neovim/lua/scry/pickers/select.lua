---The adapter for `vim.ui.select`, which Neovim or a plugin implements: one request, one list.

local actions = require("scry.actions")
local entry = require("scry.entry")
local notify = require("scry.notify")

---@type scry.Picker
local M = { name = "select" }

function M.is_available()
  return true
end

---Width of the list's own numbers, in cells.
local NUMBERS_WIDTH = 6

---Number of screen lines that Neovim's own list needs besides its entries.
local OTHER_LINES = 4

---Return whether `vim.ui.select` is Neovim's own. That prints all entries, so that the first ones scroll off a short
---screen, after numbers that are not aligned.
---@return boolean
local function is_built_in()
  return debug.getinfo(vim.ui.select, "S").source:find("vim/ui.lua", 1, true) ~= nil
end

---@param source scry.Source
---@param answer scry.Answer
---@param query string
local function choose(source, answer, query)
  local built_in = is_built_in()
  local hits = built_in and vim.list_slice(answer.hits, 1, math.max(1, vim.o.lines - OTHER_LINES)) or answer.hits
  local lines = entry.lines(hits, vim.o.columns - NUMBERS_WIDTH)
  local texts = {} ---@type table<scry.Hit, string>
  for index, hit in ipairs(hits) do
    local indent = built_in and #tostring(#hits) - #tostring(index) or 0
    texts[hit] = (" "):rep(indent) .. entry.text(lines[index])
  end
  vim.ui.select(hits, {
    prompt = ("%s: %s (%s)"):format(source.title, query, answer.header),
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
  source.ask(query, function(failure, answer)
    if failure then
      notify.error(failure.message)
    elseif #answer.hits == 0 then
      notify.info(answer.notice ~= "" and answer.notice or "nothing found.")
    else
      choose(source, answer, query)
    end
  end)
end

function M.open(source)
  if source.query ~= "" or not source.live or source.allows_empty then
    return ask(source, source.query)
  end
  vim.ui.input({ prompt = source.title .. ": " }, function(query)
    if query and query:match("%S") then
      ask(source, query)
    end
  end)
end

return M
