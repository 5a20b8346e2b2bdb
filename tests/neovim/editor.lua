---A Neovim of its own for each case, driven from outside, in the project that $TEST_PROJECT names.

local M = {}

---Milliseconds that anything may take on a busy machine.
M.PATIENCE = 20000

local here = vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, "S").source:sub(2)))

---@class Editor: MiniTest.child
---@field wait fun(code: string, what?: string): any waits until a Lua expression is true in the child; returns it.
---@field shows fun(text: string) waits until the screen shows a text.
---@field sent fun(method: string): table[] what was sent of one method, in order, each with its answer.
---@field answer fun(): scry.protocol.Answer the newest answer of find.

---@param options? { columns?: integer, lines?: integer, setup?: string, environment?: table<string, string> }
---@return Editor
function M.new(options)
  options = options or {}
  local child = MiniTest.new_child_neovim()

  function child.wait(code, what)
    local finish = vim.uv.hrtime() + M.PATIENCE * 1e6
    repeat
      local value = child.lua_get(code)
      if value ~= nil and value ~= vim.NIL and value ~= false then
        return value
      end
      vim.uv.sleep(20)
    until vim.uv.hrtime() > finish
    error(("waited in vain for %s; messages: %s"):format(what or code, child.cmd_capture("messages")))
  end

  function child.shows(text)
    local finish = vim.uv.hrtime() + M.PATIENCE * 1e6
    repeat
      local screen = tostring(child.get_screenshot())
      if screen:find(text, 1, true) then
        return
      end
      vim.uv.sleep(20)
    until vim.uv.hrtime() > finish
    error(("the screen never showed %s:\n%s"):format(text, tostring(child.get_screenshot())))
  end

  ---What was sent of one method, in order.
  function child.sent(method)
    return child.lua_get(("vim.tbl_filter(function(one) return one.method == %q end, _G.sent)"):format(method))
  end

  ---The newest answer of find. (While a project is being opened, what was asked is asked again.)
  function child.answer()
    local finds = child.sent("scry/find")
    return finds[#finds].result
  end

  child.restart({ "-u", here .. "/init.lua", "-i", "NONE", "--cmd", "cd " .. os.getenv("TEST_PROJECT") })
  child.o.columns, child.o.lines = options.columns or 120, options.lines or 30
  child.lua([[
    _G.sent, _G.said = {}, {}
    vim.notify = function(text, level) table.insert(_G.said, { text = text, level = level }) end
    -- Every request that leaves, and what came back, seen where the plugin's own code ends.
    local client = require("scry.client")
    local call = client.call
    client.call = function(to, name, method, params, done, ...)
      if name ~= "request" then
        return call(to, name, method, params, done, ...)
      end
      local one = { method = method, params = params }
      table.insert(_G.sent, one)
      return call(to, name, method, params, function(problem, result, ...)
        one.problem, one.result, one.answered = problem and problem.message, result, true
        return done(problem, result, ...)
      end, ...)
    end
  ]])
  if options.setup then
    child.lua(("require('scry').setup(%s)"):format(options.setup))
  end
  return child
end

---A set of cases that each get an editor of their own.
---@param options? table
---@return table set
---@return fun(): Editor
function M.set(options)
  local child ---@type Editor
  local set = MiniTest.new_set({
    hooks = {
      pre_case = function()
        child = M.new(options)
      end,
      post_case = function()
        child.stop()
      end,
    },
  })
  return set, function()
    return child
  end
end

---@param child Editor
---@param name string
function M.expect_screen(child, name)
  MiniTest.expect.reference_screenshot(child.get_screenshot(), here .. "/screens/" .. name)
end

return M
