-- The adapters with the real mini.pick, snacks or fzf-lua ($TEST_PICKER names one): types keys and reads the screen.

local editor = require("editor")
local expect = MiniTest.expect
local picker = os.getenv("TEST_PICKER")
local T, child = editor.set({ columns = 140, setup = ("{ picker = %q }"):format(picker) })

---Open the picker with a query, and wait until it lists the whole answer.
local function find(words)
  child().ready()
  child().cmd("edit README.md")
  child().type_keys(":Scry find " .. words .. "<CR>")
  child().shows("1. [")
  for _, result in ipairs(child().answer().results) do
    child().shows(("%d. [%s]"):format(result.rank, result.content_type))
  end
end

---Return the results on the screen, from top to bottom, as { rank, first word after the tag }.
local function listed()
  local results = {}
  for line in tostring(child().get_screenshot()):match("^(.-)\n\n"):gmatch("[^\n]+") do
    local rank, place = line:match("(%d+)%. %[%a+%] +(%S+)")
    if rank then
      results[#results + 1] = { tonumber(rank), place }
    end
  end
  return results
end

T["keeps the sidecar's order"] = function()
  find("receipt")
  local results, shown = child().answer().results, listed()
  if shown[1][1] ~= 1 then
    shown = vim.iter(shown):rev():totable() -- the best result is the lowest
  end
  expect.equality(#shown, #results)
  for place, result in ipairs(results) do
    expect.equality(shown[place][1], result.rank)
    editor.expect_holds(result.doc_id, (shown[place][2]:gsub("^…", ""))) -- a narrow screen cuts its start
  end
end

T["previews, jumps and records the use"] = function()
  find("receipt")
  if picker == "mini_pick" then
    child().type_keys("<Tab>") -- the other pickers preview without a key
  end
  child().shows("print(address)")
  child().type_keys("<CR>")
  child().wait("vim.fn.expand('%:t') == 'mail.py'", "the jump")
  local use = child().answered("scry/use")
  expect.equality({ use.params.rank, use.params.how, use.result.recorded }, { 1, "jump", true })
end

T["previews a result that is far down in its file"] = function()
  child().cmd("cd " .. os.getenv("TEST_OTHER"))
  find("moor")
  if picker == "mini_pick" then
    child().type_keys("<Tab>")
  end
  child().shows("rope = ship")
end

T["each key sends a request of the same picker"] = function()
  find("receipt")
  local before = #child().sent("scry/find")
  for key in (" mail"):gmatch(".") do
    child().type_keys(key)
  end
  child().wait("_G.sent[#_G.sent].params.query == 'receipt mail' and _G.sent[#_G.sent].answered", "the answer")
  local asked = child().sent("scry/find")
  expect.equality(#asked > before, true)
  expect.equality(asked[#asked].params.picker, asked[before].params.picker)
end

T["rates, explains and fills the quickfix list by its keys"] = function()
  find("receipt")
  child().type_keys("<M-g>")
  expect.equality(child().answered("scry/feedback").params.rank, 1)
  child().type_keys("<M-w>")
  child().wait("vim.api.nvim_win_get_config(0).relative ~= '' and vim.bo.filetype == 'markdown'", "the float")
  child().type_keys("q")
  child().shows("1. [")
  child().wait("vim.bo.filetype ~= 'markdown'", "the picker again")
  child().type_keys("<C-q>")
  child().wait("vim.bo.filetype == 'qf'", "the quickfix window")
end

T["a source that is not live is listed"] = function()
  child().ready()
  child().cmd("edit shop/cart.py")
  child().type_keys(":Scry neighbors<CR>")
  child().shows("1. [")
  child().type_keys("<CR>")
  child().answered("scry/use")
  expect.no_equality(child().fn.expand("%:t"), "cart.py")
end

return T
