---Beliefs, notes of the person, memories and sessions: lists of them, and commands that add to them.

local entry = require("scry.entry")
local notify = require("scry.notify")
local protocol = require("scry.generated.protocol")
local request = require("scry.request")
local root_of = require("scry.root")
local select = require("scry.pickers.select")

local M = {}

---@class scry.KnowledgeItem an entry of a list: a belief, a note or a memory.
---@field doc_id string
---@field text string
---@field label string what the list shows of it
---@field remark? string what the list shows after the label
---@field location? scry.protocol.Location

---Send a request of this project, and report a failure.
---@param method string
---@param params table
---@param done fun(result: any, encoding: string)
local function ask(method, params, done)
  local root = root_of.of()
  request.when_open(root, function()
    request.send(root, method, params, function(failure, result, encoding)
      if failure then
        return notify.error(failure.message)
      end
      done(result, encoding)
    end, { once = true })
  end)
end

---Let the user choose an item.
---@param title string
---@param items scry.KnowledgeItem[]
---@param empty string the message where there is none
---@param take fun(item: scry.KnowledgeItem)
local function choose(title, items, empty, take)
  if #items == 0 then
    return notify.info(empty)
  end
  select.choose_item(items, {
    prompt = title,
    text = function(item)
      return item.label
    end,
    remark = function(item)
      return item.remark or ""
    end,
  }, take)
end

---Let the user copy an item, or forget it for good.
---@param item scry.KnowledgeItem
---@param forget fun()
local function copy_or_forget(item, forget)
  local choices = { "Copy", "Forget" }
  local prompt = entry.truncate(entry.beginning(item.text), vim.o.columns - 1)
  vim.ui.select(choices, { prompt = prompt, kind = "scry" }, function(choice)
    if choice == "Copy" then
      vim.fn.setreg("+", item.text)
      vim.fn.setreg('"', item.text)
      notify.info("copied.")
    elseif choice == "Forget" then
      forget()
    end
  end)
end

---@class scry.KnowledgeList a list of notes or memories.
---@field method string
---@field field string where the result has them
---@field title string
---@field empty string the message where there is none
---@field label fun(entry: table): string what the list shows of an entry
---@field remark? fun(entry: table): string what it shows after that
---@field limit? integer the number of entries that are listed; nil for all
---@field forget fun(doc_id: string): table the params that forget one

