-- Where a result is shown: in the right file, at the right line, in a window that is meant for files.

local editor = require("editor")
local expect = MiniTest.expect
local T, child = editor.set({ setup = "{ picker = 'select' }" })

---Lines of which the last two are a function.
---@param name string
---@param before integer number of lines before it
---@return string[]
local function script(name, before)
  local lines = vim.fn["repeat"]({ "// a line" }, before) ---@type string[]
  return vim.list_extend(lines, { ("function %s(target) {"):format(name), "  return target;", "}" })
end

---Ask, and keep the first entry of the list, which `take` chooses.
---@param words string
local function ask(words)
  child().lua("vim.ui.select = function(items, _, done) _G.take = function() done(items[1]) end end")
  child().cmd("Scry find " .. words)
  child().wait("_G.take ~= nil", "the list")
end

local function take()
  child().lua("_G.take()")
end

---@return integer[] row and column of the cursor
local function cursor()
  return child().api.nvim_win_get_cursor(0)
end

local function said()
  return child().lua_get("vim.tbl_map(function(one) return one.text end, _G.said)")
end

local IS_FLOAT = "vim.api.nvim_win_get_config(0).relative ~= ''"

for open, path in pairs({ ["app.json"] = "app.js", ["pages/i/route.ts"] = "pages/[id]/route.ts" }) do
  T["a buffer of a similar name, " .. open .. ", is not taken for " .. path] = function()
    local folder = editor.new_project({ [open] = { "{}" }, [path] = script("launchBalloon", 40) })
    editor.enter(child(), folder)
    child().cmd("edit " .. open)
    child().lua("require('scry').setup({ picker = 'quickfix' })")
    child().cmd("Scry find launchBalloon")
    child().wait("vim.bo.filetype == 'qf'", "the list")
    expect.equality(child().lua_get("vim.fn.getqflist()[1].lnum"), 41)
    child().lua("require('scry').setup({ picker = 'select' })")
    ask("launchBalloon")
    child().cmd("cclose")
    child().lua("vim.cmd('%bwipeout!')")
    child().cmd("edit " .. open)
    vim.fn.delete(folder .. "/" .. path)
    take()
    editor.expect_holds(said()[#said()], path .. " is not there any more")
  end
end

T["a name with brackets is that of a file, and no pattern"] = function()
  local files = { ["pages/i/route.ts"] = script("land", 2), ["pages/[id]/route.ts"] = script("launchBalloon", 2) }
  local folder = editor.new_project(files)
  editor.enter(child(), folder)
  child().cmd("Scry neighbors pages/[id]/route.ts")
  expect.equality(child().answered("scry/neighbors").params.file, vim.uri_from_fname(folder .. "/pages/[id]/route.ts"))
  child().cmd("Scry orient pages/[id]")
  expect.equality(child().answered("scry/orient").params.path, vim.uri_from_fname(folder .. "/pages/[id]"))
end

T["a result beyond the end of its file leads to the end, and is a use"] = function()
  local folder = editor.new_project({ ["app.js"] = script("launchBalloon", 40) })
  editor.enter(child(), folder)
  ask("launchBalloon")
  vim.fn.writefile(script("land", 2), folder .. "/app.js")
  take()
  expect.equality(child().answered("scry/use").params.how, "jump")
  expect.equality(cursor()[1], 5)
  expect.equality(said(), {})
end

T["a file that can't be opened is reported in plain words, and not as a success"] = function()
  child().ready()
  child().cmd("edit README.md")
  child().lua([[vim.api.nvim_create_autocmd("BufReadPre", { pattern = "*.py", callback = function()
    error("no such luck")
  end })]])
  child().cmd("Scry! find sum of all prices")
  child().wait("#_G.said > 0", "the message")
  expect.equality(#said(), 1)
  editor.expect_holds(said()[1], "could not be opened")
  expect.equality(said()[1]:find("%.lua:%d"), nil)
  expect.equality(said()[1]:find("\n", 1, true), nil)
end

T["unsaved lines of a project within this one move its results"] = function()
  local folder = editor.new_project({
    ["src/checkout.py"] = { "def pay_order(order):", "    return order" },
    ["packages/cart/.scry/keep"] = {},
    ["packages/cart/basket.py"] = { "def total_of_basket(basket):", "    return sum(basket)" },
  })
  editor.enter(child(), folder)
  child().cmd("edit packages/cart/basket.py")
  child().wait("#vim.lsp.get_clients({ bufnr = 0, name = 'scry' }) == 1", "the attachment")
  child().api.nvim_buf_set_lines(0, 0, 0, false, { "#", "#", "#", "#", "#" })
  child().o.hidden = true
  local give_up = os.time() + 60 -- Neovim sends changes a moment later, on a busy machine much later
  repeat
    child().cmd("edit src/checkout.py")
    child().lua("_G.take = nil")
    ask("total_of_basket")
    take()
  until cursor()[1] == 6 or os.time() > give_up
  expect.equality(cursor(), { 6, 4 })
end

T["next leaves a float"] = function()
  child().ready()
  child().cmd("Scry! find receipt")
  child().answered("scry/use", 1)
  child().cmd("Scry why")
  child().wait(IS_FLOAT, "the float")
  child().cmd("Scry next")
  child().answered("scry/use", 2)
  child().wait("#vim.api.nvim_list_wins() == 1", "the end of the float")
end

T["next leaves the quickfix window, also where it is the only one"] = function()
  child().ready()
  child().lua("require('scry').setup({ picker = 'quickfix' })")
  child().cmd("edit README.md")
  child().cmd("Scry find type:code receipt price")
  child().wait("vim.bo.filetype == 'qf'", "the list")
  child().cmd("Scry next")
  child().answered("scry/use", 1)
  expect.equality(child().bo.filetype, "python")
  expect.equality(child().lua_get("#vim.api.nvim_list_wins()"), 2)
  child().cmd("cclose | copen | only")
  child().cmd("Scry next")
  child().answered("scry/use", 2)
  expect.equality(child().bo.filetype, "python")
  expect.equality(child().lua_get("vim.bo[vim.fn.winbufnr(2)].filetype"), "qf")
end

T["q in a full text that was opened in place shows the buffer before it again"] = function()
  child().ready()
  child().cmd("Scry! find sum of all prices")
  child().answered("scry/use", 1)
  child().cmd("vsplit")
  child().cmd("Scry detail 1")
  child().wait("vim.bo.filetype == 'markdown'", "the text")
  expect.equality(child().lua_get("vim.wo.linebreak"), true)
  child().type_keys("q")
  expect.equality(child().fn.expand("%:t"), "cart.py")
  expect.equality(child().lua_get("#vim.api.nvim_list_wins()"), 2)
end

T["q in a full text that was opened in a split closes the split"] = function()
  child().ready()
  child().cmd("Scry! find sum of all prices")
  child().answered("scry/use", 1)
  child().lua([[require("scry.detail").open(require("scry.answers").by_rank(1), "split")]])
  child().wait("vim.bo.filetype == 'markdown'", "the text")
  child().type_keys("q")
  expect.equality(child().fn.expand("%:t"), "cart.py")
  expect.equality(child().lua_get("#vim.api.nvim_list_wins()"), 1)
end

return T
