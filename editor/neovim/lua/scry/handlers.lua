---Handlers of the sidecar's notifications.

local instances = require("scry.instances")

local M = {}

---Store the new status of a sidecar.
---@param _ any
---@param changed scry.protocol.StatusChanged
---@param context { client_id: integer }
function M.status(_, changed, context)
  local instance = instances.of_client(context.client_id)
  if instance then
    instance.status = changed.status
  end
  instances.announce()
end

---Show a message of a sidecar.
---@param _ any
---@param params { type: integer, message: string }
---@param context { client_id: integer }
---@return any
function M.message(_, params, context)
  local instance = instances.of_client(context.client_id)
  if instance and instance.failure then
    return -- both sides report a protocol mismatch; the plugin has done so
  end
  local levels = { vim.log.levels.ERROR, vim.log.levels.WARN }
  vim.notify("Scry: " .. params.message:gsub("^Scry: ", ""), levels[params.type] or vim.log.levels.INFO)
end

return M
