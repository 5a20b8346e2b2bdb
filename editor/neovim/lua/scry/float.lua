---Shows Markdown in a floating window. q or <Esc> closes it and returns to the previous window, which may be a picker.

local markdown = require("scry.markdown")

local M = {}

---The greatest width of the text, in cells, so that lines stay readable.
local MAX_WIDTH = 120

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

---@class scry.FloatOptions
---@field on_close? fun() called after the window is closed, for example to reopen a picker.
---@field go? fun() goes to what the text is about.

---@param lines string[]
---@return integer width
---@return integer height
local function size(lines)
  local max_width = math.max(20, math.min(MAX_WIDTH, vim.o.columns - 4))
  local width, height = 20, 0
  for _, line in ipairs(lines) do
    local cells = vim.api.nvim_strwidth(line)
    width = math.max(width, math.min(cells, max_width))
    height = height + math.max(1, math.ceil(cells / max_width))
  end
  return width, math.max(1, math.min(height, vim.o.lines - 6))
end

---Close the window when another one gets the focus, so that it covers nothing that is opened over it.
---@param window integer
local function close_when_left(window)
  -- Some pickers enter their prompt without the events of windows.
  vim.api.nvim_create_autocmd({ "WinEnter", "BufEnter", "InsertEnter" }, {
    desc = "Scry: close the float that lost the focus",
    callback = function()
      if not vim.api.nvim_win_is_valid(window) then
        return true -- removes the autocommand
      end
      vim.schedule(function()
        if vim.api.nvim_win_is_valid(window) and vim.api.nvim_get_current_win() ~= window then
          vim.api.nvim_win_close(window, true)
        end
      end)
    end,
  })
end

---@param buffer integer
---@param window integer
---@param previous integer the window to return to
---@param was_insert boolean whether it was in insert mode
---@param options scry.FloatOptions
local function map_keys(buffer, window, previous, was_insert, options)
  local function close()
    vim.api.nvim_win_close(window, true)
    if vim.api.nvim_win_is_valid(previous) then
      vim.cmd(("noautocmd call nvim_set_current_win(%d)"):format(previous))
      if was_insert then
        vim.cmd("noautocmd startinsert!")
      end
    end
    if options.on_close then
      options.on_close()
    end
  end
  for _, key in ipairs({ "q", "<Esc>", "<CR>" }) do
    vim.keymap.set("n", key, close, { buffer = buffer, nowait = true, desc = "Scry: close" })
  end
  if options.go then
    vim.keymap.set("n", "gd", function()
      close()
      options.go()
    end, { buffer = buffer, nowait = true, desc = "Scry: go to it" })
  end
end

---Show a text and focus its window. No autocommands run, because a picker closes when its prompt loses the focus.
---@param text string
---@param title string
---@param options? scry.FloatOptions
---@return integer window
function M.open(text, title, options)
  options = options or {}
  local lines = markdown.align(vim.split(text:gsub("\r", ""), "\n", { trimempty = true }))
  local previous, was_insert = vim.api.nvim_get_current_win(), vim.fn.mode():sub(1, 1) == "i"
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
    footer = options.go and " gd go to it  q close " or " q close ",
    footer_pos = "right",
    zindex = 250,
    noautocmd = true,
  })
  as_markdown(buffer)
  local window_options =
    { wrap = true, linebreak = true, breakindent = true, conceallevel = 2, concealcursor = "n", foldenable = false }
  for name, value in pairs(window_options) do
    vim.api.nvim_set_option_value(name, value, { win = window, scope = "local" })
  end
  map_keys(buffer, window, previous, was_insert, options)
  close_when_left(window)
  if was_insert then
    vim.cmd("noautocmd stopinsert")
  end
  return window
end

return M