---Show a list: all of it, or what matches; the chosen entry can be copied or forgotten.
---@param list scry.KnowledgeList
---@param query? string
local function show_list(list, query)
  local params = { action = query and "search" or "list", query = query, limit = list.limit }
  ask(list.method, params, function(result)
    local items = vim.tbl_map(function(each)
      local remark = list.remark and list.remark(each)
      return { doc_id = each.doc_id, text = each.text, label = list.label(each), remark = remark }
    end, result[list.field])
    local which = #items == list.limit and (query and ", the best %d" or ", the newest %d; words find others") or ""
    choose(list.title .. which:format(#items), items, list.empty, function(item)
      copy_or_forget(item, function()
        ask(list.method, list.forget(item.doc_id), function(forgotten)
          notify.info(forgotten.note)
        end)
      end)
    end)
  end)
end

---Go to the file of a belief.
---@param location scry.protocol.Location
---@param encoding string
local function open(location, encoding)
  vim.lsp.util.show_document(location, encoding, { focus = true })
end

---Let the user choose a belief of this project.
---@param take fun(item: scry.KnowledgeItem, encoding: string)
local function choose_belief(take)
  ---@type scry.protocol.BeliefsParams
  local params = { action = "list" }
  ask(protocol.methods.beliefs, params, function(result, encoding)
    local items = vim.tbl_map(function(belief)
      local state = belief.status ~= "active" and ("(%s)"):format(belief.status) or ""
      local warnings = #belief.impact.warnings > 0 and "! " .. table.concat(belief.impact.warnings, "; ") or ""
      local remark = vim.trim(state .. "  " .. warnings)
      local statement, location = belief.statement, belief.location
      return { doc_id = belief.doc_id, text = statement, label = statement, remark = remark, location = location }
    end, result.beliefs)
    choose("Scry beliefs", items, "there are no beliefs yet. Write one: :Scry believe <statement>", function(item)
      take(item, encoding)
    end)
  end)
end

---Show the beliefs of this project; the chosen one's file is opened.
function M.beliefs()
  choose_belief(function(item, encoding)
    if item.location then
      open(item.location, encoding)
    end
  end)
end

---Give the chosen belief another id, and open its file.
function M.rename_belief()
  choose_belief(function(item)
    vim.ui.input({ prompt = "Id (empty: of its statement): " }, function(id)
      if not id then
        return
      end
      ---@type scry.protocol.BeliefsParams
      local params = { action = "rename", id = item.doc_id, new_id = id ~= "" and id or nil }
      ask(protocol.methods.beliefs, params, function(result, encoding)
        notify.info(result.note)
        open(result.beliefs[1].location, encoding)
      end)
    end)
  end)
end

---Show the beliefs that bear on the current file, with the reason; the chosen one's file is opened.
function M.beliefs_here()
  local file, root = root_of.file(0), root_of.of()
  if not file or not root_of.contains(root, file) then
    return notify.warn("the current buffer is no file of a project.")
  end
  ---@type scry.protocol.WhyParams
  local params = { doc_id = "./" .. file:sub(#root + 2), record = false }
  ask(protocol.methods.why, params, function(explanation)
    local items = vim.tbl_map(function(belief)
      local label, remark = belief.statement or belief.doc_id, ("(%s)"):format(belief.reason)
      return { doc_id = belief.doc_id, text = label, label = label, remark = remark }
    end, vim.tbl_get(explanation, "impact", "beliefs") or {})
    choose("Scry beliefs about " .. vim.fs.basename(file), items, "no belief bears on this file.", function(item)
      ask(protocol.methods.beliefs, { action = "show", id = item.doc_id }, function(result, encoding)
        open(result.beliefs[1].location, encoding)
      end)
    end)
  end)
end

---Write a belief, and open its file, so that evidence can be added.
---@param statement string
---@param lines? integer[] first and last line of the current file that are its evidence
function M.believe(statement, lines)
  local file, root = root_of.file(0), root_of.of()
  local cited = lines and file and root_of.contains(root, file)
  if lines and not cited then
    return notify.warn("the selection is in no file of a project, so that it cannot be cited.")
  end
  ---@type scry.protocol.BelieveParams
  local params = { statement = statement }
  if lines and file then
    local last = lines[2] > lines[1] and "-" .. lines[2] or ""
    params.evidence = { ("%s:%d%s"):format(file:sub(#root + 2), lines[1], last) }
  end
  ask(protocol.methods.believe, params, function(result, encoding)
    notify.info(result.note)
    open(result.beliefs[1].location, encoding)
  end)
end

---Show the user's own notes: all, or those that match; the chosen one can be copied or forgotten.
---@param query? string
function M.persona(query)
  show_list({
    method = protocol.methods.persona,
    field = "notes",
    title = "Scry persona",
    empty = "there is no such note. Keep one: :Scry remember <text>",
    label = function(note)
      return note.text
    end,
    remark = function(note)
      return #note.domains > 0 and ("[%s]"):format(table.concat(note.domains, ", ")) or ""
    end,
    forget = function(doc_id)
      return { action = "forget", doc_id = doc_id }
    end,
  }, query)
end

---Keep a note of the user, for all projects.
---@param text string
function M.remember(text)
  ---@type scry.protocol.RememberParams
  local params = { text = text }
  ask(protocol.methods.remember, params, function(result)
    notify.info(result.note)
  end)
end

---Number of memories, or sessions, that are listed: as many as the protocol allows.
local MAX_LISTED = 1000

---Show the memories of this project: all, or those that match; the chosen one can be copied or forgotten.
---@param query? string
function M.memory(query)
  show_list({
    method = protocol.methods.memory,
    field = "memories",
    title = "Scry memory",
    empty = "there is no such memory.",
    limit = MAX_LISTED,
    label = function(memory)
      return ("%s: %s"):format(memory.kind, memory.text)
    end,
    forget = function(doc_id)
      return { action = "forget", ids = { doc_id } }
    end,
  }, query)
end

---Keep something in the memory of this project.
---@param kind string
---@param text string
function M.observe(kind, text)
  ask(protocol.methods.observe, { kind = kind, text = text }, function(result)
    notify.info(result.doc_id ~= "" and ("remembered as %s."):format(result.doc_id) or result.note)
  end)
end

---Show the sessions of work, begin a piece of work, or end the session.
---@param action "list"|"start"|"end"
---@param intent? string
function M.session(action, intent)
  ---@type scry.protocol.SessionParams
  local params = { action = action, intent = intent, limit = action == "list" and MAX_LISTED or nil }
  ask(protocol.methods.session, params, function(result)
    if action ~= "list" or #result.sessions == 0 then
      return notify.info(result.note)
    end
    local lines = vim.tbl_map(function(session)
      local aim = session.intent ~= "" and entry.printable(session.intent) or "(without an aim)"
      local state = session.ended and "ended" or "open"
      return ("%s  %-5s  %4d  %s"):format(session.started, state, session.memories, aim)
    end, result.sessions)
    require("scry.float").open("```\n" .. table.concat(lines, "\n") .. "\n```", "sessions")
  end)
end

return M
