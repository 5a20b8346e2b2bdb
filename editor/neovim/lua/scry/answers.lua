---The last answer and the latest jumps, which `:Scry why`, `detail`, `good` … refer to by default.

local instances = require("scry.instances")
local position = require("scry.position")

local M = {}

---Number of jumps that are stored.
local MAX_JUMPS = 50

---@class scry.Hit a result, with the data that actions on it need.
---@field item scry.protocol.ResultItem
---@field query string the query of its answer.
---@field query_id string
---@field root string root of the project whose sidecar answered.
---@field encoding string position encoding of its location.
---@field parent? scry.Hit the result of whose file this is a further place; nil for a result of the answer.

---@class scry.Answer an answer for display.
---@field query_id string "" for an empty query, which is not sent.
---@field notice string remarks for the user, such as that the index is incomplete or a project unknown; often "".
---@field header string the text above the results: the notice, or else the question; "" where no question was typed.
---@field hits scry.Hit[] in the sidecar's order.
---@field root string
---@field is_partial boolean whether the same question may soon find more: an index, the history or the code graph was
---being made, or the team late.

---@class scry.Jump a location in a buffer that the user jumped to.
---@field buffer integer
---@field mark integer extmark over the whole result, so that the location moves with edits.
---@field hit scry.Hit

local namespace = vim.api.nvim_create_namespace("scry.jumps")
local jumps = {} ---@type scry.Jump[] newest first
local hit_of_buffer = {} ---@type table<integer, scry.Hit> for buffers that show a single hit
local last ---@type scry.Answer?
local used ---@type scry.Hit? the result that was used last

---Return whether what a mode reads of the index is still being made. A paused or failed index is not.
---@param state scry.protocol.IndexState
---@param mode string
---@return boolean
local function is_growing(state, mode)
  local reads_graph = mode ~= "find" and mode ~= "recent"
  local is_pending = state.history == "pending" or (reads_graph and state.graph == "pending")
  return state.state == "starting" or state.state == "indexing" or (state.state == "ready" and is_pending)
end

