---The options of `require("scry").setup({ … })`, all of them optional.

local M = {}

---@alias scry.PickerName "auto"|"telescope"|"fzf_lua"|"snacks"|"mini_pick"|"select"|"quickfix"

---@class scry.Config
---@field cmd string[]|false the command that starts Scry, without `lsp`; false: search for it (|scry-sidecar|).
---@field picker scry.PickerName auto: the first that is installed.
---@field limit integer number of results that a picker shows.
---@field root_markers string[] files or folders that mark the root of a project.
---@field restarts integer number of times within a minute that a crashed sidecar is restarted.
---@field learn boolean whether what is opened, copied and rated is found first for like questions.
---@field workspace_symbol boolean whether the sidecar also answers `vim.lsp.buf.workspace_symbol()`.
---@field keys table<string, string> keys in pickers: action -> key; "" for none (|scry-actions|).

---@type scry.Config
M.defaults = {
  cmd = false,
  picker = "auto",
  limit = 30,
  root_markers = { ".git", ".scry" },
  restarts = 3,
  learn = true,
  workspace_symbol = false,
  keys = {
    why = "<M-w>",
    legend = "<M-h>",
    detail = "<M-d>",
    related = "<M-r>",
    background = "<M-o>",
    copy = "<M-y>",
    link = "<M-l>",
    good = "<M-g>",
    bad = "<M-b>",
    further = "<M-f>",
    quickfix = "<C-q>",
    split = "<C-x>",
    vsplit = "<C-v>",
    tab = "<C-t>",
  },
}

---@type table<string, fun(value: any): boolean>
local checks = {
  cmd = function(value)
    return value == false or (vim.islist(value) and type(value[1]) == "string")
  end,
  picker = function(value)
    return vim.tbl_contains({ "auto", "telescope", "fzf_lua", "snacks", "mini_pick", "select", "quickfix" }, value)
  end,
  limit = function(value)
    return type(value) == "number" and value >= 1 and value <= 1000 and value % 1 == 0
  end,
  root_markers = vim.islist,
  restarts = function(value)
    return type(value) == "number" and value >= 0 and value % 1 == 0
  end,
  learn = function(value)
    return type(value) == "boolean"
  end,
  workspace_symbol = function(value)
    return type(value) == "boolean"
  end,
  keys = function(value)
    return type(value) == "table"
  end,
}

---Return the problems of options as messages; empty when there are none.
---@param options table<string, any>
---@return string[]
function M.problems(options)
  local problems = {} ---@type string[]
  for name, value in pairs(options) do
    if not checks[name] then
      problems[#problems + 1] = ("unknown option %s (known: %s)"):format(name, table.concat(M.names(checks), ", "))
    elseif not checks[name](value) then
      problems[#problems + 1] = ("%s = %s is not allowed; see :help scry-options"):format(name, vim.inspect(value))
    end
  end
  for action, key in pairs(type(options.keys) == "table" and options.keys or {}) do
    if not M.defaults.keys[action] then
      local known = table.concat(M.names(M.defaults.keys), ", ")
      problems[#problems + 1] = ("unknown action %s in keys (known: %s)"):format(action, known)
    elseif type(key) ~= "string" then
      problems[#problems + 1] = ('keys.%s must be a key such as "<M-w>", or ""'):format(action)
    end
  end
  table.sort(problems)
  return problems
end

---Return the keys of a table, sorted.
---@param items table<string, any>
---@return string[]
function M.names(items)
  local names = vim.tbl_keys(items)
  table.sort(names)
  return names
end

---@type scry.Config
M.values = vim.deepcopy(M.defaults)

---Problems with the options of the last `setup`, for `:checkhealth scry`.
---@type string[]
M.refused = {}

---Apply the user's options. Problems are reported in one message, and a wrong option keeps its default.
---@param options? table<string, any>
function M.setup(options)
  options = options or {}
  M.refused = M.problems(options)
  local accepted = {} ---@type table<string, any>
  for name, value in pairs(options) do
    if checks[name] and checks[name](value) then
      accepted[name] = value
    end
  end
  M.values = vim.tbl_deep_extend("force", vim.deepcopy(M.defaults), accepted)
  for action, key in pairs(M.values.keys) do
    if type(key) ~= "string" or not M.defaults.keys[action] then
      M.values.keys[action] = M.defaults.keys[action]
    end
  end
  if #M.refused > 0 then
    require("scry.notify").error("setup: " .. table.concat(M.refused, "; "))
  end
end

return M
