---Highlight groups. Each is linked to the first of its standard groups that is readable on every line of a list, the
---selected one included, in the colours in force. `:hi ScryMatch …` overrides a group.

local M = {}

---@type table<string, string[]>
M.links = {
  ScryRank = { "Comment", "Delimiter" },
  ScryTag = { "Type", "Delimiter" },
  ScryPlace = { "Directory", "Identifier", "Delimiter" },
  ScryName = { "Function", "Identifier", "Title" },
  ScryEvidence = { "Constant", "Delimiter" },
  ScryWeak = { "WarningMsg", "Title" },
  ScryListMatch = { "Underlined" },
  ScrySnippet = { "Comment", "Delimiter" },
  ScryNotice = { "WarningMsg" },
  ScryRange = { "CursorLine" },
  ScryMatch = { "Search" },
}

---The groups of which a line of a list may have the background: those of windows, and of the selected line.
M.backgrounds = { "Normal", "NormalFloat", "CursorLine", "Visual" }

---The least contrast of a text and its background: level AA of WCAG 2.
local MIN_CONTRAST = 4.5

---@param colour integer
---@return number luminance as WCAG 2 defines it
local function luminance(colour)
  local sum = 0
  for index, weight in ipairs({ 0.2126, 0.7152, 0.0722 }) do
    local part = math.floor(colour / 256 ^ (3 - index)) % 256 / 255
    sum = sum + weight * (part <= 0.04045 and part / 12.92 or ((part + 0.055) / 1.055) ^ 2.4)
  end
  return sum
end

---Return the least contrast of a group's text on the lines of lists; nil where the colours are not known.
---@param group string
---@return number?
function M.contrast(group)
  local function colours(name)
    return vim.api.nvim_get_hl(0, { name = name, link = false })
  end
  local text, least = colours(group).fg or colours("Normal").fg, nil
  for _, name in ipairs(M.backgrounds) do
    local behind = colours(name)
    if text and behind.bg and not behind.reverse then
      local one, other = luminance(text), luminance(behind.bg)
      local ratio = (math.max(one, other) + 0.05) / (math.min(one, other) + 0.05)
      least = math.min(least or ratio, ratio)
    end
  end
  return least
end

---Return the first group that is readable, or else the one that comes next to it.
---@param groups string[]
---@return string
local function readable(groups)
  local best, most = groups[1], 0
  for _, group in ipairs(groups) do
    local ratio = M.contrast(group)
    if not ratio or ratio >= MIN_CONTRAST then
      return group
    elseif ratio > most then
      best, most = group, ratio
    end
  end
  return best
end

local linked = {} ---@type table<string, string>

---Link the groups that nobody else has defined.
function M.define()
  for name, groups in pairs(M.links) do
    local current = vim.api.nvim_get_hl(0, { name = name })
    if vim.tbl_isempty(current) or (current.link ~= nil and current.link == linked[name]) then
      linked[name] = readable(groups)
      vim.api.nvim_set_hl(0, name, { link = linked[name] })
    end
  end
end

---Highlight the parts of a line in a buffer.
---@param buffer integer
---@param namespace integer
---@param row integer
---@param parts scry.Part[]
---@param column? integer byte at which the first part begins
function M.apply(buffer, namespace, row, parts, column)
  column = column or 0
  for _, part in ipairs(parts) do
    local end_column = column + #part[1]
    if part[2] then
      vim.api.nvim_buf_set_extmark(
        buffer,
        namespace,
        row,
        column,
        { end_col = end_column, hl_group = part[2], strict = false }
      )
    end
    column = end_column
  end
end

M.define()
local group = vim.api.nvim_create_augroup("scry.highlights", {})
vim.api.nvim_create_autocmd("ColorScheme", { group = group, callback = M.define })
-- The default colours follow the option, which Neovim also sets once the terminal has told its background.
vim.api.nvim_create_autocmd("OptionSet", { group = group, pattern = "background", callback = M.define })

return M
