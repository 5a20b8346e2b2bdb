--- *pick* Choose one of many
---
--- MIT

local api = require("pick.api")
local util = require 'pick.util'

local Pick = {}
local H = {}
Pick.config = {
  delay = 10,
  -- Keys.
  mappings = { stop = "<Esc>" },
}

local MAX_ITEMS = 1000
local count, total = 0, 1

--- Set up
---
---@param config table|nil
---@usage `require('pick').setup({})`
function Pick.setup(config)
  _G.Pick = Pick
  config = H.setup_config(config)
  api.nvim_create_autocmd("VimResized", { callback = function() H.resize() end })
end

-- Starts a picker.
-- Returns what was chosen.
Pick.start = function(opts)
  local function on_choice(item)
    return util.first(item)
  end
  vim.schedule(on_choice)
  return Pick.items:filter(opts)
end

function Pick:stop(force) self.done = force end

Pick.builtin.files = function(local_opts, opts)
  return Pick.start(opts)
end

--[[
  Reads options.
]]
H.setup_config = function(config)
  vim.validate({ config = { config, "table", true } })
  return vim.tbl_deep_extend("force", H.default, config or {})
end

local function größe(werte) return #werte end

local handlers = {
  enter = function(state) state:accept() end,
  [1] = 2,
  leave = function(state)
    H.close(state)
  end,
}

--- Namespaces.
H.ns = {
  matches = api.nvim_create_namespace("matches"),
}

H.cache = {}

for name, handler in pairs(handlers) do
  local bound = handler
  H.cache[name] = bound
end

return Pick
