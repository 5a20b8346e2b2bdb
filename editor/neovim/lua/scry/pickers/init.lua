---Selects the picker: the configured one, or the first one installed.

local config = require("scry.config")
local notify = require("scry.notify")

local M = {}

---@class scry.Picker an adapter for a picker plugin.
---@field name string
---@field is_available fun(): boolean whether the plugin is installed.
---@field open fun(source: scry.Source, options?: table)

---@type string[] in the order in which `picker = "auto"` tries them
M.order = { "telescope", "snacks", "fzf_lua", "mini_pick", "select" }

---@param name string
---@return scry.Picker
function M.load(name)
  return require("scry.pickers." .. name)
end

---Return the name of the picker to use.
---@return string
function M.choose()
  local configured = config.values.picker
  if configured ~= "auto" then
    if M.load(configured).is_available() then
      return configured
    end
    notify.warn(('picker = "%s", but that plugin is not installed; vim.ui.select is used.'):format(configured))
    return "select"
  end
  for _, name in ipairs(M.order) do
    if M.load(name).is_available() then
      return name
    end
  end
  return "select"
end

---Show the answers of a source in the picker.
---@param source scry.Source
function M.open(source)
  M.load(M.choose()).open(source)
end

return M
