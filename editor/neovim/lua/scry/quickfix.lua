---Fills quickfix lists with results, and reports the jumps from these lists to the sidecar.
---
---Neovim has no event for a jump from the quickfix list. The plugin infers a jump where the current list is its own,
---the current entry has changed, and the cursor is at the location of that entry.

local answers = require("scry.answers")
local entry = require("scry.entry")
local jump = require("scry.jump")
local position = require("scry.position")

local M = {}

---@class scry.QuickfixList a quickfix list that Scry filled.
---@field hits scry.Hit[] by entry.
---@field last_index? integer the entry whose jump was recorded last.

local lists = {} ---@type table<integer, scry.QuickfixList> by the list's id

---Return the entries of hits. The text of a file is read once for all its hits.
---@param hits scry.Hit[]
---@return vim.quickfix.entry[]
local function entries(hits)
  local texts = {} ---@type table<string, string[]>
  return vim.tbl_map(function(hit)
    local path = answers.path(hit)
    texts[path] = texts[path] or position.lines(path)
    local cursor = position.cursor(hit.item.location, texts[path], hit.encoding)
    local rank = hit.parent and "↳" or hit.item.rank .. "."
    local parts = { rank, entry.tag(hit), entry.name(hit), entry.evidence(hit), entry.printable(hit.item.snippet) }
    return {
      filename = path,
      lnum = cursor[1],
      col = cursor[2] + 1,
      text = (table.concat(parts, " "):gsub("%s+", " ")), -- lists show the path and the line themselves
    }
  end, hits)
end

---Return the list and the entry at the cursor, if Scry filled the current list.
---@return scry.QuickfixList?
---@return integer? index
local function entry_at_cursor()
  local current = vim.fn.getqflist({ id = 0, idx = 0 })
  local list = lists[current.id]
  local item = list and vim.fn.getqflist({ id = current.id, idx = current.idx, items = 0 }).items[1]
  if not item or item.bufnr ~= vim.api.nvim_get_current_buf() then
    return nil
  end
  local cursor = vim.api.nvim_win_get_cursor(0)
  if cursor[1] == item.lnum and cursor[2] == item.col - 1 then
    return list, current.idx
  end
end

local function watch_jumps()
  vim.api.nvim_create_autocmd({ "CursorMoved", "BufWinEnter", "WinEnter" }, {
    group = vim.api.nvim_create_augroup("scry.quickfix", {}),
    desc = "Scry: tell jumps from quickfix lists that Scry filled",
    callback = function()
      local list, index = entry_at_cursor()
      if list and index and list.last_index ~= index then
        list.last_index = index
        jump.record(list.hits[index])
      end
    end,
  })
end

---Fill a new quickfix list and open its window. Results that are in no file here are left out, such as commits and
---results of the team.
---@param hits scry.Hit[]
---@param title string
function M.fill(hits, title)
  local located = vim.tbl_filter(function(hit)
    return answers.path(hit) ~= ""
  end, hits) ---@type scry.Hit[]
  located = vim.tbl_map(answers.in_edited_text, located)
  local name = entry.printable((title:gsub("^Scry ", "")))
  vim.fn.setqflist({}, " ", { title = "Scry: " .. name, items = entries(located) })
  lists[vim.fn.getqflist({ id = 0 }).id] = { hits = located }
  watch_jumps()
  vim.cmd("botright copen")
end

return M
