---Reads the sidecar's standard error, which Neovim writes to its log of language clients, and controls the log of
---questions and uses.

local M = {}

---Number of bytes at the end of the log that are searched.
local TAIL_BYTES = 16384

---Return the path of the log.
---@return string
function M.path()
  if vim.lsp.log and vim.lsp.log.get_filename then
    return vim.lsp.log.get_filename()
  end
  return vim.lsp.get_log_path()
end

---Return the last line that a program wrote to its standard error; nil where there is none.
---@param program string as in the command that started it
---@return string?
function M.last_error_line(program)
  local file = io.open(M.path(), "rb")
  if not file then
    return nil
  end
  file:seek("set", math.max(0, file:seek("end") - TAIL_BYTES))
  local last ---@type string?
  for line in (file:read("*a") or ""):gmatch("[^\n]+") do
    local text = line:match('"rpc"%s+"' .. vim.pesc(program) .. '"%s+"stderr"%s+"(.*)"%s*$')
    last = text or last
  end
  file:close()
  local lines = last and vim.split(last:gsub("\\n", "\n"):gsub("\\(.)", "%1"), "\n", { trimempty = true })
  return lines and lines[#lines]
end

---Show the log.
function M.open()
  if vim.fn.filereadable(M.path()) == 0 then
    return require("scry.notify").info("there is no log yet: " .. M.path())
  end
  vim.cmd.tabedit(vim.fn.fnameescape(M.path()))
  vim.bo.autoread = true
  vim.cmd("normal! G")
end

---Run a command of the program about the log of questions, and show what it printed.
---@param arguments string[]
local function run(arguments)
  local root = require("scry.root").of()
  require("scry.sidecar").run(arguments, root, function(failure, output)
    if failure then
      return require("scry.notify").error(failure)
    end
    require("scry.notify").info((vim.trim(output or ""):gsub("%s+", " ")))
  end)
end

---Log questions, uses and ratings from now on, or log nothing, in all projects.
---@param state "on"|"off"
function M.switch(state)
  run({ "log", state })
end

---Write all that is logged of this project to a new file, as JSON lines.
---@param file string
function M.export(file)
  local root_of = require("scry.root")
  run({ "log", "export", root_of.absolute(file), "--root", root_of.of() })
end

return M
