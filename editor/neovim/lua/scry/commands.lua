---The subcommands of `:Scry`, and their completion.

local arguments = require("scry.arguments")
local notify = require("scry.notify")

local M = {}

---Options that select the projects to search.
local PROJECT_OPTIONS = { "--projects", "--all-projects", "--linked-projects" }

---Options that confine a search to a part of this project.
local PART_OPTIONS = { "--folder", "--neighbors" }

---@class scry.CommandCall a call of `:Scry`, as Neovim describes it.
---@field fargs string[]
---@field args string
---@field bang boolean
---@field range integer number of items in the range.
---@field line1 integer
---@field line2 integer

---@class scry.Subcommand
---@field run fun(words: string[], rest: string, call: scry.CommandCall)
---@field complete? fun(lead: string, words: string[]): string[]

---@param text string
---@return string?
local function or_nil(text)
  return text ~= "" and text or nil
end

---Return the text of the range of a call on one line: the selection, if it has the same lines; nil without a range.
---@param call scry.CommandCall
---@return string?
local function selected_text(call)
  if call.range == 0 then
    return nil
  end
  local first, last = vim.fn.getpos("'<"), vim.fn.getpos("'>")
  local lines = vim.api.nvim_buf_get_lines(0, call.line1 - 1, call.line2, false)
  if first[2] == call.line1 and last[2] == call.line2 and vim.fn.visualmode() ~= "" then
    lines = vim.fn.getregion(first, last, { type = vim.fn.visualmode() })
  end
  return vim.trim((table.concat(lines, " "):gsub("%s+", " ")))
end

---Return what the options of find or recent ask for; nil after a message where they contradict each other.
---@param options table<string, string|true>
---@param query string
---@param call scry.CommandCall
---@return scry.Ask?
local function ask_of(options, query, call)
  local scope = arguments.scope(options)
  if (options.folder or options.neighbors) and (next(scope) or options.folder and options.neighbors) then
    return notify.error("--folder, --neighbors and other projects can't be combined.")
  end
  return {
    query = query ~= "" and query or selected_text(call),
    scope = scope,
    within = options.folder and "folder" or options.neighbors and "neighbors" or nil,
    direct = call.bang,
  }
end

---@param choices string[]
---@return fun(lead: string): string[]
local function complete_choice(choices)
  return function(lead)
    return vim.tbl_filter(function(choice)
      return vim.startswith(choice, lead)
    end, choices)
  end
end

---@param kind "file"|"dir"
---@return fun(lead: string): string[]
local function complete_path(kind)
  return function(lead)
    return vim.tbl_map(arguments.escape, vim.fn.getcompletion(lead, kind))
  end
end

---Return a completion function for the values of a field of the last answer's results.
---@param field "doc_id"|"rank"
---@return fun(lead: string): string[]
local function complete_field(field)
  return function(lead)
    local last = require("scry.answers").last()
    local values = vim.tbl_map(function(hit)
      return tostring(hit.item[field])
    end, last and last.hits or {})
    return complete_choice(values)(lead)
  end
end

---Return a subcommand that acts on a result, which an optional rank selects.
---@param name "detail"|"copy"
---@return scry.Subcommand
local function result_command(name)
  return {
    run = function(words)
      local ok, rank = arguments.positive_integer(words[1], "the rank")
      if ok then
        require("scry")[name](rank)
      end
    end,
    complete = complete_field("rank"),
  }
end

---Return a subcommand without arguments.
---@param name "next"|"previous"|"history"|"legend"
---@return scry.Subcommand
local function plain_command(name)
  return {
    run = function()
      require("scry")[name]()
    end,
  }
end

---Return a subcommand that rates, with an optional comment.
---@param signal "good"|"bad"
---@return scry.Subcommand
local function rating_command(signal)
  return {
    run = function(_, rest)
      require("scry").rate(signal, or_nil(rest))
    end,
  }
end

