-- The other modes with the real sidecar: orient, recent, neighbors, detail, commits.

local editor = require("editor")
local expect = MiniTest.expect
local T, child = editor.set({ setup = "{ picker = 'select' }" })

T["orient lists files and records each jump"] = function()
  child().cmd("edit README.md")
  child().cmd("Scry orient shop")
  child().wait("vim.bo.filetype == 'scry-orient'", "the buffer")
  editor.expect_holds(child().text(), "shop/cart.py")
  expect.equality(vim.startswith(child().text(), "shop\n"), true)
  child().type_keys("/cart.py<CR>", "<CR>")
  child().wait("vim.fn.expand('%:t') == 'cart.py'", "the jump")
  local use = child().answered("scry/use")
  local asked = child().sent("scry/orient") -- repeated while the project is being opened
  expect.equality(use.params.query_id, asked[#asked].result.query_id)
  child().cmd("wincmd p")
  expect.equality(child().bo.filetype, "scry-orient")
  child().type_keys("-")
  child().answered("scry/orient", #asked + 1)
  child().wait("vim.api.nvim_buf_get_lines(0, 0, 1, false)[1] == 'shop' and vim.fn.search('README.md', 'nw') > 0")
  child().type_keys("q")
  child().wait("vim.bo.filetype ~= 'scry-orient'", "its end")
end

T["orient explains a file and shows it in full"] = function()
  child().cmd("Scry orient")
  child().wait("vim.bo.filetype == 'scry-orient'", "the buffer")
  child().type_keys("/cart.py<CR>", "K")
  child().wait("vim.api.nvim_win_get_config(0).relative ~= ''", "the float")
  editor.expect_holds(child().text(), "cart.py")
  child().type_keys("q", "d")
  child().wait("vim.bo.filetype == 'markdown' and vim.bo.buftype == 'nofile'", "the file in full")
  editor.expect_holds(child().text(), "./shop/cart.py")
end

T["recent lists changes without a query"] = function()
  child().will_take("[commit]")
  child().cmd("Scry recent --days 36500")
  child().wait("vim.bo.filetype == 'git'", "the diff")
  expect.equality(child().answered("scry/recent").params.days, 36500)
  expect.equality(child().answered("scry/use").params.how, "open")
end

T["recent ranks the results of a query"] = function()
  child().will_take("send_receipt")
  child().cmd("Scry recent mail the receipt")
  child().wait("vim.fn.expand('%:t') == 'mail.py'", "the jump")
  expect.equality(child().answered("scry/recent").params.query, "mail the receipt")
end

for _, by in ipairs({ "cochange", "dependency", "similar" }) do
  T["neighbors by " .. by .. " are listed and jumped to"] = function()
    child().cmd("edit " .. os.getenv("TEST_OTHER") .. "/ferry.py")
    child().will_take("harbour.py")
    child().cmd("Scry neighbors --by " .. by)
    child().wait("vim.fn.expand('%:t') == 'harbour.py'", "the jump")
    local asked = child().answered("scry/neighbors")
    expect.equality(asked.params.by, by)
    expect.equality(asked.params.line, by == "similar" and 1 or nil)
    expect.equality(vim.endswith(asked.params.file, "/ferry.py"), true)
    editor.expect_holds(child().lua_get("_G.prompt"), "Scry neighbors of ferry.py (" .. by .. "): ")
    expect.equality(child().lua_get("_G.prompt"):find("file:", 1, true), nil)
    local use = child().answered("scry/use")
    expect.equality({ use.params.query_id, use.params.how }, { asked.result.query_id, "jump" })
  end
end

T["neighbors without a file warns with advice"] = function()
  child().cmd("Scry neighbors")
  expect.equality(child().lua_get("_G.said[1].text:find('name one') ~= nil"), true)
end

T["detail shows a result in full in a buffer"] = function()
  child().will_take("compute_total")
  child().cmd("Scry find sum of all prices")
  child().wait("vim.fn.expand('%:t') == 'cart.py'", "the jump")
  child().cmd("Scry detail")
  child().wait("vim.bo.filetype == 'markdown' and vim.bo.buftype == 'nofile'", "the buffer")
  editor.expect_holds(child().text(), "Sums all prices")
  expect.equality(child().answered("scry/use", 2).params.how, "detail")
  expect.equality(child().sent("scry/detail")[1].params.record_use, false) -- it is one use, not two
end

T["a result in full is completed once the code graph is"] = function()
  local caller = "from shop.mail import send_receipt\n\n\ndef pay_%d():\n    send_receipt('a')\n"
  local written, pending = {}, "the code graph is still being made" ---@type string[], string
  MiniTest.finally(function()
    vim.tbl_map(os.remove, written)
  end)
  child().ready()
  child().will_take("send_receipt")
  child().cmd("Scry find send_receipt")
  child().wait("vim.fn.expand('%:t') == 'mail.py'", "the jump")
  local folder = child().lua_get("vim.fn.expand('%:p:h')")
  repeat -- while files keep changing, the code graph is not made anew
    written[#written + 1] = ("%s/caller_%d.py"):format(folder, #written)
    vim.fn.writefile(vim.split(caller:format(#written), "\n"), written[#written])
    child().cmd("Scry detail")
    vim.uv.sleep(100)
  until child().text():find(pending, 1, true) or #written == 300
  editor.expect_holds(child().text(), pending)
  child().cmd("normal! 3G")
  child().wait("vim.fn.search('caller_0.py::pay_1', 'nw') > 0", "the new callers")
  expect.equality(child().text():find(pending, 1, true), nil)
  expect.equality(child().fn.line("."), 3)
end

T["a commit opens as a diff"] = function()
  child().ready() -- the history is indexed last
  child().will_take("[commit]")
  child().cmd("Scry find First receipt")
  child().wait("vim.bo.filetype == 'git'", "the diff")
  editor.expect_holds(child().text(), "\n+++ b/")
  editor.expect_holds(child().text(), "First")
  expect.equality(child().answered("scry/use").params.how, "open")
end

return T