---Convert an answer of the protocol for display.
---@param answer scry.protocol.Answer
---@param root string
---@param encoding string
---@return scry.Answer
function M.from_protocol(answer, root, encoding)
  local hits = {} ---@type scry.Hit[]
  for _, item in ipairs(answer.results) do
    hits[#hits + 1] =
      { item = item, query = answer.query, query_id = answer.query_id, root = root, encoding = encoding }
  end
  local remarks, is_late = {}, false ---@type string[], boolean
  for _, fault in ipairs(answer.faults or {}) do
    remarks[#remarks + 1] = fault.message
    is_late = is_late or fault.retry == true
  end
  if answer.notice and answer.notice ~= "" then
    table.insert(remarks, answer.notice)
  end
  local notice = table.concat(remarks, "; "):gsub("%s+", " ")
  local question = (answer.mode == "find" or answer.mode == "recent") and answer.query:gsub("%s+", " ") or ""
  return {
    query_id = answer.query_id,
    notice = notice,
    header = notice ~= "" and notice or question,
    hits = hits,
    root = root,
    is_partial = is_late or is_growing(answer.index, answer.mode),
  }
end

---Return what names a result, or a further place of one, in requests about an earlier answer.
---@param hit scry.Hit
---@return { query_id: string, rank: integer, doc_id?: string }
function M.reference(hit)
  return { query_id = hit.query_id, rank = hit.item.rank, doc_id = hit.parent and hit.item.doc_id or nil }
end

---Store the last answer. One that replaces an older answer to the same question is the last one only if that was.
---@param answer scry.Answer
---@param replaced? scry.Answer
function M.set_last(answer, replaced)
  if not replaced or last == replaced then
    last, used = answer, nil
  end
end

---Record that a result was used.
---@param hit scry.Hit
function M.set_used(hit)
  used = hit
end

---Return the rank of the result of the last answer that was used last; nil for none.
---@return integer?
function M.last_rank()
  return used and last and used.query_id == last.query_id and used.item.rank or nil
end

---@return scry.Answer?
function M.last()
  return last
end

---Return whether a result is of the joined team's index, so that its file is not here.
---@param hit scry.Hit
---@return boolean
function M.is_of_team(hit)
  return (hit.item.commit or "") ~= ""
end

---Return the path of a result's file; "" for a result without a location, and for one of the team.
---@param hit scry.Hit
---@return string
function M.path(hit)
  if M.is_of_team(hit) then
    return ""
  end
  return hit.item.location and vim.fs.normalize(vim.uri_to_fname(hit.item.location.uri)) or ""
end

---Return a result with its location in the text that the editor shows. The sidecar takes unsaved edits into account
---only in files that are attached to it, not in those of another project.
---@param hit scry.Hit
---@return scry.Hit
function M.in_edited_text(hit)
  local path = M.path(hit)
  local buffer = path ~= "" and position.buffer(path)
  local instance = instances.peek(hit.root)
  local is_attached = buffer and instance and instance.id and vim.lsp.buf_is_attached(buffer, instance.id)
  if not buffer or is_attached or not vim.bo[buffer].modified or vim.fn.filereadable(path) == 0 then
    return hit
  end
  local saved = vim.tbl_map(function(line)
    return (line:gsub("\r$", ""))
  end, vim.fn.readfile(path))
  local location = position.moved(hit.item.location, saved, vim.api.nvim_buf_get_lines(buffer, 0, -1, false))
  return vim.tbl_extend("force", hit, { item = vim.tbl_extend("force", hit.item, { location = location }) })
end

---Store a jump to a result.
---@param buffer integer
---@param hit scry.Hit
function M.add_jump(buffer, hit)
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  local span = position.span(hit.item.location.range, lines, hit.encoding)
  local mark = vim.api.nvim_buf_set_extmark(buffer, namespace, span.row, span.column, {
    end_row = span.end_row,
    end_col = span.end_column,
    strict = false,
  })
  table.insert(jumps, 1, { buffer = buffer, mark = mark, hit = hit })
  local oldest = table.remove(jumps, MAX_JUMPS + 1)
  if oldest and vim.api.nvim_buf_is_valid(oldest.buffer) then
    vim.api.nvim_buf_del_extmark(oldest.buffer, namespace, oldest.mark)
  end
end

---Record that a buffer shows a single hit.
---@param buffer integer
---@param hit scry.Hit
function M.bind(buffer, hit)
  hit_of_buffer[buffer] = hit
end

---Return whether the result of a jump contains a row.
---@param jump scry.Jump
---@param buffer integer
---@param row integer
---@return boolean
local function contains(jump, buffer, row)
  if jump.buffer ~= buffer then
    return false
  end
  local mark = vim.api.nvim_buf_get_extmark_by_id(buffer, namespace, jump.mark, { details = true })
  return mark[1] ~= nil and mark[1] <= row and row <= (mark[3].end_row or mark[1])
end

---Return the result at the cursor: the single hit of the buffer, or the newest jump whose result contains the cursor.
---@return scry.Hit?
function M.at_cursor()
  local buffer = vim.api.nvim_get_current_buf()
  if hit_of_buffer[buffer] then
    return hit_of_buffer[buffer]
  end
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  for _, jump in ipairs(jumps) do
    if contains(jump, buffer, row) then
      return jump.hit
    end
  end
end

---Return whether a document is a result of an answer, or a further place of one.
---@param answer scry.Answer
---@param doc_id string
---@return boolean
function M.has(answer, doc_id)
  for _, hit in ipairs(answer.hits) do
    for _, place in ipairs({ hit.item, unpack(hit.item.further or {}) }) do
      if place.doc_id == doc_id then
        return true
      end
    end
  end
  return false
end

---Return the hit of this rank in the last answer, or the reason why there is none.
---@param rank integer
---@return scry.Hit?
---@return string? why
function M.by_rank(rank)
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
