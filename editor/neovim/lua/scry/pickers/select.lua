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
local function max_width()
  return vim.o.columns - NUMBERS_WIDTH
end

---Return the entries of a page, and the index of the last one in the list. Neovim's own list prints all its entries, so
---that a page is what fits the screen; elsewhere there is one page.
---@param entries any[]
---@param skipped integer number of entries on the pages before
---@param others integer number of entries that follow on each page, besides the one that leads to the next page
---@return any[] page
---@return integer last
local function page_of(entries, skipped, others)
  local room = is_built_in() and math.max(1, vim.o.lines - OTHER_LINES - others) or #entries
  if room < #entries - skipped then
    room = math.max(1, room - 1)
  end
  local page = vim.list_slice(entries, skipped + 1, skipped + room)
  return page, skipped + #page
end

---Return a suffix for prompts that says which entries a page has; "" where it has all.
---@param skipped integer
---@param last integer
---@param count integer
---@return string
local function range_of(skipped, last, count)
  return last - skipped < count and (" (%d-%d of %d)"):format(skipped + 1, last, count) or ""
end

---Return the text of the entry that leads to the next page.
---@param count integer
---@return string
local function more_text(count)
  return ("%d more"):format(count)
end

---@class scry.Choice a list, of which the user chooses one item.
---@field prompt string
---@field text fun(item: any): string the text of an item.
---@field remark? fun(item: any): string what follows the text, also where Neovim's own list cuts it; "" for nothing.

---Return the entry of an item, on one line.
---@param choice scry.Choice
---@param item any
---@return string
local function entry_of(choice, item)
  local text, remark = entry.beginning(choice.text(item)), choice.remark and entry.beginning(choice.remark(item)) or ""
  remark = remark ~= "" and "  " .. remark or ""
  if not is_built_in() then
    return text .. remark
  end
  local width = max_width()
  local left = math.max(math.floor(width / 2), width - vim.api.nvim_strwidth(remark))
  return entry.truncate(entry.truncate(text, left) .. remark, width)
end

---Let the user choose one of any number of items, in Neovim's own list page by page.
---@param items any[]
---@param choice scry.Choice
---@param take fun(item: any)
---@param skipped? integer number of items on the pages before
function M.choose_item(items, choice, take, skipped)
  skipped = skipped or 0
  local page, last = page_of(items, skipped, 0)
  local next_page = {}
  if last < #items then
    table.insert(page, next_page)
  end
  vim.ui.select(page, {
    prompt = choice.prompt .. range_of(skipped, last, #items),
    kind = "scry",
    format_item = function(item)
      return item == next_page and more_text(#items - last) or entry_of(choice, item)
    end,
  }, function(item)
    if item == next_page then
      M.choose_item(items, choice, take, last)
    elseif item then
      take(item)
    end
  end)
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

---Return the entries of results.
---@param shown scry.Hit[]
---@return scry.SelectEntry[]
local function entries_of(shown)
  local built_in = is_built_in()
  local entries = {} ---@type scry.SelectEntry[]
  for index, parts in ipairs(entry.lines(shown, max_width())) do
    local indent = built_in and #tostring(#shown) - #tostring(index) or 0
    entries[index] = { text = (" "):rep(indent) .. entry.text(parts), hit = shown[index] }
  end
  return entries
end

---@class scry.SelectList an answer in a list.
---@field source scry.Source
---@field answer scry.Answer
---@field query string
---@field hits scry.Hit[] what is listed: the results, or the results with the further places of their files.
---@field skipped integer number of hits on the pages before.

local choose ---@type fun(list: scry.SelectList)

---Return the entries after the results: one that lists the further places of their files, where there are any, and one
---that explains the signs.
---@param list scry.SelectList
---@return scry.SelectEntry[]
local function other_entries(list)
  local places, entries = count_further(list.hits), {} ---@type integer, scry.SelectEntry[]
  if places > 0 then
    local text = places == 1 and "1 further place in these files" or ("%d further places in these files"):format(places)
    table.insert(entries, {
      text = text,
      run = function()
        local listed = {} ---@type scry.Hit[]
        for _, each in ipairs(list.answer.hits) do
          table.insert(listed, each)
          vim.list_extend(listed, further.of(each))
        end
        choose(vim.tbl_extend("force", list, { hits = listed, skipped = 0 }))
      end,
    })
  end
  table.insert(entries, {
    text = LEGEND,
    run = function()
      actions.legend(list.hits[1], function()
        choose(list)
      end)
    end,
  })
  return entries
end

---Let the user choose a result of a list, or one of the entries after them.
---@param list scry.SelectList
choose = function(list)
  local others = other_entries(list)
  local shown, last = page_of(list.hits, list.skipped, #others)
  local entries = entries_of(shown)
  if last < #list.hits then
    table.insert(entries, {
      text = more_text(#list.hits - last),
      run = function()
        choose(vim.tbl_extend("force", list, { skipped = last }))
      end,
    })
  end
  local asked = ("%s: %s"):format(list.source.title, list.source.shown_query or list.query)
  local range, notice = range_of(list.skipped, last, #list.hits), list.answer.notice
  vim.ui.select(vim.list_extend(entries, others), {
    prompt = asked .. range .. (notice ~= "" and (" (%s)"):format(notice) or ""),
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
    choose({ source = source, answer = answer, query = query, hits = answer.hits, skipped = 0 })
  end)
end

return M
