---Parses the arguments of a subcommand of `:Scry`: options and their values.

local notify = require("scry.notify")

local M = {}

---Options that questions to other projects have: without a value, and with one.
local FLAGS = { ["--all-projects"] = "all_projects", ["--linked-projects"] = "linked_projects" }
local VALUED = { ["--projects"] = "projects", ["--days"] = "days" }

---@class scry.Scope which projects a question is for; the one of the current buffer when empty.
---@field projects? string[] by name.
---@field all_projects? boolean
---@field linked_projects? boolean

---The options in front of a question, which itself is taken as it is.
---@param text string
---@return table<string, string|true> given by name: projects, days …
---@return string question
function M.leading(text)
  local given = {} ---@type table<string, string|true>
  while true do
    local option, after = text:match("^%s*(%-%-[%a-]+)(.*)$")
    if FLAGS[option] and after:match("^%s") or FLAGS[option] and after == "" then
      given[FLAGS[option]], text = true, after
    elseif VALUED[option] and after:match("^[=%s]") then
      local value, rest = after:match("^[=%s]%s*(%S*)(.*)$")
      given[VALUED[option]], text = value, rest
    else
      return given, vim.trim(text)
    end
  end
end

---@param given table<string, any> options of a question
---@return scry.Scope
function M.scope(given)
  local projects = given.projects
  if type(projects) == "string" then
    projects = vim.split(projects, ",", { trimempty = true })
  end
  return {
    projects = projects,
    all_projects = given.all_projects and true or nil,
    linked_projects = given.linked_projects and true or nil,
  }
end

---Return the projects of a question for a title: ` in app, core`; empty for the project of the buffer.
---@param scope scry.Scope
---@return string
function M.place(scope)
  local named = scope.projects and table.concat(scope.projects, ", ") or scope.all_projects and "all projects" or ""
  if scope.linked_projects then
    named = named ~= "" and named .. " and linked ones" or "linked projects"
  end
  return named ~= "" and " in " .. named or ""
end

---The words without an option, and its value.
---@param words string[]
---@param option string
---@return string? value
---@return string rest
function M.take(words, option)
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

---A whole number above 0, or nothing; says so where it is something else.
---@param text? string
---@param what string
---@return boolean ok
---@return integer?
function M.number(text, what)
  if not text or text == "" then
    return true, nil
  end
  local value = tonumber(text)
  if not value or value < 1 or value % 1 ~= 0 then
    notify.error(("%s must be a whole number above 0, not %s."):format(what, text))
    return false, nil
  end
  return true, value
end

---The last of several names that are joined by commas, completed.
---@param lead string
---@param names string[]
---@return string[]
local function one_more(lead, names)
  local before, begun = lead:match("^(.*,)(.*)$")
  before, begun = before or "", begun or lead
  local fitting = vim.tbl_filter(function(name)
    local is_named = ("," .. before):find("," .. name .. ",", 1, true)
    return vim.startswith(name:lower(), begun:lower()) and not is_named
  end, names)
  return vim.tbl_map(function(name)
    return before .. name
  end, fitting)
end

---Completes the options in front of a question: their names, and the names of projects.
---@param options string[]
---@return fun(lead: string, words: string[]): string[]
function M.completing(options)
  return function(lead, words)
    local value = lead:match("^%-%-projects=(.*)$")
    if value then
      return vim.tbl_map(function(name)
        return "--projects=" .. name
      end, one_more(value, require("scry.projects").names()))
    elseif words[#words - 1] == "--projects" then
      return one_more(lead, require("scry.projects").names())
    elseif not vim.startswith(lead, "-") or select(2, M.leading(table.concat(words, " ", 1, #words - 1))) ~= "" then
      return {} -- after the first word of the question all is literal
    end
    return vim.tbl_filter(function(option)
      return vim.startswith(option, lead) and not vim.tbl_contains(words, option)
    end, options)
  end
end

return M
