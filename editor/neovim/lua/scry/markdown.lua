---Prepares Markdown for a window that shows its source: aligns tables and hides escapes.

local M = {}

local namespace = vim.api.nvim_create_namespace("scry.markdown")

---Return the display width of a table's cell, in which emphasis, code and escapes are concealed.
---@param text string
---@return integer
local function display_width(text)
  local bare = text:gsub("\\(%p)", "%1"):gsub("%*%*", ""):gsub("`", "")
  return vim.api.nvim_strwidth(bare)
end

---@param line string
---@return string[]
local function cells(line)
  local inner = line:gsub("^|%s?", ""):gsub("%s?|$", ""):gsub("\\|", "\1")
  return vim.tbl_map(function(cell)
    return vim.trim((cell:gsub("\1", "\\|")))
  end, vim.split(inner, "|", { plain = true }))
end

---@param text string
---@param width integer
---@param to_right boolean
---@return string
local function padded(text, width, to_right)
  local space = (" "):rep(math.max(0, width - display_width(text)))
  return to_right and space .. text or text .. space
end

---Align the rows of a table. The last column has no closing bar, which would not be aligned.
---@param rows string[][]
---@return string[]
local function aligned(rows)
  local widths, to_right = {}, {} ---@type integer[], boolean[]
  for number, row in ipairs(rows) do
    for column, cell in ipairs(row) do
      if number == 2 then
        to_right[column] = vim.endswith(cell, ":")
      else
        widths[column] = math.max(widths[column] or 3, display_width(cell))
      end
    end
  end
  -- The last column holds prose. It is not padded, because every row would wrap then.
  widths[#rows[2]] = 3
  return vim.tbl_map(function(row)
    local texts = {} ---@type string[]
    for column, cell in ipairs(row) do
      local width = widths[column] or display_width(cell)
      local is_rule = row == rows[2]
      local rule = ("-"):rep(to_right[column] and width - 1 or width) .. (to_right[column] and ":" or "")
      texts[column] = is_rule and rule or padded(cell, width, to_right[column] or false)
    end
    return "| " .. table.concat(texts, " | ")
  end, rows)
end

---Return lines of Markdown with their tables aligned.
---@param lines string[]
---@return string[]
function M.align(lines)
  local out, rows, fenced = {}, {}, false ---@type string[], string[][], boolean
  for number = 1, #lines + 1 do
    local line = lines[number]
    if line and not fenced and vim.startswith(line, "| ") then
      rows[#rows + 1] = cells(line)
    else
      vim.list_extend(out, #rows > 1 and aligned(rows) or {})
      rows = {}
      fenced = fenced ~= (line ~= nil and line:match("^```") ~= nil)
      out[#out + 1] = line
    end
  end
  return out
end

---Hide the backslashes of escapes outside fenced code.
---@param buffer integer
function M.conceal(buffer)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  local fenced = false
  for row, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    fenced = fenced ~= (line:match("^```") ~= nil)
    for column in line:gmatch("()\\%p") do
      if not fenced then
        vim.api.nvim_buf_set_extmark(buffer, namespace, row - 1, column - 1, { end_col = column, conceal = "" })
      end
    end
  end
end

---Align the tables of a buffer that shows Markdown, and hide its escapes.
---@param buffer integer
---@param window integer
function M.render(buffer, window)
  require("scry.scratch").fill(buffer, M.align(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)))
  M.conceal(buffer)
  for name, value in pairs({ conceallevel = 2, linebreak = true, breakindent = true }) do
    vim.api.nvim_set_option_value(name, value, { win = window, scope = "local" })
  end
end

return M
