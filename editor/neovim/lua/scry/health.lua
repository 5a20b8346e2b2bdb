---`:checkhealth scry`: checks Neovim, the pickers, the sidecar and its processes, and gives advice.

local M = {}

---The line in place of the checks of `scry doctor` while it runs.
local RUNNING = "`scry doctor` is running; this line is replaced by its checks"

local function check_neovim()
  vim.health.start("Scry: Neovim")
  local version = tostring(vim.version())
  if vim.fn.has("nvim-0.11") == 1 then
    vim.health.ok("Neovim " .. version)
  elseif vim.fn.has("nvim-0.10") == 1 then
    vim.health.ok(("Neovim %s; vim.lsp.enable and current telescope need 0.11."):format(version))
  else
    vim.health.error("Neovim " .. version .. " is too old.", "Install Neovim 0.10 or newer.")
  end
  local refused = require("scry.config").refused
  for _, problem in ipairs(refused) do
    vim.health.error("setup: " .. problem, ":help scry-options")
  end
  if #refused == 0 then
    vim.health.ok("options are fine")
  end
end

local function check_pickers()
  vim.health.start("Scry: pickers")
  local pickers = require("scry.pickers")
  local chosen = pickers.choose()
  for _, name in ipairs(pickers.order) do
    local is_available = pickers.load(name).is_available()
    vim.health.info(
      ("%s: %s%s"):format(name, is_available and "there" or "not installed", name == chosen and ", used" or "")
    )
  end
end

---Return what `scry doctor` found, or why it gave no answer.
---@param failure? string
---@param output? string
---@return { name: string, level: "ok"|"warn"|"fail", found: string, advice: string }[]
local function checks_of(failure, output)
  local ok, doctor = pcall(vim.json.decode, output or "")
  if ok and type(doctor) == "table" and doctor.checks then
    return doctor.checks
  end
  local reason = "it gave no answer: " .. (failure or vim.trim(output or ""))
  return { { name = "`scry doctor`", level = "fail", found = reason, advice = ":help scry-install" } }
end

---The words of the health buffer for the levels of `scry doctor`, from Neovim 0.11 on with a sign.
local WORDS = vim.fn.has("nvim-0.11") == 1 and { ok = "✅ OK", warn = "⚠️ WARNING", fail = "❌ ERROR" }
  or { ok = "OK", warn = "WARNING", fail = "ERROR" }

---Return the lines of a check in the form of the health buffer.
---@param check { name: string, level: "ok"|"warn"|"fail", found: string, advice: string }
---@return string[]
local function report(check)
  local lines = { ("- %s %s: %s"):format(WORDS[check.level] or check.level, check.name, check.found) }
  if check.level ~= "ok" and check.advice ~= "" then
    vim.list_extend(lines, { "  - ADVICE:", "    - " .. check.advice })
  end
  return vim.tbl_map(function(line)
    return (line:gsub("\n", "\n  "))
  end, lines)
end

---Replace the line that says that the checks are running, in every health buffer that has it.
---@param lines string[]
local function show_report(lines)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].filetype == "checkhealth" then
      for row, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
        if line:find(RUNNING, 1, true) then
          vim.bo[buffer].modifiable = true
          vim.api.nvim_buf_set_lines(buffer, row - 1, row, false, lines)
          vim.bo[buffer].modifiable = false
          vim.bo[buffer].modified = false
          break
        end
      end
    end
  end
end

---Ask `scry doctor` without waiting for it, since it takes seconds.
local function check_sidecar()
  vim.health.start("Scry: sidecar")
  local sidecar = require("scry.sidecar")
  local command, why = sidecar.find()
  if not command then
    return vim.health.error(why or "no sidecar", ":help scry-install")
  end
  vim.health.ok(("%s (%s)"):format(table.concat(command.argv, " "), command.source))
  local root = require("scry.root").of()
  vim.health.info(RUNNING)
  sidecar.run({ "doctor", "--json", "--root", root }, root, function(failure, output)
    local lines = {} ---@type string[]
    for _, check in ipairs(checks_of(failure, output)) do
      vim.list_extend(lines, vim.split(table.concat(report(check), "\n"), "\n"))
    end
    show_report(lines)
  end)
end

local function check_running()
  vim.health.start("Scry: running sidecars")
  local protocol = require("scry.generated.protocol").version
  local all = require("scry.instances").all()
  for _, instance in ipairs(all) do
    local client = instance.id and vim.lsp.get_client_by_id(instance.id)
    if instance.failure then
      vim.health.error(("%s: %s"):format(instance.root, instance.failure), ":Scry log, then :Scry restart")
    elseif client and instance.ready then
      local state = instance.status and instance.status.state or "no state yet"
      local text = "%s: %s, protocol %d, positions in %s"
      vim.health.ok(text:format(instance.root, state, protocol, client.offset_encoding))
    end
  end
  if #all == 0 then
    vim.health.info("none; the first :Scry in a project starts one.")
  end
  vim.health.info("log: " .. require("scry.log").path())
end

function M.check()
  check_neovim()
  check_pickers()
  check_sidecar()
  check_running()
end

return M
