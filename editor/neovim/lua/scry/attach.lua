---Files of projects whose sidecar runs are attached to it, so that it knows of unsaved text.

local instances = require("scry.instances")
local root_of = require("scry.root")

local M = {}

---Attach a buffer to the sidecar of its project, if that runs.
---@param buffer integer
function M.buffer(buffer)
  local file = vim.api.nvim_buf_is_loaded(buffer) and root_of.file(buffer)
  local instance = file and instances.peek(root_of.of(buffer))
  if instance and instance.ready and not vim.lsp.buf_is_attached(buffer, instance.id) then
    vim.lsp.buf_attach_client(buffer, instance.id)
  end
end

---Attach every file that is open or will be.
function M.all()
  vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "BufFilePost", "BufWritePost" }, {
    group = vim.api.nvim_create_augroup("scry.attach", {}),
    desc = "Scry: attach files of projects whose sidecar runs",
    callback = function(event)
      M.buffer(event.buf)
    end,
  })
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    M.buffer(buffer)
  end
end

---Neovim maps K to `vim.lsp.buf.hover()` for a language server that answers it. Where Scry is the only one, K stays
---what it was: Scry led to few locations of a file.
---@param _client vim.lsp.Client
---@param buffer integer
function M.keep_k(_client, buffer)
  local others = vim.tbl_filter(function(other)
    return other.name ~= "scry" and other.server_capabilities.hoverProvider
  end, vim.lsp.get_clients({ bufnr = buffer }))
  vim.api.nvim_buf_call(buffer, function()
    local map = vim.fn.maparg("K", "n", false, true)
    if #others == 0 and map.buffer == 1 and map.callback == vim.lsp.buf.hover then
      vim.keymap.del("n", "K", { buffer = buffer })
    end
  end)
end

return M
