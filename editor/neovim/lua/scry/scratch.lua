---Read-only buffers with a name, such as a result in full or the diff of a commit.

local M = {}

---Show a text in the buffer of a name, whose content is replaced, in a window that `how` selects.
---@param name string after `scry://`
---@param text string
---@param filetype string
---@param root string root of the project that the text is about
---@param how? "edit"|"split"|"vsplit"|"tab"
---@return integer buffer
function M.open(name, text, filetype, root, how)
  local buffer = vim.fn.bufadd("scry://" .. name)
  vim.fn.bufload(buffer)
  vim.bo[buffer].buftype = "nofile"
  vim.bo[buffer].swapfile = false
  vim.bo[buffer].bufhidden = "hide"
  M.fill(buffer, vim.split(text:gsub("\r", ""), "\n"))
  vim.b[buffer].scry_root = root
  M.window(how)
  vim.api.nvim_win_set_buf(0, buffer)
  vim.bo[buffer].buflisted = false
  vim.bo[buffer].filetype = filetype
  vim.keymap.set("n", "q", "<Cmd>bdelete<CR>", { buffer = buffer, nowait = true, desc = "Scry: close" })
  return buffer
end

---Replace the lines of a buffer.
---@param buffer integer
---@param lines string[]
function M.fill(buffer, lines)
  while lines[#lines] == "" do
    table.remove(lines)
  end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
end

---Open a new window; "edit" or nil stays in this one.
---@param how? "edit"|"split"|"vsplit"|"tab"
function M.window(how)
  if how == "split" then
    vim.cmd.split()
  elseif how == "vsplit" then
    vim.cmd.vsplit()
  elseif how == "tab" then
    vim.cmd("tab split")
  end
end

return M
