---The adapter for `vim.ui.select`, which Neovim or a plugin implements: one request, one list.

local actions = require("scry.actions")
local entry = require("scry.entry")
local further = require("scry.further")
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

---Return the entries: the results, and a last one that lists the further places of their files, where there are any.
---@param hits scry.Hit[]
---@return scry.Hit[] entries
---@return table<scry.Hit, string> texts
---@return scry.Hit? more the last entry
local function entries_of(hits)
  local built_in = is_built_in()
  local places = 0
  for _, hit in ipairs(hits) do
    places = places + #further.of(hit)
  end
  local shown = built_in and vim.list_slice(hits, 1, math.max(1, vim.o.lines - OTHER_LINES)) or vim.list_slice(hits)
  local is_expanded = vim.iter(hits):any(function(hit)
    return hit.parent ~= nil
  end)
  local lines = entry.lines(shown, vim.o.columns - NUMBERS_WIDTH)
  local texts = {} ---@type table<scry.Hit, string>
  for index, hit in ipairs(shown) do
    local indent = built_in and #tostring(#shown) - #tostring(index) or 0
    texts[hit] = (" "):rep(indent) .. entry.text(lines[index])
  end
  if places == 0 or is_expanded then
    return shown, texts, nil
  end
  local more = vim.tbl_extend("force", shown[1], {}) ---@type scry.Hit
  if built_in and #shown > 1 and #shown == vim.o.lines - OTHER_LINES then
    table.remove(shown) -- the screen has no room for another line
  end
  table.insert(shown, more)
  texts[more] = places == 1 and "1 further place in these files" or ("%d further places in these files"):format(places)
  return shown, texts, more
end

---@param source scry.Source
---@param answer scry.Answer
---@param query string
---@param all? scry.Hit[] with the further places; the results when nil
local function choose(source, answer, query, all)
  local hits, texts, more = entries_of(all or answer.hits)
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
    if hit and hit == more then
      local listed = {} ---@type scry.Hit[]
      for _, each in ipairs(answer.hits) do
        table.insert(listed, each)
        vim.list_extend(listed, further.of(each))
      end
      choose(source, answer, query, listed)
    elseif hit then
      actions.run(nil, hit, hits, query)
    end
  end)
end

---Milliseconds between two requests while the index has nothing to show yet.
local RETRY_MS = 1000

---@param source scry.Source
---@param query string
local function ask(source, query)
  source.ask(query, function(failure, answer)
    if failure then
      notify.error(failure.message)
    elseif #answer.hits == 0 and answer.is_partial then
      notify.info(answer.notice)
      vim.defer_fn(function()
        ask(source, query)
      end, RETRY_MS)
    elseif #answer.hits == 0 then
      notify.info(answer.notice ~= "" and answer.notice or "nothing found.")
    else
      choose(source, answer, query)
    end
  end)
end

function M.open(source)
  source.is_finished = true
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
