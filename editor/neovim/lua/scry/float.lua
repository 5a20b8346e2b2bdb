---Markdown in a floating window: scrolls, is left with q or <Esc>, and returns to where one was, also in a picker.

local markdown = require("scry.markdown")

local M = {}

---Cells of text in a line, at most: longer lines are hard to read.
local WIDEST = 120

---@param buffer integer
local function as_markdown(buffer)
  vim.bo[buffer].bufhidden = "wipe"
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].filetype = "markdown"
  markdown.conceal(buffer)
  if not pcall(vim.treesitter.start, buffer, "markdown") then
    vim.bo[buffer].syntax = "markdown"
  end
end

---@param lines string[]
---@return integer width
---@return integer height
local function size(lines)
  local room = math.max(20, math.min(WIDEST, vim.o.columns - 4))
  local width, height = 20, 0
  for _, line in ipairs(lines) do
    local cells = vim.api.nvim_strwidth(line)
    width = math.max(width, math.min(cells, room))
    height = height + math.max(1, math.ceil(cells / room))
  end
  return width, math.max(1, math.min(height, vim.o.lines - 6))
end

---@param buffer integer
---@param window integer
---@param from integer the window to return to
---@param typing boolean whether one was typing there
---@param back? fun()
local function leave_by_keys(buffer, window, from, typing, back)
  local function leave()
    vim.api.nvim_win_close(window, true)
    if vim.api.nvim_win_is_valid(from) then
      vim.cmd(("noautocmd call nvim_set_current_win(%d)"):format(from))
      if typing then
        vim.cmd("noautocmd startinsert!")
      end
    end
    if back then
      back()
    end
  end
  for _, key in ipairs({ "q", "<Esc>", "<CR>" }) do
    vim.keymap.set("n", key, leave, { buffer = buffer, nowait = true, desc = "Scry: close" })
  end
end

---Show it, and go into it. No autocommand runs: a picker below would take that for the end of its prompt.
---@param text string
---@param title string
---@param back? fun() what to do once it is left, such as opening a picker again
---@return integer window
function M.open(text, title, back)
  local lines = markdown.align(vim.split(text:gsub("\r", ""), "\n", { trimempty = true }))
  local from, typing = vim.api.nvim_get_current_win(), vim.fn.mode():sub(1, 1) == "i"
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  local width, height = size(lines)
  local window = vim.api.nvim_open_win(buffer, true, {
    relative = "editor",
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
    width = width,
    height = height,
    style = "minimal",
    border = "rounded",
    title = " " .. title .. " ",
    zindex = 250,
    noautocmd = true,
  })
  as_markdown(buffer)
  local look =
    { wrap = true, linebreak = true, breakindent = true, conceallevel = 2, concealcursor = "n", foldenable = false }
  for name, value in pairs(look) do
    vim.api.nvim_set_option_value(name, value, { win = window, scope = "local" })
  end
  leave_by_keys(buffer, window, from, typing, back)
  if typing then
    vim.cmd("noautocmd stopinsert")
  end
  return window
end

return M
