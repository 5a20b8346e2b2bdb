---Finds the project that a buffer belongs to.

local config = require("scry.config")

local M = {}

---Return the file of a buffer; nil where it has none on disk.
---@param buffer integer
---@return string?
function M.file(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  if vim.bo[buffer].buftype ~= "" or name == "" or name:match("^%a[%w+.-]+://") then
    return nil
  end
  return vim.fs.normalize(vim.fn.fnamemodify(name, ":p"))
end

---Return the absolute path of a file or folder that the user named. `%`, `#`, `<` and `$` at the start have the meaning
---that they have for `expand()`. The rest is no pattern: `pages/[id]` is a folder.
---@param name string
---@return string
function M.absolute(name)
  local path = name:match("^[%%#<$]") and vim.fn.expand(name) or name
  return vim.fs.normalize(vim.fn.fnamemodify(path, ":p"))
end

---Return whether a path is in a folder.
---@param folder string
---@param path string
---@return boolean
function M.contains(folder, path)
  return path == folder or vim.startswith(path, folder:gsub("/$", "") .. "/")
end

---Return the nearest folder at or above a path that has a root marker; nil where there is none.
---@param path string
---@return string?
local function root_above(path)
  local marker = vim.fs.find(config.values.root_markers, { path = path, upward = true, limit = 1 })[1]
  return marker and vim.fs.dirname(marker)
end

---Return the root of a buffer's project: the nearest folder with a root marker, above its file or, if it has none,
---above the current folder. Without a marker, it is the current folder, or the folder of a file outside the current
---folder. Scry's own buffers store their root.
---@param buffer? integer
---@return string
function M.of(buffer)
  buffer = buffer or vim.api.nvim_get_current_buf()
  local stored = vim.b[buffer].scry_root
  if stored then
    return stored
  end
  local cwd = vim.fs.normalize(assert(vim.uv.cwd()))
  local file = M.file(buffer)
  if not file then
    return root_above(cwd) or cwd
  end
  local folder = vim.fs.dirname(file)
  return root_above(folder) or (M.contains(cwd, file) and cwd or folder)
end

return M