---Return a subcommand that adds a text to the project's knowledge or the user's notes. The lines of a range are the
---evidence of a belief.
---@param name "believe"|"remember"
---@param what string
---@return scry.Subcommand
local function text_command(name, what)
  return {
    run = function(_, rest, call)
      if rest == "" then
        return notify.error((":Scry %s needs %s."):format(name, what))
      end
      require("scry.knowledge")[name](rest, call.range > 0 and { call.line1, call.line2 } or nil)
    end,
  }
end

---Return a subcommand that lists knowledge, with words only what matches them.
---@param name "persona"|"memory"
---@return scry.Subcommand
local function list_command(name)
  return {
    run = function(_, rest)
      require("scry.knowledge")[name](or_nil(rest))
    end,
  }
end

---Relations of `neighbors`.
local NEIGHBORS_BY = { "cochange", "dependency", "similar" }

---Kinds of observations, the ones that people make first.
local KINDS = { "decision", "note", "error", "command", "test", "edit", "message" }

---@type table<string, scry.Subcommand>
M.table = {
  find = {
    run = function(_, rest, call)
      local options, query = arguments.split_options(rest)
      if options.days then
        return notify.error("find has no --days; :Scry recent has.")
      end
      local ask = ask_of(options, query, call)
      if ask then
        require("scry").find(ask)
      end
    end,
    complete = arguments.option_completer(
      vim.list_extend(vim.list_extend({ "--team" }, PROJECT_OPTIONS), PART_OPTIONS)
    ),
  },
  recent = {
    run = function(_, rest, call)
      local options, query = arguments.split_options(rest)
      local ok, days = arguments.positive_integer(options.days --[[@as string?]], "--days")
      local ask = ok and ask_of(options, query, call)
      if ask then
        require("scry").recent(ask, days)
      end
    end,
    complete = arguments.option_completer(
      vim.list_extend(vim.list_extend({ "--days", "--team" }, PROJECT_OPTIONS), PART_OPTIONS)
    ),
  },
  orient = {
    run = function(words)
      require("scry").orient(or_nil(table.concat(words, " ")))
    end,
    complete = complete_path("file"),
  },
  neighbors = {
    run = function(words)
      local by, file = arguments.take_option(words, "--by")
      if by and not vim.list_contains(NEIGHBORS_BY, by) then
        return notify.error("--by is cochange, dependency or similar.")
      end
      ---@cast by scry.NeighborsBy?
      require("scry").neighbors(or_nil(file), by)
    end,
    complete = function(lead, words)
      if words[#words - 1] == "--by" or words[#words] == "--by" then
        return complete_choice(NEIGHBORS_BY)(lead)
      elseif vim.startswith(lead, "-") then
        return { "--by" }
      end
      return complete_path("file")(lead)
    end,
  },
  why = {
    run = function(words)
      local doc_id = table.remove(words, 1)
      require("scry").why(doc_id, or_nil(table.concat(words, " ")))
    end,
    complete = complete_field("doc_id"),
  },
  detail = result_command("detail"),
  copy = result_command("copy"),
  link = result_command("link"),
  related = {
    run = function(words)
      local relations = require("scry.related").relations
      local relation = vim.list_contains(relations, words[1]) and table.remove(words, 1) or nil
      local ok, rank = arguments.positive_integer(words[1], "the rank, or the relation,")
      if ok then
        require("scry").related(relation, rank)
      end
    end,
    complete = function(lead, words)
      return #words > 1 and complete_field("rank")(lead) or complete_choice(require("scry.related").relations)(lead)
    end,
  },
  next = plain_command("next"),
  previous = plain_command("previous"),
  history = plain_command("history"),
  legend = plain_command("legend"),
  good = rating_command("good"),
  bad = rating_command("bad"),
  index = {
    run = function(words)
      require("scry.status").index(words[1] or "start")
    end,
    complete = complete_choice({ "start", "pause", "resume", "rebuild" }),
  },
  projects = {
    run = function(words)
      if #words == 0 then
        require("scry.projects").show()
      elseif table.remove(words, 1) == "add" then
        local name, folder = arguments.take_option(words, "--name")
        if name == "" then
          return notify.error(":Scry projects add --name needs a name.")
        end
        require("scry.projects").add(or_nil(folder), name)
      else
        notify.error(":Scry projects shows them, :Scry projects add [--name {name}] [folder] registers one.")
      end
    end,
    complete = function(lead, words)
      if #words == 1 or words[1] ~= "add" then
        return #words == 1 and complete_choice({ "add" })(lead) or {}
      elseif words[#words - 1] == "--name" then
        return {}
      end
      local options = vim.list_contains(words, "--name") and {} or { "--name" }
      return vim.list_extend(complete_path("dir")(lead), complete_choice(options)(lead))
    end,
  },
  beliefs = {
    run = function(words)
      if #words == 0 then
        require("scry.knowledge").beliefs()
      elseif words[1] == "rename" and #words == 1 then
        require("scry.knowledge").rename_belief()
      elseif words[1] == "here" and #words == 1 then
        require("scry.knowledge").beliefs_here()
      else
        notify.error(":Scry beliefs lists them; `here` lists those about this file, `rename` gives one another id.")
      end
    end,
    complete = complete_choice({ "here", "rename" }),
  },
  believe = text_command("believe", "a statement"),
  persona = list_command("persona"),
  remember = text_command("remember", "a text"),
  memory = list_command("memory"),
  observe = {
    run = function(words, rest)
      local text = vim.trim((rest:gsub("^%S+%s*", "", 1)))
      if text == "" then
        return notify.error((":Scry observe %s needs a text."):format(words[1] or "decision"))
      end
      require("scry.knowledge").observe(words[1], text)
    end,
    complete = function(lead, words)
      return #words > 1 and {} or complete_choice(KINDS)(lead)
    end,
  },
  session = {
    run = function(words, rest)
      local intent = or_nil((rest:gsub("^%S+%s*", "", 1)))
      if #words == 0 then
        require("scry.knowledge").session("list")
      elseif words[1] == "end" then
        require("scry.knowledge").session("end")
      elseif words[1] == "start" and intent then
        require("scry.knowledge").session("start", intent)
      else
        notify.error(":Scry session start needs an aim; :Scry session shows sessions, :Scry session end ends one.")
      end
    end,
    complete = function(lead, words)
      return #words > 1 and {} or complete_choice({ "start", "end" })(lead)
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
  insights = {
    run = function()
      require("scry.status").insights()
    end,
  },
  doctor = {
    run = function()
      require("scry.status").doctor()
    end,
  },
  log = {
    run = function(words, rest)
      local log, file = require("scry.log"), rest:match("^export%s+(.+)$")
      if #words == 0 then
        log.open()
      elseif (words[1] == "on" or words[1] == "off") and #words == 1 then
        log.switch(words[1] --[[@as "on"|"off"]])
      elseif file then
        log.export(file)
      else
        notify.error(":Scry log shows the sidecar's errors; :Scry log on, off, export {file}: of questions and uses.")
      end
    end,
    complete = function(lead, words)
      return words[1] == "export" and #words > 1 and complete_path("file")(lead)
        or complete_choice({ "on", "off", "export" })(lead)
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

---Run a subcommand. Several words of which the first one names none are a question; a single one may be a typing error.
---@param call scry.CommandCall
function M.run(call)
  local words = vim.list_slice(call.fargs)
  local name = table.remove(words, 1) or "find"
  local command = M.table[name]
  if command then
    return command.run(words, (call.args:gsub("^%s*%S+%s*", "", 1)), call)
  elseif #words > 0 then
    return M.table.find.run(call.fargs, vim.trim(call.args), call)
  end
  local known = table.concat(M.names(), ", ")
  notify.error(("there is no :Scry %s (there is: %s). To search for it: :Scry find %s"):format(name, known, name))
end

---@param lead string
---@param line string
---@param cursor integer
---@return string[]
function M.complete(lead, line, cursor)
  local words = arguments.words((line:sub(1, cursor):gsub("^.-Scry!?%s*", "", 1)))
  if #words <= 1 then
    return complete_choice(M.names())(lead)
  end
  local command = M.table[words[1]]
  return command and command.complete and command.complete(lead, vim.list_slice(words, 2)) or {}
end

return M
