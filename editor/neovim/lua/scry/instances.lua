---State of each project's sidecar.

local config = require("scry.config")

local M = {}

---@class scry.Instance the sidecar of one project.
---@field root string
---@field id? integer of the language client.
---@field ready boolean
---@field ending boolean whether it is being ended on purpose.
---@field again boolean whether it is to be started once it has ended.
---@field planned boolean whether a new start is due soon, after a crash.
---@field crashes integer[] when it crashed, in seconds.
---@field failure? string why it is not started any more.
---@field status? scry.protocol.IndexState
---@field waiting (fun(failure?: scry.Failure, client?: vim.lsp.Client))[]

local instances = {} ---@type table<string, scry.Instance>

---The sidecar of a project, whether it was ever started or not.
---@param root string
---@return scry.Instance
function M.of(root)
  if not instances[root] then
    instances[root] =
      { root = root, ready = false, ending = false, again = false, planned = false, crashes = {}, waiting = {} }
  end
  return instances[root]
end

---Return the sidecar of a project; nil where none was started.
---@param root string
---@return scry.Instance?
function M.peek(root)
  return instances[root]
end

---@param id integer of a language client
---@return scry.Instance?
function M.of_client(id)
  for _, instance in pairs(instances) do
    if instance.id == id then
      return instance
    end
  end
  -- One that `vim.lsp.enable` started and that ended before it was ready.
  local client = vim.lsp.get_client_by_id(id)
  return client and M.of(client.config.root_dir)
end

---@return scry.Instance[] by root
function M.all()
  return vim.tbl_map(function(root)
    return instances[root]
  end, config.names(instances))
end

---Notify statuslines and listeners of a change of an instance.
function M.announce()
  vim.api.nvim_exec_autocmds("User", { pattern = "ScryStatus", modeline = false })
  vim.cmd.redrawstatus()
end

return M
