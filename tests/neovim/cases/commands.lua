-- `:Scry …`: names, completion, errors, options, and what is done with an answer.

local editor = require("editor")
local expect = MiniTest.expect
local T, child = editor.set({ setup = "{ picker = 'select' }" })

local function said()
  return child().lua_get("_G.said[#_G.said] and _G.said[#_G.said].text or ''")
end

---Find, and take the first result.
local function jump(words)
  child().lua("vim.ui.select = function(items, _, done) done(items[1]) end")
  child().cmd("Scry find " .. words)
  child().wait("vim.tbl_filter(function(one) return one.method == 'scry/use' and one.answered end, _G.sent)[1]")
end

T["completes its names and their arguments"] = function()
  local names = "bad copy detail find good index log neighbors orient recent restart settings status why"
  expect.equality(table.concat(child().fn.getcompletion("Scry ", "cmdline"), " "), names)
  expect.equality(child().fn.getcompletion("Scry re", "cmdline"), { "recent", "restart" })
  expect.equality(child().fn.getcompletion("Scry index r", "cmdline"), { "resume", "rebuild" })
  expect.equality(child().fn.getcompletion("Scry neighbors --by d", "cmdline"), { "dependency" })
  expect.equality(child().fn.getcompletion("Scry neighbors shop/c", "cmdline"), { "shop/cart.py" })
end

T["completes the last answer's results"] = function()
  jump("compute_total")
  local first = child().answer().results[1].doc_id
  expect.equality(child().fn.getcompletion("Scry why " .. first:sub(1, 12), "cmdline")[1], first)
  expect.equality(child().fn.getcompletion("Scry detail 1", "cmdline")[1], "1")
end

T["an unknown name is told with those that there are"] = function()
  child().cmd("Scry fnid")
  expect.equality(said():find("there is no :Scry fnid", 1, true) ~= nil, true)
  expect.equality(said():find("neighbors", 1, true) ~= nil, true)
end

T["wrong options are told by name, and their defaults stay"] = function()
  child().lua("require('scry').setup({ picker = 'fuzzy', limmit = 3, keys = { wy = '<C-w>' } })")
  for _, part in ipairs({ "limmit", "picker", "wy" }) do
    expect.equality(said():find(part, 1, true) ~= nil, true)
  end
  expect.equality(child().lua_get("require('scry.config').values.picker"), "auto")
end

T["copy takes what the sidecar says, and is recorded"] = function()
  jump("compute_total")
  child().cmd("Scry copy")
  child().wait("vim.fn.getreg('\"') ~= ''")
  local uses = child().sent("scry/use")
  expect.equality(uses[2].params.how, "copy")
  expect.equality(uses[2].result.recorded, true)
  expect.equality(child().fn.getreg('"'), uses[2].result.text)
end

T["good and bad are recorded for the result that one is in"] = function()
  jump("compute_total")
  child().cmd("Scry good just right")
  child().wait("vim.tbl_filter(function(one) return one.method == 'scry/feedback' and one.answered end, _G.sent)[1]")
  local feedback = child().sent("scry/feedback")[1]
  expect.equality(feedback.params.signal, "good")
  expect.equality(feedback.params.comment, "just right")
  expect.equality(feedback.params.rank, 1)
  expect.equality(feedback.result.recorded, true)
  expect.equality(said(), "Scry: noted: good")
end

T["bad outside of a result is of the whole answer"] = function()
  jump("compute_total")
  child().cmd("edit README.md")
  child().cmd("Scry bad")
  child().wait("vim.tbl_filter(function(one) return one.method == 'scry/feedback' and one.answered end, _G.sent)[1]")
  expect.equality(child().sent("scry/feedback")[1].params.rank, nil)
end

T["before any question there is nothing to rate, copy or show"] = function()
  for _, command in ipairs({ "good", "copy", "detail" }) do
    child().lua("_G.said = {}")
    child().lua("require('scry.notify').info('between')")
    child().cmd("Scry " .. command)
    expect.equality(said(), "Scry: nothing was asked yet.")
  end
  expect.equality(#child().lua_get("_G.sent"), 0)
end

T["status, settings and index speak of this project"] = function()
  child().cmd("Scry status")
  child().shows("state")
  child().type_keys("q")
  child().cmd("Scry settings")
  child().shows("max_file_bytes")
  child().cmd("Scry index rebuild")
  child().wait("_G.said[1] and _G.said[1].text:find('rebuild: the index is')")
end

T["the word under the cursor and the selection are found"] = function()
  child().lua("vim.ui.select = function() end")
  child().cmd("edit shop/cart.py")
  child().type_keys("/compute_total<CR>")
  child().lua([[vim.keymap.set({ "n", "x" }, "gs", "<Plug>(scry-find-word)")]])
  child().type_keys("gs")
  child().wait("_G.sent[1]")
  child().type_keys("gg^/add_item<CR>ve", "gs")
  child().wait("_G.sent[2]")
  expect.equality(child().lua_get("_G.sent[1].params.query"), "compute_total")
  expect.equality(child().lua_get("_G.sent[2].params.query"), "add_item")
end

return T
