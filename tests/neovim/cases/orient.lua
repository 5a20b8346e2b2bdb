-- The list of a folder's important files.

local editor = require("editor")
local expect = MiniTest.expect
local T, child = editor.set({ setup = "{ picker = 'select' }" })

local IS_LIST = "vim.bo.filetype == 'scry-orient'"

local function windows()
  return child().lua_get("#vim.api.nvim_tabpage_list_wins(0)")
end

T["folders of the same name have lists of their own, and the same folder has one"] = function()
  local folder = editor.new_project({
    ["client/app/.scry/keep"] = {},
    ["client/app/screen.py"] = { "def draw():", "    return 1" },
    ["server/app/.scry/keep"] = {},
    ["server/app/socket.py"] = { "def listen():", "    return 1" },
  })
  child().cmd("edit " .. folder .. "/client/app/screen.py")
  child().ready()
  child().cmd("Scry orient")
  child().wait(IS_LIST, "the first list")
  child().cmd("wincmd p | edit " .. folder .. "/server/app/socket.py")
  child().ready()
  child().cmd("Scry orient")
  child().wait(IS_LIST .. " and vim.fn.search('socket.py', 'nw') > 0", "the second list")
  expect.equality(windows(), 3)
  child().cmd("bwipeout")
  child().cmd("wincmd t")
  expect.equality(child().bo.filetype, "scry-orient")
  editor.expect_holds(child().text(), "screen.py")
  child().cmd("wincmd p | edit " .. folder .. "/client/app/screen.py")
  local asked = #child().sent("scry/orient")
  child().cmd("Scry orient")
  child().answered("scry/orient", asked + 1)
  child().wait(IS_LIST, "the focus of the first list")
  expect.equality(windows(), 2)
end

T["an answer that comes late moves no other window's cursor"] = function()
  child().ready()
  child().cmd("edit shop/cart.py")
  child().cmd("Scry orient")
  child().wait(IS_LIST, "the list")
  child().freeze()
  child().type_keys("-")
  child().cmd("wincmd p | normal! G")
  local line = child().fn.line(".")
  child().thaw()
  child().shows("README.md")
  expect.equality({ child().fn.expand("%:t"), child().fn.line(".") }, { "cart.py", line })
  child().cmd("wincmd p")
  child().type_keys("q")
  expect.equality(windows(), 1)
end

T["q in a full text leads back to the list, and there it closes the window"] = function()
  child().ready()
  child().cmd("edit README.md")
  child().cmd("Scry orient")
  child().wait(IS_LIST, "the list")
  child().type_keys("/cart.py<CR>", "d")
  child().wait("vim.bo.filetype == 'markdown' and vim.bo.buftype == 'nofile'", "the file in full")
  child().type_keys("q")
  expect.equality({ child().bo.filetype, windows() }, { "scry-orient", 2 })
  child().type_keys("q")
  expect.equality({ child().fn.expand("%:t"), windows() }, { "README.md", 1 })
end

T["next opens a result beside the list"] = function()
  child().ready()
  child().cmd("edit README.md")
  child().cmd("Scry orient")
  child().wait(IS_LIST, "the list")
  child().cmd("Scry next")
  child().answered("scry/use")
  expect.equality(windows(), 2)
  expect.equality(child().fn.expand("%"), "README.md")
  child().cmd("wincmd p")
  expect.equality(child().bo.filetype, "scry-orient")
end

T["the list is completed once the code graph is, and the cursor stays at its entry"] = function()
  local pending = "the code graph is still being made"
  local folder = editor.new_project({ ["mail.py"] = { "def send():", "    return 1" } })
  editor.enter(child(), folder)
  local written = 0
  repeat -- while files keep changing, the code graph is not made anew
    written = written + 1
    local caller = { "from mail import send", "", ("def pay_%d():"):format(written), "    send()" }
    vim.fn.writefile(caller, ("%s/caller_%d.py"):format(folder, written))
    child().cmd("Scry orient")
    vim.uv.sleep(100)
  until child().text():find(pending, 1, true) or written == 300
  editor.expect_holds(child().text(), pending)
  child().cmd("call search('mail.py') | normal! j")
  child().wait(("vim.fn.search(%q, 'nw') == 0"):format(pending), "the complete list")
  editor.expect_holds(child().fn.getline(child().fn.line(".") - 1), "mail.py")
end

return T
