-- The state of the index: events, statusline, LSP progress and commands.

local editor = require("editor")
local expect = MiniTest.expect
local T, child = editor.set({ setup = "{ picker = 'select' }" })

---Create a project, and make its folder the current one.
---@param files integer of ten functions each
local function new_project(files)
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder .. "/.scry", "p")
  for file = 1, files do
    local lines = {}
    for number = file * 10, file * 10 + 9 do
      vim.list_extend(lines, { ("def stop_%d(line):"):format(number), ("    return line[%d]"):format(number), "" })
    end
    vim.fn.writefile(lines, ("%s/stops_%d.py"):format(folder, file))
  end
  child().cmd("cd " .. vim.fn.fnameescape(folder))
end

local function start()
  child().lua([[require("scry").source("find", {}).ask("stop", function(_, found) _G.found = found end)]])
end

local READY = "require('scry').statusline() == 'scry'"

T["no sidecar runs before the first use"] = function()
  expect.equality(child().lua_get("require('scry').statusline()"), "")
  expect.equality(child().sidecars(), {})
end

T["the statusline and the event show the progress"] = function()
  new_project(20)
  child().lua([[
    _G.lines = {}
    vim.api.nvim_create_autocmd("User", { pattern = "ScryStatus", callback = function()
      table.insert(_G.lines, require("scry").statusline())
    end })
  ]])
  start()
  child().wait("_G.found", "an answer")
  child().wait(READY, "a ready index")
  child().wait("_G.lines[#_G.lines] == 'scry'", "the event")
end

T["options leave out a complete index, and narrow windows"] = function()
  local function line(options)
    return child().lua_get("require('scry').statusline(...)", { options })
  end
  expect.equality(line({ quiet = true }), "")
  child().ready()
  expect.equality({ line({}), line({ quiet = true }) }, { "scry", "" })
  expect.equality({ line({ trunc_width = 120 }), line({ trunc_width = 121 }) }, { "scry", "" })
  child().cmd("vsplit")
  expect.equality(line({ trunc_width = 100 }), "")
  child().o.laststatus = 3
  expect.equality(line({ trunc_width = 100 }), "scry")
  child().cmd("Scry index pause")
  child().wait("require('scry').statusline({ quiet = true }) == 'scry paused'", "a state that is news")
  child().cmd("Scry index resume")
  child().wait(READY, "a ready index")
end

T["the recipe for mini.statusline in the help shows the state"] = function()
  local help =
    table.concat(vim.fn.readfile(child().lua_get("vim.api.nvim_get_runtime_file('doc/scry.txt', false)[1]")), "\n")
  local recipe = assert(help:match("In mini%.statusline: >lua\n\n(.-)\n<"))
  child().lua([[
    package.loaded["mini.statusline"] = { setup = function(options) _G.active = options.content.active end }
    _G.MiniStatusline = { combine_groups = function(groups)
      return table.concat(vim.tbl_map(function(group)
        return type(group) == "table" and table.concat(group.strings) or group
      end, groups), " ")
    end }
  ]])
  child().lua(recipe)
  child().ready()
  expect.equality(child().lua_get("_G.active()"), "%f%m%r %= scry")
  child().o.columns = 60
  expect.equality(child().lua_get("_G.active()"), "%f%m%r %= ")
end

T["indexing is reported as LSP progress"] = function()
  new_project(400) -- indexing of less than a second is not reported
  child().lua([[
    _G.kinds = {}
    vim.api.nvim_create_autocmd("LspProgress", { callback = function(event)
      local value = event.data.params and event.data.params.value or event.data.result.value
      table.insert(_G.kinds, value.kind)
      _G.title = value.title or _G.title
    end })
  ]])
  start()
  child().wait("_G.kinds[#_G.kinds] == 'end'", "the end of the progress")
  expect.equality(child().lua_get("_G.kinds[1]"), "begin")
  editor.expect_holds(child().lua_get("_G.title"), "ndex")
end

T["commands pause, resume and rebuild the index"] = function()
  new_project(3)
  start()
  child().wait(READY, "a ready index")
  child().cmd("Scry index pause")
  child().wait("_G.said[1]", "the answer")
  expect.equality(child().lua_get("_G.said[1].text"), "Scry: pause: the index is paused.")
  child().wait("require('scry').statusline() == 'scry paused'", "a paused index")
  for count, action in ipairs({ "resume", "rebuild" }) do
    child().cmd("Scry index " .. action)
    expect.equality(child().answered("scry/index", count + 1).params.action, action)
    child().wait(READY, "a ready index after " .. action)
  end
end

return T
