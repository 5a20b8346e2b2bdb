-- The lines of lists: what they show, what gives way where the window is narrow, and their legend.

local editor = require("editor")
local expect = MiniTest.expect
local T, child = editor.set({ setup = "{ picker = 'select' }" })

---Define `_G.row(result, width)` in the child: the line of a result as text, and as parts, among other results.
local ROWS = [[
  local function hit(own)
    local start = { line = (own.line or 1) - 1, character = 0 }
    own.line = nil
    return { query = "", query_id = "q_1", root = "/p", encoding = "utf-8", item = vim.tbl_extend("force", {
      rank = 1, doc_id = "./a.py", content_type = "code", title = "a.py", project = "p", contributions = {},
      snippet = "", evidence = "", confidence = 0.9,
      location = { uri = "file:///p/a.py", range = { start = start, ["end"] = start } },
    }, own) }
  end
  function _G.row(results, width)
    local entry = require("scry.entry")
    local lines = entry.lines(vim.tbl_map(hit, results), width)
    return { parts = lines, texts = vim.tbl_map(entry.text, lines) }
  end
]]

local DEEP = {
  doc_id = "./server/scry/engine/search/pipeline.py::Pipeline.collect_candidates_of_every_oracle",
  title = "collect_candidates_of_every_oracle",
  line = 1284,
  evidence = "sem #1 | lex #2 | test x0.5 | imp 12",
  snippet = "def collect_candidates_of_every_oracle(self, question): Ask each of them.",
}
local FLAT = { rank = 2, doc_id = "./cart.py::total", title = "total", line = 7, evidence = "lex #1", snippet = "sum" }

local function rows(results, width)
  child().lua(ROWS)
  return child().lua_get("_G.row(...)", { results, width })
end

T["the name comes first, then the path and line, the evidence and the snippet"] = function()
  local text = rows({ DEEP }, 250).texts[1]
  local order =
    { "1.", "[code]", "Pipeline.coll", "server/scry/engine/search/pipeline.py:1284", "(sem #1", "def collect" }
  local last = 0
  for _, part in ipairs(order) do
    local at = text:find(part, 1, true)
    expect.equality({ part, at ~= nil and at > last }, { part, true })
    last = at
  end
end

T["the file's name and the line are never cut, folders are left out from the left"] = function()
  for width = 40, 200, 5 do
    local texts = rows({ DEEP, FLAT }, width).texts
    editor.expect_holds(texts[1], "pipeline.py:1284")
    editor.expect_holds(texts[2], "cart.py:7")
    for _, text in ipairs(texts) do
      expect.equality({ width, vim.api.nvim_strwidth(text) <= width }, { width, true })
    end
  end
  editor.expect_holds(rows({ DEEP }, 60).texts[1], "…/pipeline.py:1284")
  editor.expect_holds(rows({ DEEP }, 90).texts[1], "…/search/pipeline.py:1284")
end

