---The modes: the question that each asks, as a source for any picker.

local answers = require("scry.answers")
local arguments = require("scry.arguments")
local config = require("scry.config")
local protocol = require("scry.generated.protocol")
local request = require("scry.request")

local M = {}

---@class scry.Source
---@field title string
---@field root string
---@field query string what is asked first.
---@field live boolean whether one can type on, and it is asked anew with every change.
---@field blank boolean whether no words are a question too.
---@field ask fun(query: string, done: fun(failure?: scry.Failure, found?: scry.Found)): fun() returns what cancels it.

local count = 0

---A name of one open picker: the sidecar ends an older question of the same name.
---@return string
local function picker_name()
  count = count + 1
  return ("nvim-%d-%d"):format(vim.uv.os_getpid(), count)
end

---Milliseconds until a project that is still being opened is asked again, and how often.
local RETRY, RETRIES = 200, 50

---Ask; and ask again where the project is still being opened, for the next key may never come.
---@param root string
---@param method string
---@param params table
---@param done fun(failure?: scry.Failure, found?: scry.Found)
---@return fun() cancel
local function ask(root, method, params, done)
  local over, cancel = false, function() end
  local function once(left)
    cancel = request.send(root, method, params, function(failure, answer, encoding)
      if failure then
        return done(failure)
      elseif #answer.results == 0 and answer.index.state == "starting" and left > 0 then
        return vim.defer_fn(function()
          if not over then
            once(left - 1)
          end
        end, RETRY)
      end
      local found = answers.found(answer, root, encoding)
      answers.remember(found)
      done(nil, found)
    end)
  end
  once(RETRIES)
  return function()
    over = true
    cancel()
  end
end

---Search: `find`.
---@param root string
---@param query string
---@param scope scry.Scope
---@return scry.Source
function M.find(root, query, scope)
  local picker = picker_name()
  return {
    title = "Scry find" .. arguments.place(scope),
    root = root,
    query = query,
    live = true,
    blank = false,
    ask = function(text, done)
      if text:match("^%s*$") then
        done(nil, { query_id = "", notice = "", header = "", hits = {}, root = root })
        return function() end
      end
      ---@type scry.protocol.FindParams
      local params = { query = text, limit = config.values.limit, picker = picker }
      return ask(root, protocol.methods.find, vim.tbl_extend("error", params, scope), done)
    end,
  }
end

---Recent changes: `recent`.
---@param root string
---@param query string
---@param days? integer
---@param scope scry.Scope
---@return scry.Source
function M.recent(root, query, days, scope)
  local picker = picker_name()
  return {
    title = (days and ("Scry recent, %d days"):format(days) or "Scry recent") .. arguments.place(scope),
    root = root,
    query = query,
    live = true,
    blank = true,
    ask = function(text, done)
      ---@type scry.protocol.RecentParams
      local params = { query = text, days = days, limit = config.values.limit, picker = picker }
      return ask(root, protocol.methods.recent, vim.tbl_extend("error", params, scope), done)
    end,
  }
end

---Important files of a folder: `orient`.
---@param root string
---@param path string
---@return scry.Source
function M.orient(root, path)
  return {
    title = "Scry orient " .. path,
    root = root,
    query = path,
    live = false,
    blank = false,
    ask = function(text, done)
      ---@type scry.protocol.OrientParams
      local params = { path = text, limit = config.values.limit }
      return ask(root, protocol.methods.orient, params, done)
    end,
  }
end

---Related files: `neighbors`.
---@param root string
---@param file string
---@param by "cochange"|"dependency"
---@return scry.Source
function M.neighbors(root, file, by)
  return {
    title = ("Scry neighbors of %s (%s)"):format(vim.fs.basename(file), by),
    root = root,
    query = file,
    live = false,
    blank = false,
    ask = function(text, done)
      ---@type scry.protocol.NeighborsParams
      local params = { file = text, by = by, limit = config.values.limit }
      return ask(root, protocol.methods.neighbors, params, done)
    end,
  }
end

return M
