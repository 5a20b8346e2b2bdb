---Shows a file of the joined team's index, as it is at the indexed commit, in a read-only buffer.

local answers = require("scry.answers")
local notify = require("scry.notify")
local position = require("scry.position")
local protocol = require("scry.generated.protocol")
local request = require("scry.request")
local scratch = require("scry.scratch")
local uses = require("scry.uses")

local M = {}

---Get the file of a result of the team.
---@param hit scry.Hit
---@param done fun(failure?: scry.Failure, file?: scry.protocol.TeamFile)
function M.read(hit, done)
  request.send(hit.root, protocol.methods.team_file, { uri = hit.item.location.uri }, done)
end

---Show the text of a file in a read-only buffer, at the result.
---@param hit scry.Hit
---@param file scry.protocol.TeamFile
---@param how? scry.How
local function show(hit, file, how)
  local name = file.uri:gsub("^scry%-team:///", "team/")
  local filetype = vim.filetype.match({ filename = name, contents = vim.split(file.text, "\n") }) or "text"
  local buffer = scratch.open(name, file.text, filetype, hit.root, how)
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  local target = position.target(hit.item.location)
  local span = position.span({ start = target, ["end"] = target }, lines, hit.encoding)
  vim.api.nvim_win_set_cursor(0, { span.row + 1, span.column })
  vim.cmd("normal! zvzz")
  answers.add_jump(buffer, hit)
  uses.send(hit, "jump")
  if not file.is_current then
    notify.warn(("The team's index has a newer commit of %s now; lines may have moved."):format(hit.item.project))
  end
end

---Open the file of a result of the team, at the result: in a local clone where its file is the same.
---@param hit scry.Hit
---@param how? scry.How
function M.open(hit, how)
  M.read(hit, function(failure, file)
    if failure then
      return notify.error(failure.message)
    elseif (file.clone or "") == "" then
      return show(hit, file, how)
    end
    local location = vim.tbl_extend("force", hit.item.location, { uri = file.clone })
    local item = vim.tbl_extend("force", hit.item, { location = location, commit = "" })
    require("scry.jump").to(vim.tbl_extend("force", hit, { item = item }), how)
  end)
end

return M
