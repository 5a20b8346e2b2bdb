-- `:checkhealth scry` and `:help scry`.

local editor = require("editor")
local expect = MiniTest.expect
local T, child = editor.set()

local RUNNING = "`scry doctor` is running"

local function health()
  child().cmd("checkhealth scry")
  child().wait(("vim.fn.search(%q, 'nw') == 0"):format(RUNNING), "the end of the checks")
  return child().text()
end

T["does not wait for the doctor"] = function()
  local gate = vim.fn.tempname()
  local script = ([[while ! [ -e %s ]; do sleep 0.05; done; echo '{"checks": [%s]}']]):format(
    gate,
    '{"name": "disk", "level": "warn", "found": "full", "advice": "make room"}'
  )
  child().lua("require('scry').setup({ cmd = { 'sh', '-c', ... } })", { script })
  child().cmd("checkhealth scry")
  editor.expect_holds(child().text(), RUNNING)
  vim.fn.writefile({}, gate)
  child().wait("vim.fn.search('disk: full', 'nw') > 0", "the check")
  editor.expect_holds(child().text(), "WARNING disk: full")
  editor.expect_holds(child().text(), "make room")
  expect.equality(child().text():find(RUNNING, 1, true), nil)
end

T["the help has its tags"] = function()
  child().cmd("help scry")
  expect.equality(child().fn.expand("%:t"), "scry.txt")
  local folder = vim.fs.dirname(child().lua_get("vim.api.nvim_get_runtime_file('doc/scry.txt', false)[1]"))
  local copy = vim.fn.tempname()
  vim.fn.mkdir(copy)
  vim.uv.fs_copyfile(folder .. "/scry.txt", copy .. "/scry.txt")
  child().cmd("helptags " .. copy)
  expect.equality(vim.fn.readfile(folder .. "/tags"), vim.fn.readfile(copy .. "/tags"))
end

T["a healthy setup has no errors"] = function()
  child().cmd("Scry status")
  child().shows("state") -- else it might open in front of the checks
  child().type_keys("q")
  child().lua([[require("scry").source("find", {}).ask("receipt", function(_, found) _G.found = found end)]])
  child().wait("_G.found")
  child().wait("require('scry').statusline() == 'scry'")
  local text = health()
  expect.equality(text:find("ERROR", 1, true), nil)
  for _, part in ipairs({ "python", "grammars", "git", "protocol 1", "positions in utf-", "used" }) do
    editor.expect_holds(text, part)
  end
end

T["warnings and failures of the doctor come with their advice"] = function()
  child().lua("vim.env.SCRY_NOSUCH = 'a setting that does not exist'")
  local text = health()
  editor.expect_holds(text, "WARNING settings: SCRY_NOSUCH: there is no such setting")
  editor.expect_holds(text, "correct it, or take it out")
  child().lua("vim.env.SCRY_MAX_PARSE_SECONDS = 'many'")
  text = health()
  editor.expect_holds(text, "ERROR settings: SCRY_MAX_PARSE_SECONDS")
  editor.expect_holds(text, "`scry settings` explains each value")
end

T["a missing sidecar and wrong options are errors with advice"] = function()
  child().lua("require('scry').setup({ cmd = { '/nowhere/scry' }, limit = 0 })")
  local text = health()
  for _, part in ipairs({ "ERROR", "/nowhere/scry", "limit = 0", "scry-install" }) do
    editor.expect_holds(text, part)
  end
end

T["a program that is not Scry is an error"] = function()
  child().lua("require('scry').setup({ cmd = { 'true' } })")
  editor.expect_holds(health(), "gave no answer")
end

---Return the text of the help, and make its tags in a copy.
local function with_help()
  local copy = vim.fn.tempname()
  vim.fn.mkdir(copy .. "/doc", "p")
  vim.uv.fs_copyfile(
    child().lua_get("vim.api.nvim_get_runtime_file('doc/scry.txt', false)[1]"),
    copy .. "/doc/scry.txt"
  )
  child().cmd("helptags " .. copy .. "/doc")
  child().cmd("set runtimepath^=" .. copy)
  return table.concat(vim.fn.readfile(copy .. "/doc/scry.txt"), "\n")
end

T["every tag in the help exists"] = function()
  local text = with_help()
  local missing = {}
  local newer = child().fn.has("nvim-0.11") == 0 and { ["vim.lsp.enable()"] = true } or {}
  for tag in text:gmatch("|([^|%s]+)|") do
    if not newer[tag] and not pcall(child().cmd, "help " .. vim.fn.escape(tag, "|")) then
      missing[#missing + 1] = tag
    end
  end
  expect.equality(missing, {})
end

T["the recipes for plugin managers lead to the plugin in its subfolder"] = function()
  local clone =
    vim.fn.fnamemodify(child().lua_get("vim.api.nvim_get_runtime_file('doc/scry.txt', false)[1]"), ":p:h:h:h:h")
  local function recipe(manager)
    local text = with_help():match("With " .. manager .. "[^>]-: >%l+\n\n(.-)\n<")
    return (text:gsub("/path/to/scry", clone))
  end
  local lazy = assert(loadstring("return " .. recipe("lazy%.nvim")))()
  expect.equality(vim.fn.filereadable(lazy.dir .. "/plugin/scry.lua"), 1)
  local function forget()
    child().lua("vim.cmd('delcommand Scry') vim.g.loaded_scry = nil")
  end
  forget()
  child().lua([[
    function _G.use(spec) -- as packer.nvim: the folder is added when the scripts of all plugins have run
      vim.opt.runtimepath:append(spec[1] .. "/" .. spec.rtp)
      spec.config()
    end
  ]])
  child().lua(recipe("packer%.nvim"))
  expect.equality(child().fn.exists(":Scry"), 2)
  local path, folder = recipe("vim%-plug"):match("Plug '(.-)', { 'rtp': '(.-)' }")
  expect.equality(vim.fn.filereadable(("%s/%s/plugin/scry.lua"):format(path, folder)), 1)
  forget()
  child().lua("_G.MiniDeps = { later = function(run) run() end }")
  child().lua(recipe("mini%.deps"))
  expect.equality(child().fn.exists(":Scry"), 2)
end

T["every command, option, key and function is in the help"] = function()
  local text = with_help()
  for _, name in ipairs(child().lua_get("require('scry.commands').names()")) do
    expect.equality({ name, text:find("*:Scry-" .. name .. "*", 1, true) ~= nil }, { name, true })
  end
  for _, name in ipairs(child().lua_get("require('scry.config').names(require('scry.config').defaults)")) do
    expect.equality({ name, text:find("\n" .. name .. "%s%s+%S") ~= nil }, { name, true })
  end
  for action, key in pairs(child().lua_get("require('scry.config').defaults.keys")) do
    expect.equality({ action, text:find(vim.pesc(key) .. "%s+" .. action) ~= nil }, { action, true })
  end
  for _, name in ipairs(child().lua_get("vim.tbl_keys(require('scry'))")) do
    local documented = name == "source" or text:find("\n" .. name .. "%(") ~= nil
    expect.equality({ name, documented }, { name, true })
  end
  for name, targets in pairs(child().lua_get("require('scry.highlights').links")) do
    expect.equality({ name, text:find(name .. "%s+" .. table.concat(targets, ", ")) ~= nil }, { name, true })
  end
  for _, map in ipairs(child().api.nvim_get_keymap("n")) do
    local plug = map.lhs:match("^<Plug>%(scry%-.*%)$")
    if plug then
      expect.equality({ plug, text:find(plug, 1, true) ~= nil }, { plug, true })
    end
  end
end

return T
