---Shows a file of the joined team's index, as it is at the indexed commit, in a read-only buffer.

local answers = require("scry.answers")
local notify = require("scry.notify")
local position = require("scry.position")
local protocol = require("scry.generated.protocol")
local request = require("scry.request")
local scratch = require("scry.scratch")
local uses = require("scry.uses")

local M = {}

---Open the file of a result of the team, at the result.
---@param hit scry.Hit
---@param how? scry.How
function M.open(hit, how)
  local uri = hit.item.location.uri
  request.send(hit.root, protocol.methods.teamFile, { uri = uri }, function(failure, file)
    if failure then
      return notify.error(failure.message)
    end
    local name = uri:gsub("^scry%-team:///", "team/")
    local filetype = vim.filetype.match({ filename = name, contents = vim.split(file.text, "\n") }) or "text"
    local buffer = scratch.open(name, file.text, filetype, hit.root, how)
    local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
    local span = position.span({
      start = position.target(hit.item.location),
      ["end"] = hit.item.location.range["end"],
    }, lines, hit.encoding)
    vim.api.nvim_win_set_cursor(0, { math.min(span.row + 1, #lines), span.column })
    vim.cmd("normal! zvzz")
    answers.add_jump(buffer, hit)
    uses.send(hit, "jump")
    if not file.is_current then
      notify.warn(("The team's index has a newer commit of %s now."):format(hit.item.project))
    end
  end)
end

return M
