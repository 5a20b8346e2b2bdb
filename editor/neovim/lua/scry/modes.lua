---The modes: each builds a source of results for any picker.

local answers = require("scry.answers")
local arguments = require("scry.arguments")
local config = require("scry.config")
local protocol = require("scry.generated.protocol")
local request = require("scry.request")

local M = {}

---@class scry.Source a question whose answers a picker shows.
---@field title string
---@field root string
---@field query string the initial query.
---@field live boolean whether the user can edit the query, and each change sends a new request.
---@field allows_empty boolean whether an empty query is sent.
---@field is_finished? boolean whether the query is complete when it is sent, so that its last word matches as it is.
---@field shown_query? string the query as people read it, where it is a URI.
---@field ask fun(query: string, done: scry.Done, replaced?: scry.Answer): fun() returns a function that cancels the
---request. replaced: the older answer to the same question that this one replaces.

---@alias scry.Done fun(failure?: scry.Failure, answer?: scry.Answer)

---@alias scry.NeighborsBy "cochange"|"dependency"|"similar"

local count = 0

---Return a unique name for a picker. The sidecar cancels an older question of the same name.
---@return string
local function picker_name()
  count = count + 1
  return ("nvim-%d-%d"):format(vim.uv.os_getpid(), count)
end

---Milliseconds between repeats of a request while the project is being opened, and the number of repeats.
local RETRY_MS, MAX_RETRIES = 200, 50

---Send a request, and repeat it while the project is being opened, because the user may not press another key.
---@param root string
---@param method string
---@param params table
---@param done scry.Done
---@param replaced? scry.Answer
---@return fun() cancel
local function ask(root, method, params, done, replaced)
  local is_cancelled, cancel = false, function() end
  local function send(left)
    cancel = request.send(root, method, params, function(failure, answer, encoding)
      if failure then
        return done(failure)
      elseif #answer.results == 0 and answer.index.state == "starting" and left > 0 then
        return vim.defer_fn(function()
          if not is_cancelled then
            send(left - 1)
          end
        end, RETRY_MS)
      end
      local converted = answers.from_protocol(answer, root, encoding)
      answers.set_last(converted, replaced)
      done(nil, converted)
    end)
  end
  send(MAX_RETRIES)
  return function()
    is_cancelled = true
    cancel()
  end
end

---Return the source of `find`.
---@param root string
---@param query string
---@param scope scry.Scope
---@param within? scry.Filters a part of the project, to which the search is confined
---@return scry.Source
function M.find(root, query, scope, within)
  local picker = picker_name()
  local before = within and within.text .. " " or ""
  local source ---@type scry.Source
  source = {
    title = "Scry find" .. (within and within.label or "") .. arguments.scope_label(scope),
    root = root,
    query = query,
    live = true,
    allows_empty = false,
    ask = function(text, done)
      if text:match("^%s*$") then
        done(nil, { query_id = "", notice = "", header = "", hits = {}, root = root, is_partial = false })
        return function() end
      end
      ---@type scry.protocol.FindParams
      local params =
        { query = before .. text, limit = config.values.limit, picker = not source.is_finished and picker or nil }
      return ask(root, protocol.methods.find, vim.tbl_extend("error", params, scope), done)
    end,
  }
  return source
end

---Number of related documents that are listed: more than results, since each meets the question.
local MAX_RELATIONS = 200

---Return the source of a relational question, such as `callers of "./src/app.py::run"`.
---@param root string
---@param title string
---@param query string
---@param scope scry.Scope
---@return scry.Source
function M.relations(root, title, query, scope)
  return {
    title = title,
    root = root,
    query = query,
    live = false,
    allows_empty = false,
    ask = function(text, done)
      ---@type scry.protocol.FindParams
      local params = { query = text, reason = true, limit = MAX_RELATIONS }
      return ask(root, protocol.methods.find, vim.tbl_extend("error", params, scope), done)
    end,
  }
end

---Return the source of `recent`.
---@param root string
---@param query string
---@param days? integer
---@param scope scry.Scope
---@param within? scry.Filters a part of the project, to which the search is confined
---@return scry.Source
function M.recent(root, query, days, scope, within)
  local picker = picker_name()
  local title = days and ("Scry recent, %d days"):format(days) or "Scry recent"
  return {
    title = title .. (within and within.label or "") .. arguments.scope_label(scope),
    root = root,
    query = query,
    live = true,
    allows_empty = true,
    ask = function(text, done)
      ---@type scry.protocol.RecentParams
      local params = { query = text, days = days, limit = config.values.limit, picker = picker }
      params.query = within and vim.trim(within.text .. " " .. text) or text
      return ask(root, protocol.methods.recent, vim.tbl_extend("error", params, scope), done)
    end,
  }
end

---Return the source of `orient`, the important files of a folder.
---@param root string
---@param path string
---@return scry.Source
function M.orient(root, path)
  return {
    title = "Scry orient " .. path,
    root = root,
    query = path,
    live = false,
    allows_empty = false,
    ask = function(text, done, replaced)
      ---@type scry.protocol.OrientParams
      local params = { path = text, limit = config.values.limit, record = replaced == nil }
      return ask(root, protocol.methods.orient, params, done, replaced)
    end,
  }
end

---Return the path of a file as people read it: below the current folder, or in the team's repository.
---@param uri string
---@return string
local function path_of(uri)
  local repository, path = require("scry.team_file").split(uri)
  return repository and ("%s:%s"):format(repository, path) or vim.fn.fnamemodify(vim.uri_to_fname(uri), ":.")
end

---Return the source of `neighbors`, the files related to a file.
---@param root string
---@param file string its URI
---@param by scry.NeighborsBy
---@param line? integer of the place to which results are similar
---@return scry.Source
function M.neighbors(root, file, by, line)
  return {
    title = ("Scry neighbors of %s (%s)"):format(vim.fs.basename(file), by),
    root = root,
    query = file,
    shown_query = path_of(file),
    live = false,
    allows_empty = false,
    ask = function(text, done)
      ---@type scry.protocol.NeighborsParams
      local params = { file = text, by = by, line = line, limit = config.values.limit }
      return ask(root, protocol.methods.neighbors, params, done)
    end,
  }
end

return M
