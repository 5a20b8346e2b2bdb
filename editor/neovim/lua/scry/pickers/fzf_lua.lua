---The adapter for fzf-lua: sends a request with each key, keeps the sidecar's order and previews the range.
---
---fzf handles plain lines. Each line begins with a hidden number that identifies its result.

local actions = require("scry.actions")
local entry = require("scry.entry")
local further = require("scry.further")
local notify = require("scry.notify")
local preview = require("scry.preview")

---@type scry.Picker
local M = { name = "fzf_lua" }

local can_transform ---@type boolean?

function M.is_available()
  return (pcall(require, "fzf-lua"))
end

---Convert a key to fzf's notation; nil for a key that fzf does not support.
---@param key string such as <M-w>, <C-q>
---@return string?
function M.fzf_key(key)
  local modifier, letter = key:match("^<([CMAcma])%-(%w)>$")
  if not modifier then
    return nil
  end
  return (modifier:lower() == "c" and "ctrl-" or "alt-") .. letter:lower()
end

---@class scry.FzfLines the results that were listed so far.
---@field listing scry.Listing
---@field hits scry.Hit[] by the number of the line.
---@field last integer[] numbers of the newest answer's lines.
---@field focused? scry.Hit the entry that has the focus, as the preview shows it.
---@field wanted? string doc_id of the entry that gets the focus when the lines are loaded again.
---@field position? string file from which fzf reads where its focus goes; nil where fzf can't.

---@param listing scry.FzfLines
---@param line? string
---@return scry.Hit?
local function hit_of(listing, line)
  local number = line and tonumber(line:match("^(%d+)\t"))
  return number and listing.hits[number]
end

---Width of fzf's pointer, markers and scrollbar beside a line, in cells.
local FRAME_WIDTH = 6

---@return integer
local function width()
  local window = require("fzf-lua.utils").fzf_winobj()
  local id = window and window.fzf_winid
  return (id and vim.api.nvim_win_is_valid(id) and vim.api.nvim_win_get_width(id) or vim.o.columns) - FRAME_WIDTH
end

---@param listing scry.FzfLines
---@return string[]
local function lines(listing)
  local colour = require("fzf-lua.utils").ansi_from_hl
  local all = {} ---@type string[]
  local hits = listing.listing:hits()
  listing.last = {}
  for index, parts in ipairs(entry.lines(hits, width())) do
    table.insert(listing.hits, hits[index])
    local number = #listing.hits
    table.insert(listing.last, number)
    local texts = vim.tbl_map(function(part)
      return part[2] and colour(part[2], part[1]) or part[1]
    end, parts)
    all[index] = ("%d\t%s"):format(number, table.concat(texts))
  end
  return all
end

---Return whether fzf performs an action that an event's command prints (0.45 or newer).
---@return boolean
local function has_transform()
  if can_transform == nil then
    local ok, theirs = pcall(require, "fzf-lua.config")
    local program = vim.fn.exepath(ok and vim.tbl_get(theirs, "globals", "fzf_bin") or "fzf")
    local printed = program ~= "" and vim.fn.system({ program, "--version" }) or ""
    local version = vim.version.parse(printed:match("^%d+%.%d+") or "0.0")
    can_transform = vim.fn.has("win32") == 0 and version ~= nil and not vim.version.lt(version, { 0, 45, 0 })
  end
  return can_transform
end

---Let fzf move its focus once it has loaded its lines.
---@param listing scry.FzfLines
---@param index? integer nil for where fzf puts it
local function focus(listing, index)
  if listing.position then
    vim.fn.writefile({ index and ("pos(%d)"):format(index) or "" }, listing.position)
  end
end

---The key by which fzf loads its lines again, as fzf names it and as a terminal sends it.
local RELOAD_KEY, RELOAD_BYTES = "ctrl-alt-r", "\27\18"

---Let fzf load its lines again as the index grows.
---@param listing scry.FzfLines
local function keep_fresh(listing)
  ---@return integer? window
  local function window()
    local object = require("fzf-lua.utils").fzf_winobj()
    local id = object and object.fzf_winid
    return id and vim.api.nvim_win_is_valid(id) and id or nil
  end
  listing.listing.is_open = function()
    return window() ~= nil
  end
  listing.listing.focused = function()
    return listing.focused
  end
  listing.listing.refresh = function(doc_id)
    listing.wanted = doc_id
    vim.api.nvim_chan_send(vim.bo[vim.api.nvim_win_get_buf(assert(window()))].channel, RELOAD_BYTES)
  end
end

