---Selects the picker: the configured one, or the first one installed.

local config = require("scry.config")
local notify = require("scry.notify")

local M = {}

---@class scry.Picker
---@field name string
---@field is_there fun(): boolean
---@field open fun(source: scry.Source, options?: table)

---@type string[] in the order in which `picker = "auto"` looks for them
M.order = { "telescope", "snacks", "fzf_lua", "mini_pick", "select" }

---@param name string
---@return scry.Picker
function M.load(name)
  return require("scry.pickers." .. name)
end

---@return string name
function M.choose()
  local set = config.values.picker
  if set ~= "auto" then
    if M.load(set).is_there() then
      return set
    end
    notify.warn(('picker = "%s", but that plugin is not installed; vim.ui.select is used.'):format(set))
    return "select"
  end
  for _, name in ipairs(M.order) do
    if M.load(name).is_there() then
      return name
    end
  end
  return "select"
end

---@param source scry.Source
function M.open(source)
  M.load(M.choose()).open(source)
end

return M
