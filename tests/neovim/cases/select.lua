-- The adapter for `vim.ui.select`.

local editor = require("editor")
local expect = MiniTest.expect
local T, child = editor.set({ setup = "{ picker = 'select' }" })

---Let `vim.ui.select` choose the entry at this index, and store the entries and the prompt.
local function will_take(place)
  child().lua(([[
    vim.ui.select = function(items, options, done)
      _G.shown = vim.tbl_map(options.format_item, items)
      _G.prompt = options.prompt
      done(items[%d])
    end
  ]]):format(place))
end

T["a finished question does not match by prefix"] = function()
  child().cmd("edit README.md")
  child().lua("vim.ui.select = function(...) _G.chosen = { ... } end")
  child().cmd("Scry find add")
  expect.equality(child().answered("scry/find").params.picker, nil)
  expect.equality(child().answer().scoring.prefix, "")
end

T["finds, jumps and records the use"] = function()
  will_take(1)
  child().cmd("Scry find sum of all prices")
  child().wait("vim.fn.expand('%:t') == 'cart.py'", "the jump")
  expect.equality(child().lua_get("vim.fn.line('.')"), 11)
  local use = child().answered("scry/use")
  expect.equality(use.params.rank, 1)
  expect.equality(use.params.how, "jump")
  expect.equality(use.params.query_id, child().answer().query_id)
end

