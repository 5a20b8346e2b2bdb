---Converts positions of LSP, in the negotiated encoding, to bytes.

local M = {}

---Return the 0-based byte of a character position of LSP.
---@param line string
---@param character integer
---@param encoding string utf-8, utf-16 or utf-32
---@return integer
function M.byte(line, character, encoding)
  if encoding == "utf-8" then
    return math.min(character, #line)
  end
  if vim.fn.has("nvim-0.11") == 1 then
    return vim.str_byteindex(line, encoding, character, false)
  end
  local ok, byte = pcall(vim.str_byteindex, line, character, encoding == "utf-16")
  return ok and byte or #line
end

---Return the loaded buffer of exactly this file; nil where there is none. `bufnr()` would take the path as a pattern,
---and return the buffer of a file with a similar name.
---@param path string
---@return integer?
function M.buffer(path)
  local buffer = vim.fn.bufexists(path) == 1 and vim.fn.bufadd(path)
  return buffer and vim.api.nvim_buf_is_loaded(buffer) and buffer or nil
end

---Return the lines of a file: those of its buffer where it is open, or else those on disk.
---@param path string
---@return string[]
function M.lines(path)
  local buffer = M.buffer(path)
  if buffer then
    return vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  end
  return vim.fn.filereadable(path) == 1 and vim.fn.readfile(path) or {}
end

---Return where a jump to a location lands: at the symbol's name, or else at the start of its range.
---@param location scry.protocol.Location
---@return scry.protocol.Position
function M.target(location)
  return location.name or location.range.start
end

---@class scry.Span a range as in `nvim_buf_set_extmark`: 0-based, with an exclusive end and columns in bytes.
---@field row integer
---@field column integer
---@field end_row integer
---@field end_column integer

---Convert a range of LSP in the given lines. Positions beyond the text are moved to its end.
---@param range scry.protocol.Range
---@param lines string[]
---@param encoding string
---@return scry.Span
function M.span(range, lines, encoding)
  local last = math.max(#lines - 1, 0)
  local row, end_row = math.min(range.start.line, last), math.min(range["end"].line, last)
  return {
    row = row,
    column = M.byte(lines[row + 1] or "", range.start.character, encoding),
    end_row = end_row,
    end_column = M.byte(lines[end_row + 1] or "", range["end"].character, encoding),
  }
end

---Return where a jump to a location lands in the given lines, as a cursor: a 1-based row and a 0-based byte.
---@param location scry.protocol.Location
---@param lines string[]
---@param encoding string
---@return [integer, integer]
function M.cursor(location, lines, encoding)
  local target = M.target(location)
  local span = M.span({ start = target, ["end"] = target }, lines, encoding)
  return { span.row + 1, span.column }
end

---Return a location in edited text: lines that were added or removed before it move it.
---@param location scry.protocol.Location
---@param before string[] the lines that the location is in
---@param after string[]
---@return scry.protocol.Location
function M.moved(location, before, after)
  local diff = vim.text and vim.text.diff or vim.diff
  local old, new = table.concat(before, "\n") .. "\n", table.concat(after, "\n") .. "\n"
  local hunks = diff(old, new, { result_type = "indices" }) --[[@as integer[][] ]]
  ---@param at scry.protocol.Position
  ---@return scry.protocol.Position
  local function move(at)
    local line = at.line
    for _, hunk in ipairs(hunks) do
      local start, removed, _, added = unpack(hunk)
      local last = removed == 0 and start or start + removed - 1 -- 1-based; lines are inserted after `start`
      line = line + (last <= at.line and added - removed or 0)
    end
    return { line = line, character = at.character }
  end
  return vim.tbl_extend("force", location, {
    range = { start = move(location.range.start), ["end"] = move(location.range["end"]) },
    name = location.name and move(location.name),
  })
end

return M
