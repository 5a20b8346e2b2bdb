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

---Lines with lone CRs, at which LSP ends a line and Neovim does not: four lines, three lines, two lines, one line.
local BROKEN = {
  "// one\r// two\r\r// four",
  "// five",
  "let scale = 1;\rfunction weighAnchor(ship) { return ship; }\rlet rope = 2;",
  "let sail = 3;",
  "function launchBalloon(target) {",
  "  return target;",
  "}",
}

---Let the child search a project with such a file, and keep the result of a question in `_G.hit`.
---@param question string
---@return string path of the file
local function ask_broken(question)
  local folder = editor.new_project({ ["app.js"] = BROKEN })
  editor.enter(child(), folder)
  child().lua("vim.ui.select = function(items, _, done) _G.hit = items[1].hit done(items[1]) end")
  child().cmd("Scry find " .. question)
  child().answered("scry/use")
  return folder .. "/app.js"
end

T["a jump leads to the row behind lone CRs, which end a line in LSP alone"] = function()
  ask_broken("launchBalloon")
  expect.equality(child().lua_get("_G.hit.item.location.range.start.line"), 9)
  expect.equality(child().api.nvim_win_get_cursor(0), { 5, 9 })
  child().cmd("Scry why")
  editor.expect_holds(child().answered("scry/why").params.doc_id, "launchBalloon")
end

T["a jump leads to the symbol between lone CRs"] = function()
  ask_broken("weighAnchor")
  expect.equality(child().api.nvim_win_get_cursor(0), { 3, 24 })
  expect.equality(child().lua_get("vim.fn.expand('<cword>')"), "weighAnchor")
  child().cmd("Scry neighbors --by similar")
  expect.equality(child().answered("scry/neighbors").params.line, 7)
end

T["previews, quickfix lists and background buffers show the row behind lone CRs"] = function()
  local path = ask_broken("launchBalloon")
  expect.equality(
    child().lua_get("require('scry.preview').load(vim.api.nvim_create_buf(false, true), _G.hit)"),
    { row = 4, column = 0, end_row = 6, end_column = 1 }
  )
  child().lua("require('scry.quickfix').fill({ _G.hit }, 'balloons')")
  expect.equality(child().lua_get("vim.fn.getqflist()[1].lnum"), 5)
  child().cmd("cclose | bwipeout!")
  child().lua("require('scry.jump').background({ _G.hit })")
  child().cmd("buffer " .. path)
  expect.equality(child().api.nvim_win_get_cursor(0)[1], 5)
end

T["unsaved rows before lone CRs move a result of a file that is not attached"] = function()
  ask_broken("launchBalloon")
  child().lua("for _, each in ipairs(vim.lsp.get_clients()) do vim.lsp.buf_detach_client(0, each.id) end")
  child().api.nvim_buf_set_lines(0, 1, 1, false, { "// added", "// with a\rCR" })
  child().lua("require('scry.jump').to(_G.hit)")
  expect.equality(child().api.nvim_win_get_cursor(0), { 7, 9 })
end

T["a file whose lines end in CRs alone is one row, in which a jump leads to the symbol"] = function()
  local lines = { "let scale = 1;", "function weighAnchor(ship) {", "  return ship;", "}" }
  local folder = editor.new_project({ ["mac.js"] = { table.concat(lines, "\r") } })
  editor.enter(child(), folder)
  child().lua("vim.ui.select = function(items, _, done) done(items[1]) end")
  child().cmd("Scry find weighAnchor")
  child().answered("scry/use")
  expect.equality(child().api.nvim_win_get_cursor(0), { 1, 24 })
end

T["a read-only buffer keeps the lone CRs of a text, by which its lines are counted"] = function()
  local lines = child().lua_get([[vim.api.nvim_buf_get_lines(
    require("scry.scratch").create("team/depot/a.py", "one\rtwo\r\nthree\n", vim.uv.cwd()), 0, -1, false)]])
  expect.equality(lines, { "one\rtwo", "three" })
  local place = { line = 2, character = 1 }
  local span =
    child().lua_get("require('scry.position').span(...)", { { start = place, ["end"] = place }, lines, "utf-8" })
  expect.equality({ span.row, span.column }, { 1, 1 })
end

return T
