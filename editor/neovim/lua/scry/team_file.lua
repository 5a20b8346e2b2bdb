---Shows a file of the joined team's index, as it is at the indexed commit, in a read-only buffer.

local answers = require("scry.answers")
local notify = require("scry.notify")
local position = require("scry.position")
local protocol = require("scry.generated.protocol")
local request = require("scry.request")
local scratch = require("scry.scratch")
local uses = require("scry.uses")

local M = {}

---Return the name of a repository of the team and the path in it, of a URI of its files and folders; nil for any other.
---@param uri string
---@return string? repository
---@return string? path
function M.split(uri)
  local repository, path = uri:match("^scry%-team:///([^/]+)/[^/]+/?(.*)$")
  if repository then
    return vim.uri_decode(repository), vim.uri_decode(path)
  end
end

---Get the file of a result of the team.
---@param hit scry.Hit
---@param done fun(failure?: scry.Failure, file?: scry.protocol.TeamFile)
function M.read(hit, done)
  request.send(hit.root, protocol.methods.team_file, { uri = hit.item.location.uri }, done)
end

---Show the text of a file in a read-only buffer, at a location in it; return the buffer.
---@param hit scry.Hit
---@param location scry.protocol.Location
---@param file scry.protocol.TeamFile
---@param how? scry.How
---@return integer
local function show(hit, location, file, how)
  local name = file.uri:gsub("^scry%-team:///", "team/")
  local filetype = vim.filetype.match({ filename = name, contents = vim.split(file.text, "\n") }) or "text"
  local buffer = scratch.open(name, file.text, filetype, hit.root, how)
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  vim.api.nvim_win_set_cursor(0, position.cursor(location, lines, hit.encoding))
  vim.cmd("normal! zvzz")
  vim.b[buffer].scry_team_uri = file.uri
  if not file.is_current then
    notify.warn(("The team's index has a newer commit of %s now; lines may have moved."):format(hit.item.project))
  end
  return buffer
end

---Open the file of a result of the team, at the result: in a local clone where its file is the same.
---@param hit scry.Hit
---@param how? scry.How
function M.open(hit, how)
  M.read(hit, function(failure, file)
    if failure then
      return notify.error(failure.message)
    elseif (file.clone or "") == "" then
      answers.add_jump(show(hit, hit.item.location, file, how), hit)
      return uses.send(hit, "jump")
    end
    local location = vim.tbl_extend("force", hit.item.location, { uri = file.clone })
    local item = vim.tbl_extend("force", hit.item, { location = location, commit = "" })
    require("scry.jump").to(vim.tbl_extend("force", hit, { item = item }), how)
  end)
end

---Go to a document of the team that the full text of a result links to, as `scry.jump`'s `follow`.
---@param hit scry.Hit
---@param location scry.protocol.Location
function M.follow(hit, location)
  request.send(hit.root, protocol.methods.team_file, { uri = location.uri }, function(failure, file)
    if failure then
      return notify.error(failure.message)
    elseif (file.clone or "") ~= "" then
      return require("scry.jump").follow(hit, vim.tbl_extend("force", location, { uri = file.clone }))
    end
    show(hit, location, file)
    uses.send(hit, "open")
  end)
end

return M
