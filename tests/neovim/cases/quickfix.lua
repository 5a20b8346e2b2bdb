-- Quickfix lists that Scry fills, by the action of every picker.

local editor = require("editor")
local expect = MiniTest.expect
local T, child = editor.set({ setup = "{ picker = 'select' }" })

---Find, and run a picker's action on all results.
local function fill()
  child().lua([[
    vim.ui.select = function(items)
      local hits = {}
      for _, item in ipairs(items) do
        hits[#hits + 1] = item.hit -- an entry after the results has none
      end
      require("scry.actions").run("quickfix", { hit = hits[1], all = hits, selected = {}, title = "receipt" })
    end
  ]])
  child().cmd("edit README.md")
  child().cmd("Scry find receipt")
  child().wait("vim.bo.filetype == 'qf'", "the quickfix window")
end

local function uses()
  return child().sent("scry/use")
end

T["all results are listed, and each jump is recorded"] = function()
  fill()
  local results = vim.tbl_filter(function(result)
    return result.location ~= nil -- a commit has no location in a file
  end, child().answer().results)
  expect.equality(#child().fn.getqflist(), #results)
  expect.equality(uses(), {})
  child().type_keys("<CR>")
  child().answered("scry/use", 1)
  child().type_keys(":cnext<CR>")
  child().answered("scry/use", 2)
  child().type_keys("gg", "G", "gg")
  child().type_keys(":cprevious<CR>")
  child().answered("scry/use", 3)
  local ranks, acts = {}, {}
  for _, use in ipairs(uses()) do
    ranks[#ranks + 1] = use.params.rank
    acts[use.params.act_id] = true
    expect.equality(use.params.how, "jump")
  end
  expect.equality(ranks, { results[1].rank, results[2].rank, results[1].rank })
  expect.equality(vim.tbl_count(acts), 3)
end

T["the title is the question, and the texts repeat neither path nor line"] = function()
  fill()
  local list = child().fn.getqflist({ title = 1, items = 1 })
  expect.equality(list.title, "Scry: receipt")
  for place, item in ipairs(list.items) do
    expect.equality(
      vim.startswith(item.text, ("%d. [code] "):format(place)) or item.text:find("^%d+%. %[doc%]") ~= nil,
      true
    )
    expect.equality(item.text:find("[/.]%w+:%d") == nil, true)
  end
end

T["an entry leads to the name of a symbol, not to the start of its range"] = function()
  child().lua("require('scry').setup({ picker = 'quickfix' })")
  child().cmd("Scry find sum of all prices")
  child().wait("vim.bo.filetype == 'qf'", "the quickfix window")
  local item, first = child().fn.getqflist()[1], child().answer().results[1].location
  local target = first.name or first.range.start
  expect.equality({ item.lnum, item.col }, { target.line + 1, target.character + 1 })
  child().cmd("Scry neighbors shop/cart.py")
  child().wait("vim.fn.getqflist({ title = 1 }).title:find('neighbors')", "the neighbors")
  expect.equality(child().fn.getqflist({ title = 1 }).title, "Scry: neighbors of cart.py (cochange)")
end

T["jumps from another list are not recorded"] = function()
  fill()
  child().lua([[vim.fn.setqflist({}, " ", { items = { { filename = "shop/mail.py", lnum = 1, col = 1 } } })]])
  child().type_keys(":cfirst<CR>")
  child().wait("vim.fn.expand('%:t') == 'mail.py'")
  child().type_keys("j", "k")
  expect.equality(uses(), {})
end

return T
