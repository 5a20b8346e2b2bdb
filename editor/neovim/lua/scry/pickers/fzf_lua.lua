---By fzf-lua: asks as one types, keeps the sidecar's order, previews the range.
---
---fzf knows lines only, so each begins with a number that is not shown, by which its result is found again.

local actions = require("scry.actions")
local entry = require("scry.entry")
local notify = require("scry.notify")
local preview = require("scry.preview")

---@type scry.Picker
local M = { name = "fzf_lua" }

function M.is_there()
  return (pcall(require, "fzf-lua"))
end

---A key as fzf names it; nil for one that it does not know.
---@param key string such as <M-w>, <C-q>
---@return string?
function M.fzf_key(key)
  local modifier, letter = key:match("^<([CMAcma])%-(%w)>$")
  if not modifier then
    return nil
  end
  return (modifier:lower() == "c" and "ctrl-" or "alt-") .. letter:lower()
end

---@class scry.FzfLines what was listed so far, by the number that its line begins with.
---@field hits scry.Hit[]
---@field last integer[] numbers of the newest answer

---@param listed scry.FzfLines
---@param line? string
---@return scry.Hit?
local function hit_of(listed, line)
  local number = line and tonumber(line:match("^(%d+)\t"))
  return number and listed.hits[number]
end

---Cells that fzf itself takes up beside a line: its pointer, its markers, its scrollbar.
local FRAME = 6

---@return integer
local function width()
  local window = require("fzf-lua.utils").fzf_winobj()
  local id = window and window.fzf_winid
  return (id and vim.api.nvim_win_is_valid(id) and vim.api.nvim_win_get_width(id) or vim.o.columns) - FRAME
end

---@param listed scry.FzfLines
---@param found scry.Found
---@return string[]
local function lines(listed, found)
  local colour = require("fzf-lua.utils").ansi_from_hl
  local all = {} ---@type string[]
  listed.last = {}
  for index, parts in ipairs(entry.lines(found.hits, width())) do
    table.insert(listed.hits, found.hits[index])
    local number = #listed.hits
    table.insert(listed.last, number)
    local texts = vim.tbl_map(function(part)
      return part[2] and colour(part[2], part[1]) or part[1]
    end, parts)
    all[index] = ("%d\t%s"):format(number, table.concat(texts))
  end
  return all
end

---What fzf-lua calls with each query: returns what writes the lines.
---@param source scry.Source
---@param listed scry.FzfLines
---@return fun(query: string|string[]): fun(write: fun(line?: string, done?: fun()))
local function contents(source, listed)
  local cancel = function() end
  return function(query)
    query = type(query) == "table" and query[1] or query --[[@as string]]
    return function(write)
      vim.schedule(function()
        cancel()
        cancel = source.ask(source.live and query or source.query, function(failure, found)
          if failure then
            notify.error(failure.message)
          end
          for _, line in ipairs(found and lines(listed, found) or {}) do
            write(line)
          end
          write()
        end)
      end)
    end
  end
end

---@param listed scry.FzfLines
---@return table
local function previewer(listed)
  local base = require("fzf-lua.previewer.builtin").base
  local own = base:extend()
  function own:new(options, all, window)
    own.super.new(self, options, all, window)
    setmetatable(self, own)
    return self
  end
  function own:populate_preview_buf(line)
    local hit = hit_of(listed, line)
    if hit then
      local buffer = self:get_tmp_buffer()
      local span = preview.load(buffer, hit)
      self:set_preview_buf(buffer)
      preview.scroll(self.win.preview_winid, span)
    end
  end
  return own
end

---@param source scry.Source
---@param listed scry.FzfLines
---@param action? string
---@return fun(chosen: string[], options: table)
local function acting(source, listed, action)
  return function(chosen, options)
    local hit = hit_of(listed, chosen[1])
    if not hit then
      return
    elseif action == "why" then
      return actions.why(hit, require("fzf-lua").resume)
    end
    local hits = #chosen > 1 and vim.tbl_map(function(line)
      return hit_of(listed, line)
    end, chosen) or vim.tbl_map(function(number)
      return listed.hits[number]
    end, listed.last)
    actions.run(action, hit, hits, source.live and options.last_query or source.title)
  end
end

---@param source scry.Source
---@param listed scry.FzfLines
---@return table<string, any>
local function fzf_actions(source, listed)
  local own = { enter = acting(source, listed) } ---@type table<string, any>
  for action, key in pairs(actions.keys()) do
    local name = M.fzf_key(key)
    local run = acting(source, listed, action)
    if name then
      own[name] = action ~= "why" and actions.stays[action] and { fn = run, exec_silent = true } or run
    end
  end
  return own
end

function M.open(source)
  local listed = { hits = {}, last = {} }
  local options = {
    prompt = source.title .. "> ",
    query = source.live and source.query or nil,
    exec_empty_query = source.blank,
    previewer = {
      _ctor = function()
        return previewer(listed)
      end,
    },
    fzf_opts = { ["--delimiter"] = "\t", ["--with-nth"] = "2..", ["--no-sort"] = true, ["--multi"] = true },
    actions = fzf_actions(source, listed),
  }
  if source.live then
    return require("fzf-lua").fzf_live(contents(source, listed), options)
  end
  require("fzf-lua").fzf_exec(contents(source, listed)(""), options)
end

return M