T["keeps the sidecar's order and shows the evidence"] = function()
  child().ready() -- until then the prompt says that the index is not
  will_take(2)
  child().cmd("Scry find receipt")
  child().wait("_G.shown", "the list")
  local answer = child().answer()
  local shown = child().lua_get("_G.shown")
  expect.equality(#shown, #answer.results + 1) -- the legend is the last one
  expect.equality(child().lua_get("_G.prompt"), "Scry find: receipt")
  for place, result in ipairs(answer.results) do
    expect.equality(vim.trim(shown[place]):match("^%d+"), tostring(result.rank))
    editor.expect_holds(shown[place], "(" .. result.evidence:gsub("^weak | ", "") .. ")") -- a sign says weak
  end
end

T["Neovim's own list shows the results in columns, page by page"] = function()
  child().o.lines = 16
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder .. "/.scry", "p")
  for number = 1, 14 do
    local lines = { ("def ferry_%d():"):format(number), "    return 1" }
    vim.fn.writefile(lines, ("%s/ferry_%d.py"):format(folder, number))
  end
  child().cmd("cd " .. vim.fn.fnameescape(folder))
  child().ready()
  child().lua([[
    _G.pages = {}
    vim.fn.inputlist = function(lines)
      table.insert(_G.pages, lines)
      return #_G.pages == 1 and 11 or 4 -- "4 more", and the last result
    end
  ]])
  child().cmd("Scry find ferry")
  local use = child().answered("scry/use")
  local first, second = unpack(child().lua_get("_G.pages"))
  expect.equality({ first[1], second[1] }, { "Scry find: ferry (1-10 of 14)", "Scry find: ferry (11-14 of 14)" })
  expect.equality({ #first, first[12] }, { 13, "11: 4 more" })
  expect.equality({ #second, second[6] }, { 6, "5: ? what the signs mean" })
  for place = 2, 11 do
    expect.equality({ first[place]:match("^(%d+): +(%d+)%. ") }, { tostring(place - 1), tostring(place - 1) })
    expect.equality(first[place]:find("[", 1, true), first[2]:find("[", 1, true))
  end
  expect.equality({ use.params.rank, use.params.how }, { 14, "jump" })
end

T["Neovim's own list of earlier questions shows a page of the newest ones, each on a line"] = function()
  child().o.lines = 10
  child().lua("vim.env.XDG_DATA_HOME = vim.fn.tempname()")
  child().ready() -- a request is repeated while the project is being opened
  child().lua([[
    vim.fn.inputlist = function(lines) _G.lines = lines return 0 end
    local function ask(number) -- one after the other: questions asked at once are answered, and logged, in any order
      require("scry").source("find", {}).ask(("receipt %d "):format(number) .. ("x"):rep(200), function()
        if number < 9 then
          ask(number + 1)
        end
      end)
    end
    ask(1)
  ]])
  child().answered("scry/find", 9)
  child().lua([[_G.lists_all = function() -- a question is logged soon after its answer, and the list may come before
    local text = table.concat(_G.lines or {}, " ")
    local now = vim.uv.hrtime()
    if not text:find("receipt 9") and now - (_G.listed_at or 0) > 1e9 then
      _G.listed_at = now
      vim.cmd("Scry history")
    end
    return text:find("receipt 9") ~= nil
  end]])
  child().wait("_G.lists_all()", "the newest question")
  local lines = child().lua_get("_G.lines")
  expect.equality(#lines, 7)
  editor.expect_holds(lines[1], "(1-5 of 9)")
  for place = 1, 5 do
    editor.expect_holds(lines[place + 1], ("%d: receipt %d x"):format(place, 10 - place))
    expect.equality(vim.api.nvim_strwidth(lines[place + 1]) < 120, true)
  end
  expect.equality(lines[7], "6: 4 more")
end

T["a path with special characters is shown as it is"] = function()
  local folder = editor.new_project({ ["C#/100%.py"] = { "def weigh_parcel():", "    return 1" } })
  editor.enter(child(), folder)
  will_take(1)
  child().cmd("Scry find weigh parcel")
  child().answered("scry/use")
  editor.expect_holds(child().lua_get("_G.shown[1]"), " C#/100%.py:1 ")
end

T["the last entry lists the further places, and choosing one records its use"] = function()
  child().lua("require('scry').setup({ picker = 'select', limit = 3 })")
  editor.open_parcels(child())
  child().lua([[
    _G.lists = {}
    vim.ui.select = function(items, options, done)
      table.insert(_G.lists, vim.tbl_map(options.format_item, items))
      done(#_G.lists == 1 and items[#items - 1] or items[2])
    end
  ]])
  child().cmd("Scry find weigh parcel")
  child().wait("vim.fn.expand('%:t') == 'parcels.py'", "the jump")
  local lists, place = child().lua_get("_G.lists"), child().answer().results[1].further[1]
  editor.expect_holds(lists[1][1], (" +%d "):format(child().answer().results[1].more_in_file))
  editor.expect_holds(lists[1][4], "further places in these files")
  editor.expect_holds(lists[2][2], ("↳ line %d"):format(place.location.range.start.line + 1))
  editor.expect_holds(lists[2][2], place.title)
  local use = child().answered("scry/use")
  expect.equality({ use.params.rank, use.params.doc_id, use.result.recorded }, { 1, place.doc_id, true })
end

T["asks for a query where none is given"] = function()
  will_take(1)
  child().lua([[vim.ui.input = function(_, done) done("mail the receipt") end]])
  child().cmd("Scry")
  child().wait("vim.fn.expand('%:t') == 'mail.py'", "the jump")
end

T["reports an empty answer"] = function()
  child().cmd("Scry find receipt path:nowhere/")
  child().wait("_G.said[#_G.said] and _G.said[#_G.said].text:find('Nothing found', 1, true)", "the message")
end

T["waits for an index that has nothing to show yet"] = function()
  child().ready()
  child().lua("_G.partial = 2")
  will_take(1)
  child().cmd("Scry find receipt")
  child().wait("vim.fn.expand('%:t') == 'mail.py'", "the jump")
  expect.equality(child().lua_get("_G.said[1].text"), "Scry: Nothing could be searched yet")
end

T["a factor that lowers a result stands in its evidence"] = function()
  child().ready()
  child().lua([[_G.scrub = function(results)
    results[1].evidence = "sem #1 | test x0.5"
    return { results[1] }
  end]])
  will_take(1)
  child().cmd("Scry find receipt")
  child().wait("_G.shown", "the list")
  editor.expect_holds(child().lua_get("_G.shown[1]"), "test x0.5")
end

return T
