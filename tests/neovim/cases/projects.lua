-- Projects other than that of the buffer, with a separate registry.

local editor = require("editor")
local expect = MiniTest.expect
local T, child = editor.set({ setup = "{ picker = 'select' }" })

local other = os.getenv("TEST_OTHER")

---Register the other project in the registry of this editor.
local function register()
  child().lua("vim.env.XDG_DATA_HOME = vim.fn.tempname()")
  child().cmd("Scry projects add " .. vim.fn.fnameescape(other))
  child().wait("_G.said[#_G.said] and _G.said[#_G.said].text:find('is registered', 1, true)", "the registration")
end

for name, options in pairs({ all = "--all-projects", named = "--projects ferry,shop" }) do
  T[name .. " projects are searched, and results lead into them"] = function()
    register()
    child().will_take("[code:ferry]")
    child().cmd("edit README.md")
    child().cmd("Scry find " .. options .. " the timetable of the ferry")
    child().wait("vim.api.nvim_buf_get_name(0)", "a buffer")
    child().wait(("vim.api.nvim_buf_get_name(0) == %q"):format(other .. "/ferry.py"), "the jump")
    expect.equality(child().lua_get("_G.shown[1]"):find("departures +ferry%.py:1") ~= nil, true)
    expect.equality(child().lua_get("_G.shown[1]"):find("ferry:./", 1, true), nil)
    local answer = child().answer()
    expect.equality(answer.results[1].doc_id, "ferry:./ferry.py::departures")
    local use = child().answered("scry/use")
    expect.equality(
      { use.params.query_id, use.params.rank, use.params.how, use.result.recorded },
      { answer.query_id, 1, "jump", true }
    )
    child().cmd("Scry why")
    child().wait("vim.api.nvim_win_get_config(0).relative ~= '' and vim.bo.filetype == 'markdown'", "the float")
    editor.expect_holds(child().text(), "departures")
  end
end

T["unsaved lines of another project move its results"] = function()
  register()
  child().o.hidden = true
  child().cmd("edit " .. other .. "/ferry.py")
  child().api.nvim_buf_set_lines(0, 0, 0, false, { "# one", "# two" })
  child().cmd("edit README.md")
  child().will_take("[code:ferry]")
  child().cmd("Scry find --projects ferry the timetable of the ferry")
  child().answered("scry/use")
  expect.equality(child().api.nvim_win_get_cursor(0), { 3, 4 })
  child().cmd("Scry why")
  child().answered("scry/why")
  child().cmd("wincmd p | 4delete")
  child().cmd("edit README.md")
  child().lua("require('scry').setup({ picker = 'quickfix' })")
  child().cmd("Scry find --projects ferry the timetable of the ferry")
  child().wait("vim.bo.filetype == 'qf'", "the list")
  expect.equality(child().lua_get("vim.fn.getqflist()[1].lnum"), 3)
end

T["recent searches all projects, and the prompt says so"] = function()
  register()
  child().will_take("nothing")
  child().cmd("Scry recent --days 36500 --all-projects ferry")
  child().wait("_G.prompt", "the list")
  editor.expect_holds(child().lua_get("_G.prompt"), "Scry recent, 36500 days in all projects")
  expect.equality(child().answered("scry/recent").params.all_projects, true)
end

T["names of projects are completed, each once"] = function()
  register()
  expect.equality(child().fn.getcompletion("Scry find --projects f", "cmdline"), { "ferry" })
  expect.equality(child().fn.getcompletion("Scry find --projects ferry,", "cmdline"), { "ferry,shop" })
  expect.equality(child().fn.getcompletion("Scry recent --projects=s", "cmdline"), { "--projects=shop" })
end

T["a project is registered by a name that the user gives"] = function()
  child().lua("vim.env.XDG_DATA_HOME = vim.fn.tempname()")
  local folder = editor.new_project({ ["my api/parcels.py"] = { "def weigh():", "    return 1" } })
  local function wait_said(words)
    child().wait(("_G.said[#_G.said] and _G.said[#_G.said].text:find(%q, 1, true)"):format(words), words)
  end
  child().cmd("Scry projects add --name")
  wait_said("--name needs a name")
  expect.equality(child().fn.getcompletion("Scry projects add --n", "cmdline"), { "--name" })
  expect.equality(child().fn.getcompletion("Scry projects add --name ", "cmdline"), {})
  local completed = child().fn.getcompletion(("Scry projects add --name parcels %s/my"):format(folder), "cmdline")
  expect.equality(completed, { folder .. "/my\\ api/" })
  child().cmd("Scry projects add --name a:b " .. completed[1])
  wait_said("must not hold ':'")
  child().cmd("Scry projects add --name parcels " .. completed[1])
  wait_said(folder .. "/my api is registered as parcels")
  child().cmd(("Scry projects add %s/my api --name=scales"):format(folder))
  wait_said("registered already, as parcels (to rename it: scry project update parcels --name NAME)")
  expect.equality(child().fn.getcompletion("Scry find --projects pa", "cmdline"), { "parcels" })
  child().cmd("Scry orient " .. completed[1])
  expect.equality(child().answered("scry/orient").params.path, vim.uri_from_fname(folder .. "/my api"))
  child().will_take("[code:parcels]")
  child().cmd("Scry find --projects parcels weigh")
  child().wait(("vim.api.nvim_buf_get_name(0) == %q"):format(folder .. "/my api/parcels.py"), "the jump")
end

T["a project whose name has a space is completed and searched"] = function()
  child().lua("vim.env.XDG_DATA_HOME = vim.fn.tempname()")
  child().cmd("Scry projects add --name my\\ ferry " .. vim.fn.fnameescape(other))
  child().wait("_G.said[#_G.said] and _G.said[#_G.said].text:find('is registered as my ferry', 1, true)", "the name")
  expect.equality(child().fn.getcompletion("Scry find --projects m", "cmdline"), { "my\\ ferry" })
  expect.equality(child().fn.getcompletion("Scry find --projects my\\ f", "cmdline"), { "my\\ ferry" })
  expect.equality(child().fn.getcompletion("Scry find --projects my\\ ferry,s", "cmdline"), { "my\\ ferry,shop" })
  expect.equality(child().fn.getcompletion("Scry find --projects=my\\ f", "cmdline"), { "--projects=my\\ ferry" })
  child().will_take("[code:my ferry]")
  child().cmd("Scry find --projects my\\ ferry the timetable of the ferry")
  child().wait(("vim.api.nvim_buf_get_name(0) == %q"):format(other .. "/ferry.py"), "the jump")
  local params = child().answered("scry/find").params
  expect.equality({ params.projects, params.query }, { { "my ferry" }, "the timetable of the ferry" })
end

T["projects are listed, and an unknown name is reported"] = function()
  register()
  child().cmd("Scry projects")
  child().wait("vim.api.nvim_win_get_config(0).relative ~= ''", "the float")
  editor.expect_holds(child().text(), other)
  editor.expect_holds(child().text(), "(this one)")
  child().type_keys("q")
  child().cmd("Scry find --projects fery receipt")
  child().wait("_G.said[#_G.said].text:find('fery', 1, true)", "the message")
  editor.expect_holds(child().lua_get("_G.said[#_G.said].text"), "ferry")
end

return T
