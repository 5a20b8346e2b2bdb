---The adapter for snacks.nvim: sends a request with each key, keeps the sidecar's order and previews the range.

local actions = require("scry.actions")
local answers = require("scry.answers")
local entry = require("scry.entry")
local further = require("scry.further")
local notify = require("scry.notify")
local preview = require("scry.preview")

---@type scry.Picker
local M = { name = "snacks" }

function M.is_available()
  return (pcall(require, "snacks.picker"))
end

---@class scry.SnacksItem
---@field text string
---@field hit scry.Hit
---@field parts scry.Part[]
---@field file? string
---@field pos? integer[]

---@param hits scry.Hit[]
---@param width integer
---@return scry.SnacksItem[]
local function items(hits, width)
  local lines = entry.lines(hits, width)
  local all = {} ---@type scry.SnacksItem[]
  for index, hit in ipairs(hits) do
    local path, location = answers.path(hit), hit.item.location
    all[index] = {
      text = entry.text(lines[index]),
      hit = hit,
      parts = lines[index],
      file = path ~= "" and path or nil,
      pos = location and { location.range.start.line + 1, 0 } or nil,
    }
  end
  return all
end

---@param picker table
---@return integer
local function width_of(picker)
  local window = picker.list and picker.list.win and picker.list.win.win
  return window and vim.api.nvim_win_is_valid(window) and vim.api.nvim_win_get_width(window) - 2 or vim.o.columns - 4
end

---Width of the marks beside the title, in cells. snacks cuts a longer title at its start.
local MARKS_WIDTH = 6

---@param picker table
---@param source scry.Source
---@param text string
local function show_header(picker, source, text)
  local title = text ~= "" and ("%s: %s"):format(source.title, text) or source.title
  picker.title = entry.truncate(title, width_of(picker) - MARKS_WIDTH)
  picker:update_titles()
end

---Fill a picker again.
---@param picker table
---@param index fun(): integer the entry that gets the focus
local function refill(picker, index)
  picker:find({
    refresh = true,
    on_done = function()
      picker.list:view(index())
    end,
  })
end

---@param source scry.Source
---@param picker table
---@return scry.OpenPicker
local function open_picker(source, picker)
  return {
    is_open = function()
      return not picker.closed
    end,
    focused = function()
      local item = picker:current()
      return item and item.hit
    end,
    refill = function(index)
      refill(picker, index)
    end,
    show_header = function(text)
      show_header(picker, source, text)
    end,
  }
end

---@param source scry.Source
---@param listing scry.Listing
---@return fun(options: table, context: table): fun(add: fun(item: scry.SnacksItem))
local function finder(source, listing)
  return function(_, context)
    local query = source.live and context.filter.search or source.query
    return function(add)
      listing:attach(open_picker(source, context.picker))
      local task, results, is_done = context.async, nil, false
      local cancel = function() end
      task:on(
        "abort",
        vim.schedule_wrap(function() -- snacks calls it where the API of Neovim must not be called
          cancel()
        end)
      )
      vim.schedule(function()
        cancel = listing:ask(source, query, function(failure, answer)
          if failure then
            notify.error(failure.message)
          end
          results, is_done = answer and items(listing:hits(), width_of(context.picker)) or {}, true
          if answer then
            show_header(context.picker, source, answer.header)
          end
          task:resume()
        end)
      end)
      while not is_done do
        task:suspend()
      end
      for _, item in ipairs(results) do
        add(item)
      end
    end
  end
end

---@param source scry.Source
---@param action? string
---@return fun(picker: table, item?: scry.SnacksItem)
local function action_handler(source, action)
  return function(picker, item)
    if not item then
      return
    end
    ---@param each scry.SnacksItem
    local function hit_of(each)
      return each.hit
    end
    ---@type scry.Picked
    local picked = {
      hit = item.hit,
      all = vim.tbl_map(hit_of, picker:items()),
      selected = vim.tbl_map(hit_of, picker:selected()),
      title = source.live and picker.input.filter.search or source.title,
    }
    if not actions.keeps_open[action] then
      picker:close()
    end
    vim.schedule(function()
      actions.run(action, picked)
    end)
  end
end

---Return the action that lists or hides the further places of a result.
---@param listing scry.Listing
---@return fun(picker: table, item?: scry.SnacksItem)
local function further_handler(listing)
  return function(picker, item)
    local index = item and listing:toggle(item.hit)
    if index then
      refill(picker, function()
        return index
      end)
    end
  end
end

function M.open(source, options)
  local listing = further.new()
  local handlers = { confirm = action_handler(source) }
  local input, list = {}, {}
  for action, key in pairs(actions.keys()) do
    handlers["scry_" .. action] = action == "further" and further_handler(listing) or action_handler(source, action)
    input[key] = { "scry_" .. action, mode = { "i", "n" } }
    list[key] = "scry_" .. action
  end
  require("snacks").picker.pick(vim.tbl_deep_extend("force", {
    source = "scry",
    title = source.title,
    live = source.live,
    supports_live = source.live,
    search = source.live and source.query or nil,
    show_empty = true,
    finder = finder(source, listing),
    sort = { fields = { "idx" } },
    matcher = { sort_empty = false, fuzzy = false },
    format = function(item)
      return item.parts
    end,
    preview = function(context)
      local hit = context.item.hit
      context.preview:reset()
      context.preview:set_title(entry.location(hit))
      preview.fill(context.preview:scratch(), context.win, hit)
    end,
    actions = handlers,
    win = { input = { keys = input }, list = { keys = list } },
  }, options or {}))
end

---Define `Snacks.picker.scry()`, which takes the mode, its arguments and the options of snacks.
---@param picker table the module snacks.picker
function M.register(picker)
  rawset(picker, "scry", function(options)
    options = options or {}
    M.open(require("scry").source(options.mode or "find", options), options)
  end)
end

return M
