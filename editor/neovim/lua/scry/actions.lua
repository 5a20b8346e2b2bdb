---Actions on a result, for every picker and for `:Scry`.

local answers = require("scry.answers")
local config = require("scry.config")
local notify = require("scry.notify")
local protocol = require("scry.generated.protocol")
local request = require("scry.request")

local M = {}

---Actions during which a picker stays open.
---@type table<string, true>
M.keeps_open =
  { why = true, legend = true, copy = true, link = true, good = true, bad = true, further = true, background = true }

---Actions that show a float over the picker.
---@type table<string, true>
M.is_float = { why = true, legend = true }

---Names of the actions, in the order of the help.
M.names = {
  "why",
  "legend",
  "detail",
  "related",
  "further",
  "background",
  "split",
  "vsplit",
  "tab",
  "quickfix",
  "copy",
  "link",
  "good",
  "bad",
}

---Descriptions of the actions, for the legend.
---@type table<string, string>
local DESCRIPTIONS = {
  why = "explain the rank of the result",
  legend = "this list",
  detail = "show the result in full",
  related = "list its callers, callees, importers and co-changes",
  further = "list the further places of its file, or hide them again",
  background = "open in the background; the picker stays",
  split = "open in a horizontal split",
  vsplit = "open in a vertical split",
  tab = "open in a tab page",
  quickfix = "put the selected results, or all, into a quickfix list",
  copy = "copy its reference",
  link = "open the address of a result of the team on its forge, and copy it",
  good = "rate it as good",
  bad = "rate it as bad",
}

---The text of the legend before the keys.
local LEGEND = [[
Each line: rank, type, name, path and line, evidence, snippet. The words that matched are underlined.

| sign | meaning |
| --- | --- |
| `~` | a weak match: the sidecar gives it less than 10 % to answer the question |
| `sem #1`, `lex #2` | first by meaning, second by words; `temp`: by the history of changes |
| `test x0.5` | lowered by half as a test; other factors likewise |
| `imp 12` | twelve files import its file |
| `[code:core@4f2a91c]` | of the joined team's index, at that commit |
| `+3` | its file has three further places that are worth a look |
| `↳ line 34` | one of these places |

| key | action |
| --- | --- |
]]

---Explain the rank of a document in a float.
---@param root string
---@param params scry.protocol.WhyParams
---@param options? scry.FloatOptions
function M.explain(root, params, options)
  request.when_open(root, function()
    request.send(root, protocol.methods.why, params, function(failure, explanation)
      if failure then
        return notify.error(failure.message)
      end
      require("scry.float").open(explanation.text, "why " .. explanation.doc_id, options)
    end)
  end)
end

---@param hit scry.Hit
---@param on_close? fun()
---@param go? fun() goes to the result
function M.why(hit, on_close, go)
  M.explain(hit.root, { doc_id = hit.item.doc_id, query_id = hit.query_id }, { on_close = on_close, go = go })
end

---Explain the signs of the list and its keys in a float, after the notice about the newest answer, if there is one: the
---header of a list may be too narrow for it.
---@param _hit? scry.Hit
---@param on_close? fun()
function M.legend(_hit, on_close)
  local lines, keys = { vim.trim(LEGEND), "| `<CR>` | go to the result |" }, M.keys()
  local last = answers.last()
  if last and last.notice ~= "" then
    table.insert(lines, 1, last.notice .. "\n")
  end
  for _, action in ipairs(M.names) do
    if keys[action] then
      lines[#lines + 1] = ("| `%s` | %s |"):format(keys[action], DESCRIPTIONS[action])
    end
  end
  require("scry.float").open(table.concat(lines, "\n"), "legend", { on_close = on_close })
end

---Show the callers, callees, importers and co-changes of a result in the picker.
---@param hit scry.Hit
function M.related(hit)
  require("scry.related").open(hit)
end

---@param hit scry.Hit
function M.detail(hit)
  require("scry.detail").open(hit)
end

---Copy the text that the sidecar returns for a result to the clipboard.
---@param hit scry.Hit
function M.copy(hit)
  require("scry.uses").send(hit, "copy", function(failure, recorded)
    local text = recorded and recorded.text ~= "" and recorded.text or hit.item.doc_id
    vim.fn.setreg('"', text)
    pcall(vim.fn.setreg, "+", text)
    notify.info(failure and ("copied; the use was not recorded: " .. failure.message) or "copied " .. text)
  end)
end

---Open the address of a result of the team on its forge, and copy it to the clipboard.
---@param hit scry.Hit
function M.link(hit)
  local link = hit.item.link or ""
  if link == "" then
    return notify.info(("%s has no address on a known forge."):format(hit.item.title))
  end
  vim.fn.setreg('"', link)
  pcall(vim.fn.setreg, "+", link)
  vim.ui.open(link)
  require("scry.uses").send(hit, "open")
  notify.info("opened and copied " .. link)
end

---@param hit scry.Hit
---@param signal "good"|"bad"
---@param comment? string
function M.rate(hit, signal, comment)
  ---@type scry.protocol.FeedbackParams
  local params = vim.tbl_extend("error", answers.reference(hit), { signal = signal, comment = comment })
  M.send_rating(hit.root, params)
end

---@param root string
---@param params scry.protocol.FeedbackParams
function M.send_rating(root, params)
  request.send(root, protocol.methods.feedback, params, function(failure, recorded)
    if failure then
      return notify.error(failure.message)
    end
    local note = recorded.note or ""
    notify.info(note ~= "" and note or ("noted: %s"):format(params.signal))
  end)
end

---@param hit scry.Hit
function M.good(hit)
  M.rate(hit, "good")
end

---@param hit scry.Hit
function M.bad(hit)
  M.rate(hit, "bad")
end

---@class scry.Picked what a user acts on in a picker.
---@field hit scry.Hit the entry that has the focus.
---@field all scry.Hit[] all entries.
---@field selected scry.Hit[] the entries that the user has selected; empty for none.
---@field title string of a list of them.

---Run an action by name; without a name, jump. Only a picker can run `further`, which changes its list.
---@param action? string
---@param picked scry.Picked
---@param on_close? fun() called after a float is closed
function M.run(action, picked, on_close)
  local selected = #picked.selected > 0 and picked.selected or { picked.hit }
  if action == "quickfix" then
    require("scry.quickfix").fill(#picked.selected > 0 and picked.selected or picked.all, picked.title)
  elseif action == "background" then
    require("scry.jump").background(selected)
  elseif action and M.is_float[action] then
    M[action](picked.hit, on_close)
  elseif action and M[action] then
    M[action](picked.hit)
  else
    require("scry.jump").several(selected, action)
  end
end

---Return the keys that are configured for actions.
---@return table<string, string> action -> key
function M.keys()
  local keys = {} ---@type table<string, string>
  for _, action in ipairs(M.names) do
    local key = config.values.keys[action]
    if key and key ~= "" then
      keys[action] = key
    end
  end
  return keys
end

return M
