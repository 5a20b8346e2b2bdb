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

---Return the results on the screen, from top to bottom, as { rank, first word of the name }.
local function listed()
  local results = {}
  for line in tostring(child().get_screenshot()):match("^(.-)\n\n"):gmatch("[^\n]+") do
    local rank, name = line:match("(%d+)%. %[%a+%] +~? *([^%s…]+)")
    if rank then
      results[#results + 1] = { tonumber(rank), name }
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
    editor.expect_holds(editor.name_of(result), shown[place][2]) -- a narrow screen cuts its end
  end
end

T["an answer from an unfinished index is refreshed, and its header goes"] = function()
  child().ready()
  child().lua("_G.partial = 2")
  child().cmd("edit README.md")
  child().type_keys(":Scry find receipt<CR>")
  child().shows("Nothing could be searched")
  child().shows("1. [")
  child().wait_gone("Nothing could be searched")
  expect.equality(#child().sent("scry/find"), 3)
end

T["an unknown project is named above the list"] = function()
  child().ready()
  child().type_keys(":Scry find --projects nowhere receipt<CR>")
  child().shows("nowhere")
  child().shows("no project is")
end

T["its own keys are mapped without a warning"] = function()
  find("receipt")
  expect.equality(child().lua_get("_G.said"), {})
end

if picker ~= "mini_pick" then
  T["the plugin's own command opens Scry"] = function()
    child().ready()
    local commands = { fzf_lua = "FzfLua scry query=receipt", snacks = "lua Snacks.picker.scry({ query = 'receipt' })" }
    child().lua(picker == "snacks" and "require('snacks')" or "vim.cmd.runtime('plugin/fzf-lua.lua')")
    child().type_keys(":" .. commands[picker] .. "<CR>")
    child().shows("1. [")
    child().type_keys("<CR>")
    expect.equality(child().answered("scry/use").params.how, "jump")
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

for _, has_moved in ipairs({ true, false }) do
  local what = has_moved and "keeps the focus of a user who moved" or "otherwise stays at the first result"
  T["a refresh " .. what] = function()
    child().ready()
    child().cmd("edit README.md")
    editor.bring_better_result(child())
    child().type_keys(":Scry find receipt<CR>")
    child().shows("1. [")
    if has_moved then
      child().type_keys("<Down>")
    end
    child().wait("_G.refreshed", "the second answer")
    vim.uv.sleep(1000)
    child().type_keys("<CR>")
    local use = child().answered("scry/use")
    -- The second result is the third one now. The first one is that which came last.
    expect.equality(use.params.rank, has_moved and 2 or #child().answer().results)
  end
end

T["a key opens results in the background, and the picker stays"] = function()
  find("receipt")
  child().type_keys("<M-o>")
  expect.equality(child().answered("scry/use").params.how, "open")
  child().shows("1. [")
  child().type_keys("<CR>")
  expect.equality(child().answered("scry/use", 2).params.how, "jump")
end

T["splits and tabs are one use each"] = function()
  for key, windows in pairs({ ["<C-x>"] = 2, ["<C-v>"] = 2, ["<C-t>"] = 1 }) do
    find("receipt")
    local uses = #child().sent("scry/use")
    child().type_keys(key)
    expect.equality(child().answered("scry/use", uses + 1).params.how, "jump")
    vim.uv.sleep(150)
    expect.equality({ key, #child().sent("scry/use") }, { key, uses + 1 })
    expect.equality({ key, child().lua_get("#vim.api.nvim_tabpage_list_wins(0)") }, { key, windows })
    child().cmd("silent! tabonly | only")
  end
end

T["a key shows the legend, and the picker comes back"] = function()
  find("receipt")
  child().type_keys("<M-h>")
  child().wait("vim.api.nvim_win_get_config(0).relative ~= '' and vim.bo.filetype == 'markdown'", "the float")
  editor.expect_holds(child().text(), "weak match")
  child().type_keys("q")
  child().shows("1. [")
  child().wait("vim.bo.filetype ~= 'markdown'", "the picker again")
  child().type_keys("<CR>")
  expect.equality(child().answered("scry/use").params.rank, 1)
end

T["a key lists the relations of a result"] = function()
  child().cmd("cd " .. os.getenv("TEST_OTHER"))
  find("departures")
  child().type_keys("<M-r>")
  child().shows("boats_of")
  child().type_keys("<CR>")
  expect.equality(child().answered("scry/use").params.how, "jump")
end

T["a key lists the further places of a file, and a jump to one records its use"] = function()
  child().lua("require('scry').setup({ picker = ..., limit = 3 })", { picker })
  editor.open_parcels(child())
  child().type_keys(":Scry find weigh parcel<CR>")
  child().shows("3. [")
  local first = child().answer().results[1]
  local place = first.further[1]
  child().type_keys("<M-f>")
  child().shows(("↳ line %d"):format(place.location.range.start.line + 1))
  child().type_keys("<M-f>")
  child().wait_gone("↳ line")
  child().type_keys("<M-f>")
  child().shows("↳ line")
  child().type_keys("<CR>")
  child().wait("vim.fn.expand('%:t') == 'parcels.py'", "the jump")
  local use = child().answered("scry/use")
  expect.equality(child().lua_get("vim.fn.line('.')"), place.location.range.start.line + 1)
  expect.equality({ use.params.rank, use.params.doc_id, use.result.recorded }, { 1, place.doc_id, true })
  expect.equality(#child().sent("scry/find"), 1)
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
