---The adapter for mini.pick: sends a request with each key, keeps the sidecar's order and previews the range.

local actions = require("scry.actions")
local answers = require("scry.answers")
local entry = require("scry.entry")
local further = require("scry.further")
local highlights = require("scry.highlights")
local notify = require("scry.notify")
local preview = require("scry.preview")

---@type scry.Picker
local M = { name = "mini_pick" }

local namespace = vim.api.nvim_create_namespace("scry.mini_pick")

function M.is_available()
  return (pcall(require, "mini.pick"))
end

---@class scry.MiniItem
---@field text string
---@field hit scry.Hit
---@field parts scry.Part[]
---@field path? string

---@param hits scry.Hit[]
---@return scry.MiniItem[]
local function items(hits)
  local window = require("mini.pick").get_picker_state().windows.main
  local lines = entry.lines(hits, vim.api.nvim_win_get_width(window))
  local all = {} ---@type scry.MiniItem[]
  for index, hit in ipairs(hits) do
    local path = answers.path(hit)
    all[index] = { text = entry.text(lines[index]), hit = hit, parts = lines[index], path = path ~= "" and path or nil }
  end
  return all
end

---@param buffer integer
---@param shown scry.MiniItem[]
local function show(buffer, shown)
  local lines = vim.tbl_map(function(item)
    return item.text
  end, shown)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  for index, item in ipairs(shown) do
    highlights.apply(buffer, namespace, index - 1, item.parts)
  end
end

---Width of the counts beside the header, in cells. mini.pick cuts a longer header at its start.
local COUNTS_WIDTH = 16

---@param source scry.Source
---@param text string
local function show_header(source, text)
  local pick = require("mini.pick")
  local name = text ~= "" and ("%s: %s"):format(source.title, text) or source.title
  local width = vim.api.nvim_win_get_width(pick.get_picker_state().windows.main) - COUNTS_WIDTH
  pick.set_picker_opts({ source = { name = entry.truncate(name, width) } })
end

---Send a request, and fill the picker with the answer unless the query has changed since.
---@param source scry.Source
---@param listing scry.Listing
---@param query string
---@param focused? string the doc_id of the entry that gets the focus; the first one when nil
---@return fun() cancel
local function fill(source, listing, query, focused)
  local pick = require("mini.pick")
  local tick = pick.get_querytick()
  listing.is_open = pick.is_picker_active
  listing.focused = function()
    local current = (pick.get_picker_matches() or {}).current
    return current and current.hit
  end
  listing.refresh = function(doc_id)
    fill(source, listing, query, doc_id)
  end
  return listing:ask(source, query, function(failure, answer)
    if not pick.is_picker_active() or (source.live and pick.get_querytick() ~= tick) then
      return
    elseif failure then
      pick.set_picker_items({}, { do_match = false })
      return notify.error(failure.message)
    end
    pick.set_picker_items(items(listing:hits()), { do_match = not source.live })
    if focused and source.live and pick.set_picker_match_inds then
      pick.set_picker_match_inds({ listing:index_of(focused) }, "current")
    end
    show_header(source, answer.header)
  end)
end

---@param source scry.Source
---@param listing scry.Listing
---@return fun(texts: string[], indices: integer[], query: string[]): integer[]?
local function matcher(source, listing)
  local cancel = function() end
  return function(texts, indices, query)
    if not source.live then
      return require("mini.pick").default_match(texts, indices, query, { preserve_order = true })
    end
    cancel()
    cancel = fill(source, listing, table.concat(query))
  end
end

---@param chosen scry.MiniItem[]?
---@return scry.Hit[]
local function hits_of(chosen)
  return vim.tbl_map(function(each)
    return each.hit
  end, chosen or {})
end

---List or hide the further places of a result.
---@param source scry.Source
---@param listing scry.Listing
---@param hit scry.Hit
local function toggle_further(source, listing, hit)
  local pick = require("mini.pick")
  local index = listing:toggle(hit)
  if index then
    listing.again = false -- the items are replaced here, without a request
    pick.set_picker_items(items(listing:hits()), { do_match = not source.live })
    if source.live and pick.set_picker_match_inds then
      pick.set_picker_match_inds({ index }, "current")
    end
  end
end

---Return mini.pick's own actions whose keys are disabled: splits and tabs, which do not record the use, and those whose
---key is one of the actions here, since mini.pick warns of keys that are mapped twice.
---@param keys table<string, string>
---@return table<string, any>
local function own_keys(keys)
  local mapped = { choose_in_split = "", choose_in_vsplit = "", choose_in_tabpage = "" } ---@type table<string, any>
  local taken = {} ---@type table<string, true>
  for _, key in pairs(keys) do
    taken[vim.keycode(key)] = true
  end
  local configured = vim.b.minipick_config or {}
  local theirs = vim.tbl_extend("force", require("mini.pick").config.mappings, configured.mappings or {})
  for name, key in pairs(theirs) do
    if type(key) == "string" and taken[vim.keycode(key)] then
      mapped[name] = ""
    end
  end
  return mapped
end

---@param source scry.Source
---@param listing scry.Listing
---@return table<string, any>
local function mappings(source, listing)
  local keys = actions.keys()
  local mapped = own_keys(keys)
  for action, key in pairs(keys) do
    mapped["scry_" .. action] = {
      char = key,
      func = function()
        local pick = require("mini.pick")
        local matches, query = pick.get_picker_matches() or {}, table.concat(pick.get_picker_query() or {})
        local current = matches.current
        if not current then
          return
        elseif action == "further" then
          return toggle_further(source, listing, current.hit)
        end
        ---@type scry.Picked
        local picked = {
          hit = current.hit,
          all = hits_of(matches.all),
          selected = hits_of(matches.marked),
          title = source.live and query or source.title,
        }
        vim.schedule(function()
          actions.run(action, picked, pick.builtin.resume)
        end)
        -- mini.pick receives all keys while it is open, so it has to close for a float.
        return actions.is_float[action] or not actions.keeps_open[action]
      end,
    }
  end
  return mapped
end

---@param source scry.Source
---@param listing scry.Listing
---@return table
local function mini_source(source, listing)
  return {
    name = source.title,
    cwd = source.root,
    items = function()
      if not source.live then
        vim.schedule(function()
          fill(source, listing, source.query)
        end)
      end
      return source.live and {} or nil
    end,
    match = matcher(source, listing),
    show = show,
    preview = function(buffer, item)
      local span = preview.load(buffer, item.hit)
      preview.scroll(require("mini.pick").get_picker_state().windows.main, span)
    end,
    choose = function(item)
      vim.schedule(function()
        require("scry.jump").to(item.hit)
      end)
    end,
    choose_marked = function(marked)
      vim.schedule(function()
        require("scry.quickfix").fill(hits_of(marked), source.title)
      end)
    end,
  }
end

function M.open(source)
  local pick = require("mini.pick")
  if source.live and source.query ~= "" then
    vim.schedule(function()
      pick.set_picker_query(vim.fn.split(source.query, "\\zs"))
    end)
  end
  local listing = further.new()
  notify.attach(function(text)
    local is_open = pick.is_picker_active()
    if is_open then
      show_header(source, text)
    end
    return is_open
  end)
  pick.start({ source = mini_source(source, listing), mappings = mappings(source, listing) })
end

return M
