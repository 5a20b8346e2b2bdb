---Finds the project that a buffer belongs to.

local config = require("scry.config")

local M = {}

---The file of a buffer; nil where it has none on this machine's disk.
---@param buffer integer
---@return string?
function M.file(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  if vim.bo[buffer].buftype ~= "" or name == "" or name:match("^%a[%w+.-]+://") then
    return nil
  end
  return vim.fs.normalize(vim.fn.fnamemodify(name, ":p"))
end

---Whether a path is in a folder.
---@param folder string
---@param path string
---@return boolean
function M.contains(folder, path)
  return path == folder or vim.startswith(path, folder:gsub("/$", "") .. "/")
end

---The root of the project that a path is in; nil where no marker tells.
---@param path string
---@return string?
local function marked(path)
  local found = vim.fs.find(config.values.root_markers, { path = path, upward = true, limit = 1 })[1]
  return found and vim.fs.dirname(found)
end

---The root of a buffer: by the markers above its file, or else above the current folder; without markers the current
---folder, or the file's own when that lies elsewhere. Buffers of Scry belong to the project that they tell of.
---@param buffer? integer
---@return string
function M.of(buffer)
  buffer = buffer or vim.api.nvim_get_current_buf()
  local own = vim.b[buffer].scry_root
  if own then
    return own
  end
  local here = vim.fs.normalize(assert(vim.uv.cwd()))
  local file = M.file(buffer)
  if not file then
    return marked(here) or here
  end
  local folder = vim.fs.dirname(file)
  return marked(folder) or (M.contains(here, file) and here or folder)
end

return M
