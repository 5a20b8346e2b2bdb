---Converts positions of LSP, in the negotiated encoding, to rows and bytes of Neovim.
---
---LSP ends a line also at a CR without an LF, Neovim does not: there one of its lines holds several lines of LSP.

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

---@class scry.BrokenLine a line of Neovim that holds several lines of LSP.
---@field row integer 0-based
---@field breaks integer[] bytes of its CRs, 1-based: a line of LSP begins at the 0-based byte of the same number.

---@type table<string[], scry.BrokenLine[]> by all lines of a file
local broken_lines = setmetatable({}, { __mode = "k" })

---Return the lines that hold several lines of LSP, in their order: none in nearly every file. A CR at the end of a line
---belongs to its line end.
---@param lines string[]
---@return scry.BrokenLine[]
local function broken_in(lines)
  if not broken_lines[lines] then
    broken_lines[lines] = {}
    for row, line in ipairs(lines) do
      local breaks, at = {}, line:find("\r", 1, true) ---@type integer[], integer?
      while at and at < #line do
        breaks[#breaks + 1], at = at, line:find("\r", at + 1, true)
      end
      if #breaks > 0 then
        table.insert(broken_lines[lines], { row = row - 1, breaks = breaks })
      end
    end
  end
  return broken_lines[lines]
end

---Return where a line of LSP is: the row, the byte at which it begins there, and the byte at which it ends.
---@param line integer 0-based
---@param lines string[]
---@return integer row
---@return integer first
---@return integer? last nil for the end of the row
local function place(line, lines)
  local row = line
  for _, broken in ipairs(broken_in(lines)) do
    local index = row - broken.row
    if index < 0 then
      break
    elseif index <= #broken.breaks then
      local stop = broken.breaks[index + 1]
      return broken.row, broken.breaks[index] or 0, stop and stop - 1
    end
    row = row - #broken.breaks
  end
  return row, 0, nil
end

---Return the line of LSP that a byte of a row is in.
---@param row integer 0-based
---@param byte integer 0-based
---@param lines string[]
---@return integer line 0-based
function M.line(row, byte, lines)
  local line = row
  for _, broken in ipairs(broken_in(lines)) do
    for _, at in ipairs(broken.row <= row and broken.breaks or {}) do
      line = line + ((broken.row < row or at <= byte) and 1 or 0)
    end
  end
  return line
end

---Return the line of LSP that the cursor is in.
---@return integer line 0-based
function M.at_cursor()
  local cursor = vim.api.nvim_win_get_cursor(0)
  return M.line(cursor[1] - 1, cursor[2], vim.api.nvim_buf_get_lines(0, 0, -1, false))
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
  ---@param at scry.protocol.Position
  ---@return integer row
  ---@return integer column
  local function convert(at)
    local row, first, last = place(at.line, lines)
    row = math.min(row, math.max(#lines - 1, 0))
    return row, first + M.byte((lines[row + 1] or ""):sub(first + 1, last or -1), at.character, encoding)
  end
  local row, column = convert(range.start)
  local end_row, end_column = convert(range["end"])
  return { row = row, column = column, end_row = end_row, end_column = end_column }
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
    local old_row = place(at.line, before)
    local row = old_row
    for _, hunk in ipairs(hunks) do
      local start, removed, _, added = unpack(hunk)
      local last = removed == 0 and start or start + removed - 1 -- 1-based; lines are inserted after `start`
      row = row + (last <= old_row and added - removed or 0)
    end
    local in_row = at.line - M.line(old_row, 0, before)
    return { line = M.line(row, 0, after) + in_row, character = at.character }
  end
  return vim.tbl_extend("force", location, {
    range = { start = move(location.range.start), ["end"] = move(location.range["end"]) },
    name = location.name and move(location.name),
  })
end

return M
