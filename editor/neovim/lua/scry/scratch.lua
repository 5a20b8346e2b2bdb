---Read-only buffers with a name, such as a result in full or the diff of a commit, and the windows that show results.

local M = {}

---Return the buffer of a name, created where there is none, with a text as its content.
---@param name string after `scry://`
---@param text string
---@param root string root of the project that the text is about
---@return integer buffer
function M.create(name, text, root)
  local buffer = vim.fn.bufadd("scry://" .. name)
  vim.fn.bufload(buffer)
  vim.bo[buffer].buftype = "nofile"
  vim.bo[buffer].swapfile = false
  vim.bo[buffer].bufhidden = "hide"
  M.fill(buffer, vim.split(text, "\r?\n"))
  vim.b[buffer].scry_root = root
  vim.keymap.set("n", "q", M.close, { buffer = buffer, nowait = true, desc = "Scry: close" })
  return buffer
end

---Show a buffer in a window.
---@param buffer integer
---@param window integer
---@param filetype string
---@param is_own boolean whether the window was opened for the buffer, so that it is closed with it
function M.show(buffer, window, filetype, is_own)
  vim.api.nvim_win_set_buf(window, buffer)
  vim.bo[buffer].buflisted = false
  vim.bo[buffer].filetype = filetype
  if is_own then
    vim.api.nvim_win_set_var(window, "scry_own_buffer", buffer)
  end
end

---Return whether a window was opened for the buffer that it shows.
---@param window integer
---@return boolean
function M.is_own(window)
  return vim.w[window].scry_own_buffer == vim.api.nvim_win_get_buf(window)
end

---Show a text in the buffer of a name, whose content is replaced, in a window that `how` selects.
---@param name string after `scry://`
---@param text string
---@param filetype string
---@param root string root of the project that the text is about
---@param how? scry.How
---@return integer buffer
function M.open(name, text, filetype, root, how)
  local buffer, is_new = M.create(name, text, root), M.window(how)
  M.show(buffer, vim.api.nvim_get_current_win(), filetype, is_new)
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

---Close the buffer of the current window: with the window if that was opened for it, or else the window shows the
---buffer again that it showed before.
function M.close()
  local buffer, previous = vim.api.nvim_get_current_buf(), vim.fn.bufnr("#")
  local is_closed = M.is_own(0) and pcall(vim.api.nvim_win_close, 0, false) -- fails in the last window
  if not is_closed then
    local is_open = previous > 0 and (vim.fn.buflisted(previous) == 1 or vim.api.nvim_buf_is_loaded(previous))
    if is_open and previous ~= buffer then
      vim.api.nvim_win_set_buf(0, previous)
    else
      vim.cmd.enew()
    end
  end
  if #vim.fn.win_findbuf(buffer) == 0 then
    vim.cmd(("bdelete %d"):format(buffer))
  end
end

---Return whether a window is no place for a result: a float, a list of results, or one that keeps its buffer.
---@param window integer
---@return boolean
local function is_reserved(window)
  local buffer = vim.bo[vim.api.nvim_win_get_buf(window)]
  local is_list = buffer.buftype == "quickfix" or buffer.filetype == "scry-orient"
  return vim.api.nvim_win_get_config(window).relative ~= "" or is_list or vim.wo[window].winfixbuf
end

---Leave a window that is no place for a result: go to the previous window, to another one, or to a new one.
---@return boolean whether the window is new
local function leave_reserved()
  local others = { vim.fn.win_getid(vim.fn.winnr("#")), unpack(vim.api.nvim_tabpage_list_wins(0)) } ---@type integer[]
  for _, window in ipairs(others) do
    if window > 0 and not is_reserved(window) then
      vim.api.nvim_set_current_win(window)
      return false
    end
  end
  if vim.api.nvim_win_get_config(0).relative ~= "" then
    vim.api.nvim_set_current_win(vim.api.nvim_tabpage_list_wins(0)[1]) -- a split of a float is refused
  end
  vim.cmd(vim.bo.buftype == "quickfix" and "leftabove split" or "rightbelow vsplit")
  for _, option in ipairs({ "winfixbuf", "winfixheight", "winfixwidth" }) do
    vim.api.nvim_set_option_value(option, false, { win = 0, scope = "local" })
  end
  return true
end

---Go to the window in which a result is opened: a new one, the current one ("edit"), or the current one unless that is
---no place for a result (nil).
---@param how? scry.How
---@return boolean whether the window is new
function M.window(how)
  local is_new = how ~= "edit" and is_reserved(0) and leave_reserved()
  if is_new and how ~= "tab" then
    return true
  elseif how == "split" then
    vim.cmd.split()
  elseif how == "vsplit" then
    vim.cmd.vsplit()
  elseif how == "tab" then
    vim.cmd("tab split")
  end
  return how ~= nil and how ~= "edit"
end

return M
