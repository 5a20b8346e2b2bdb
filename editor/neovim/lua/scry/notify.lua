---Messages to the person, all by `vim.notify`.

local M = {}

local last = "" ---@type string
local last_at = 0 ---@type integer

---Nanoseconds in which the same message is not shown again: a picker asks anew with every key.
local QUIET = 5e9

---@param text string
---@param level integer
local function show(text, level)
  local now = vim.uv.hrtime()
  if text == last and now - last_at < QUIET then
    return
  end
  last, last_at = text, now
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
