---Actions on a result, for every picker and for `:Scry`.

local answers = require("scry.answers")
local config = require("scry.config")
local notify = require("scry.notify")
local protocol = require("scry.generated.protocol")
local request = require("scry.request")

local M = {}

---Actions during which a picker stays open.
---@type table<string, true>
M.keeps_open = { why = true, copy = true, good = true, bad = true, further = true }

---Names of the actions, in the order of the help.
M.names = { "why", "detail", "copy", "good", "bad", "further", "quickfix", "split", "vsplit", "tab" }

---Explain the rank of a document in a float.
---@param root string
---@param params scry.protocol.WhyParams
---@param on_close? fun() called after the float is closed
function M.explain(root, params, on_close)
  request.send(root, protocol.methods.why, params, function(failure, explanation)
    if failure then
      return notify.error(failure.message)
    end
    require("scry.float").open(explanation.text, "why " .. explanation.doc_id, on_close)
  end)
end

---@param hit scry.Hit
---@param on_close? fun()
function M.why(hit, on_close)
  M.explain(hit.root, { doc_id = hit.item.doc_id, query_id = hit.query_id }, on_close)
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

---Run an action on a result by name; without a name, jump. Only a picker can run `further`, which changes its list.
---@param action? string
---@param hit scry.Hit
---@param all scry.Hit[] the picker's results, or the selected ones
---@param title string
function M.run(action, hit, all, title)
  if action == "quickfix" then
    require("scry.quickfix").fill(all, title)
  elseif action == "split" or action == "vsplit" or action == "tab" then
    require("scry.jump").to(hit, action)
  elseif action then
    M[action](hit)
  else
    require("scry.jump").to(hit)
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
