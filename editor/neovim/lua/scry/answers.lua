---The last answer and the last jumps: what `:Scry why`, `detail`, `good` … refer to by default.

local position = require("scry.position")

local M = {}

---Number of jumps remembered.
local KEPT = 50

---@class scry.Hit one result, with all that is needed to act on it.
---@field item scry.protocol.ResultItem
---@field query string the question that it answered.
---@field query_id string
---@field root string the project that was asked.
---@field encoding string the position encoding of its location.

---@class scry.Found an answer as its hits.
---@field query_id string "" where nothing was asked.
---@field notice string what a person should know of it; often "".
---@field header string what stands above its results: the notice, and its name.
---@field hits scry.Hit[] in the sidecar's order.
---@field root string

---@class scry.Landing a place that one jumped to.
---@field buffer integer
---@field mark integer of the whole result, so that it moves with edits.
---@field hit scry.Hit

local namespace = vim.api.nvim_create_namespace("scry.landing")
local landings = {} ---@type scry.Landing[]
local shown = {} ---@type table<integer, scry.Hit> by buffer of Scry's own
local last ---@type scry.Found?

---@param answer scry.protocol.Answer
---@param root string
---@param encoding string
---@return scry.Found
function M.found(answer, root, encoding)
  local hits = {} ---@type scry.Hit[]
  for _, item in ipairs(answer.results) do
    hits[#hits + 1] =
      { item = item, query = answer.query, query_id = answer.query_id, root = root, encoding = encoding }
  end
  local notice = answer.notice or ""
  local header = notice ~= "" and ("%s  %s"):format(notice, answer.query_id) or answer.query_id
  return { query_id = answer.query_id, notice = notice, header = header, hits = hits, root = root }
end

---Make this the current answer.
---@param found scry.Found
function M.remember(found)
  last = found
end

---@return scry.Found?
function M.last()
  return last
end

---@param hit scry.Hit
---@return string path of the file that it is in; "" where it has no place
function M.path(hit)
  return hit.item.location and vim.fs.normalize(vim.uri_to_fname(hit.item.location.uri)) or ""
end

---@param buffer integer
---@param hit scry.Hit
function M.land(buffer, hit)
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  local span = position.span(hit.item.location.range, lines, hit.encoding)
  local mark = vim.api.nvim_buf_set_extmark(buffer, namespace, span.row, span.column, {
    end_row = span.end_row,
    end_col = span.end_column,
    strict = false,
  })
  table.insert(landings, 1, { buffer = buffer, mark = mark, hit = hit })
  local oldest = table.remove(landings, KEPT + 1)
  if oldest and vim.api.nvim_buf_is_valid(oldest.buffer) then
    vim.api.nvim_buf_del_extmark(oldest.buffer, namespace, oldest.mark)
  end
end

---A buffer that shows nothing but this hit.
---@param buffer integer
---@param hit scry.Hit
function M.bind(buffer, hit)
  shown[buffer] = hit
end

---@param landing scry.Landing
---@param buffer integer
---@param row integer
---@return boolean
local function covers(landing, buffer, row)
  if landing.buffer ~= buffer then
    return false
  end
  local mark = vim.api.nvim_buf_get_extmark_by_id(buffer, namespace, landing.mark, { details = true })
  return mark[1] ~= nil and mark[1] <= row and row <= (mark[3].end_row or mark[1])
end

---Return the hit that was last jumped to and that the cursor is still in.
---@return scry.Hit?
function M.at_cursor()
  local buffer = vim.api.nvim_get_current_buf()
  if shown[buffer] then
    return shown[buffer]
  end
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  for _, landing in ipairs(landings) do
    if covers(landing, buffer, row) then
      return landing.hit
    end
  end
end

---Return the hit of this rank in the last answer, or the reason why there is none.
---@param rank integer
---@return scry.Hit?
---@return string? why
function M.ranked(rank)
  if not last then
    return nil, "nothing was asked yet."
  end
  local hit = last.hits[rank]
  if not hit then
    return nil, ("the last answer has %d results; there is no %d."):format(#last.hits, rank)
  end
  return hit
end

return M
