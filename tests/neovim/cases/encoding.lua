-- Locations after wide characters, in the position encoding that this Neovim negotiates.

local editor = require("editor")
local expect = MiniTest.expect
local T, child = editor.set({ setup = "{ picker = 'select' }" })

T["a jump leads to the column after wide characters"] = function()
  child().lua("vim.ui.select = function(items, _, done) done(items[1]) end")
  child().cmd("Scry find labelMoney")
  child().wait("vim.fn.expand('%:t') == 'wide.js'", "the jump")
  local encoding = child().lua_get("vim.lsp.get_clients({ name = 'scry' })[1].offset_encoding")
  expect.equality(encoding, child().fn.has("nvim-0.11") == 1 and "utf-8" or "utf-16")
  local column = child().lua_get("vim.api.nvim_win_get_cursor(0)[2]")
  expect.equality(child().lua_get("vim.api.nvim_get_current_line()"):sub(column + 1, column + 10), "labelMoney")
end

T["the preview highlights words after wide characters"] = function()
  child().lua("vim.ui.select = function(items) _G.hit = items[1].hit end")
  child().cmd("Scry find labelMoney")
  child().wait("_G.hit")
  local marked = child().lua_get([[(function()
    local buffer = vim.api.nvim_create_buf(false, true)
    local span = require("scry.preview").load(buffer, _G.hit)
    local namespace = vim.api.nvim_get_namespaces()["scry.preview"]
    local marks = vim.api.nvim_buf_get_extmarks(buffer, namespace, 0, -1, { details = true })
    local words = {}
    for _, mark in ipairs(marks) do
      if mark[4].hl_group == "ScryMatch" then
        words[#words + 1] = vim.api.nvim_buf_get_text(buffer, mark[2], mark[3], mark[2], mark[4].end_col, {})[1]
      end
    end
    return words
  end)()]])
  expect.equality(vim.tbl_contains(marked, "labelMoney"), true)
end

return T
