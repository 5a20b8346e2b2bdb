---Highlight groups. Each is linked to a standard group, and `:hi ScryMatch …` overrides a group.

local M = {}

---@type table<string, string>
M.links = {
  ScryRank = "Comment", -- unlike LineNr, readable on the selected line
  ScryTag = "Type",
  ScryPlace = "Directory",
  ScryName = "Function",
  ScryEvidence = "Constant",
  ScryWeak = "WarningMsg",
  ScryListMatch = "Underlined",
  ScrySnippet = "Comment",
  ScryNotice = "WarningMsg",
  ScryRange = "CursorLine",
  ScryMatch = "Search",
}

function M.define()
  for name, target in pairs(M.links) do
    vim.api.nvim_set_hl(0, name, { link = target, default = true })
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
vim.api.nvim_create_autocmd("ColorScheme", {
  group = vim.api.nvim_create_augroup("scry.highlights", {}),
  callback = M.define,
})

return M
