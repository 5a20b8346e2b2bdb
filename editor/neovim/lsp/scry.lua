-- The configuration for `vim.lsp.enable("scry")` (Neovim 0.11 or newer), which starts the sidecar with the first file
-- of a project. Without it, the sidecar starts with the first use of `:Scry`.

---@type vim.lsp.Config
return require("scry.client").lsp_config()
