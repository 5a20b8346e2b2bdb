---Highlight groups, all linked to groups that every colour scheme has; `:hi ScryMatch …` overrides one.

local M = {}

---@type table<string, string>
M.links = {
  ScryRank = "Comment", -- readable on the line in focus too, which LineNr is not
  ScryTag = "Type",
  ScryPlace = "Directory",
  ScryEvidence = "Constant",
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

---Put highlights on a line of a buffer.
---@param buffer integer
---@param namespace integer
---@param row integer
---@param parts scry.Part[]
---@param column? integer where the first part begins, in bytes
function M.apply(buffer, namespace, row, parts, column)
  column = column or 0
  for _, part in ipairs(parts) do
    local stop = column + #part[1]
    if part[2] then
      vim.api.nvim_buf_set_extmark(
        buffer,
        namespace,
        row,
        column,
        { end_col = stop, hl_group = part[2], strict = false }
      )
    end
    column = stop
  end
end

M.define()
vim.api.nvim_create_autocmd("ColorScheme", {
  group = vim.api.nvim_create_augroup("scry.highlights", {}),
  callback = M.define,
})

return M
