-- The lifecycle of the sidecar: start, crash, restart, a missing program, protocol mismatch, one process per root.

local editor = require("editor")
local expect = MiniTest.expect
local T, child = editor.set({ setup = "{ picker = 'select' }" })

local function find(words)
  child().lua("_G.found, _G.failure = nil, nil")
  child().lua(
    [[require("scry").source("find", {}).ask(..., function(failure, found) _G.found, _G.failure = found, failure end)]],
    { words }
  )
end

local function answered()
  return child().wait("_G.found and #_G.found.hits > 0", "an answer")
end

local function kill_all()
  for _, process in ipairs(child().sidecars()) do
    vim.uv.kill(process, "sigkill")
  end
end

local function said()
  return child().lua_get("vim.tbl_map(function(one) return one.text end, _G.said)")
end

T["works without a file buffer"] = function()
  find("receipt")
  answered()
  expect.equality(child().lua_get("vim.api.nvim_buf_get_name(0)"), "")
end

T["a killed sidecar is restarted and answers"] = function()
  find("receipt")
  answered()
  local before = child().lua_get("vim.lsp.get_clients({ name = 'scry' })[1].id")
  kill_all()
  find("receipt")
  answered()
  expect.no_equality(child().lua_get("vim.lsp.get_clients({ name = 'scry' })[1].id"), before)
end

T["a pending request survives the kill"] = function()
  find("receipt")
  answered()
  child().freeze()
  find("sum of all prices")
  kill_all()
  answered()
end

T["a sidecar that always crashes is given up with one message"] = function()
  child().lua("require('scry').setup({ picker = 'select', cmd = { 'sh', '-c', 'echo no such luck >&2; exit 7' } })")
  find("receipt")
  child().wait("_G.failure")
  local text = child().lua_get("_G.failure.message")
  editor.expect_holds(text, "exit code 7")
  editor.expect_holds(text, "no such luck")
  editor.expect_holds(text, ":Scry restart")
  local messages = vim.tbl_filter(function(one)
    return vim.startswith(one, "Scry:")
  end, said())
  expect.equality(#messages, 1)
  find("receipt") -- no process is started any more
  expect.equality(child().lua_get("_G.failure.message"), text)
  expect.equality(child().sidecars(), {})
end

T["restart starts a sidecar that was given up"] = function()
  child().lua("_G.working_command = require('scry.config').values.cmd")
  child().lua("require('scry').setup({ picker = 'select', restarts = 0, cmd = { 'false' } })")
  find("receipt")
  child().wait("_G.failure")
  child().lua("require('scry.config').values.cmd = _G.working_command")
  child().cmd("Scry restart")
  child().wait("_G.said[#_G.said].text == 'Scry: the sidecar runs.'")
  find("receipt")
  answered()
end

T["a missing sidecar is reported with advice"] = function()
  child().lua("require('scry').setup({ picker = 'select', cmd = { '/nowhere/scry' } })")
  child().cmd("Scry find receipt")
  child().wait("_G.said[1]")
  local text = said()[1]
  editor.expect_holds(text, "/nowhere/scry")
  editor.expect_holds(text, "setup")
  expect.equality(#said(), 1)
end

T["a protocol mismatch is reported once, with the part to update"] = function()
  child().lua("require('scry.generated.protocol').version = 99")
  child().cmd("Scry find receipt")
  child().wait("_G.said[1]")
  local text = said()[1]
  editor.expect_holds(text, "Update the sidecar")
  child().wait("#vim.lsp.get_clients({ name = 'scry' }) == 0", "its end")
  child().cmd("Scry find receipt")
  expect.equality(#said(), 1)
end

T["another language server is refused"] = function()
  child().lua([[
    local answer = '{"jsonrpc":"2.0","id":1,"result":{"capabilities":{}}}'
    local script = ('printf "Content-Length: %d\\r\\n\\r\\n%%s" \'%s\'; cat >/dev/null'):format(#answer, answer)
    require("scry").setup({ picker = "select", cmd = { "sh", "-c", script } })
  ]])
  child().cmd("Scry find receipt")
  child().wait("_G.said[1]")
  editor.expect_holds(said()[1], "not Scry's sidecar")
end

T["each root has a sidecar and answers of its own"] = function()
  child().cmd("edit shop/cart.py")
  find("receipt")
  answered()
  local first = child().lua_get("_G.found.hits[1].root")
  child().cmd("edit " .. os.getenv("TEST_OTHER") .. "/ferry.py")
  find("timetable of the ferry")
  answered()
  expect.no_equality(child().lua_get("_G.found.hits[1].root"), first)
  expect.equality(child().lua_get("_G.found.hits[1].item.doc_id"), "./ferry.py::departures")
  expect.equality(#child().sidecars(), 2)
  child().cmd("buffer cart.py")
  find("receipt")
  answered()
  expect.equality(child().lua_get("_G.found.hits[1].root"), first)
  expect.equality(#child().sidecars(), 2)
end

T["attached files send unsaved text"] = function()
  child().cmd("edit shop/cart.py")
  find("compute_total")
  answered()
  child().wait("#vim.lsp.get_clients({ bufnr = 0, name = 'scry' }) == 1", "the attachment")
  child().api.nvim_buf_set_lines(0, 0, 0, false, { "# one", "# two" })
  local give_up = os.time() + 60 -- Neovim sends changes a moment later, on a busy machine much later
  local line
  repeat
    find("compute_total")
    answered()
    line = child().lua_get("_G.found.hits[1].item.location.range.start.line")
  until line == 12 or os.time() > give_up
  expect.equality(line, 12)
end

T["vim.lsp.enable starts the same client"] = function()
  if child().fn.has("nvim-0.11") == 0 then
    return -- Neovim 0.10 has no vim.lsp.enable
  end
  child().lua("vim.lsp.enable('scry')")
  child().cmd("edit shop/cart.py")
  child().wait("#vim.lsp.get_clients({ bufnr = 0, name = 'scry' }) == 1", "the attachment")
  find("receipt")
  answered()
  expect.equality(#child().sidecars(), 1)
  kill_all()
  find("receipt")
  answered()
  expect.equality(#child().sidecars(), 1)
end

---Return what the sidecar says of learning in its status.
local function learning()
  child().lua([[
    _G.learning = nil
    local client = require("scry.client")
    client.with(require("scry.root").of(), function(_, to)
      client.call(to, "request", "scry/status", vim.empty_dict(), function(_, state) _G.learning = state.learning end)
    end)
  ]])
  return child().wait("_G.learning", "the status")
end

T["learning is switched off in the sidecar"] = function()
  child().ready()
  expect.equality(learning():sub(1, 2), "on")
  child().lua("require('scry').setup({ picker = 'select', learn = false })")
  child().lua("require('scry.client').restart(require('scry.root').of())")
  child().wait("#vim.lsp.get_clients({ name = 'scry' }) == 0", "the end of the sidecar")
  child().ready()
  expect.equality(learning(), "off (the setting learn)")
end

return T
