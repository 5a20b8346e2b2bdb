---By mini.pick: asks as one types, keeps the sidecar's order, previews the range.

local actions = require("scry.actions")
local answers = require("scry.answers")
local entry = require("scry.entry")
local highlights = require("scry.highlights")
local notify = require("scry.notify")
local preview = require("scry.preview")

---@type scry.Picker
local M = { name = "mini_pick" }

local namespace = vim.api.nvim_create_namespace("scry.mini_pick")

function M.is_there()
  return (pcall(require, "mini.pick"))
end

---@class scry.MiniItem
---@field text string
---@field hit scry.Hit
---@field parts scry.Part[]
---@field path? string

---@param found scry.Found
---@return scry.MiniItem[]
local function items(found)
  local window = require("mini.pick").get_picker_state().windows.main
  local lines = entry.lines(found.hits, vim.api.nvim_win_get_width(window))
  local all = {} ---@type scry.MiniItem[]
  for index, hit in ipairs(found.hits) do
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

---Ask, and fill the picker when the answer is still to what it shows.
---@param source scry.Source
---@param query string
---@return fun() cancel
local function fill(source, query)
  local pick = require("mini.pick")
  local tick = pick.get_querytick()
  return source.ask(query, function(failure, found)
    if not pick.is_picker_active() or (source.live and pick.get_querytick() ~= tick) then
      return
    elseif failure then
      return notify.error(failure.message)
    end
    pick.set_picker_items(items(found), { do_match = not source.live })
    local name = found.header ~= "" and ("%s: %s"):format(source.title, found.header) or source.title
    pick.set_picker_opts({ source = { name = name } })
  end)
end

---@param source scry.Source
---@return fun(texts: string[], indices: integer[], query: string[]): integer[]?
local function matcher(source)
  local cancel = function() end
  return function(texts, indices, query)
    if not source.live then
      return require("mini.pick").default_match(texts, indices, query, { preserve_order = true })
    end
    cancel()
    cancel = fill(source, table.concat(query))
  end
end

---@param action string?
---@param chosen scry.MiniItem
---@param all scry.MiniItem[]
---@param title string
local function act(action, chosen, all, title)
  local pick = require("mini.pick")
  if action == "why" then
    return actions.why(chosen.hit, pick.builtin.resume)
  end
  local hits = vim.tbl_map(function(item)
    return item.hit
  end, all)
  actions.run(action, chosen.hit, hits, title)
end

---@param source scry.Source
---@return table<string, any>
local function mappings(source)
  -- Its own keys to open a result elsewhere report no use.
  local own = { choose_in_split = "", choose_in_vsplit = "", choose_in_tabpage = "" } ---@type table<string, any>
  for action, key in pairs(actions.keys()) do
    own["scry_" .. action] = {
      char = key,
      func = function()
        local pick = require("mini.pick")
        local matches, query = pick.get_picker_matches() or {}, table.concat(pick.get_picker_query() or {})
        local chosen = matches.current
        if not chosen then
          return
        end
        local all = #(matches.marked or {}) > 0 and matches.marked or matches.all
        vim.schedule(function()
          act(action, chosen, all, source.live and query or source.title)
        end)
        -- While it waits for a key nothing else can be typed into: a float needs the picker gone.
        return action == "why" or not actions.stays[action]
      end,
    }
  end
  return own
end

---@param source scry.Source
---@return table
local function mini_source(source)
  return {
    name = source.title,
    cwd = source.root,
    items = function()
      if not source.live then
        vim.schedule(function()
          fill(source, source.query)
        end)
      end
      return source.live and {} or nil
    end,
    match = matcher(source),
    show = show,
    preview = function(buffer, item)
      local span = preview.load(buffer, item.hit)
      preview.scroll(require("mini.pick").get_picker_state().windows.main, span)
    end,
    choose = function(item)
      vim.schedule(function()
        actions.run(nil, item.hit, { item.hit }, source.title)
      end)
    end,
    choose_marked = function(marked)
      vim.schedule(function()
        act("quickfix", marked[1], marked, source.title)
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
  pick.start({ source = mini_source(source), mappings = mappings(source) })
end

return M
