-- A joined team. $TEST_TEAM: JSON with the commit of the depot and the folder of the server's data.

local editor = require("editor")
local expect = MiniTest.expect
local T, child = editor.set({ setup = "{ picker = 'select' }" })

local team = vim.json.decode(os.getenv("TEST_TEAM"))
local depot = ("depot@%s"):format(team.commit:sub(1, 7))
local file = ("scry://team/depot/%s/src/pallets.py"):format(team.commit)
local QUESTION = "stack the pallets of a truck"

---Send a signal to all processes of the team's server.
---@param signal string
local function signal_server(signal)
  local main = tonumber(vim.fn.readfile(team.data .. "/postmaster.pid", "", 1)[1])
  local children = vim.fn.readfile(("/proc/%d/task/%d/children"):format(main, main))[1] or ""
  for process in (main .. " " .. children):gmatch("%d+") do
    vim.uv.kill(tonumber(process), signal)
  end
end

---Ask the team until it has answered in time, and take the first entry that holds a text.
---@param text string
local function find(text)
  child().ready()
  child().will_take(text)
  child().wait(
    ([[(function()
      if not _G.asked or _G.prompt and not vim.iter(_G.shown):any(function(line) return line:find(%q, 1, true) end) then
        _G.asked, _G.prompt = true, nil
        vim.cmd("Scry find --team %s")
      end
      return _G.prompt and vim.iter(_G.shown):any(function(line) return line:find(%q, 1, true) end)
    end)()]]):format(text, QUESTION, text),
    "the team's result"
  )
end

local function jump()
  find("stack_pallets")
  child().wait(("vim.api.nvim_buf_get_name(0) == %q"):format(file), "the jump")
end

T["a result names project and commit, and opens read-only at its line"] = function()
  jump()
  local shown = vim.iter(child().lua_get("_G.shown"))
  local ours = shown:find(function(line)
    return line:find("stack_pallets", 1, true)
  end)
  editor.expect_holds(ours, ("[code:%s]"):format(depot))
  editor.expect_holds(ours, "src/pallets.py:6")
  local others = vim.tbl_filter(function(line)
    return line:find("[code:", 1, true) and not line:find("@", 1, true)
  end, child().lua_get("_G.shown"))
  expect.equality(#others > 0, true)
  expect.equality(child().api.nvim_win_get_cursor(0), { 6, 4 })
  expect.equality(child().bo.modifiable, false)
  expect.equality(child().bo.filetype, "python")
  local use = child().answered("scry/use")
  expect.equality({ use.params.how, use.result.recorded }, { "jump", true })
end

T["why and detail explain it"] = function()
  jump()
  child().cmd("Scry why")
  child().wait("vim.api.nvim_win_get_config(0).relative ~= '' and vim.bo.filetype == 'markdown'", "the float")
  editor.expect_holds(child().text(), "stack_pallets")
  child().type_keys("q")
  child().cmd("Scry detail")
  child().wait("vim.bo.filetype == 'markdown' and vim.fn.search('return sorted', 'nw') > 0", "the detail")
end

T["a document that it is related to is opened at its place"] = function()
  jump()
  child().cmd("Scry detail")
  child().wait("vim.bo.filetype == 'markdown' and vim.fn.search('yard.py::tidy_up', 'w') > 0", "the caller")
  child().type_keys("<CR>")
  child().wait(("vim.api.nvim_buf_get_name(0) == %q"):format(file:gsub("pallets", "yard")), "the caller's file")
  expect.equality(child().api.nvim_win_get_cursor(0), { 5, 0 })
  expect.equality(child().bo.modifiable, false)
end

T["its repository is browsed from its file"] = function()
  jump()
  child().will_take("yard.py")
  child().cmd("Scry neighbors --by dependency")
  child().wait(("vim.api.nvim_buf_get_name(0) == %q"):format(file:gsub("pallets", "yard")), "the neighbor")
  child().cmd("Scry orient")
  child().wait("vim.bo.filetype == 'scry-orient' and vim.fn.search('pallets.py', 'nw') > 0", "the overview")
  editor.expect_holds(child().text(), "src\n")
  child().type_keys("-")
  child().wait("vim.fn.search('README.md', 'nw') > 0", "the overview of all of the repository")
  editor.expect_holds(child().text(), "depot\n")
end

T["its address on the forge is opened and copied"] = function()
  jump()
  child().lua("vim.ui.open = function(address) _G.opened = address end")
  child().cmd("Scry link")
  local link = ("https://github.com/acme/depot/blob/%s/src/pallets.py#L6-L8"):format(team.commit)
  expect.equality(child().lua_get("_G.opened"), link)
  expect.equality(child().fn.getreg('"'), link)
end

T["a result of this project has no address"] = function()
  find("[code:shop]")
  child().wait("vim.api.nvim_buf_get_name(0):find('/shop/', 1, true)", "the jump")
  child().cmd("Scry link")
  editor.expect_holds(child().lua_get("_G.said[#_G.said].text"), "no address on a known forge")
end

T["telescope previews its file"] = function()
  child().lua("require('scry').setup({ picker = 'telescope' })")
  child().ready()
  child().cmd("Scry find --team " .. QUESTION)
  child().shows("def weigh_pallets(pallets):")
  child().shows(depot)
end

T["local results come at once while the server hangs, and its own by themselves"] = function()
  child().lua("require('scry').setup({ picker = 'telescope' })")
  child().ready()
  signal_server("sigstop")
  local ok, problem = pcall(function()
    child().cmd("Scry find --team " .. QUESTION)
    child().shows("the team's server has not answered yet")
    child().shows("[code:shop]")
    expect.equality(tostring(child().get_screenshot()):find(depot, 1, true), nil)
  end)
  signal_server("sigcont")
  assert(ok, problem)
  child().shows(depot)
  child().wait_gone("has not answered yet")
end

T["a quickfix list leaves it out"] = function()
  jump()
  child().lua("require('scry.quickfix').fill(require('scry.answers').last().hits, 'a title')")
  child().wait("vim.bo.buftype == 'quickfix'", "the list")
  editor.expect_holds(child().text(), "[code:shop]")
  expect.equality(child().text():find("pallets.py", 1, true), nil)
end

if team.clone then
  T, child = editor.set({ setup = "{ picker = 'select' }" }) -- instead of the others
  T["a local clone with the same text is opened"] = function()
    find("stack_pallets")
    child().wait(("vim.api.nvim_buf_get_name(0) == %q"):format(team.clone .. "/src/pallets.py"), "the jump")
    expect.equality(child().api.nvim_win_get_cursor(0), { 6, 4 })
    expect.equality(child().bo.modifiable, true)
  end
end

return T
