---Shows and controls the index of a project.

local client = require("scry.client")
local instances = require("scry.instances")
local notify = require("scry.notify")
local protocol = require("scry.generated.protocol")
local request = require("scry.request")
local root_of = require("scry.root")

local M = {}

---Return the text for a statusline, such as `scry` or `scry 120/812` (files, then vectors); "" where no sidecar runs.
---@return string
function M.line()
  local instance = instances.peek(root_of.of())
  if not instance then
    return ""
  elseif instance.failure then
    return "scry failed"
  end
  local state = instance.status
  if not instance.ready or not state then
    return instance.id and "scry starting" or ""
  elseif state.state == "ready" then
    return "scry"
  elseif state.state ~= "indexing" then
    return "scry " .. state.state
  end
  if state.files_indexed < state.files_total or state.vectors_total == 0 then
    return ("scry %d/%d"):format(state.files_indexed, state.files_total)
  end
  return ("scry %d/%d"):format(state.vectors, state.vectors_total)
end

---Show what a command of the program prints about this project.
---@param arguments string[]
---@param title string
local function show_output(arguments, title)
  local root = root_of.of()
  local all = vim.list_extend(vim.list_slice(arguments), { "--root", root })
  require("scry.sidecar").run(all, root, function(failure, output)
    if not output then
      return notify.error(failure or "")
    end
    require("scry.float").open("```\n" .. output .. "\n```", title)
  end)
end

---Show the state of the index.
function M.show()
  show_output({ "status" }, "status")
end

---Show what could keep Scry from working, and what to do about it.
function M.doctor()
  notify.info("checking …")
  show_output({ "doctor" }, "doctor")
end

---Open a page in the browser about how this project was searched.
function M.insights()
  local root = root_of.of()
  local file = vim.fn.tempname() .. ".html" -- in a folder of the user's own, which Neovim removes when it ends
  require("scry.sidecar").run({ "insights", "--html", file, "--root", root }, root, function(failure)
    if failure then
      return notify.error(failure)
    end
    local _, problem = vim.ui.open(file)
    if problem then
      notify.info("open " .. file .. " in a browser")
    end
  end)
end

---Start, pause, resume or rebuild the index.
---@param action string
function M.index(action)
  local root = root_of.of()
  local params = { action = action, folder = vim.uri_from_fname(root) }
  request.send(root, protocol.methods.index, params, function(failure, state)
    if failure then
      return notify.error(failure.message)
    end
    notify.info(("%s: the index is %s."):format(action, state.state))
  end, { once = true })
end

---Show every setting with its value, source and meaning.
function M.settings()
  local root = root_of.of()
  require("scry.sidecar").run({ "settings", "--root", root }, root, function(failure, output)
    if not output then
      return notify.error(failure or "")
    end
    require("scry.scratch").open("settings/" .. vim.fs.basename(root), output, "", root, "split")
  end)
end

---Restart the sidecar of this project.
function M.restart()
  local root = root_of.of()
  client.restart(root)
  client.with(root, function(failure)
    if failure then
      return notify.error(failure.message)
    end
    notify.info("the sidecar runs.")
  end)
end

return M
