---Places in a text: from the negotiated position encoding to bytes.

local M = {}

---The byte, 0-based, that a character of LSP is at.
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

---The text of a file as lines: of its buffer where it is open, else from disk.
---@param path string
---@return string[]
function M.lines(path)
  local buffer = vim.fn.bufnr(path)
  if buffer > 0 and vim.api.nvim_buf_is_loaded(buffer) then
    return vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  end
  return vim.fn.filereadable(path) == 1 and vim.fn.readfile(path) or {}
end

---@class scry.Span rows and columns as `nvim_buf_set_extmark` takes them: 0-based, the end exclusive, columns in bytes.
---@field row integer
---@field column integer
---@field end_row integer
---@field end_column integer

---A range of LSP in these lines. Whatever lies beyond the text is moved to its end.
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
