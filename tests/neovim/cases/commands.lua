-- The subcommands of `:Scry`: completion, errors, options, and actions on an answer.

local editor = require("editor")
local expect = MiniTest.expect
local T, child = editor.set({ setup = "{ picker = 'select' }" })

local function said()
  return child().lua_get("_G.said[#_G.said] and _G.said[#_G.said].text or ''")
end

---Find, and jump to the first result.
local function jump(words)
  child().lua("vim.ui.select = function(items, _, done) done(items[1]) end")
  child().cmd("Scry find " .. words)
  child().answered("scry/use")
end

T["completes its names and their arguments"] = function()
  local names = "bad beliefs believe copy detail doctor find good history index insights legend link log memory "
    .. "neighbors next observe orient persona previous projects recent related remember restart session settings "
    .. "status why"
  expect.equality(table.concat(child().fn.getcompletion("Scry ", "cmdline"), " "), names)
  expect.equality(child().fn.getcompletion("Scry re", "cmdline"), { "recent", "related", "remember", "restart" })
  expect.equality(child().fn.getcompletion("Scry index r", "cmdline"), { "resume", "rebuild" })
  expect.equality(child().fn.getcompletion("Scry find --a", "cmdline"), { "--all-projects" })
  expect.equality(child().fn.getcompletion("Scry find --t", "cmdline"), { "--team" })
  expect.equality(child().fn.getcompletion("Scry recent --t", "cmdline"), { "--team" })
  expect.equality(child().fn.getcompletion("Scry recent --all-projects --d", "cmdline"), { "--days" })
  expect.equality(child().fn.getcompletion("Scry find words --a", "cmdline"), {})
  expect.equality(child().fn.getcompletion("Scry projects a", "cmdline"), { "add" })
  expect.equality(child().fn.getcompletion("Scry neighbors --by d", "cmdline"), { "dependency" })
  expect.equality(child().fn.getcompletion("Scry neighbors shop/c", "cmdline"), { "shop/cart.py" })
end

T["completes the last answer's results"] = function()
  jump("compute_total")
  local first = child().answer().results[1].doc_id
  expect.equality(child().fn.getcompletion("Scry why " .. first:sub(1, 12), "cmdline")[1], first)
  expect.equality(child().fn.getcompletion("Scry detail 1", "cmdline")[1], "1")
end

T["options are split from the query, which is literal"] = function()
  local split = function(text)
    return child().lua_get("{ require('scry.arguments').split_options(...) }", { text })
  end
  expect.equality(split("--all-projects  a  --projects b"), { { all_projects = true }, "a  --projects b" })
  expect.equality(split("--projects=a,b --linked-projects c"), { { projects = "a,b", linked_projects = true }, "c" })
  expect.equality(split("--days 3 --projects a"), { { days = "3", projects = "a" }, "" })
  expect.equality(split("--team a --team"), { { team = true }, "a --team" })
  expect.equality(split("--all-projectsx"), { vim.empty_dict(), "--all-projectsx" })
  expect.equality(split("-lang:go --force"), { vim.empty_dict(), "-lang:go --force" })
  child().cmd("Scry find --days 3 receipt")
  editor.expect_holds(said(), "find has no --days")
end

T["a question for the team without one is told how to join"] = function()
  child().cmd("Scry find --team receipt")
  child().wait("#_G.said > 0", "the message")
  editor.expect_holds(said(), "scry team join")
end

T["an unknown subcommand is reported with the known ones"] = function()
  child().cmd("Scry fnid")
  editor.expect_holds(said(), "there is no :Scry fnid")
  editor.expect_holds(said(), "neighbors")
end

T["several words that begin with no subcommand are searched for"] = function()
  child().ready() -- a request is repeated while the project is being opened
  child().lua("vim.ui.select = function() end")
  child().cmd("Scry retry  limit")
  expect.equality(child().answered("scry/find").params.query, "retry  limit")
  child().cmd("edit README.md")
  child().cmd("Scry --folder retry limit")
  expect.equality(child().answered("scry/find", 2).params.query, "retry limit")
end

T["wrong options are reported by name and keep their defaults"] = function()
  child().lua("require('scry').setup({ picker = 'fuzzy', limmit = 3, keys = { wy = '<C-w>' } })")
  for _, part in ipairs({ "limmit", "picker", "wy" }) do
    editor.expect_holds(said(), part)
  end
  expect.equality(child().lua_get("require('scry.config').values.picker"), "auto")
end

T["copy uses the sidecar's text and is recorded"] = function()
  jump("compute_total")
  child().cmd("Scry copy")
  local use = child().answered("scry/use", 2)
  expect.equality({ use.params.how, use.result.recorded }, { "copy", true })
  child().wait(("vim.fn.getreg('\"') == %q"):format(use.result.text), "the text in the register")
end

T["a rating is recorded for the result at the cursor"] = function()
  jump("compute_total")
  child().cmd("Scry good just right")
  local feedback = child().answered("scry/feedback")
  expect.equality(feedback.params.signal, "good")
  expect.equality(feedback.params.comment, "just right")
  expect.equality(feedback.params.rank, 1)
  expect.equality(feedback.result.recorded, true)
  child().wait("_G.said[#_G.said] and _G.said[#_G.said].text == 'Scry: noted: good'", "the message")
end

T["a rating outside a result is for the whole answer"] = function()
  jump("compute_total")
  child().cmd("edit README.md")
  child().cmd("Scry bad")
  expect.equality(child().answered("scry/feedback").params.rank, nil)
end

T["good, copy and detail warn before the first question"] = function()
  for _, command in ipairs({ "good", "copy", "detail" }) do
    child().lua("_G.said = {}")
    child().lua("require('scry.notify').info('between')")
    child().cmd("Scry " .. command)
    expect.equality(said(), "Scry: nothing was asked yet.")
  end
  expect.equality(#child().lua_get("_G.sent"), 0)
end

T["status and settings of this project are shown"] = function()
  child().cmd("Scry status")
  child().shows("state")
  child().type_keys("q")
  child().cmd("Scry settings")
  child().shows("max_file_bytes")
end

T["the checks of the program are shown"] = function()
  child().cmd("Scry doctor")
  child().wait("vim.api.nvim_win_get_config(0).relative ~= ''", "the float")
  editor.expect_holds(child().text(), "python")
  editor.expect_holds(child().text(), "grammars")
end

T["a page of insights is opened"] = function()
  child().lua("vim.ui.open = function(file) _G.opened = table.concat(vim.fn.readfile(file), ' ') end")
  child().cmd("Scry insights")
  child().wait("_G.opened ~= nil", "the page")
  editor.expect_holds(child().lua_get("_G.opened"), "Scry: insights")
end

T["the log of the sidecar is opened"] = function()
  child().cmd("Scry log")
  child().wait("vim.fn.expand('%:t') == 'lsp.log' or _G.said[1] ~= nil", "the log, or a message that there is none")
end

T["the word under the cursor and the selection are found"] = function()
  child().lua("vim.ui.select = function() end")
  child().cmd("edit shop/cart.py")
  child().ready() -- a request is repeated while the project is being opened
  child().type_keys("/compute_total<CR>")
  child().lua([[vim.keymap.set({ "n", "x" }, "gs", "<Plug>(scry-find-word)")]])
  child().type_keys("gs")
  expect.equality(child().answered("scry/find", 1).params.query, "compute_total")
  child().type_keys("gg^/add_item<CR>ve", "gs")
  expect.equality(child().answered("scry/find", 2).params.query, "add_item")
end

return T
