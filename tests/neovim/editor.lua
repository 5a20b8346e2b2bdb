---Drives a separate Neovim for each case, in the project that $TEST_PROJECT names.

local M = {}

---Milliseconds until a wait fails. Only a failing case takes that long.
M.TIMEOUT_MS = 45000

---Milliseconds between two polls.
local POLL_MS = 20

local here = vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, "S").source:sub(2)))

---@class Editor: MiniTest.child
---@field wait fun(code: string, what?: string): any waits until a Lua expression is true in the child; returns it.
---@field shows fun(text: string) waits until the screen shows a text.
---@field wait_gone fun(text: string) waits until the screen no longer shows a text.
---@field sent fun(method: string): table[] the requests of a method, in order, each with its answer.
---@field answered fun(method: string, count?: integer): table waits for this many answers of a method (1); returns the
---newest.
---@field answer fun(): scry.protocol.Answer the newest answer of find.
---@field text fun(): string the text of the current buffer.
---@field ready fun() starts the sidecar and waits until its index is complete.
---@field sidecars fun(): integer[] the processes that this Neovim has started.
---@field freeze fun() suspends every sidecar until thaw or the end of the case.
---@field thaw fun() resumes every suspended sidecar.
---@field will_take fun(text: string) lets `vim.ui.select` choose the first entry that contains a text; stores the
---prompt and the entries in `_G.prompt` and `_G.shown`.

---Poll until a function returns a value.
---@generic T
---@param poll fun(): T?
---@param describe fun(): string the message of the failure
---@return T
local function wait_for(poll, describe)
  local finish = vim.uv.hrtime() + M.TIMEOUT_MS * 1e6
  repeat
    local value = poll()
    if value ~= nil and value ~= vim.NIL and value ~= false then
      return value
    end
    vim.uv.sleep(POLL_MS)
  until vim.uv.hrtime() > finish
  error(describe())
end

---Records every request, its answer or its cancellation, at the border to Neovim's client, and every message. A case
---may set `_G.scrub`, which replaces the results of each answer; the answer's query_id is then constant. `_G.partial`
---is the number of answers that come as from an index that was just begun.
local RECORDING = [[
  _G.sent, _G.said = {}, {}
  vim.notify = function(text, level) table.insert(_G.said, { text = text, level = level }) end
  local client = require("scry.client")
  local call = client.call
  client.call = function(to, name, method, params, done, ...)
    if name == "cancel_request" then
      for _, one in ipairs(_G.sent) do
        one.cancelled = one.cancelled or (one.client == to.id and one.id == method)
      end
    end
    if name ~= "request" then
      return call(to, name, method, params, done, ...)
    end
    local one = { client = to.id, method = method, params = params }
    table.insert(_G.sent, one)
    local sent
    sent, one.id = call(to, name, method, params, function(problem, result, ...)
      if _G.scrub and result and result.results then
        result.results, result.query_id = _G.scrub(result.results), "q_20260101_120000_abcdefgh"
      end
      if _G.partial and _G.partial > 0 and result and result.results then
        _G.partial = _G.partial - 1
        result.results, result.notice, result.index.state = {}, "Nothing could be searched yet", "indexing"
      end
      one.problem, one.result, one.answered = problem and problem.message, result, true
      return done(problem, result, ...)
    end, ...)
    return sent, one.id
  end
]]

---@param child Editor
local function add_waits(child)
  function child.wait(code, what)
    return wait_for(function()
      return child.lua_get(code)
    end, function()
      if child.is_blocked() then
        return ("waited in vain for %s: Neovim waits for a key"):format(what or code)
      end
      local said, screen = vim.inspect(child.lua_get("_G.said")), tostring(child.get_screenshot())
      return ("waited in vain for %s; said: %s\n%s"):format(what or code, said, screen:match("^(.-)\n\n"))
    end)
  end

  function child.shows(text)
    wait_for(function()
      return tostring(child.get_screenshot()):find(text, 1, true)
    end, function()
      return ("the screen never showed %s:\n%s"):format(text, tostring(child.get_screenshot()))
    end)
  end

  function child.wait_gone(text)
    wait_for(function()
      return not tostring(child.get_screenshot()):find(text, 1, true)
    end, function()
      return ("the screen still shows %s:\n%s"):format(text, tostring(child.get_screenshot()))
    end)
  end

  function child.text()
    return table.concat(child.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  end
end

---@param child Editor
local function add_requests(child)
  local of = "vim.tbl_filter(function(one) return one.method == %q %s end, _G.sent)"

  function child.sent(method)
    return child.lua_get(of:format(method, ""))
  end

  function child.answered(method, count)
    local list = of:format(method, "and one.answered")
    local what = ("%d answers of %s"):format(count or 1, method)
    return child.wait(("(function(all) return all[%d] and all[#all] end)(%s)"):format(count or 1, list), what)
  end

  -- The newest answer counts, because requests are repeated while a project is being opened.
  function child.answer()
    return child.answered("scry/find").result
  end
end

---@param child Editor
local function add_processes(child)
  local frozen = {} ---@type integer[]

  function child.ready()
    child.lua([[require("scry.client").with(require("scry.root").of(), function() end)]])
    child.wait("require('scry').statusline() == 'scry'", "a ready index")
  end

  function child.sidecars()
    return child.lua_get("vim.api.nvim_get_proc_children(vim.fn.getpid())")
  end

  function child.freeze()
    for _, process in ipairs(child.sidecars()) do
      vim.uv.kill(process, "sigstop")
      table.insert(frozen, process)
    end
  end

  function child.thaw()
    for _, process in ipairs(frozen) do
      vim.uv.kill(process, "sigcont")
    end
    frozen = {}
  end
end

---@param child Editor
local function add_choice(child)
  function child.will_take(text)
    child.lua(([[
      vim.ui.select = function(items, options, done)
        _G.prompt, _G.shown = options.prompt, vim.tbl_map(options.format_item, items)
        for place, shown in ipairs(_G.shown) do
          if shown:find(%q, 1, true) then
            return done(items[place])
          end
        end
      end
    ]]):format(text))
  end
end

---@param options? { columns?: integer, lines?: integer, setup?: string }
---@return Editor
function M.new(options)
  options = options or {}
  local child = MiniTest.new_child_neovim()
  add_waits(child)
  add_requests(child)
  add_processes(child)
  add_choice(child)
  local arguments = { "-u", here .. "/init.lua", "-i", "NONE", "--cmd", "cd " .. os.getenv("TEST_PROJECT") }
  child.start(arguments, { connection_timeout = M.TIMEOUT_MS })
  child.o.columns, child.o.lines = options.columns or 120, options.lines or 30
  child.lua(RECORDING)
  if options.setup then
    child.lua(("require('scry').setup(%s)"):format(options.setup))
  end
  return child
end

---Return a set of cases, each with a separate editor.
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
        child.thaw()
        child.stop()
      end,
    },
  })
  return set, function()
    return child
  end
