---The state of each project's sidecar.

local config = require("scry.config")

local M = {}

---@class scry.Instance the sidecar of one project.
---@field root string
---@field id? integer id of the language client.
---@field ready boolean
---@field is_ending boolean whether the plugin is ending it.
---@field restart_after_end boolean whether it is restarted once it has ended.
---@field restart_scheduled boolean whether it is restarted soon, after a crash.
---@field crashes integer[] times of its latest crashes, in seconds.
---@field failure? string the reason why it is not restarted any more.
---@field status? scry.protocol.IndexState
---@field waiting (fun(failure?: scry.Failure, client?: vim.lsp.Client))[] called once it is ready or failed.

local instances = {} ---@type table<string, scry.Instance>

---Return the instance of a project, created where there is none.
---@param root string
---@return scry.Instance
function M.of(root)
  if not instances[root] then
    instances[root] = {
      root = root,
      ready = false,
      is_ending = false,
      restart_after_end = false,
      restart_scheduled = false,
      crashes = {},
      waiting = {},
    }
  end
  return instances[root]
end

---Return the instance of a project; nil where there is none.
---@param root string
---@return scry.Instance?
function M.peek(root)
  return instances[root]
end

---Return the instance of a language client.
---@param id integer
---@return scry.Instance?
function M.of_client(id)
  for _, instance in pairs(instances) do
    if instance.id == id then
      return instance
    end
  end
  -- A client that `vim.lsp.enable` started and that ended before it was ready.
  local client = vim.lsp.get_client_by_id(id)
  return client and M.of(client.config.root_dir)
end

---Return all instances, sorted by root.
---@return scry.Instance[]
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
