---Finds and runs the sidecar: the program `scry`, which is installed separately.

local config = require("scry.config")

local M = {}

---@class scry.Command
---@field argv string[] program and first arguments.
---@field source string where it was found, as text for the user.

---@return string[]
local function candidates()
  -- lua/scry/sidecar.lua -> editor/neovim -> the repository, where `make setup` installs Scry into .venv. The open
  -- project's .venv is not searched, since its content is not trusted.
  local plugin = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h:h")
  local folder = vim.fn.has("win32") == 1 and "Scripts" or "bin"
  return {
    vim.fs.normalize(("%s/../../.venv/%s/scry"):format(plugin, folder)),
    vim.fs.normalize("~/.local/bin/scry"),
  }
end

---Return the command that starts the sidecar, or the reason why there is none.
---@return scry.Command?
---@return string? why
function M.find()
  local argv = config.values.cmd
  if argv then
    if vim.fn.executable(argv[1]) == 1 then
      return { argv = argv, source = "set by `cmd`" }
    end
    return nil, ("`cmd` names %s, which is not an executable program. Correct it in setup()."):format(argv[1])
  end
  if vim.fn.executable("scry") == 1 then
    return { argv = { vim.fn.exepath("scry") }, source = "on the PATH" }
  end
  for _, path in ipairs(candidates()) do
    if vim.fn.executable(path) == 1 then
      return { argv = { path }, source = "beside the plugin or in ~/.local/bin" }
    end
  end
  return nil,
    "the program `scry` was not found (on the PATH, beside the plugin, in ~/.local/bin). "
      .. 'Install it, or name it by require("scry").setup({ cmd = { "/path/to/scry" } }); see :help scry-install.'
end

---Run the program, and call `done` on the main loop with its output or with the reason of a failure.
---@param arguments string[]
---@param folder string
---@param done fun(failure?: string, output?: string)
function M.run(arguments, folder, done)
  local command, why = M.find()
  if not command then
    return done(why)
  end
  local argv = vim.list_extend(vim.list_slice(command.argv), arguments)
  local options = { cwd = folder, text = true, env = { NO_COLOR = "1", COLUMNS = "100" } }
  local ok, problem = pcall(vim.system, argv, options, function(finished)
    vim.schedule(function()
      if finished.stdout ~= "" then
        return done(nil, finished.stdout)
      end
      done(("`%s` ended with %d: %s"):format(table.concat(argv, " "), finished.code, vim.trim(finished.stderr)))
    end)
  end)
  if not ok then
    done(tostring(problem))
  end
end

return M
