---Jumps to results, and reports each jump to the sidecar.

local answers = require("scry.answers")
local notify = require("scry.notify")
local position = require("scry.position")
local scratch = require("scry.scratch")
local uses = require("scry.uses")

local M = {}

---@alias scry.How "edit"|"split"|"vsplit"|"tab"

---Return the name that a file's new buffer gets: its path below the current folder, as people would type it.
---@param path string
---@return string
local function name_of(path)
  return vim.fn.fnamemodify(path, ":.")
end

---Show the location of a result: the name of its symbol, or else its start. A location beyond the end of the file,
---which is shorter now, is moved to its end.
---@param hit scry.Hit
---@param how? scry.How
---@return boolean whether it is shown
local function show(hit, how)
  local location, path = hit.item.location, answers.path(hit)
  if vim.fn.filereadable(path) == 0 and not position.buffer(path) then
    notify.warn(("%s is not there any more."):format(path))
    return false
  end
  vim.fn.bufadd(name_of(path)) -- show_document would call it by its whole path
  local ok, shown = pcall(function()
    scratch.window(how)
    return vim.lsp.util.show_document({ uri = location.uri }, hit.encoding, { focus = true })
  end)
  if not (ok and shown) then
    local reason = tostring(shown):match("^[^\n]*"):gsub("^.-%.lua:%d+: ", "") -- without the place in Neovim's code
    notify.error(("%s could not be opened: %s"):format(path, reason))
    return false
  end
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  vim.api.nvim_win_set_cursor(0, position.cursor(location, lines, hit.encoding))
  vim.cmd("normal! zvzz")
  return true
end

---Go to the location of a result. A result without a location, such as a commit, is shown in a buffer.
---@param hit scry.Hit
---@param how? scry.How
---@return boolean whether it is shown, or its text is on the way
function M.to(hit, how)
  if not hit.item.location then
    require("scry.detail").open(hit, how, "open")
    return true
  elseif answers.is_of_team(hit) then
    require("scry.team_file").open(hit, how)
    return true
  end
  local located = answers.in_edited_text(hit)
  local is_shown = show(located, how)
  if is_shown then
    M.record(located)
  end
  return is_shown
end

---Go to a document that the full text of a result links to. This is a use of the result, which was opened: the protocol
---has no name for the document as one that was found.
---@param hit scry.Hit
---@param location scry.protocol.Location
function M.follow(hit, location)
  local team_file = require("scry.team_file")
  if team_file.split(location.uri) then
    return team_file.follow(hit, location)
  end
  local item = vim.tbl_extend("force", hit.item, { location = location, commit = "" })
  if show(answers.in_edited_text(vim.tbl_extend("force", hit, { item = item }))) then
    uses.send(hit, "open")
  end
end

---Record a jump to a result.
---@param hit scry.Hit
function M.record(hit)
  answers.add_jump(vim.api.nvim_get_current_buf(), hit)
  uses.send(hit, "jump")
end

---Load the file of a result into a buffer that is not shown, in which the cursor will be at the result.
---@param hit scry.Hit
---@return boolean whether it was loaded
local function load(hit)
  local path = answers.path(hit)
  if vim.fn.filereadable(path) == 0 then
    notify.warn(("%s is in no file."):format(hit.item.title))
    return false
  end
  local located = answers.in_edited_text(hit)
  local cursor = position.cursor(located.item.location, position.lines(path), located.encoding)
  vim.cmd(("badd +%d %s"):format(cursor[1], vim.fn.fnameescape(name_of(path))))
  local buffer = vim.fn.bufadd(path)
  vim.fn.bufload(buffer)
  answers.add_jump(buffer, located)
  uses.send(hit, "open")
  return true
end

---Open results in the background.
---@param hits scry.Hit[]
function M.background(hits)
  local loaded = vim.tbl_filter(load, hits)
  if #loaded > 0 then
    local names = vim.tbl_map(function(hit)
      return vim.fs.basename(answers.path(hit))
    end, loaded)
    notify.info(("opened in the background: %s"):format(table.concat(names, ", ")))
  end
end

---Go to results: to the first one; the others are opened in windows or tab pages of their own, or in the background.
---@param hits scry.Hit[]
---@param how? scry.How
function M.several(hits, how)
  if how then
    for index = #hits, 2, -1 do
      M.to(hits[index], how)
    end
  elseif #hits > 1 then
    M.background(vim.list_slice(hits, 2))
  end
  M.to(hits[1], how)
end

---Go to the first result of a source without a picker. |:Scry-next| leads on.
---@param source scry.Source
function M.first(source)
  require("scry.pickers.select").finish(source, function(answer)
    if M.to(answer.hits[1]) then
      notify.info(("1 of %d: %s"):format(#answer.hits, answer.hits[1].item.title))
    end
  end)
end

---Go to the result that follows, or precedes, the one of the last answer that was used last.
---@param step 1|-1
function M.step(step)
  local last = answers.last()
  local rank = (answers.last_rank() or (step == 1 and 0 or #(last and last.hits or {}) + 1)) + step
  local hit, why = answers.by_rank(rank)
  if not hit then
    return notify.info(last and #last.hits > 0 and "there is no further result." or why or "")
  end
  if M.to(hit) then
    notify.info(("%d of %d: %s"):format(rank, #last.hits, hit.item.title))
  end
end

return M
