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

---Return the lines of a file: those of its buffer where it is open, or else those on disk.
---@param path string
---@return string[]
function M.lines(path)
  local buffer = vim.fn.bufnr(path)
  if buffer > 0 and vim.api.nvim_buf_is_loaded(buffer) then
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

return M
