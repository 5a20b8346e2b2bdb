---Parses and completes the arguments of the subcommands of `:Scry`.

local notify = require("scry.notify")

local M = {}

---Fields of the options of a question: of options without a value, and of options with one.
local FLAGS = {
  ["--all-projects"] = "all_projects",
  ["--linked-projects"] = "linked_projects",
  ["--folder"] = "folder",
  ["--neighbors"] = "neighbors",
  ["--team"] = "team",
}
local VALUED = { ["--projects"] = "projects", ["--days"] = "days" }

---@class scry.Scope the projects to search; empty: the project of the current buffer.
---@field projects? string[] by name.
---@field all_projects? boolean
---@field linked_projects? boolean
---@field team? boolean whether the index of the joined team is searched, too.

---Split a command line at white space. Spaces after a backslash, and these backslashes, are parts of words.
---@param line string
---@return string[]
function M.words(line)
  local words = vim.split((line:gsub("\\ ", "\1")), "%s+")
  return vim.tbl_map(function(word)
    return (word:gsub("\1", "\\ "))
  end, words)
end

---Return a value as it is typed: with a backslash before each space and backslash.
---@param value string
---@return string
function M.escape(value)
  return (value:gsub("[\\ ]", "\\%0"))
end

---Return a typed value without the backslashes before spaces and backslashes.
---@param typed string
---@return string
local function unescape(typed)
  return (typed:gsub("\\([\\ ])", "%1"))
end

---Split the options from the query that follows them. The query is literal text.
---@param text string
---@return table<string, string|true> options by field: projects, days …
---@return string query
function M.split_options(text)
  local options = {} ---@type table<string, string|true>
  while true do
    local option, after = text:match("^%s*(%-%-[%a-]+)(.*)$")
    if FLAGS[option] and after:match("^%s") or FLAGS[option] and after == "" then
      options[FLAGS[option]], text = true, after
    elseif VALUED[option] and after:match("^[=%s]") then
      local value = M.words((after:gsub("^[=%s]%s*", "")))[1]
      options[VALUED[option]], text = unescape(value), after:match("^[=%s]%s*(.*)$"):sub(#value + 1)
    else
      return options, vim.trim(text)
    end
  end
end

---Return the scope that the options of a question state.
---@param options table<string, any>
---@return scry.Scope
function M.scope(options)
  local projects = options.projects
  if type(projects) == "string" then
    projects = vim.split(projects, ",", { trimempty = true })
  end
  return {
    projects = projects,
    all_projects = options.all_projects and true or nil,
    linked_projects = options.linked_projects and true or nil,
    team = options.team and true or nil,
  }
end

---Return a suffix for titles that names the scope, such as ` in app, core`; empty for the project of the buffer.
---@param scope scry.Scope
---@return string
function M.scope_label(scope)
  local names = scope.projects and table.concat(scope.projects, ", ") or scope.all_projects and "all projects" or ""
  if scope.linked_projects then
    names = names ~= "" and names .. " and linked ones" or "linked projects"
  end
  if scope.team then
    names = names ~= "" and names .. " and the team's index" or "this project and the team's index"
  end
  return names ~= "" and " in " .. names or ""
end

---Remove an option with a value from a list of words.
---@param words string[]
---@param option string
---@return string? value
---@return string rest the other words, joined by spaces
function M.take_option(words, option)
  local rest, value = {}, nil ---@type string[], string?
  for index, word in ipairs(words) do
    if word == option then
      value = words[index + 1] or ""
    elseif words[index - 1] ~= option then
      local inline = word:match("^" .. vim.pesc(option) .. "=(.*)$")
      if inline then
        value = inline
      else
        rest[#rest + 1] = word
      end
    end
  end
  return value, table.concat(rest, " ")
end

---Parse a positive integer, or an absent one. Anything else is reported to the user.
---@param text? string
---@param name string of the argument, for the message
---@return boolean ok
---@return integer?
function M.positive_integer(text, name)
  if not text or text == "" then
    return true, nil
  end
  local value = tonumber(text)
  if not value or value < 1 or value % 1 ~= 0 then
    notify.error(("%s must be a whole number above 0, not %s."):format(name, text))
    return false, nil
  end
  return true, value
end

---Complete the last of several names that are separated by commas.
---@param lead string as it is typed
---@param names string[]
---@return string[] as they are typed
local function complete_last_name(lead, names)
  lead = unescape(lead)
  local before, prefix = lead:match("^(.*,)(.*)$")
  before, prefix = before or "", prefix or lead
  local matching = vim.tbl_filter(function(name)
    local is_named = ("," .. before):find("," .. name .. ",", 1, true)
    return vim.startswith(name:lower(), prefix:lower()) and not is_named
  end, names)
  return vim.tbl_map(function(name)
    return M.escape(before .. name)
  end, matching)
end

---Return a completion function for the options before a query, the names of projects, and the filters of a query.
---@param options string[]
---@return fun(lead: string, words: string[]): string[]
function M.option_completer(options)
  return function(lead, words)
    local value = lead:match("^%-%-projects=(.*)$")
    if value then
      return vim.tbl_map(function(name)
        return "--projects=" .. name
      end, complete_last_name(value, require("scry.projects").names()))
    elseif words[#words - 1] == "--projects" then
      return complete_last_name(lead, require("scry.projects").names())
    end
    local matching = {} ---@type string[]
    if select(2, M.split_options(table.concat(words, " ", 1, #words - 1))) == "" then -- options precede the query
      matching = vim.tbl_filter(function(option)
        return vim.startswith(option, lead) and not vim.tbl_contains(words, option)
      end, options)
    end
    return vim.list_extend(require("scry.filters").complete(lead), matching)
  end
end

return M
