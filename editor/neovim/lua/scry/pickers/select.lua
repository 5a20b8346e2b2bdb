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

---@param source scry.Source
---@param found scry.Found
---@param query string
local function choose(source, found, query)
  local lines = entry.lines(found.hits, vim.o.columns - NUMBERS)
  local texts = {} ---@type table<scry.Hit, string>
  for index, hit in ipairs(found.hits) do
    texts[hit] = entry.text(lines[index])
  end
  local prompt = ("%s: %s"):format(source.title, query)
  vim.ui.select(found.hits, {
    prompt = found.notice ~= "" and ("%s (%s)"):format(prompt, found.notice) or prompt,
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
      actions.run(nil, hit, found.hits, query)
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