T["the evidence is shown as far as there is room"] = function()
  local function evidence(width)
    return rows({ DEEP }, width).texts[1]:match("%((.*)$") or ""
  end
  expect.equality(evidence(250):match("^sem #1 | lex #2 | test x0%.5 | imp 12%)") ~= nil, true)
  expect.equality(vim.startswith(evidence(80), "sem #1"), true)
  expect.equality(#evidence(45) < #evidence(80) and #evidence(80) < #evidence(250), true)
end

T["columns are aligned"] = function()
  local texts = rows({ DEEP, FLAT }, 160).texts
  local function column(text, part)
    return vim.api.nvim_strwidth(text:sub(1, text:find(part, 1, true) - 1))
  end
  expect.equality(column(texts[1], "Pipeline"), column(texts[2], "total"))
  expect.equality(column(texts[1], "server/"), column(texts[2], "cart.py"))
  expect.equality(column(texts[1], "(sem"), column(texts[2], "(lex"))
end

T["matched words are highlighted where a word begins"] = function()
  local result = vim.tbl_extend("force", FLAT, {
    doc_id = "./receipts.py::send_receipt",
    snippet = "mails the Receipt; prereceipt is not one",
    contributions = { lexical = { rank = 1, raw_score = 1, score_type = "bm25", matches = { "receipt" } } },
  })
  local found = {}
  for _, part in ipairs(rows({ result }, 200).parts[1]) do
    if part[2] == "ScryListMatch" then
      found[#found + 1] = part[1]
    end
  end
  expect.equality(found, { "receipt", "receipt", "Receipt" })
end

T["a weak match has a sign, and the names stay aligned"] = function()
  local texts = rows({ FLAT, vim.tbl_extend("force", FLAT, { rank = 2, confidence = 0.05 }) }, 120).texts
  editor.expect_holds(texts[1], "[code]   total")
  editor.expect_holds(texts[2], "[code] ~ total")
  expect.equality(rows({ FLAT }, 120).texts[1]:find("~", 1, true), nil)
end

T["the sign of a weak match agrees with the sidecar's evidence"] = function()
  child().lua("vim.ui.select = function(items) _G.items = items end")
  child().cmd("Scry find receipt for the price of a cart and everything that swims in the sea of orders")
  child().wait("_G.items ~= nil", "the list")
  local seen = child().lua_get([[vim.tbl_map(function(item)
    local weak = vim.startswith(item.hit.item.evidence, "weak")
    return { weak, require("scry.entry").is_weak(item.hit), item.text:find("~ ", 1, true) ~= nil }
  end, vim.tbl_filter(function(item) return item.hit ~= nil end, _G.items))]])
  expect.equality(#seen > 1, true)
  for _, each in ipairs(seen) do
    expect.equality({ each[2], each[3] }, { each[1], each[1] })
  end
end

T["a commit is named by its subject, a whole file by its name"] = function()
  local text = rows({ { doc_id = "./shop/cart.py", title = "cart.py", line = 1 } }, 120).texts[1]
  editor.expect_holds(text, "[code] cart.py shop/cart.py:1")
  child().ready() -- the history is indexed last
  child().lua("vim.ui.select = function(items) _G.items = items end")
  child().cmd("Scry find First receipt")
  child().wait("_G.items ~= nil", "the list")
  local all = table.concat(child().lua_get("vim.tbl_map(function(item) return item.text end, _G.items)"), "\n")
  expect.equality(all:find("%[commit%] +%S.- commit:%x%x%x%x%x%x%x ") ~= nil, true)
end

T["the legend explains the signs and the keys"] = function()
  child().cmd("Scry legend")
  child().wait("vim.api.nvim_win_get_config(0).relative ~= ''", "the float")
  for _, part in ipairs({ "weak match", "sem #1", "imp 12", "↳ line", "<M-o>", "in the background" }) do
    editor.expect_holds(child().text(), part)
  end
  child().type_keys("q")
  child().lua("require('scry').setup({ keys = { background = '' } })")
  child().cmd("Scry legend")
  expect.equality(child().text():find("in the background", 1, true), nil)
end

T["the last entry of vim.ui.select is the legend, after which the list is shown again"] = function()
  child().lua([[
    _G.lists = {}
    vim.ui.select = function(items, options, done)
      table.insert(_G.lists, vim.tbl_map(options.format_item, items))
      if #_G.lists == 1 then done(items[#items]) end
    end
  ]])
  child().cmd("Scry find receipt")
  child().wait("vim.api.nvim_win_get_config(0).relative ~= ''", "the float")
  editor.expect_holds(child().text(), "weak match")
  child().type_keys("q")
  child().wait("#_G.lists == 2", "the list again")
  expect.equality(child().lua_get("_G.lists[1]"), child().lua_get("_G.lists[2]"))
  expect.equality(child().sent("scry/use"), {})
end

T["every text of a list is readable on every line, in the default colours"] = function()
  for _, background in ipairs({ "light", "dark" }) do
    child().o.background = background
    local names = { "Rank", "Tag", "Place", "Name", "Evidence", "Weak", "Snippet" }
    for _, name in ipairs(names) do
      local contrast = child().lua_get("require('scry.highlights').contrast(...)", { "Scry" .. name })
      expect.equality({ background, name, contrast >= 4.5 }, { background, name, true })
    end
  end
  local known = [[(function()
    vim.api.nvim_set_hl(0, "Normal", { fg = 0x777777, bg = 0xffffff })
    for _, name in ipairs({ "NormalFloat", "CursorLine", "Visual" }) do vim.api.nvim_set_hl(0, name, {}) end
    return require("scry.highlights").contrast("Normal")
  end)()]]
  expect.equality(("%.2f"):format(child().lua_get(known)), "4.48") -- as WCAG's examples have it
end

T["a group that the user defines is kept, also by another background"] = function()
  child().cmd("highlight ScryName guifg=#123456")
  child().cmd("highlight link ScryPlace Title")
  child().o.background = "light"
  child().o.background = "dark"
  child().cmd("doautocmd ColorScheme")
  expect.equality(child().lua_get("vim.api.nvim_get_hl(0, { name = 'ScryName' }).fg"), 0x123456)
  expect.equality(child().lua_get("vim.api.nvim_get_hl(0, { name = 'ScryPlace' }).link"), "Title")
end

T["the legend has the whole notice of the newest answer"] = function()
  child().ready()
  child().lua("_G.partial = 1")
  child().lua("require('scry.modes').find(require('scry.root').of(), 'receipt', {}).ask('receipt', function() end)")
  child().answered("scry/find")
  child().cmd("Scry legend")
  editor.expect_holds(child().text(), "Nothing could be searched yet")
  editor.expect_holds(child().text(), "a weak match")
end

return T
