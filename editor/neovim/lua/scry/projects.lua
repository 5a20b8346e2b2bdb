---Lists and registers projects.

local notify = require("scry.notify")
local protocol = require("scry.generated.protocol")
local request = require("scry.request")
local root_of = require("scry.root")

local M = {}

---Milliseconds that completion waits for the names of projects. After that it uses the names received before.
local COMPLETION_TIMEOUT_MS = 1000

local names = {} ---@type string[] as received last

---@param params scry.protocol.ProjectsParams
---@param done fun(failure?: scry.Failure, known?: scry.protocol.Projects)
local function request_projects(params, done)
  request.send(root_of.of(), protocol.methods.projects, params, function(failure, known)
    if known then
      names = vim.tbl_map(function(project)
        return project.name
      end, known.projects)
    end
    done(failure, known)
  end, { once = true })
end

---Return the names of projects, for completion.
---@return string[]
function M.names()
  local is_answered = false
  request_projects({ action = "list" }, function()
    is_answered = true
  end)
  vim.wait(COMPLETION_TIMEOUT_MS, function()
    return is_answered
  end, 10)
  return names
end

---@param project scry.protocol.KnownProject
---@return string
local function line_of(project)
  local state = project.is_open and "  (this one)" or not project.is_there and "  (its folder is gone)" or ""
  return ("%-20s %s%s"):format(project.name, project.root, state)
end

---Show the registered projects.
function M.show()
  request_projects({ action = "list" }, function(failure, known)
    if failure then
      return notify.error(failure.message)
    end
    local lines = vim.tbl_map(line_of, known.projects)
    if known.note ~= "" then
      vim.list_extend(lines, { "", "No other project is known yet. Register one: :Scry projects add <folder>" })
    end
    require("scry.float").open("```\n" .. table.concat(lines, "\n") .. "\n```", "projects")
  end)
end

---Return the name by which the project in a folder is known.
---@param path string
---@param known scry.protocol.Projects
---@return string?
local function name_at(path, known)
  local root = vim.fs.normalize(vim.uv.fs_realpath(path) or path)
  for _, project in ipairs(known.projects) do
    if vim.fs.normalize(project.root) == root then
      return project.name
    end
  end
end

---Register the project in a folder, by default this project, so that it can be searched from other projects.
---@param folder? string
---@param name? string by default that of the folder
function M.add(folder, name)
  local path = folder and root_of.absolute(folder) or root_of.of()
  request_projects({ action = "add", folder = vim.uri_from_fname(path), name = name }, function(failure, known)
    if failure then
      return notify.error(failure.message)
    end
    local registered = name_at(path, known) or name or vim.fs.basename(path)
    notify.info(("%s is registered as %s; :Scry projects shows all."):format(path, registered))
  end)
end

return M
