-- What a question is confined to, and where its words come from: filters, folders, neighbors, selections, history.

local editor = require("editor")
local expect = MiniTest.expect
local T, child = editor.set({ setup = "{ picker = 'select' }" })

local function complete(line)
  return child().fn.getcompletion("Scry " .. line, "cmdline")
end

T["filters of a query and their values are completed"] = function()
  child().cmd("edit README.md")
  expect.equality(complete("find la"), { "lang:" })
  expect.equality(complete("find the receipt ty"), { "type:" })
  expect.equality(complete("find lang:pyt"), { "lang:python" })
  expect.equality(complete("find words -lang:mark"), { "-lang:markdown" })
  expect.equality(complete("find type:co"), { "type:code", "type:commit" })
  expect.equality(complete("recent source:p"), { "source:project", "source:persona" })
  expect.equality(complete("find path:sho"), { "path:shop/" })
  expect.equality(complete("find path:shop/c"), { "path:shop/cart.py" })
  expect.equality(complete("find no such filter:"), {})
  local first = complete("find ")
  for _, each in ipairs({ "lang:", "path:", "type:", "source:", "domain:", "--projects", "--folder", "--neighbors" }) do
    expect.equality({ each, vim.tbl_contains(first, each) }, { each, true })
  end
end

T["a completed filter is honoured"] = function()
  child().lua("vim.ui.select = function(items) _G.items = items end")
  child().cmd("Scry find lang:markdown receipt")
  child().wait("_G.items ~= nil", "the list")
  for _, result in ipairs(child().answer().results) do
    expect.equality(result.content_type ~= "code", true)
  end
end

T["a search is confined to the folder of the current file"] = function()
  child().lua("vim.ui.select = function(items, options) _G.items, _G.prompt = items, options.prompt end")
  child().cmd("edit shop/cart.py")
  child().ready() -- a request is repeated while the project is being opened
  child().cmd("Scry find --folder receipt")
  child().wait("_G.items ~= nil", "the list")
  editor.expect_holds(child().lua_get("_G.prompt"), "Scry find in shop/: receipt")
  expect.equality(child().answered("scry/find").params.query, "path:shop/* receipt")
  for _, result in ipairs(child().answer().results) do
    expect.equality(vim.startswith(result.doc_id, "./shop/"), true)
  end
  local before = #child().sent("scry/find")
  child().cmd("edit README.md")
  child().cmd("Scry find --folder receipt")
  expect.equality(child().answered("scry/find", before + 1).params.query, "receipt") -- the whole project
  child().cmd("Scry find --folder --neighbors receipt")
  editor.expect_holds(child().lua_get("_G.said[#_G.said].text"), "can't be combined")
  child().cmd("enew")
  child().cmd("Scry find --folder receipt")
  editor.expect_holds(child().lua_get("_G.said[#_G.said].text"), "the current buffer is no file")
end

T["a search is confined to the neighbors of the current file"] = function()
  child().lua("vim.ui.select = function(items, options) _G.items, _G.prompt = items, options.prompt end")
  child().cmd("cd " .. os.getenv("TEST_OTHER"))
  child().ready() -- with its history
  child().cmd("edit ferry.py")
  child().cmd("Scry find --neighbors how many boats leave")
  child().wait("_G.items ~= nil", "the list")
  editor.expect_holds(child().lua_get("_G.prompt"), "among the neighbors of ferry.py: how many boats leave")
  expect.equality(child().answer().results[1].doc_id, "./harbour.py::boats_of")
  for _, result in ipairs(child().answer().results) do
    expect.equality(result.doc_id:find("./ferry.py", 1, true), nil)
  end
end

T["the selection is the question"] = function()
  child().lua("vim.ui.select = function() end")
  child().cmd("edit shop/cart.py")
  child().ready() -- a request is repeated while the project is being opened
  child().type_keys("/compute_total<CR>", "ve", ":Scry<CR>")
  expect.equality(child().answered("scry/find", 1).params.query, "compute_total")
  child().cmd("5,7Scry find")
  expect.equality(
    child().answered("scry/find", 2).params.query,
    '"""What a customer is about to buy.""" def add_item(self, name: str, price: int) -> None:'
  )
end

T["an earlier question is asked again"] = function()
  child().lua("vim.env.XDG_DATA_HOME = vim.fn.tempname()")
  child().cmd("Scry history")
  child().wait("_G.said[1]", "the message")
  editor.expect_holds(child().lua_get("_G.said[1].text"), "nothing was asked in this project yet")
  child().ready() -- a request is repeated while the project is being opened
  child().lua([[vim.ui.select = function(items, options, done)
    if options.prompt == "Scry: ask again" then
      _G.asked = vim.tbl_map(options.format_item, items)
      done(items[2])
    end
  end
  _G.lists_both = function() -- a question is logged soon after its answer, and the list may come before
    local now = vim.uv.hrtime()
    if not (_G.asked and #_G.asked == 2) and now - (_G.listed_at or 0) > 1e9 then
      _G.listed_at, _G.asked = now, nil
      vim.cmd("Scry history")
    end
    return _G.asked and #_G.asked == 2
  end]])
  child().cmd("Scry find receipt by mail")
  child().answered("scry/find", 1)
  local before = #child().sent("scry/find") + 1
  child().cmd("Scry find sum of prices")
  child().answered("scry/find", before)
  child().wait("_G.lists_both()", "both questions")
  expect.equality(child().lua_get("_G.asked"), { "sum of prices", "receipt by mail" })
  expect.equality(child().answered("scry/find", before + 1).params.query, "receipt by mail")
end

T["relations of a result are listed by one question over the code graph"] = function()
  child().cmd("cd " .. os.getenv("TEST_OTHER"))
  child().ready()
  child().cmd("edit ferry.py")
  child().will_take("departures")
  child().cmd("Scry find departures")
  child().answered("scry/use")
  child().lua("vim.ui.select = function(items, options) _G.items, _G.prompt = items, options.prompt end")
  child().cmd("Scry related")
  child().wait("_G.items ~= nil", "the list")
  local text = table.concat(child().lua_get("vim.tbl_map(function(item) return item.text end, _G.items)"), "\n")
  for _, part in ipairs({ "boats_of", "calls ./ferry.py::dep", "imports ./ferry.py", "changes with ./ferry.py" }) do
    editor.expect_holds(text, part)
  end
  editor.expect_holds(child().lua_get("_G.prompt"), "Scry relations of departures")
  child().cmd("edit harbour.py")
  child().cmd("Scry related imports")
  child().wait("_G.prompt:find('Scry imports of harbour.py', 1, true)", "the imports of the file")
  expect.equality(child().fn.getcompletion("Scry related call", "cmdline"), { "callers", "callees" })
  child().cmd("Scry related nonsense")
  editor.expect_holds(child().lua_get("_G.said[#_G.said].text"), "must be a whole number above 0")
end

return T
