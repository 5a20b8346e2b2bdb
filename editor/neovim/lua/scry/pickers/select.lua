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

---Return the width of an entry that takes one line, in cells.
---@return integer
function M.width()
  return vim.o.columns - NUMBERS_WIDTH
end

---Return the first entries of a list, as many as `vim.ui.select` shows at once.
---@param entries any[]
---@param others? integer number of entries that follow
---@return any[]
function M.at_once(entries, others)
  local room = is_built_in() and math.max(1, vim.o.lines - OTHER_LINES - (others or 0)) or #entries
  return vim.list_slice(entries, 1, room)
end

---Entries after the results.
local LEGEND = "? what the signs mean"

---@class scry.SelectEntry
---@field text string
---@field hit? scry.Hit nil for an entry after the results.
---@field run? fun() for such an entry.

---Return the number of further places that results have and that are not listed.
---@param hits scry.Hit[]
---@return integer
local function count_further(hits)
  local count = 0
  for _, hit in ipairs(hits) do
    if hit.parent then
      return 0
    end
    count = count + #further.of(hit)
  end
  return count
end

---Return the entries: the results, and after them one that lists the further places of their files, where there are
---any, and one that explains the signs.
---@param hits scry.Hit[]
---@param list_further fun()
---@param show_legend fun()
---@return scry.SelectEntry[]
local function entries_of(hits, list_further, show_legend)
  local built_in, places = is_built_in(), count_further(hits)
  local shown = M.at_once(hits, places > 0 and 2 or 1)
  local entries = {} ---@type scry.SelectEntry[]
  for index, parts in ipairs(entry.lines(shown, M.width())) do
    local indent = built_in and #tostring(#shown) - #tostring(index) or 0
    entries[index] = { text = (" "):rep(indent) .. entry.text(parts), hit = shown[index] }
  end
  if places > 0 then
    local text = places == 1 and "1 further place in these files" or ("%d further places in these files"):format(places)
    table.insert(entries, { text = text, run = list_further })
  end
  table.insert(entries, { text = LEGEND, run = show_legend })
  return entries
end

---@param source scry.Source
---@param answer scry.Answer
---@param query string
---@param all? scry.Hit[] with the further places; the results when nil
local function choose(source, answer, query, all)
  local hits = all or answer.hits
  local function list_further()
    local listed = {} ---@type scry.Hit[]
    for _, each in ipairs(answer.hits) do
      table.insert(listed, each)
      vim.list_extend(listed, further.of(each))
    end
    choose(source, answer, query, listed)
  end
  local function show_legend()
    actions.legend(hits[1], function()
      choose(source, answer, query, all)
    end)
  end
  local asked = source.shown_query or query
  vim.ui.select(entries_of(hits, list_further, show_legend), {
    prompt = answer.notice == "" and ("%s: %s"):format(source.title, asked)
      or ("%s: %s (%s)"):format(source.title, asked, answer.notice),
    kind = "scry",
    format_item = function(each)
      return each.text
    end,
    preview_item = function(each)
      local buffer = vim.api.nvim_create_buf(false, true)
      vim.bo[buffer].bufhidden = "wipe"
      return each.hit and require("scry.preview").item(buffer, each.hit) or { buf = buffer }
    end,
  }, function(chosen)
    if chosen and chosen.hit then
      require("scry.jump").to(chosen.hit)
    elseif chosen then
      chosen.run()
    end
  end)
end

---Milliseconds between two requests while the index has nothing to show yet.
local RETRY_MS = 1000

---@param source scry.Source
---@param query string
---@param show fun(answer: scry.Answer, query: string)
local function ask(source, query, show)
  source.ask(query, function(failure, answer)
    if failure then
      notify.error(failure.message)
    elseif #answer.hits == 0 and answer.is_partial then
      notify.info(answer.notice)
      vim.defer_fn(function()
        ask(source, query, show)
      end, RETRY_MS)
    elseif #answer.hits == 0 then
      notify.info(answer.notice ~= "" and answer.notice or "nothing found.")
    else
      show(answer, query)
    end
  end)
end

---Ask a finished question, and show its answer once there are results. The user types the question where there is none.
---@param source scry.Source
---@param show fun(answer: scry.Answer, query: string)
function M.finish(source, show)
  source.is_finished = true
  if source.query ~= "" or not source.live or source.allows_empty then
    return ask(source, source.query, show)
  end
  vim.ui.input({ prompt = source.title .. ": " }, function(query)
    if query and query:match("%S") then
      ask(source, query, show)
    end
  end)
end

function M.open(source)
  M.finish(source, function(answer, query)
    choose(source, answer, query)
  end)
end

return M
