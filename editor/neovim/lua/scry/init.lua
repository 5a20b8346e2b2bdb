---The public functions of Scry. See `:help scry`.

local notify = require("scry.notify")
local root_of = require("scry.root")

local M = {}

---Apply options. Not needed where the defaults suit.
---@param options? scry.Config|table
function M.setup(options)
  require("scry.config").setup(options)
end

---@class scry.Question the arguments of a mode; each mode reads its own.
---@field query? string text to search for.
---@field path? string folder or file to orient in; by default the folder of the current file.
---@field file? string file whose neighbors are listed; by default the current file.
---@field by? scry.NeighborsBy kind of neighbors.
---@field days? integer number of days that recent goes back.
---@field projects? string[]|string names of the projects that find and recent search; a string is separated by commas.
---@field all_projects? boolean whether find and recent search all projects.
---@field linked_projects? boolean whether find and recent also search the projects that this one is linked to.

---@param path? string
---@return string
local function absolute(path)
  return vim.fs.normalize(vim.fn.fnamemodify(vim.fn.expand(path or "%"), ":p"))
end

---Return the source of a mode for the project of the current buffer.
---@param mode "find"|"recent"|"orient"|"neighbors"
---@param question scry.Question
---@return scry.Source
function M.source(mode, question)
  local modes, root, scope = require("scry.modes"), root_of.of(), require("scry.arguments").scope(question)
  if mode == "orient" then
    local file = root_of.file(0)
    local path = question.path and absolute(question.path) or (file and vim.fs.dirname(file) or root)
    return modes.orient(root, vim.uri_from_fname(path))
  elseif mode == "neighbors" then
    local file, by = absolute(question.file), question.by or "cochange"
    local is_here = file == absolute()
    local line = by == "similar" and is_here and vim.api.nvim_win_get_cursor(0)[1] or nil
    return modes.neighbors(root, vim.uri_from_fname(file), by, line)
  elseif mode == "recent" then
    return modes.recent(root, question.query or "", question.days, scope)
  end
  return modes.find(root, question.query or "", scope)
end

---Search the project (find) and open the picker.
---@param query? string
---@param scope? scry.Scope projects to search; by default this one.
function M.find(query, scope)
  require("scry.pickers").open(M.source("find", vim.tbl_extend("error", { query = query }, scope or {})))
end

---Find the word under the cursor, or the selection.
function M.find_word()
  local visual = vim.fn.mode():match("[vV\22]")
  local words = { vim.fn.expand("<cword>") }
  if visual then
    words = vim.fn.getregion(vim.fn.getpos("v"), vim.fn.getpos("."), { type = vim.fn.mode() })
    vim.api.nvim_feedkeys(vim.keycode("<Esc>"), "nx", false)
  end
  M.find(vim.trim((table.concat(words, " "):gsub("%s+", " "))))
end

---Show recent changes (recent) in the picker.
---@param query? string
---@param days? integer
---@param scope? scry.Scope projects to search; by default this one.
function M.recent(query, days, scope)
  local question = vim.tbl_extend("error", { query = query, days = days }, scope or {})
  require("scry.pickers").open(M.source("recent", question))
end

---Show the important files of a folder (orient) in a buffer.
---@param path? string
function M.orient(path)
  require("scry.orient").open(M.source("orient", { path = path }))
end

---Show the neighbors of a file in the picker.
---@param file? string
---@param by? scry.NeighborsBy
function M.neighbors(file, by)
  if not file and not root_of.file(0) then
    return notify.warn("the current buffer is no file; name one: :Scry neighbors <file>")
  end
  require("scry.pickers").open(M.source("neighbors", { file = file, by = by }))
end

---Return the result that a command acts on: the result of this rank in the last answer, or without a rank the result at
---the cursor, or else the first result of the last answer.
---@param rank? integer
---@return scry.Hit?
local function result_for(rank)
  local answers = require("scry.answers")
  local hit, why ---@type scry.Hit?, string?
  if rank then
    hit, why = answers.by_rank(rank)
  else
    hit = answers.at_cursor()
    if not hit then
      hit, why = answers.by_rank(1)
    end
  end
  if not hit then
    notify.warn(why or "nothing was asked yet.")
  end
  return hit
end

---Explain the result at the cursor, or the named document.
---@param doc_id? string
---@param query? string
function M.why(doc_id, query)
  local actions, answers = require("scry.actions"), require("scry.answers")
  if doc_id then
    return actions.explain(root_of.of(), { doc_id = doc_id, query = query })
  end
  local hit = answers.at_cursor()
  if hit then
    return actions.why(hit)
  end
  notify.warn("the cursor is in no place that Scry led to; name a document: :Scry why <doc_id>")
end

---Show a result in full.
---@param rank? integer
function M.detail(rank)
  local hit = result_for(rank)
  if hit then
    require("scry.actions").detail(hit)
  end
end

---Copy the reference of a result.
---@param rank? integer
function M.copy(rank)
  local hit = result_for(rank)
  if hit then
    require("scry.actions").copy(hit)
  end
end

---Rate the result at the cursor, or else the last answer, as good or bad.
---@param signal "good"|"bad"
---@param comment? string
function M.rate(signal, comment)
  local actions, answers = require("scry.actions"), require("scry.answers")
  local hit, last = answers.at_cursor(), answers.last()
  if hit then
    return actions.rate(hit, signal, comment)
  elseif not last or last.query_id == "" then
    return notify.warn("nothing was asked yet.")
  end
  actions.send_rating(last.root, { query_id = last.query_id, signal = signal, comment = comment })
end

---Return the state of this project's index for a statusline; "" where no sidecar runs.
---@return string
function M.statusline()
  local status = package.loaded["scry.status"] or package.loaded["scry.client"] and require("scry.status")
  return status and status.line() or ""
end

return M
