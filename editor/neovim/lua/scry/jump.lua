---Jumps to results, and reports each jump to the sidecar.

local answers = require("scry.answers")
local notify = require("scry.notify")
local position = require("scry.position")
local scratch = require("scry.scratch")
local uses = require("scry.uses")

local M = {}

---@alias scry.How "edit"|"split"|"vsplit"|"tab"

---Go to the location of a result. A result without a location, such as a commit, is shown in a buffer.
---@param hit scry.Hit
---@param how? scry.How
function M.to(hit, how)
  if not hit.item.location then
    return require("scry.detail").open(hit, how, "open")
  end
  local path = answers.path(hit)
  if vim.fn.filereadable(path) == 0 and vim.fn.bufnr(path) < 0 then
    return notify.warn(("%s is not there any more."):format(path))
  end
  scratch.window(how)
  local name = position.target(hit.item.location)
  local target = { uri = hit.item.location.uri, range = { start = name, ["end"] = name } }
  local ok, shown = pcall(vim.lsp.util.show_document, target, hit.encoding, { focus = true })
  if not (ok and shown) then
    return notify.error(("%s could not be opened: %s"):format(path, shown))
  end
  vim.cmd("normal! zvzz")
  M.record(hit)
end

---Record a jump to a result.
---@param hit scry.Hit
function M.record(hit)
  answers.add_jump(vim.api.nvim_get_current_buf(), hit)
  uses.send(hit, "jump")
end

return M
