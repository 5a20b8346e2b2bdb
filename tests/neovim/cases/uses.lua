-- Each jump is exactly one recorded use, in every way to jump that needs no picker plugin.

local editor = require("editor")
local expect = MiniTest.expect
local T, child = editor.set({ setup = "{ picker = 'select' }" })

---Milliseconds in which a second use of the same jump would be sent.
local QUIET_MS = 150

local uses = 0

---Expect that this many uses (1) were recorded since the last call, of this kind.
local function expect_used(how, count)
  uses = uses + (count or 1)
  local use = child().answered("scry/use", uses)
  child().type_keys("<Ignore>")
  vim.uv.sleep(QUIET_MS)
  local sent = child().sent("scry/use")
  expect.equality(#sent, uses)
  expect.equality({ use.params.how, use.result.recorded }, { how, true })
  local acts = {}
  for _, each in ipairs(sent) do
    acts[each.params.act_id] = true
  end
  expect.equality(vim.tbl_count(acts), uses)
  return use.params
end

local function expect_none()
  child().type_keys("<Ignore>")
  vim.uv.sleep(QUIET_MS)
  expect.equality(#child().sent("scry/use"), uses)
end

local function begin(folder)
  uses = 0
  child().cmd("cd " .. (folder or os.getenv("TEST_PROJECT")))
  child().ready()
  child().lua("vim.ui.select = function(items, _, done) done(items[1]) end")
end

T["the list, the direct jump, and the next and previous result"] = function()
  begin()
  child().cmd("Scry find receipt")
  expect.equality(expect_used("jump").rank, 1)
  child().cmd("edit README.md")
  child().cmd("Scry! find sum of all prices")
  expect.equality(expect_used("jump").rank, 1)
  expect.equality(child().fn.expand("%:t"), "cart.py")
  local results = child().answer().results
  child().cmd("Scry next")
  expect.equality(expect_used(results[2].location and "jump" or "open").rank, 2)
  child().cmd("Scry previous")
  expect.equality(expect_used("jump").rank, 1)
  child().cmd("Scry previous")
  expect_none()
  expect.equality(child().lua_get("_G.said[#_G.said].text"), "Scry: there is no further result.")
end

T["a file is called by its path below the current folder, also one opened in the background"] = function()
  begin()
  child().cmd("Scry! find sum of all prices")
  expect_used("jump")
  expect.equality(child().fn.expand("%"), "shop/cart.py")
  child().cmd("edit README.md | bwipeout shop/cart.py")
  child().lua([[
    local answers = require("scry.answers")
    require("scry.jump").background({ (answers.by_rank(1)) })
  ]])
  expect_used("open")
  expect.equality(child().fn.bufname("cart.py"), "shop/cart.py")
end

T["next begins with the first result of an answer"] = function()
  begin()
  child().lua("vim.ui.select = function() end")
  child().cmd("Scry find receipt")
  child().answer()
  expect_none()
  child().cmd("Scry next")
  expect.equality(expect_used("jump").rank, 1)
end

T["the quickfix list: its keys, next and previous, first and last"] = function()
  begin()
  child().lua("require('scry').setup({ picker = 'quickfix' })")
  child().cmd("edit README.md")
  child().cmd("Scry find prices receipt cart")
  child().wait("vim.bo.filetype == 'qf'", "the quickfix window")
  expect_none()
  child().type_keys("<CR>")
  expect_used("jump")
  for _, command in ipairs({ "cnext", "cprevious", "clast", "cfirst" }) do
    child().type_keys((":%s<CR>"):format(command))
    expect_used("jump")
  end
end

T["orient: its list, and the explanation of an entry"] = function()
  begin()
  child().cmd("edit README.md")
  child().cmd("Scry orient")
  child().wait("vim.bo.filetype == 'scry-orient'", "the buffer")
  child().type_keys("/cart.py<CR>", "<CR>")
  child().wait("vim.fn.expand('%:t') == 'cart.py'", "the jump")
  expect_used("jump")
  child().cmd("wincmd p")
  child().type_keys("/mail.py<CR>", "K")
  child().wait("vim.api.nvim_win_get_config(0).relative ~= ''", "the float")
  expect_none()
  child().type_keys("gd")
  child().wait("vim.fn.expand('%:t') == 'mail.py'", "the jump")
  expect_used("jump")
end

T["recent opens a commit, and neighbors and relations lead to files"] = function()
  begin(os.getenv("TEST_OTHER"))
  child().cmd("edit ferry.py")
  child().will_take("[commit]")
  child().cmd("Scry recent --days 36500")
  child().wait("vim.bo.filetype == 'git'", "the diff")
  expect_used("open")
  child().cmd("edit ferry.py")
  child().will_take("harbour.py")
  child().cmd("Scry neighbors")
  child().wait("vim.fn.expand('%:t') == 'harbour.py'", "the jump")
  expect_used("jump")
  child().cmd("edit ferry.py")
  child().will_take("boats_of")
  child().cmd("Scry find departures")
  expect_used("jump")
  child().will_take("departures")
  child().cmd("Scry related callees")
  child().wait("vim.fn.expand('%:t') == 'ferry.py'", "the jump")
  expect_used("jump")
end

T["an explanation leads to its result by a key, and asking for it is no use"] = function()
  begin()
  child().cmd("Scry find sum of all prices")
  expect_used("jump")
  child().cmd("Scry why")
  child().wait("vim.api.nvim_win_get_config(0).relative ~= ''", "the float")
  expect_none()
  child().type_keys("gd")
  child().wait("vim.api.nvim_win_get_config(0).relative == ''", "the end of the float")
  expect_used("jump")
  expect.equality(child().lua_get("vim.fn.line('.')"), 11)
end

T["a hover is no use"] = function()
  begin()
  child().cmd("Scry find sum of all prices")
  expect_used("jump")
  child().wait("#vim.lsp.get_clients({ bufnr = 0, name = 'scry' }) == 1", "the attachment")
  child().lua("vim.lsp.buf.hover()")
  child().shows("sum of all prices")
  expect_none()
end

T["the full text is one use, and each link in it another"] = function()
  begin(os.getenv("TEST_OTHER"))
  child().will_take("departures")
  child().cmd("Scry find departures")
  expect_used("jump")
  child().cmd("Scry detail")
  child().wait("vim.bo.filetype == 'markdown' and vim.bo.buftype == 'nofile'", "the text")
  local rank = expect_used("detail").rank
  child().type_keys("/Called by<CR>", "<CR>")
  child().wait("vim.fn.expand('%:t') == 'harbour.py'", "the caller")
  expect.equality(expect_used("open").rank, rank)
  child().type_keys("<C-o>")
  child().wait("vim.bo.filetype == 'markdown'", "the text again")
  child().type_keys("gg", "<CR>")
  child().wait("vim.fn.expand('%:t') == 'ferry.py'", "the result")
  expect.equality(expect_used("jump").rank, rank)
end

---Run an action on the first results of a question, as a picker does with entries that the user has selected.
local function act(action, count)
  child().lua(
    [[
      local action, count = ...
      vim.ui.select = function(items)
        local hits = vim.tbl_map(function(item) return item.hit end, vim.list_slice(items, 1, count))
        local picked = { hit = hits[1], all = hits, selected = hits, title = "receipt" }
        require("scry.actions").run(action or nil, picked)
      end
    ]],
    { action or false, count }
  )
  child().cmd("edit README.md")
  child().cmd("Scry find type:code receipt price")
end

T["several results are one use each: the first is a jump, those in the background are opened"] = function()
  begin()
  act(nil, 2)
  expect_used("jump", 2)
  local sent = child().sent("scry/use")
  expect.equality({ sent[1].params.how, sent[2].params.how }, { "open", "jump" })
  expect.equality({ sent[1].params.rank, sent[2].params.rank }, { 2, 1 })
end

for how, windows in pairs({ split = 3, vsplit = 3, tab = 1 }) do
  T["several results by " .. how .. " are one use each"] = function()
    begin()
    act(how, 2)
    expect_used("jump", 2)
    expect.equality(child().lua_get("#vim.api.nvim_tabpage_list_wins(0)"), windows)
    expect.equality(child().sent("scry/use")[2].params.rank, 1)
  end
end

T["results opened in the background are one use each, and the cursor will be at them"] = function()
  begin()
  act("background", 2)
  expect_used("open", 2)
  expect.equality(child().fn.expand("%:t"), "README.md")
  local first = child().answer().results[1]
  local target = first.location.name or first.location.range.start
  child().cmd("buffer " .. vim.fs.basename(vim.uri_to_fname(first.location.uri)))
  expect.equality(child().lua_get("vim.fn.line('.')"), target.line + 1)
end

return T