end

---Create a project in a new folder, and return the folder.
---@param files table<string, string[]> lines by path
---@return string
function M.new_project(files)
  local folder = vim.fs.normalize(vim.fn.tempname())
  vim.fn.mkdir(folder .. "/.scry", "p")
  for path, lines in pairs(files) do
    vim.fn.mkdir(vim.fs.dirname(folder .. "/" .. path), "p")
    vim.fn.writefile(lines, folder .. "/" .. path)
  end
  return folder
end

---Let a child search a project, and wait until its index is complete.
---@param child Editor
---@param folder string
function M.enter(child, folder)
  child.cmd("cd " .. vim.fn.fnameescape(folder))
  child.ready()
end

---Let a child search a project of its own, in which a file has more places for `weigh parcel` than three results
---can show.
---@param child Editor
function M.open_parcels(child)
  local lines = {} ---@type string[]
  local files = { ["parcels.py"] = lines }
  for number = 1, 6 do
    local weigh = { ("def weigh_parcel_%d(parcel):"):format(number), ("    return %d"):format(number), "", "" }
    vim.list_extend(lines, weigh)
    files[("scale_%d.py"):format(number)] = { "def weigh(thing):", "    return thing" }
  end
  M.enter(child, M.new_project(files))
end

---Let the first answer to a question come as from an index that is being made, and the last result first in the second
---answer, after which `_G.refreshed` is true.
---@param child Editor
---@param part? "state"|"history" what is still being made (state)
function M.bring_better_result(child, part)
  child.lua(
    [[
    local part, pending = ..., ... == "history" and "pending" or "indexing"
    local call, answers = require("scry.client").call, 0
    require("scry.client").call = function(to, name, method, params, done, ...)
      if method ~= "scry/find" then
        return call(to, name, method, params, done, ...)
      end
      return call(to, name, method, params, function(problem, result, ...)
        answers = answers + 1
        result.index[part] = answers == 1 and pending or "ready"
        if answers == 2 then
          table.insert(result.results, 1, table.remove(result.results))
          _G.refreshed = true
        end
        return done(problem, result, ...)
      end, ...)
    end
  ]],
    { part or "state" }
  )
end

---Wait until the screen equals its reference in tests/neovim/screens. A missing reference is written once the screen is
---stable, to be reviewed, and the case fails.
---@param child Editor
---@param name string
function M.expect_screen(child, name)
  local path = here .. "/screens/" .. name
  local is_new = vim.fn.filereadable(path) == 0
  local reference = not is_new and table.concat(vim.fn.readfile(path), "\n") or ""
  local finish = vim.uv.hrtime() + M.TIMEOUT_MS * 1e6
  repeat
    local shot = tostring(child.get_screenshot())
    if shot == reference and is_new then
      break
    elseif shot == reference then
      return
    end
    reference = is_new and shot or reference
    vim.uv.sleep(is_new and 1000 or POLL_MS)
  until vim.uv.hrtime() > finish
  MiniTest.expect.reference_screenshot(child.get_screenshot(), path)
  assert(not is_new, "written, to be looked at: " .. path)
end

---Return where a picker's line says that a result is.
---@param result scry.protocol.ResultItem
---@return string
function M.place_of(result)
  local inside = result.doc_id:gsub("^%./", "")
  local path = inside:match("^(.-)::") or inside:match("^(.-)#L%d") or inside
  return result.location and ("%s:%d"):format(path, result.location.range.start.line + 1) or inside
end

---Return the name that a picker's line shows of a result.
---@param result scry.protocol.ResultItem
---@return string
function M.name_of(result)
  return result.location and result.doc_id:match("::(.+)$") or result.title
end

---Expect that a text contains a part.
M.expect_holds = MiniTest.new_expectation("text that holds a part", function(text, part)
  return text:find(part, 1, true) ~= nil
end, function(text, part)
  return ("%s\nis not in:\n%s"):format(part, text)
end)

return M
