---Scry: search inside the editor, with the reasons. See `:help scry`.

local notify = require("scry.notify")
local root_of = require("scry.root")

local M = {}

---Take over options; not needed where the defaults are right.
---@param options? scry.Config|table
function M.setup(options)
  require("scry.config").setup(options)
end

---@class scry.Asking
---@field query? string words to find.
---@field path? string what to orient in; the folder of the current file when absent.
---@field file? string whose neighbors; the current file when absent.
---@field by? "cochange"|"dependency" which neighbors.
---@field days? integer how far back recent goes.
---@field projects? string[]|string which projects find and recent ask, by name; several names are joined by commas.
---@field all_projects? boolean whether they ask all projects.
---@field linked_projects? boolean whether they also ask the projects that this one is tied to.

---@param path? string
---@return string
local function absolute(path)
  return vim.fs.normalize(vim.fn.fnamemodify(vim.fn.expand(path or "%"), ":p"))
end

---Ask in a mode about the project of the current buffer.
---@param mode "find"|"recent"|"orient"|"neighbors"
---@param asking scry.Asking
---@return scry.Source
function M.source(mode, asking)
  local modes, root, scope = require("scry.modes"), root_of.of(), require("scry.arguments").scope(asking)
  if mode == "orient" then
    local file = root_of.file(0)
    local path = asking.path and absolute(asking.path) or (file and vim.fs.dirname(file) or root)
    return modes.orient(root, vim.uri_from_fname(path))
  elseif mode == "neighbors" then
    return modes.neighbors(root, vim.uri_from_fname(absolute(asking.file)), asking.by or "cochange")
  elseif mode == "recent" then
    return modes.recent(root, asking.query or "", asking.days, scope)
  end
  return modes.find(root, asking.query or "", scope)
end

---Search the project (find) and open the picker.
---@param query? string
---@param scope? scry.Scope which projects to ask; this one when absent.
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
---@param scope? scry.Scope which projects to ask; this one when absent.
function M.recent(query, days, scope)
  local asking = vim.tbl_extend("error", { query = query, days = days }, scope or {})
  require("scry.pickers").open(M.source("recent", asking))
end

---Show the important files of a folder (orient) in a buffer.
---@param path? string
function M.orient(path)
  require("scry.orient").open(M.source("orient", { path = path }))
end

---Show the neighbors of a file in the picker.
---@param file? string
---@param by? "cochange"|"dependency"
function M.neighbors(file, by)
  if not file and not root_of.file(0) then
    return notify.warn("the current buffer is no file; name one: :Scry neighbors <file>")
  end
  require("scry.pickers").open(M.source("neighbors", { file = file, by = by }))
end

---Return the current result: by its rank in the last answer, else the last one jumped to, else the first of the answer.
---@param rank? integer
---@return scry.Hit?
local function spoken_of(rank)
  local answers = require("scry.answers")
  local hit, why ---@type scry.Hit?, string?
  if rank then
    hit, why = answers.ranked(rank)
  else
    hit = answers.at_cursor()
    if not hit then
      hit, why = answers.ranked(1)
    end
  end
  if not hit then
    notify.warn(why or "nothing was asked yet.")
  end
  return hit
end

---Explain the result that the cursor is in after a jump, or the named document.
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
  local hit = spoken_of(rank)
  if hit then
    require("scry.actions").detail(hit)
  end
end

---Copy the reference of a result.
---@param rank? integer
function M.copy(rank)
  local hit = spoken_of(rank)
  if hit then
    require("scry.actions").copy(hit)
  end
end

---Rate the result that was jumped to, or else the last answer, as good or bad.
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

---Return the state of this project's index in a word or two, for a statusline; "" where no sidecar runs.
---@return string
function M.statusline()
  local loaded = package.loaded["scry.status"] or package.loaded["scry.client"] and require("scry.status")
  return loaded and loaded.line() or ""
end

return M
