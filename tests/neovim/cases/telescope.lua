-- The adapter for telescope.

local editor = require("editor")
local expect = MiniTest.expect
local T, child = editor.set({ setup = "{ picker = 'telescope' }" })

---The newest request, once telescope lists its whole answer.
local SETTLED = [[(function()
  local newest = _G.sent[#_G.sent]
  local picker = require("telescope.actions.state").get_current_picker(vim.api.nvim_get_current_buf())
  local results = newest and newest.result and newest.result.results
  if not (results and #results > 0 and picker and picker.manager) then return end
  local listed = {}
  for entry in picker.manager:iter() do listed[#listed + 1] = entry.value.item.doc_id end
  local answered = vim.tbl_map(function(result) return result.doc_id end, results)
  return #listed == #answered and { query = newest.params.query, listed = listed, answered = answered }
end)()]]

---@param query string
---@return { listed: string[], answered: string[] }
local function settled(query)
  return child().wait(("(function(now) return now and now.query == %q and now end)(%s)"):format(query, SETTLED))
end

local function open()
  child().cmd("edit README.md")
  child().cmd("Scry find")
  child().wait("vim.bo.filetype == 'TelescopePrompt'", "the prompt")
end

local function find(words)
  open()
  child().type_keys(words)
  return settled(words)
end

T["finds while typing, jumps and records the use"] = function()
  find("sum of all prices")
  child().shows("compute_total")
  child().type_keys("<CR>")
  child().wait("vim.fn.expand('%:t') == 'cart.py'", "the jump")
  expect.equality(child().lua_get("vim.fn.line('.')"), 11)
  local use = child().answered("scry/use")
  expect.equality(use.params.rank, 1)
  expect.equality(use.params.how, "jump")
  expect.equality(use.params.query_id, child().answer().query_id)
  expect.equality(use.result.recorded, true)
end

T["the last word matches the words that begin with it"] = function()
  find("add")
  child().shows("words that begin with add match too")
  local prefixed = vim.iter(child().answer().results):find(function(result)
    return result.doc_id == "./shop/mail.py::send_receipt"
  end)
  expect.equality(prefixed.contributions.lexical.matches, { "add…" })
  expect.equality(prefixed.adjustments[#prefixed.adjustments].name, "prefix")
end

T["the extension finds, with telescope's own options"] = function()
  child().cmd("edit README.md")
  child().cmd("Telescope scry find query=receipt theme=ivy")
  settled("receipt")
  child().type_keys("<CR>")
  child().answered("scry/use")
end

T["a key lists the further places of a file, and a jump to one records its use"] = function()
  child().lua("require('scry').setup({ picker = 'telescope', limit = 3 })")
  editor.open_parcels(child())
  child().cmd("Scry find weigh parcel")
  settled("weigh parcel")
  local first = child().answer().results[1]
  local SELECTED = "require('telescope.actions.state').get_selected_entry().value.item.doc_id == %q"
  child().wait(SELECTED:format(first.doc_id), "the focus on the first result")
  child().type_keys("<M-f>")
  child().shows(("↳ line %d"):format(first.further[1].location.range.start.line + 1))
  child().shows(first.further[1].title)
  child().wait(SELECTED:format(first.further[1].doc_id), "the focus on the first further place")
  child().type_keys("<M-f>")
  child().wait(SELECTED:format(first.doc_id), "the focus on the result again")
  child().type_keys("<M-f>")
  child().wait(SELECTED:format(first.further[1].doc_id), "the further places again")
  child().type_keys("<CR>")
  child().wait("vim.fn.expand('%:t') == 'parcels.py'", "the jump")
  local place, use = first.further[1], child().answered("scry/use")
  expect.equality(child().lua_get("vim.fn.line('.')"), place.location.range.start.line + 1)
  expect.equality({ use.params.rank, use.params.doc_id, use.result.recorded }, { 1, place.doc_id, true })
  expect.equality(#child().sent("scry/find"), 1)
end

T["an answer from an unfinished index is refreshed, and its header goes"] = function()
  child().ready()
  child().lua("_G.partial = 2")
  child().cmd("Scry find receipt")
  child().shows("Nothing could be searched")
  settled("receipt")
  child().wait_gone("Nothing could be searched")
  expect.equality(#child().sent("scry/find"), 3)
end

for _, has_moved in ipairs({ true, false }) do
  local what = has_moved and "keeps the focus of a user who moved" or "otherwise stays at the first result"
  T["a refresh " .. what] = function()
    child().ready()
    child().cmd("edit README.md")
    editor.bring_better_result(child())
    child().cmd("Scry find receipt")
    child().shows("1. [")
    if has_moved then
      child().type_keys("<C-p>") -- the best result is the lowest
    end
    child().wait("_G.refreshed", "the second answer")
    local is_listed = "(function(now) return now and vim.deep_equal(now.listed, now.answered) end)(%s)"
    child().wait(is_listed:format(SETTLED), "the list of the second answer")
    vim.uv.sleep(1000) -- in which it would lose the focus
    child().type_keys("<CR>")
    local use = child().answered("scry/use")
    expect.equality(use.params.rank, has_moved and 2 or #child().answer().results)
  end
end

T["the list is filled again once the history is read"] = function()
  child().ready()
  child().cmd("edit README.md")
  editor.bring_better_result(child(), "history")
  child().cmd("Scry find receipt")
  child().wait("_G.refreshed", "the second answer")
end

T["selected results are opened with one use each, in windows or in the background"] = function()
  find("receipt")
  child().type_keys("<Tab>", "<Tab>", "<M-o>")
  child().answered("scry/use", 2)
  expect.equality(child().bo.filetype, "TelescopePrompt")
  child().type_keys("<C-v>")
  child().answered("scry/use", 4)
  local hows = vim.tbl_map(function(use)
    return use.params.how
  end, child().sent("scry/use"))
  expect.equality(vim.list_slice(hows, 1, 2), { "open", "open" })
  vim.uv.sleep(150)
  expect.equality(#child().sent("scry/use"), 4)
end

T["keys show the legend over the picker, and the relations in a new one"] = function()
  child().cmd("cd " .. os.getenv("TEST_OTHER"))
  find("departures")
  child().type_keys("<M-h>")
  child().shows("a weak match")
  child().type_keys("q")
  child().wait("vim.bo.filetype == 'TelescopePrompt'", "the prompt")
  child().type_keys("<M-r>")
  child().shows("Scry relations of departures")
  child().shows("boats_of")
  child().type_keys("<CR>")
  expect.equality(child().answered("scry/use").params.how, "jump")
end

T["messages and unknown projects are shown above the results"] = function()
  child().ready()
  find("receipt")
  child().type_keys("<M-g>")
  child().shows("─ noted: good ─")
  child().type_keys("<Esc>", "<Esc>")
  child().cmd("Scry find --projects nowhere receipt")
  child().shows("nowhere")
  child().shows("no project is called")
end

T["a narrow window cuts the evidence, not the path and the line"] = function()
  child().o.columns = 80
  find("sum of all prices")
  child().shows("shop/cart.py:11 ")
end

T["keeps the sidecar's order"] = function()
  child().cmd("Scry find receipt")
  local now = settled("receipt")
  expect.equality(now.listed, now.answered)
  expect.equality(#now.listed > 1, true)
end

T["a newer request cancels the older ones"] = function()
  find("receipt")
  local before = #child().sent("scry/find")
  child().freeze()
  for key in (" mail"):gmatch(".") do
    child().type_keys(key)
    local newest = ("_G.sent[#_G.sent].params.query:sub(-1) == %q"):format(key)
    child().wait(("%s and #_G.sent > %d"):format(newest, before), "the question that ends with " .. key)
    before = #child().sent("scry/find")
  end
  child().thaw()
  settled("receipt mail")
  local asked = vim.list_slice(child().sent("scry/find"), before - 4)
  expect.equality(asked[1].params.query, "receipt ")
  for place, one in ipairs(asked) do
    expect.equality({ one.params.query, one.cancelled == true }, { one.params.query, place < #asked })
    expect.equality(one.params.picker, asked[1].params.picker)
  end
end

T["previews a result far down in its file with highlights"] = function()
  child().cmd("cd " .. os.getenv("TEST_OTHER"))
  child().cmd("Scry find moor")
  settled("moor")
  child().shows("rope = ship")
  child().wait([[(function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      local buffer = vim.api.nvim_win_get_buf(window)
      local marks = vim.api.nvim_get_namespaces()["scry.preview"]
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, marks, 0, -1, { details = true })) do
        if mark[4].hl_group == "ScryMatch" then return { mark[2], mark[3] } end
      end
    end
  end)()]])
end

T["detail, splits and tabs are keys of the picker"] = function()
  for key, windows in pairs({ ["<C-x>"] = 2, ["<C-v>"] = 2, ["<C-t>"] = 1 }) do
    find("sum of all prices")
    local uses = #child().sent("scry/use")
    child().type_keys(key)
    child().wait("vim.fn.expand('%:t') == 'cart.py'", "the jump by " .. key)
    expect.equality({ key, child().lua_get("#vim.api.nvim_tabpage_list_wins(0)") }, { key, windows })
    expect.equality(child().answered("scry/use", uses + 1).params.how, "jump")
    child().cmd("silent! tabonly | only")
  end
  find("sum of all prices")
  child().type_keys("<M-d>")
  child().wait("vim.bo.filetype == 'markdown' and vim.bo.buftype == 'nofile'", "the result in full")
  expect.equality(child().answered("scry/use", 4).params.how, "detail")
end

T["a key fills the quickfix list with all or selected results"] = function()
  for _, keys in ipairs({ { "<C-q>" }, { "<Tab>", "<C-q>" } }) do
    find("receipt")
    local listed = settled("receipt").listed
    local placed = vim.tbl_filter(function(doc_id)
      return not vim.startswith(doc_id, "commit:") -- a commit has no location in a file
    end, listed)
    child().type_keys(keys)
    child().wait("vim.bo.filetype == 'qf'", "the quickfix window")
    expect.equality(#child().fn.getqflist(), #keys == 1 and #placed or 1)
    expect.equality(child().fn.getqflist({ title = 1 }).title, "Scry: receipt")
    child().cmd("cclose")
  end
end

---Reduces an answer to these documents, in this order and with this evidence, so that reference screens do not depend
---on the ranking.
local FIXED = [[
  local wanted = { "./README.md::Shop > Receipts", "./shop/mail.py::send_receipt", "commit:" }
  _G.scrub = function(results)
    local kept = {}
    for _, result in ipairs(results) do
      for rank, name in ipairs(wanted) do
        if vim.startswith(result.doc_id, name) then
          result.rank, result.evidence = rank, ("sem #%d | lex #%d"):format(rank, 10 * rank)
          result.contributions = { lexical = { rank = 10 * rank, raw_score = 1, matches = { "receipt" } } }
          kept[rank] = result
        end
      end
    end
    return kept
  end
]]

for _, columns in ipairs({ 80, 120, 200 }) do
  for _, background in ipairs({ "dark", "light" }) do
    T[("matches the reference screen at %d columns, %s"):format(columns, background)] = function()
      child().o.columns = columns
      child().o.background = background
      child().o.statusline = "%t"
      child().lua(FIXED)
      child().ready()
      find("receipt")
      editor.expect_screen(child(), ("telescope-%d-%s"):format(columns, background))
    end
  end
end

return T
