-- Explanations: in a float, from the picker, at a jump and by the document's name.

local editor = require("editor")
local expect = MiniTest.expect
local T, child = editor.set({ setup = "{ picker = 'telescope' }" })

local FLOAT = "vim.api.nvim_win_get_config(0).relative ~= '' and vim.bo.filetype == 'markdown'"

local function find()
  child().cmd("edit README.md")
  child().cmd("Scry find sum of all prices")
  child().answer()
  child().shows("compute_total")
end

T["the float opens over the picker and returns to its prompt"] = function()
  find()
  child().type_keys("<M-w>")
  child().wait(FLOAT, "the float")
  editor.expect_holds(child().text(), "compute_total")
  child().type_keys("q")
  child().wait("vim.bo.filetype == 'TelescopePrompt' and vim.fn.mode() == 'i'", "the prompt")
  child().type_keys("<CR>")
  child().wait("vim.fn.expand('%:t') == 'cart.py'", "the jump")
end

T["explains the jump at the cursor, and nothing elsewhere"] = function()
  find()
  child().type_keys("<CR>")
  child().wait("vim.fn.expand('%:t') == 'cart.py'", "the jump")
  child().api.nvim_buf_set_lines(0, 0, 0, false, { "# The place moves with the text.", "" })
  child().cmd("Scry why")
  child().wait(FLOAT, "the float")
  editor.expect_holds(child().text(), "compute_total")
  expect.equality(child().sent("scry/why")[1].params.query_id, child().answer().query_id)
  child().type_keys("<Esc>", "gg")
  child().cmd("Scry why")
  child().wait("_G.said[#_G.said] and _G.said[#_G.said].text:find('no place that Scry led to')", "the message")
end

T["explains a document that was not found"] = function()
  child().cmd("Scry why ./shop/mail.py::send_receipt sum of all prices")
  child().wait(FLOAT, "the float")
  editor.expect_holds(child().text(), "send_receipt")
end

T["explains a result of the last answer from another project, for the question of the answer"] = function()
  child().cmd("edit " .. os.getenv("TEST_OTHER") .. "/ferry.py")
  child().lua("require('scry').setup({ picker = 'select' })")
  child().will_take("departures")
  child().cmd("Scry find timetable of the ferry")
  child().answered("scry/use")
  child().cmd("edit " .. os.getenv("TEST_PROJECT") .. "/README.md")
  child().cmd("Scry why ./ferry.py::departures")
  child().wait(FLOAT, "the float")
  editor.expect_holds(child().text(), "timetable of the ferry")
  expect.equality(child().sent("scry/why")[1].params.query_id, child().answer().query_id)
end

T["hover explains the result"] = function()
  find()
  child().type_keys("<CR>")
  child().wait("vim.fn.expand('%:t') == 'cart.py'", "the jump")
  child().wait("#vim.lsp.get_clients({ bufnr = 0, name = 'scry' }) == 1", "the attachment")
  child().lua("vim.lsp.buf.hover()")
  child().shows("sum of all prices") -- this text is not in the file
  local hover = child().wait([[(function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= "" then
        return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
      end
    end
  end)()]])
  expect.equality(table.concat(hover, "\n"):find("[\\*|]"), nil)
end

T["K is not mapped"] = function()
  find()
  child().type_keys("<CR>")
  child().wait("vim.fn.expand('%:t') == 'cart.py'", "the jump")
  child().wait("#vim.lsp.get_clients({ bufnr = 0, name = 'scry' }) == 1", "the attachment")
  expect.equality(child().fn.maparg("K", "n"), "")
end

T["a float closes when another window gets the focus"] = function()
  child().cmd("edit README.md")
  child().cmd("Scry status")
  child().wait("vim.api.nvim_win_get_config(0).relative ~= ''", "the float")
  child().cmd("wincmd w")
  child().wait("#vim.api.nvim_list_wins() == 1", "its end")
  expect.equality(child().fn.expand("%:t"), "README.md")
end

return T
