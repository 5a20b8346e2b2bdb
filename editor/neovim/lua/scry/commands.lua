---`:Scry …`: a subcommand for each question and action.

local arguments = require("scry.arguments")
local notify = require("scry.notify")

local M = {}

---Options of questions that can go to other projects.
local PROJECTS = { "--projects", "--all-projects", "--linked-projects" }

---@class scry.Subcommand
---@field run fun(words: string[], rest: string)
---@field complete? fun(lead: string, words: string[]): string[]

---@param text string
---@return string?
local function or_nil(text)
  return text ~= "" and text or nil
end

---@param choices string[]
---@return fun(lead: string): string[]
local function one_of(choices)
  return function(lead)
    return vim.tbl_filter(function(choice)
      return vim.startswith(choice, lead)
    end, choices)
  end
end

---@param kind "file"|"dir"
---@return fun(lead: string): string[]
local function path(kind)
  return function(lead)
    return vim.fn.getcompletion(lead, kind)
  end
end

---Return the values of one field of the last answer's results.
---@param field "doc_id"|"rank"
---@return fun(lead: string): string[]
local function answered(field)
  return function(lead)
    local last = require("scry.answers").last()
    local values = vim.tbl_map(function(hit)
      return tostring(hit.item[field])
    end, last and last.hits or {})
    return one_of(values)(lead)
  end
end

---A subcommand for a result, which may be named by its rank.
---@param name "detail"|"copy"
---@return scry.Subcommand
local function with_rank(name)
  return {
    run = function(words)
      local ok, rank = arguments.number(words[1], "the rank")
      if ok then
        require("scry")[name](rank)
      end
    end,
    complete = answered("rank"),
  }
end

---A subcommand that rates, with a comment.
---@param signal "good"|"bad"
---@return scry.Subcommand
local function rating(signal)
  return {
    run = function(_, rest)
      require("scry").rate(signal, or_nil(rest))
    end,
  }
end

---@type table<string, scry.Subcommand>
M.table = {
  find = {
    run = function(_, rest)
      local given, query = arguments.leading(rest)
      if given.days then
        return notify.error("find has no --days; :Scry recent has.")
      end
      require("scry").find(query, arguments.scope(given))
    end,
    complete = arguments.completing(PROJECTS),
  },
  recent = {
    run = function(_, rest)
      local given, query = arguments.leading(rest)
      local ok, days = arguments.number(given.days --[[@as string?]], "--days")
      if ok then
        require("scry").recent(query, days, arguments.scope(given))
      end
    end,
    complete = arguments.completing(vim.list_extend({ "--days" }, PROJECTS)),
  },
  orient = {
    run = function(_, rest)
      require("scry").orient(or_nil(rest))
    end,
    complete = path("file"),
  },
  neighbors = {
    run = function(words)
      local by, file = arguments.take(words, "--by")
      if by and by ~= "cochange" and by ~= "dependency" then
        return notify.error("--by is cochange or dependency.")
      end
      ---@cast by "cochange"|"dependency"?
      require("scry").neighbors(or_nil(file), by)
    end,
    complete = function(lead, words)
      if words[#words - 1] == "--by" or words[#words] == "--by" then
        return one_of({ "cochange", "dependency" })(lead)
      elseif vim.startswith(lead, "-") then
        return { "--by" }
      end
      return path("file")(lead)
    end,
  },
  why = {
    run = function(words)
      local doc_id = table.remove(words, 1)
      require("scry").why(doc_id, or_nil(table.concat(words, " ")))
    end,
    complete = answered("doc_id"),
  },
  detail = with_rank("detail"),
  copy = with_rank("copy"),
  good = rating("good"),
  bad = rating("bad"),
  index = {
    run = function(words)
      require("scry.status").index(words[1] or "start")
    end,
    complete = one_of({ "start", "pause", "resume", "rebuild" }),
  },
  projects = {
    run = function(words, rest)
      if #words == 0 then
        require("scry.projects").show()
      elseif words[1] == "add" then
        require("scry.projects").add(or_nil((rest:gsub("^add%s*", ""))))
      else
        notify.error(":Scry projects shows them, :Scry projects add [folder] registers one.")
      end
    end,
    complete = function(lead, words)
      return #words > 1 and words[1] == "add" and path("dir")(lead) or one_of({ "add" })(lead)
    end,
  },
  status = {
    run = function()
      require("scry.status").show()
    end,
  },
  settings = {
    run = function()
      require("scry.status").settings()
    end,
  },
  log = {
    run = function()
      require("scry.log").open()
    end,
  },
  restart = {
    run = function()
      require("scry.status").restart()
    end,
  },
}

---@return string[]
function M.names()
  return require("scry.config").names(M.table)
end

---@param call { fargs: string[], args: string, range: integer, line1: integer, line2: integer }
function M.run(call)
  local words = vim.list_slice(call.fargs)
  local name = table.remove(words, 1) or "find"
  local command = M.table[name]
  if not command then
    local known = table.concat(M.names(), ", ")
    return notify.error(
      ("there is no :Scry %s (there is: %s). To search for it: :Scry find %s"):format(name, known, name)
    )
  end
  command.run(words, (call.args:gsub("^%s*%S+%s*", "", 1)))
end

---@param lead string
---@param line string
---@param cursor integer
---@return string[]
function M.complete(lead, line, cursor)
  local words = vim.split(line:sub(1, cursor):gsub("^.-Scry!?%s*", "", 1), "%s+")
  if #words <= 1 then
    return one_of(M.names())(lead)
  end
  local command = M.table[words[1]]
  return command and command.complete and command.complete(lead, vim.list_slice(words, 2)) or {}
end

return M
