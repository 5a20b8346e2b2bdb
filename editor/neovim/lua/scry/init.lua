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

---Return the source of a mode for the project of the current buffer.
---@param mode "find"|"recent"|"orient"|"neighbors"
---@param question scry.Question
---@return scry.Source
function M.source(mode, question)
  local modes, root, scope = require("scry.modes"), root_of.of(), require("scry.arguments").scope(question)
  if mode == "orient" then
    local file = root_of.file(0)
    if not question.path and vim.b.scry_team_uri then
      return modes.orient(root, vim.fs.dirname(vim.b.scry_team_uri))
    end
    local path = question.path and root_of.absolute(question.path) or (file and vim.fs.dirname(file) or root)
    return modes.orient(root, vim.uri_from_fname(path))
  elseif mode == "neighbors" then
    local file, by = root_of.absolute(question.file or "%"), question.by or "cochange"
    local is_here = file == root_of.absolute("%")
    local line = by == "similar" and is_here and require("scry.position").at_cursor() + 1 or nil
    local uri = is_here and vim.b.scry_team_uri or vim.uri_from_fname(file)
    return modes.neighbors(root, uri, by, line)
  elseif mode == "recent" then
    return modes.recent(root, question.query or "", question.days, scope)
  end
  return modes.find(root, question.query or "", scope)
end

---Show a source in the picker, or go to its first result.
---@param source scry.Source
---@param is_direct? boolean
local function show(source, is_direct)
  if is_direct then
    return require("scry.jump").first(source)
  end
  require("scry.pickers").open(source)
end

---Call `done` with the filters that confine a search to the folder of the current file, or to its neighbors.
---@param within? "folder"|"neighbors"
---@param done fun(filters?: scry.Filters)
local function with_filters(within, done)
  local file, root = root_of.file(0), root_of.of()
  if not within then
    return done(nil)
  elseif not file then
    return notify.warn(("the current buffer is no file; --%s needs one."):format(within))
  elseif within == "neighbors" then
    return require("scry.filters").of_neighbors(root, file, done)
  end
  done(require("scry.filters").of_folder(root, vim.fs.dirname(file)))
end

---@class scry.Ask
---@field query? string
---@field scope? scry.Scope projects to search; by default this one.
---@field within? "folder"|"neighbors" confine the search to the folder of the current file, or to its neighbors.
---@field direct? boolean go to the first result without a picker.

---Search the project (find) and open the picker.
---@param query? string|scry.Ask
---@param scope? scry.Scope projects to search; by default this one.
function M.find(query, scope)
  local asked = type(query) == "table" and query or { query = query, scope = scope } ---@type scry.Ask
  with_filters(asked.within, function(filters)
    local modes, own = require("scry.modes"), require("scry.arguments").scope(asked.scope or {})
    show(modes.find(root_of.of(), asked.query or "", own, filters), asked.direct)
  end)
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
---@param query? string|scry.Ask
---@param days? integer
---@param scope? scry.Scope projects to search; by default this one.
function M.recent(query, days, scope)
  local asked = type(query) == "table" and query or { query = query, scope = scope } ---@type scry.Ask
  with_filters(asked.within, function(filters)
    local modes, own = require("scry.modes"), require("scry.arguments").scope(asked.scope or {})
    show(modes.recent(root_of.of(), asked.query or "", days, own, filters), asked.direct)
  end)
end

---Show the callers, callees, importers, imports and co-changes of the result at the cursor, or else of the current
---file.
---@param relation? string callers, callees, importers, imports or changes; all when nil
---@param rank? integer of a result of the last answer instead
function M.related(relation, rank)
  local answers, related = require("scry.answers"), require("scry.related")
  local hit, why = answers.at_cursor(), nil ---@type scry.Hit?, string?
  if rank then
    hit, why = answers.by_rank(rank)
  end
  local file = root_of.file(0)
  if hit then
    related.open(hit, relation)
  elseif file and not rank then
    related.of_file(root_of.of(), file, relation)
  else
    notify.warn(why or "the cursor is at no result, and the current buffer is no file.")
  end
end

---Go to the next result of the last answer.
function M.next()
  require("scry.jump").step(1)
end

---Go to the previous result of the last answer.
function M.previous()
  require("scry.jump").step(-1)
end

---Choose an earlier question of this project, and ask it again.
function M.history()
  require("scry.history").open()
end

---Explain the signs of a list and its keys.
function M.legend()
  require("scry.actions").legend()
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
  if not file and not root_of.file(0) and not vim.b.scry_team_uri then
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

---Explain the result at the cursor, or the named document: in the project of the last answer if it is a result there,
---or else in that of the current buffer.
---@param doc_id? string
---@param query? string
function M.why(doc_id, query)
  local actions, answers = require("scry.actions"), require("scry.answers")
  if doc_id then
    local last = answers.last()
    local is_result = last and answers.has(last, doc_id)
    local query_id = is_result and not query and last.query_id or nil
    local params = { doc_id = doc_id, query = query, query_id = query_id } ---@type scry.protocol.WhyParams
    return actions.explain(is_result and last.root or root_of.of(), params)
  end
  local hit = answers.at_cursor()
  if hit then
    return actions.why(hit, nil, function()
      require("scry.jump").to(hit)
    end)
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

---Open the address of a result of the joined team on its forge, and copy it.
---@param rank? integer
function M.link(rank)
  local hit = result_for(rank)
  if hit then
    require("scry.actions").link(hit)
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

---@class scry.Statusline options of `statusline`.
---@field quiet? boolean whether a complete index is no news, so that nothing is shown.
---@field trunc_width? integer width of the window, in cells, below which nothing is shown.

---Return the state of this project's index for a statusline; "" where no sidecar runs.
---@param options? scry.Statusline
---@return string
function M.statusline(options)
  local status = package.loaded["scry.status"] or package.loaded["scry.client"] and require("scry.status")
  local line = status and status.line() or ""
  local width = vim.o.laststatus == 3 and vim.o.columns or vim.api.nvim_win_get_width(0)
  local is_hidden = options and (options.quiet and line == "scry" or width < (options.trunc_width or 0))
  return is_hidden and "" or line
end

return M
