---Lists what a result, or a file, is related to in the code graph and the history.

local entry = require("scry.entry")
local notify = require("scry.notify")

local M = {}

---Relational questions by the name of the relation. %s: a doc_id or a path, in quotes.
---@type table<string, string>
local QUESTIONS = {
  callers = "callers of %s",
  callees = "callees of %s",
  importers = "what imports %s",
  imports = "what is imported by %s",
  changes = "what changes with %s",
}

---The relations of `:Scry related`, in the order of its list.
M.relations = { "callers", "callees", "importers", "imports", "changes" }

---Relations between files.
local OF_FILES = { importers = true, imports = true, changes = true }

---@param name string
---@return string
local function quoted(name)
  local quote = name:find('"', 1, true) and "`" or '"'
  return quote .. name .. quote
end

---Return the question for all relations, or one, of a document.
---@param doc_id string without its project
---@param relation? string
---@return string
local function question(doc_id, relation)
  local path = doc_id:match("^(.-)::") or doc_id:match("^(.-)#L%d") or doc_id
  local is_file = path == doc_id
  local clauses = {} ---@type string[]
  for _, name in ipairs(relation and { relation } or M.relations) do
    if relation or OF_FILES[name] or not is_file then
      clauses[#clauses + 1] = QUESTIONS[name]:format(quoted(OF_FILES[name] and path or doc_id))
    end
  end
  return table.concat(clauses, " or ")
end

---@param root string
---@param doc_id string
---@param relation? string
---@param name string
---@param scope scry.Scope
local function show(root, doc_id, relation, name, scope)
  local title = ("Scry %s of %s"):format(relation or "relations", name)
  require("scry.pickers").open(require("scry.modes").relations(root, title, question(doc_id, relation), scope))
end

---Show the relations of a result.
---@param hit scry.Hit
---@param relation? string one of `relations`; all when nil
function M.open(hit, relation)
  local doc_id = entry.own_id(hit)
  if not vim.startswith(doc_id, "./") then
    return notify.info(("%s is in no file; it has no callers or importers."):format(entry.name(hit)))
  end
  local scope = doc_id ~= hit.item.doc_id and { projects = { hit.item.project } } or {}
  show(hit.root, doc_id, relation, entry.name(hit), scope)
end

---Show the relations of a file.
---@param root string
---@param file string its path
---@param relation? string
function M.of_file(root, file, relation)
  if not require("scry.root").contains(root, file) then
    return notify.warn(("%s is not in the project %s."):format(file, root))
  end
  show(root, "./" .. file:sub(#root + 2), relation, vim.fs.basename(file), {})
end

return M
