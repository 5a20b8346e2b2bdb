---Shows messages by `vim.notify`.

local M = {}

local last = "" ---@type string
local last_at = 0 ---@type integer

---Nanoseconds within which the same message is not repeated, since a picker sends a request with every key.
local REPEAT_INTERVAL_NS = 5e9

local show_in_picker ---@type (fun(text: string): boolean)?

---Show messages in an open picker too, which hides Neovim's own line of messages.
---@param show fun(text: string): boolean returns whether the picker is still open
function M.attach(show)
  show_in_picker = show
end

---@param text string
---@param level integer
local function show(text, level)
  local now = vim.uv.hrtime()
  if text == last and now - last_at < REPEAT_INTERVAL_NS then
    return
  end
  last, last_at = text, now
  if show_in_picker and show_in_picker((text:gsub("%s+", " "))) then
    level = math.min(level, vim.log.levels.WARN) -- an error would end mini.pick, which waits for a key
  else
    show_in_picker = nil
  end
  vim.notify("Scry: " .. text:gsub("^Scry: ", ""), level, { title = "Scry" })
end

---@param text string
function M.info(text)
  show(text, vim.log.levels.INFO)
end

---@param text string
function M.warn(text)
  show(text, vim.log.levels.WARN)
end

---@param text string
function M.error(text)
  show(text, vim.log.levels.ERROR)
end

return M
