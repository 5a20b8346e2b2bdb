---Attaches files to the sidecars of their projects, so that these receive unsaved text.

local instances = require("scry.instances")
local root_of = require("scry.root")

local M = {}

---Attach a buffer to every running sidecar whose project contains its file: a project may lie within another one.
---@param buffer integer
function M.buffer(buffer)
  local file = vim.api.nvim_buf_is_loaded(buffer) and root_of.file(buffer)
  for _, instance in ipairs(file and instances.all() or {}) do
    local is_inside = instance.ready and root_of.contains(instance.root, file --[[@as string]])
    if is_inside and not vim.lsp.buf_is_attached(buffer, instance.id) then
      vim.lsp.buf_attach_client(buffer, instance.id)
    end
  end
end

---Attach every open file, and every file that is opened later.
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

---Remove Neovim's mapping of K to `vim.lsp.buf.hover()` where Scry is the only server with a hover. Scry's hover
---answers at few locations, so K keeps its former meaning.
---@param _client vim.lsp.Client
---@param buffer integer
function M.unmap_hover(_client, buffer)
  local others = vim.tbl_filter(function(other)
    return other.name ~= "scry" and other.server_capabilities.hoverProvider
  end, vim.lsp.get_clients({ bufnr = buffer }))
  vim.api.nvim_buf_call(buffer, function()
    local map = vim.fn.maparg("K", "n", false, true)
    -- Neovim 0.12 maps a function of its own, which only the description tells from a user's.
    local is_neovims = map.callback == vim.lsp.buf.hover or map.desc == "vim.lsp.buf.hover()"
    if #others == 0 and map.buffer == 1 and is_neovims then
      vim.keymap.del("n", "K", { buffer = buffer })
    end
  end)
end

return M
