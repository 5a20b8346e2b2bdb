---Shows a result in full in a buffer: a commit as a diff, any other result as Markdown.

local answers = require("scry.answers")
local notify = require("scry.notify")
local protocol = require("scry.generated.protocol")
local request = require("scry.request")
local scratch = require("scry.scratch")
local uses = require("scry.uses")

local M = {}

---Milliseconds between two looks at whether the relations of a result are complete.
local POLL_MS = 1000

---Return the name in code marks at the cursor, or the first one of the line.
---@return string?
local function name_at_cursor()
  local line, column = vim.api.nvim_get_current_line(), vim.api.nvim_win_get_cursor(0)[2] + 1
  for first, name, last in line:gmatch("()`([^`]+)`()") do
    if first <= column and column < last then
      return name
    end
  end
  return line:match("`([^`]+)`")
end

---Go to the document that is named at the cursor: a neighbor of the result, or the result itself.
---@param hit scry.Hit
---@param detail scry.protocol.Detail
local function follow(hit, detail)
  local name, graph = name_at_cursor(), vim.tbl_get(detail, "result", "full", "graph") or {}
  for _, links in pairs(graph) do
    for _, link in ipairs(type(links) == "table" and links or {}) do
      if link.doc_id == name and link.location then
        return require("scry.jump").follow(hit, link.location)
      end
    end
  end
  if hit.item.location then
    require("scry.jump").to(hit)
  end
end

---Prepare the buffer of a result for reading: its Markdown, and its names in code marks, which lead to their documents.
---@param buffer integer
---@param window integer
---@param hit scry.Hit
---@param detail scry.protocol.Detail
local function render(buffer, window, hit, detail)
  require("scry.markdown").render(buffer, window)
  vim.keymap.set("n", "<CR>", function()
    follow(hit, detail)
  end, { buffer = buffer, nowait = true, desc = "Scry: go to the document at the cursor" })
end

---Show a result again as its relations become known, until all are, as long as a window shows its buffer.
---@param buffer integer
---@param hit scry.Hit
---@param detail scry.protocol.Detail
local function complete_later(buffer, hit, detail)
  if (vim.tbl_get(detail, "result", "full", "graph", "note") or "") == "" then
    return
  end
  ---@type scry.protocol.DetailParams
  local params = vim.tbl_extend("error", answers.reference(hit), { record = false })
  vim.defer_fn(function()
    if #vim.fn.win_findbuf(buffer) == 0 then
      return
    end
    request.send(hit.root, protocol.methods.detail, params, function(failure, newer)
      local window = vim.fn.win_findbuf(buffer)[1]
      if failure or not window then
        return
      elseif newer.text == detail.text then
        return complete_later(buffer, hit, newer)
      end
      vim.api.nvim_win_call(window, function()
        local view = vim.fn.winsaveview()
        scratch.fill(buffer, vim.split(newer.text:gsub("\r", ""), "\n"))
        render(buffer, window, hit, newer)
        vim.fn.winrestview(view)
      end)
      complete_later(buffer, hit, newer)
    end)
  end, POLL_MS)
end

---@param hit scry.Hit
---@param detail scry.protocol.Detail
---@param how? scry.How
local function show(hit, detail, how)
  local full = detail.result.full
  local is_commit = hit.item.content_type == "commit" and full and full.body ~= ""
  local place = hit.parent and "/" .. hit.item.title or ""
  local name = ("%s/%s/%d%s"):format(is_commit and "commit" or "detail", hit.query_id, hit.item.rank, place)
  local text = is_commit and M.as_diff(hit, detail) or detail.text
  local buffer = scratch.open(name, text:gsub("\r", ""), is_commit and "git" or "markdown", hit.root, how)
  answers.bind(buffer, hit)
  if not is_commit then
    render(buffer, vim.api.nvim_get_current_win(), hit, detail)
    complete_later(buffer, hit, detail)
  end
  if detail.note ~= "" then
    notify.warn(detail.note)
  end
end

---Return a commit in the format of `git show`: its message, followed by its patch.
---@param hit scry.Hit
---@param detail scry.protocol.Detail
---@return string
function M.as_diff(hit, detail)
  local full = assert(detail.result.full)
  local body = full.body
  if body:match("^commit ") then
    return body
  end
  local message = vim.trim(full.doc ~= "" and full.doc or hit.item.title):gsub("\n", "\n    ")
  return ("commit %s\n\n    %s\n\n%s"):format(hit.item.doc_id:gsub("^.*commit:", ""), message, body)
end

---Request the full text of a result and show it.
---@param hit scry.Hit
---@param how? scry.How
---@param use? "open"|"detail" the recorded use; "open" for a result without a location
function M.open(hit, how, use)
  ---@type scry.protocol.DetailParams
  local params = vim.tbl_extend("error", answers.reference(hit), { record_use = false }) -- it is reported below
  request.send(hit.root, protocol.methods.detail, params, function(failure, detail)
    if failure then
      return notify.error(failure.message)
    end
    show(hit, detail, how)
    uses.send(hit, use or "detail")
  end)
end

return M
