---Answers as quickfix lists; a jump from such a list is reported to the sidecar like any other.
---
---Neovim has no event for a jump from the quickfix list. A jump is inferred instead: our list is the current one,
---its entry has changed, and the cursor is at that entry's location.

local answers = require("scry.answers")
local entry = require("scry.entry")
local jump = require("scry.jump")
local position = require("scry.position")

local M = {}

---@class scry.Filled a quickfix list that Scry filled.
---@field hits scry.Hit[] by entry.
---@field told? integer the entry whose jump was told last.

local filled = {} ---@type table<integer, scry.Filled> by the list's id

---Text is read once for each file, however many hits it has.
---@param hits scry.Hit[]
---@return vim.quickfix.entry[]
local function entries(hits)
  local texts = {} ---@type table<string, string[]>
  return vim.tbl_map(function(hit)
    local path = answers.path(hit)
    texts[path] = texts[path] or position.lines(path)
    local span = position.span(hit.item.location.range, texts[path], hit.encoding)
    local evidence = hit.item.evidence ~= "" and hit.item.evidence and (" (%s)"):format(hit.item.evidence) or ""
    return {
      filename = path,
      lnum = span.row + 1,
      col = span.column + 1,
      text = ("%s %s%s  %s"):format(entry.tag(hit), entry.place(hit), evidence, entry.printable(hit.item.snippet)),
    }
  end, hits)
end

---The entry of the current list that the cursor stands at, if that list is ours.
---@return scry.Filled?
---@return integer? index
local function at_entry()
  local list = vim.fn.getqflist({ id = 0, idx = 0 })
  local ours = filled[list.id]
  local item = ours and vim.fn.getqflist({ id = list.id, idx = list.idx, items = 0 }).items[1]
  if not item or item.bufnr ~= vim.api.nvim_get_current_buf() then
    return nil
  end
  local cursor = vim.api.nvim_win_get_cursor(0)
  if cursor[1] == item.lnum and cursor[2] == item.col - 1 then
    return ours, list.idx
  end
end

local function watch()
  vim.api.nvim_create_autocmd({ "CursorMoved", "BufWinEnter", "WinEnter" }, {
    group = vim.api.nvim_create_augroup("scry.quickfix", {}),
    desc = "Scry: tell jumps from quickfix lists that Scry filled",
    callback = function()
      local ours, index = at_entry()
      if ours and index and ours.told ~= index then
        ours.told = index
        jump.landed(ours.hits[index])
      end
    end,
  })
end

---Fill a new quickfix list, and open its window. Results without a location in a file (commits) are left out.
---@param hits scry.Hit[]
---@param title string
function M.fill(hits, title)
  local placed = vim.tbl_filter(function(hit)
    return hit.item.location ~= nil
  end, hits) ---@type scry.Hit[]
  vim.fn.setqflist({}, " ", { title = "Scry: " .. title, items = entries(placed) })
  filled[vim.fn.getqflist({ id = 0 }).id] = { hits = placed }
  watch()
  vim.cmd("botright copen")
end

return M