---Return the function that fzf-lua calls with each query. Its result writes the lines of the answer.
---@param source scry.Source
---@param listing scry.FzfLines
---@return fun(query: string|string[]): fun(write: fun(line?: string, done?: fun()))
local function contents(source, listing)
  local cancel = function() end
  keep_fresh(listing)
  return function(query)
    query = type(query) == "table" and query[1] or query --[[@as string]]
    return function(write)
      vim.schedule(function()
        cancel()
        cancel = listing.listing:ask(source, source.live and query or source.query, function(failure, answer)
          if failure then
            notify.error(failure.message)
          end
          -- fzf keeps the first line above the list.
          write("\t" .. (failure and failure.message or answer and answer.header or ""):gsub("%s+", " "))
          local wanted = listing.wanted
          listing.wanted = nil
          focus(listing, wanted and listing.listing:index_of(wanted))
          for _, line in ipairs(answer and lines(listing) or {}) do
            write(line)
          end
          write()
        end)
      end)
    end
  end
end

---@param listing scry.FzfLines
---@return table
local function previewer(listing)
  local base = require("fzf-lua.previewer.builtin").base
  local own = base:extend()
  function own:new(options, all, window)
    own.super.new(self, options, all, window)
    setmetatable(self, own)
    return self
  end
  function own:populate_preview_buf(line)
    local hit = hit_of(listing, line)
    listing.focused = hit
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
---@param listing scry.FzfLines
---@param action? string
---@return fun(selected: string[], options: table)
local function action_handler(source, listing, action)
  return function(selected, options)
    local hit = hit_of(listing, selected[1])
    if not hit then
      return
    end
    ---@type scry.Picked
    local picked = {
      hit = hit,
      all = vim.tbl_map(function(number)
        return listing.hits[number]
      end, listing.last),
      selected = #selected > 1 and vim.tbl_map(function(line)
        return hit_of(listing, line)
      end, selected) or {},
      title = source.live and options.last_query or source.title,
    }
    actions.run(action, picked, require("fzf-lua").resume)
  end
end

---Return the action after which fzf loads its lines again, with or without the further places of a result.
---@param listing scry.FzfLines
---@return fun(selected: string[])
local function further_handler(listing)
  return function(selected)
    local hit = hit_of(listing, selected[1])
    listing.listing.again = listing.listing.answer ~= nil -- fzf loads its lines again in any case
    local index = hit and listing.listing:toggle(hit)
    listing.wanted = index and listing.listing:hits()[index].item.doc_id
  end
end

---@param source scry.Source
---@param listing scry.FzfLines
---@return table<string, any>
local function fzf_actions(source, listing)
  local handlers = {
    enter = action_handler(source, listing),
    [RELOAD_KEY] = { fn = function() end, reload = true },
  } ---@type table<string, any>
  for action, key in pairs(actions.keys()) do
    local name = M.fzf_key(key)
    local run = action_handler(source, listing, action)
    if name and action == "further" then
      handlers[name] = { fn = further_handler(listing), reload = true }
    elseif name then
      local stays = actions.keeps_open[action] and not actions.is_float[action]
      handlers[name] = stays and { fn = run, exec_silent = true } or run
    end
  end
  return handlers
end

function M.open(source, own)
  local listing =
    { hits = {}, last = {}, listing = further.new(), position = has_transform() and vim.fn.tempname() or nil }
  focus(listing)
  local options = {
    prompt = source.title .. "> ",
    query = source.live and source.query or nil,
    exec_empty_query = source.allows_empty,
    previewer = {
      _ctor = function()
        return previewer(listing)
      end,
    },
    fzf_opts = {
      ["--delimiter"] = "\t",
      ["--with-nth"] = "2..",
      ["--no-sort"] = true,
      ["--multi"] = true,
      ["--header-lines"] = "1",
    },
    actions = fzf_actions(source, listing),
    keymap = listing.position and {
      fzf = { load = "transform:cat " .. vim.fn.shellescape(listing.position) },
    } or nil,
  }
  options = vim.tbl_deep_extend("force", options, own or {})
  if source.live then
    return require("fzf-lua").fzf_live(contents(source, listing), options)
  end
  require("fzf-lua").fzf_exec(contents(source, listing)(""), options)
end

---Define `:FzfLua scry`, which takes the mode, its arguments and the options of fzf-lua.
---@param fzf table the module fzf-lua
function M.register(fzf)
  fzf.register_extension("scry", function(options)
    options = options or {}
    M.open(require("scry").source(options.mode or "find", options), options)
  end, {}, true)
end

return M
