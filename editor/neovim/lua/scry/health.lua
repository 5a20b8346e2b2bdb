---`:checkhealth scry`: checks Neovim, the pickers, the sidecar and its processes, and gives advice.

local M = {}

---Milliseconds that `scry doctor` may take. It takes about a second, but far longer on a busy machine.
local DOCTOR_TIMEOUT_MS = 30000

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

---Report a check of `scry doctor`.
---@param check { name: string, level: string, found: string, advice: string }
local function report(check)
  local text = ("%s: %s"):format(check.name, check.found)
  if check.level == "ok" then
    vim.health.ok(text)
  elseif check.level == "warning" then
    vim.health.warn(text, check.advice ~= "" and check.advice or nil)
  else
    vim.health.error(text, check.advice ~= "" and check.advice or nil)
  end
end

local function check_sidecar()
  vim.health.start("Scry: sidecar")
  local sidecar = require("scry.sidecar")
  local command, why = sidecar.find()
  if not command then
    return vim.health.error(why or "no sidecar", ":help scry-install")
  end
  vim.health.ok(("%s (%s)"):format(table.concat(command.argv, " "), command.source))
  local root = require("scry.root").of()
  local problem, output ---@type string?, string?
  sidecar.run({ "doctor", "--json", "--root", root }, root, function(failure, text)
    problem, output = failure, text
  end)
  vim.wait(DOCTOR_TIMEOUT_MS, function()
    return problem ~= nil or output ~= nil
  end, 20)
  local ok, doctor = pcall(vim.json.decode, output or "")
  if not ok or type(doctor) ~= "table" or not doctor.checks then
    return vim.health.error("`scry doctor` gave no answer: " .. (problem or "it took too long"), ":help scry-install")
  end
  vim.tbl_map(report, doctor.checks)
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
