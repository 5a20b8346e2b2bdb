-- The component "scry" of lualine: `lualine_x = { "scry" }`, or with options `{ { "scry", quiet = true } }`.

local M = require("lualine.component"):extend()

---@return string
function M:update_status()
  return require("scry").statusline(self.options)
end

return M
